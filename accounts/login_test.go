package accounts_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/stretchr/testify/require"

	"countersign/accounts"
	"countersign/apperr"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

func TestNewDemandsItsParts(t *testing.T) {
	t.Parallel()
	_, err := accounts.New(accounts.Options{})
	require.Error(t, err)
}

func TestLogin(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		token, me, err := s.Login(t.Context(), login("  KIT@Example.Test ", password, from("192.0.2.1")))
		require.NoError(t, err)
		require.Len(t, token, 64, "256 bits in hex")

		require.Equal(t, email, me.User.Email)
		require.Equal(t, "Sales", me.User.RoleName)
		require.True(t, me.Demo)
		require.Contains(t, me.Permissions, rbac.Held{Permission: rbac.DealUpdate, Scope: rbac.ScopeOwn})
		require.NotContains(t, asJSON(t, me), "argon2id")
		require.Contains(t, asJSON(t, me), `{"permission":"deal:update","scope":"own"}`)

		actor, _, err := s.Authenticate(t.Context(), token, accounts.Meta{IP: "192.0.2.9", RequestID: "req-2", UserAgent: "a\x00b\xff"})
		require.NoError(t, err)
		require.Equal(t, models.Actor{
			UserID: me.User.ID, Name: "Kit 傑", Via: models.ViaWeb, IP: "192.0.2.9", RequestID: "req-2", UserAgent: "ab\uFFFD", Lang: "zh-HK",
		}, actor)

		entries := s.entries(t, "auth:login")
		require.Len(t, entries, 1)
		require.Equal(t, models.DecisionAllowed, entries[0].Decision)
		require.Equal(t, me.User.ID, *entries[0].ActorID)
		require.Equal(t, "192.0.2.1", entries[0].IP)
		require.Equal(t, "req-1", entries[0].RequestID)
	})
}

func TestLoginFailuresLookTheSame(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		s.user(t, "gone@example.test", "sales")
		require.NoError(t, s.DisableUser(t.Context(), "gone@example.test"))
		_, err := s.CreateUser(t.Context(), accounts.UserInput{Email: "new@example.test", Name: "New", Role: "sales"})
		require.NoError(t, err)
		s.user(t, "odd@example.test", "sales")
		s.exec(t, "UPDATE users SET password_hash = '!' WHERE email = 'odd@example.test'")

		for _, c := range []struct{ name, address, word, reason string }{
			{"wrong password", email, "demo-passwore", "wrong_password"},
			{"empty password", email, "", "wrong_password"},
			{"long password", email, strings.Repeat("x", 100_000), "wrong_password"},
			{"unknown account", "nobody@secret-place.test", password, "unknown_account"},
			{"not an address", "nobody\x00", password, "unknown_account"},
			{"disabled", "gone@example.test", password, "disabled"},
			{"disabled, wrong password", "gone@example.test", "demo-passwore", "wrong_password"},
			{"no password yet", "new@example.test", "", "wrong_password"},
			{"no usable hash", "odd@example.test", "!", "wrong_password"},
		} {
			token, me, err := s.Login(t.Context(), login(c.address, c.word, from("192.0.2.1")))
			require.Equal(t, apperr.New(apperr.Unauthenticated, "INVALID_CREDENTIALS", "E-mail or password is wrong."), err, c.name)
			require.Empty(t, token)
			require.Zero(t, me)
			entries := s.entries(t, "auth:login")
			last := entries[len(entries)-1]
			require.Equal(t, models.DecisionDenied, last.Decision, c.name)
			require.Equal(t, c.reason, last.Reason, c.name)
			require.Equal(t, c.reason == "unknown_account", last.TargetID == "", c.name)
			require.Nil(t, last.ActorID, "nobody has signed in")
		}
		require.Zero(t, s.count(t, "SELECT COUNT(*) FROM sessions"))
		record := asJSON(t, s.entries(t, "auth:login"))
		for _, canary := range []string{"secret-place", password, "passwore"} {
			require.NotContains(t, record, canary)
		}
	})
}

func TestFailureIsRecordedThoughTheClientLeft(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		ctx, cancel := context.WithCancel(t.Context())
		inner := s.options.Throttle
		s.options.Throttle = func(c context.Context, key string, limit int, window time.Duration) (time.Duration, func(context.Context) error, error) {
			defer cancel()
			return inner(c, key, limit, window)
		}
		s.rebuild(t)
		_, _, err := s.Login(ctx, login(email, "wrong-password", from("192.0.2.1")))
		require.Error(t, err)
		require.Len(t, s.entries(t, "auth:login"), 1)
	})
}

func TestHashIsRenewedAtLogin(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		weak := argon2id.Params{Memory: 8 * 1024, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32}
		old, err := argon2id.CreateHash(password, &weak)
		require.NoError(t, err)
		s.exec(t, "UPDATE users SET password_hash = $1", old)

		require.Equal(t, map[string]int{"": 4}, tally(together(4, func(int) error {
			_, _, err := s.Login(t.Context(), login(email, password, from("192.0.2.1")))
			return err
		})), "parallel logins do not disturb each other")
		require.Equal(t, 1, s.count(t, "SELECT COUNT(*) FROM users WHERE password_hash LIKE '$argon2id$v=19$m=19456,t=2,p=1$%'"))
		version := s.count(t, "SELECT version FROM users")
		s.signIn(t)
		require.Equal(t, version, s.count(t, "SELECT version FROM users"), "a good hash stays")
	})
}

// A password that is replaced while somebody signs in with it opens no session.
func TestPasswordChangeDuringLogin(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		inner, changed := s.options.Throttle, false
		s.options.Throttle = func(ctx context.Context, key string, limit int, window time.Duration) (time.Duration, func(context.Context) error, error) {
			if !changed {
				changed = true
				require.NoError(t, s.SetPassword(ctx, email, "another password"))
			}
			return inner(ctx, key, limit, window)
		}
		s.rebuild(t)
		_, _, err := s.Login(t.Context(), login(email, password, from("192.0.2.1")))
		require.True(t, apperr.HasCode(err, accounts.CodeInvalidCredentials), "%v", err)
		require.Zero(t, s.count(t, "SELECT COUNT(*) FROM sessions"))
	})
}

func TestLoginWaitsForAPasswordChange(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		done := make(chan error, 1)
		require.NoError(t, s.db.InTx(t.Context(), func(tx *store.Tx) error {
			if err := s.With(tx).SetPassword(t.Context(), email, "another password"); err != nil {
				return err
			}
			go func() {
				_, _, err := s.Login(t.Context(), login(email, password, from("192.0.2.1")))
				done <- err
			}()
			s.awaitLockWait(t)
			return nil
		}))
		require.True(t, apperr.HasCode(<-done, accounts.CodeInvalidCredentials))
		require.Zero(t, s.count(t, "SELECT COUNT(*) FROM sessions"))
	})
}
