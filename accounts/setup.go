package accounts

import (
	"context"
	"crypto/subtle"
	"strings"

	"countersign/audit"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// setupKey is where the hash of the setup token is kept.
const setupKey = "setup_token"

// NeedsSetup reports whether there is no user yet.
func (s *Service) NeedsSetup(ctx context.Context) (bool, error) {
	needed := false
	err := s.runner.View(ctx, func(r *store.Reader) (err error) {
		needed, err = noUsers(ctx, r)
		return err
	})
	return needed, err
}

func noUsers(ctx context.Context, r *store.Reader) (bool, error) {
	n, err := r.CountUsers(ctx, "")
	return n == 0, err
}

// EnsureSetupToken makes the one-time token for the first administrator while there is no user; any made before
// stops working. The caller prints it where only the operator reads.
func (s *Service) EnsureSetupToken(ctx context.Context) (token string, needed bool, err error) {
	if needed, err = s.NeedsSetup(ctx); err != nil || !needed {
		return "", false, err
	}
	token = newToken()
	err = s.runner.InTx(ctx, func(tx *store.Tx) error { return tx.SetMeta(ctx, setupKey, hashToken(token)) })
	if err != nil {
		return "", false, err
	}
	return token, true, nil
}

// SetupInput makes the first administrator.
type SetupInput struct {
	Token    string
	Email    string
	Name     string
	Password string
	Meta
}

// Setup makes the first administrator and signs them in. Whoever has the token may call it, and of several at once
// one succeeds. Errors: NotFound once there is a user, Forbidden for a wrong token, RateLimited after many of those,
// Invalid for wrong fields, which leaves the token as it was.
func (s *Service) Setup(ctx context.Context, in SetupInput) (token string, me Me, err error) {
	in.Meta = in.clean()
	in.Token = strings.TrimSpace(in.Token)
	if err := s.checkSetupToken(ctx, in); err != nil {
		return "", Me{}, err
	}
	fields := UserInput{Email: in.Email, Name: in.Name, Password: in.Password, Role: rbac.AdminRole, Lang: in.Lang}
	user, err := s.newUser(fields, true)
	if err != nil {
		return "", Me{}, err
	}
	if user.PasswordHash, err = s.passwords.hashNew(ctx, in.Password); err != nil {
		return "", Me{}, err
	}
	err = s.runner.InTx(ctx, func(tx *store.Tx) error {
		if err := useSetupToken(ctx, tx, in.Token); err != nil {
			return err
		}
		if err := tx.InsertUser(ctx, user); err != nil {
			return err
		}
		token, err = s.startSession(ctx, tx, user, in.Meta, actionSetup)
		return err
	})
	if err != nil {
		return "", Me{}, err
	}
	me, err = s.Me(ctx, in.person(user))
	return token, me, err
}

// checkSetupToken refuses early, before a password is hashed for a stranger.
func (s *Service) checkSetupToken(ctx context.Context, in SetupInput) error {
	needed, stored := false, ""
	err := s.runner.View(ctx, func(r *store.Reader) (err error) {
		// In this order: a token that is gone because it was just used is then seen with its user.
		if stored, err = r.Meta(ctx, setupKey); err != nil {
			return err
		}
		needed, err = noUsers(ctx, r)
		return err
	})
	if err != nil {
		return err
	}
	if !needed {
		return errSetUp
	}
	forgive, err := s.attempt(ctx, setupRules(in.IP))
	if err != nil {
		return err
	}
	if subtle.ConstantTimeCompare([]byte(stored), []byte(hashToken(in.Token))) == 1 {
		forgive()
		return nil
	}
	entry := audit.Entry{Action: actionSetup, Decision: models.DecisionDenied, Reason: CodeSetupToken}
	return s.refuse(ctx, in.stranger(), entry, errSetupToken)
}

// useSetupToken takes the token away: of concurrent transactions one gets it.
func useSetupToken(ctx context.Context, tx *store.Tx, token string) error {
	taken, err := tx.TakeMeta(ctx, setupKey, hashToken(token))
	if err != nil {
		return err
	}
	// Counted after the token was waited for, so that a user made meanwhile is seen.
	free, err := noUsers(ctx, tx.Reader)
	switch {
	case err != nil:
		return err
	case !free:
		return errSetUp
	case !taken:
		return errSetupToken
	}
	return nil
}
