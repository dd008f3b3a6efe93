package accounts

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"time"

	"countersign/apperr"
	"countersign/audit"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

const (
	// SessionIdle is after how long without a request a session ends, SessionAge after how long in any case.
	SessionIdle = 12 * time.Hour
	SessionAge  = 7 * 24 * time.Hour
	// touchEvery spares a write for every request; an idle session may end that much early.
	touchEvery = time.Minute
)

// newToken gives 256 random bits in hex.
func newToken() string {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // never fails
	return hex.EncodeToString(raw)
}

// hashToken is the form in which tokens are stored. They are random, so a fast hash is enough.
func hashToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// startSession signs a user in and records the action that did it.
func (s *Service) startSession(ctx context.Context, tx *store.Tx, user *models.User, m Meta, action string) (token string, err error) {
	token, now := newToken(), s.now()
	session := &models.Session{
		TokenHash: hashToken(token), UserID: user.ID, CreatedAt: now, LastSeenAt: now, ExpiresAt: now.Add(SessionIdle),
		IP: m.IP, UserAgent: m.UserAgent,
	}
	if err := tx.InsertSession(ctx, session); err != nil {
		return "", err
	}
	entry := audit.Entry{Action: action, Target: refTo(user), Decision: models.DecisionAllowed}
	return token, audit.Write(ctx, tx, m.person(user), now, entry)
}

func endSession(ctx context.Context, tx *store.Tx, token string) error {
	if token == "" {
		return nil
	}
	return tx.DeleteSession(ctx, hashToken(token))
}

// Authenticate gives the actor of a session token, with what decides on their rights at that moment, and keeps the session
// alive. The user is read every time, so a disabled one is out at once. The error is Unauthenticated when there is no such
// session any more.
func (s *Service) Authenticate(ctx context.Context, token string, m Meta) (models.Actor, rbac.Subject, error) {
	now := s.now()
	var session *store.SessionView
	err := s.runner.View(ctx, func(r *store.Reader) (err error) {
		session, err = r.Session(ctx, hashToken(token), now)
		return err
	})
	if apperr.Is(err, apperr.NotFound) || (err == nil && session.User.DisabledAt != nil) {
		return models.Actor{}, rbac.Subject{}, errUnauthenticated
	}
	if err != nil {
		return models.Actor{}, rbac.Subject{}, err
	}
	s.touch(ctx, &session.Session, now)
	return m.clean().person(&session.User.User), session.User.Subject(), nil
}

// touch moves the end of a session. A database that takes no writes right now does not sign people out.
func (s *Service) touch(ctx context.Context, session *models.Session, now time.Time) {
	if now.Sub(session.LastSeenAt) < touchEvery {
		return
	}
	expires := now.Add(SessionIdle)
	if latest := session.CreatedAt.Add(SessionAge); expires.After(latest) {
		expires = latest
	}
	err := s.runner.InTx(ctx, func(tx *store.Tx) error { return tx.TouchSession(ctx, session.TokenHash, now, expires) })
	if err != nil {
		slog.WarnContext(ctx, "session not prolonged", "error", err, "user_id", session.UserID)
	}
}

// RemoveEndedSessions deletes the rows of sessions that ended by themselves. Call it now and then.
func (s *Service) RemoveEndedSessions(ctx context.Context) error {
	return s.runner.InTx(ctx, func(tx *store.Tx) error { return tx.DeleteExpiredSessions(ctx, s.now()) })
}
