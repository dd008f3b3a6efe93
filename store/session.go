package store

import (
	"context"
	"time"

	"countersign/models"
)

// SessionView is a session with its user, disabled or not.
type SessionView struct {
	models.Session `gorm:"embedded;embeddedPrefix:session_"`
	User           UserView `gorm:"embedded"`
}

// Session returns a session that has not ended, by the hash of its token.
func (r *Reader) Session(ctx context.Context, tokenHash string, now time.Time) (*SessionView, error) {
	s, err := findOne[SessionView](ctx, r, "SELECT "+userViewColumns+", sessions.token_hash AS session_token_hash, sessions.user_id AS session_user_id, "+
		"sessions.created_at AS session_created_at, sessions.last_seen_at AS session_last_seen_at, sessions.expires_at AS session_expires_at, "+
		"sessions.ip AS session_ip, sessions.user_agent AS session_user_agent FROM sessions JOIN users ON users.id = sessions.user_id "+
		userViewJoins+" WHERE sessions.token_hash = ? AND sessions.expires_at > ?", tokenHash, now)
	return mustFind(s, err, "session")
}

// InsertSession adds a session.
func (tx *Tx) InsertSession(ctx context.Context, s *models.Session) error {
	return translate(tx.q.WithContext(ctx).Create(s).Error)
}

// TouchSession records that a session was used and moves its end.
func (tx *Tx) TouchSession(ctx context.Context, tokenHash string, seen, expires time.Time) error {
	return translate(tx.q.WithContext(ctx).Model(&models.Session{}).Where("token_hash = ?", tokenHash).
		Updates(map[string]any{"last_seen_at": seen, "expires_at": expires}).Error)
}

// DeleteSession ends one session.
func (tx *Tx) DeleteSession(ctx context.Context, tokenHash string) error {
	return translate(tx.q.WithContext(ctx).Where("token_hash = ?", tokenHash).Delete(&models.Session{}).Error)
}

// DeleteUserSessions ends all sessions of a user.
func (tx *Tx) DeleteUserSessions(ctx context.Context, userID string) error {
	return translate(tx.q.WithContext(ctx).Where("user_id = ?", userID).Delete(&models.Session{}).Error)
}

// DeleteExpiredSessions removes sessions that have ended.
func (tx *Tx) DeleteExpiredSessions(ctx context.Context, now time.Time) error {
	return translate(tx.q.WithContext(ctx).Where("expires_at <= ?", now).Delete(&models.Session{}).Error)
}
