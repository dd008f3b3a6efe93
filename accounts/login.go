package accounts

import (
	"context"
	"errors"

	"countersign/apperr"
	"countersign/audit"
	"countersign/models"
	"countersign/store"
)

// The actions of the audit record.
const (
	actionLogin  = "auth:login"
	actionLogout = "auth:logout"
	actionSetup  = "auth:setup"
)

// LoginInput is a try to sign in.
type LoginInput struct {
	Email    string
	Password string
	// Previous is the session token that came with the request, if any: that session ends.
	Previous string
	Meta
}

// errChanged says that the account was written between the check of a password and the start of the session.
var errChanged = errors.New("accounts: changed meanwhile")

// Login checks a password and starts a session. Anybody may call it. The token is for the client's cookie.
// Errors: Unauthenticated with [CodeInvalidCredentials] for whatever is wrong with the account or the password;
// RateLimited after many failures, or while too many people sign in. Only failures count.
func (s *Service) Login(ctx context.Context, in LoginInput) (token string, me Me, err error) {
	in.Meta = in.clean()
	// A second round, because a parallel login may have renewed the hash.
	for range 2 {
		var user *store.UserView
		var renewed string
		if user, renewed, err = s.verify(ctx, in); err != nil {
			return "", Me{}, err
		}
		if token, err = s.signIn(ctx, in, user, renewed); err == nil {
			me, err = s.Me(ctx, in.person(&user.User))
			return token, me, err
		}
		if !errors.Is(err, errChanged) {
			return "", Me{}, err
		}
	}
	return "", Me{}, errCredentials
}

// verify gives the user whose password it is, and a hash to store if the present one is outdated.
func (s *Service) verify(ctx context.Context, in LoginInput) (user *store.UserView, renewed string, err error) {
	leave, err := s.passwords.enter(ctx)
	if err != nil {
		return nil, "", err
	}
	defer leave()
	email, field := parseEmail(in.Email)
	user = &store.UserView{}
	if field == nil {
		if user, err = s.userByEmail(ctx, email); err != nil {
			return nil, "", err
		}
	}
	forgive, err := s.attempt(ctx, loginRules(email, in.IP))
	if err != nil {
		return nil, "", err
	}
	match, outdated := s.passwords.check(in.Password, user.PasswordHash)
	if !match || user.DisabledAt != nil {
		return nil, "", s.refuseLogin(ctx, in.Meta, &user.User, match)
	}
	forgive()
	if outdated {
		renewed, err = s.passwords.hash(in.Password)
	}
	return user, renewed, err
}

// userByEmail gives an empty user when there is none.
func (s *Service) userByEmail(ctx context.Context, email string) (*store.UserView, error) {
	user := &store.UserView{}
	err := s.runner.View(ctx, func(r *store.Reader) (err error) {
		user, err = r.UserByEmail(ctx, email)
		return err
	})
	if apperr.Is(err, apperr.NotFound) {
		return &store.UserView{}, nil
	}
	return user, err
}

// refuseLogin records why a login failed, also when the client did not wait for the answer, which never says why.
// What was typed as the address of an unknown account is not kept: it may be anything, a password included.
func (s *Service) refuseLogin(ctx context.Context, m Meta, user *models.User, match bool) error {
	entry := audit.Entry{Action: actionLogin, Decision: models.DecisionDenied, Reason: "unknown_account"}
	if user.ID != "" {
		entry.Target, entry.Reason = refTo(user), "wrong_password"
		if match {
			entry.Reason = "disabled"
		}
	}
	return s.refuse(ctx, m.stranger(), entry, errCredentials)
}

// refuse records a refusal and returns it.
func (s *Service) refuse(ctx context.Context, actor models.Actor, entry audit.Entry, refusal error) error {
	ctx, cancel := aside(ctx)
	defer cancel()
	err := s.runner.InTx(ctx, func(tx *store.Tx) error { return audit.Write(ctx, tx, actor, s.now(), entry) })
	if err != nil {
		return err
	}
	return refusal
}

// signIn starts the session of a verified user. The user stays locked meanwhile, so that no session can begin with
// a password that another transaction is replacing.
func (s *Service) signIn(ctx context.Context, in LoginInput, verified *store.UserView, renewed string) (token string, err error) {
	err = s.runner.InTx(ctx, func(tx *store.Tx) error {
		if err := tx.LockUser(ctx, verified.ID); err != nil {
			return err
		}
		user, err := tx.UserByID(ctx, verified.ID)
		if err != nil {
			return err
		}
		if user.PasswordHash != verified.PasswordHash || user.DisabledAt != nil {
			return errChanged
		}
		if renewed != "" {
			user.PasswordHash = renewed
			if err := tx.UpdateUser(ctx, &user.User, s.now()); err != nil {
				return err
			}
		}
		if err := endSession(ctx, tx, in.Previous); err != nil {
			return err
		}
		token, err = s.startSession(ctx, tx, &user.User, in.Meta, actionLogin)
		return err
	})
	return token, err
}

// Logout ends the session of a token. The actor is who holds it; a token of no session is no error.
func (s *Service) Logout(ctx context.Context, actor models.Actor, token string) error {
	if actor.UserID == "" {
		return errUnauthenticated
	}
	return s.runner.InTx(ctx, func(tx *store.Tx) error {
		if err := endSession(ctx, tx, token); err != nil {
			return err
		}
		target := models.Ref{Type: models.TypePerson, ID: actor.UserID}
		return audit.Write(ctx, tx, actor, s.now(), audit.Entry{Action: actionLogout, Target: target, Decision: models.DecisionAllowed})
	})
}
