package accounts_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/accounts"
	"countersign/apperr"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

func eachEmpty(t *testing.T, fn func(t *testing.T, s *system)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, db *store.DB) { fn(t, newSystem(t, db)) })
}

func (s *system) setupToken(t *testing.T) string {
	t.Helper()
	token, needed, err := s.EnsureSetupToken(t.Context())
	require.NoError(t, err)
	require.True(t, needed)
	return token
}

func setup(token string) accounts.SetupInput {
	return accounts.SetupInput{Token: token, Email: "ada@example.test", Name: "Ada", Password: password, Meta: from("192.0.2.1")}
}

func TestSetup(t *testing.T) {
	t.Parallel()
	eachEmpty(t, func(t *testing.T, s *system) {
		needed, err := s.NeedsSetup(t.Context())
		require.NoError(t, err)
		require.True(t, needed)
		token := s.setupToken(t)
		require.Zero(t, s.count(t, "SELECT COUNT(*) FROM app_meta WHERE value = $1", token), "stored as a hash")

		session, me, err := s.Setup(t.Context(), setup(" "+token+"\n"))
		require.NoError(t, err)
		require.Equal(t, rbac.AdminRole, me.User.Role)
		require.Len(t, me.Permissions, len(rbac.Registry()))
		require.True(t, s.alive(t, session), "the administrator is signed in")
		entries := s.entries(t, "auth:setup")
		require.Len(t, entries, 1)
		require.Equal(t, me.User.ID, *entries[0].ActorID)

		_, _, err = s.Setup(t.Context(), setup(token))
		require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
		_, needed, err = s.EnsureSetupToken(t.Context())
		require.NoError(t, err)
		require.False(t, needed)
		require.Zero(t, s.count(t, "SELECT COUNT(*) FROM app_meta"), "the token is gone")
		require.NoError(t, s.try(t, "ada@example.test", password, "192.0.2.1"))
	})
}

func TestSetupRefusesWrongTokens(t *testing.T) {
	t.Parallel()
	eachEmpty(t, func(t *testing.T, s *system) {
		_, _, err := s.Setup(t.Context(), setup(""))
		require.Equal(t, accounts.CodeSetupToken, code(err), "before there is any token")
		old := s.setupToken(t)
		token := s.setupToken(t)
		for _, wrong := range []string{old, "", token[1:], token + "0"} {
			_, _, err := s.Setup(t.Context(), setup(wrong))
			require.Equal(t, accounts.CodeSetupToken, code(err))
			require.True(t, apperr.Is(err, apperr.Forbidden))
		}
		entries := s.entries(t, "auth:setup")
		require.Len(t, entries, 5)
		require.Equal(t, models.DecisionDenied, entries[4].Decision)

		for range 5 {
			_, _, err = s.Setup(t.Context(), setup(old))
			require.Equal(t, accounts.CodeSetupToken, code(err))
		}
		_, _, err = s.Setup(t.Context(), setup(token))
		require.Equal(t, tooMany, code(err))
		s.clock.Advance(apperr.As(err).RetryAfter)
		_, _, err = s.Setup(t.Context(), setup(token))
		require.NoError(t, err)
	})
}

func TestSetupNamesWrongFieldsAndKeepsTheToken(t *testing.T) {
	t.Parallel()
	eachEmpty(t, func(t *testing.T, s *system) {
		in := setup(s.setupToken(t))
		in.Email, in.Name, in.Password = "ada", " ", "short"
		_, _, err := s.Setup(t.Context(), in)
		require.True(t, apperr.Is(err, apperr.Invalid))
		require.Equal(t, []string{"email", "name", "password"}, paths(err))
		in.Token = "wrong"
		_, _, err = s.Setup(t.Context(), in)
		require.Equal(t, accounts.CodeSetupToken, code(err), "a stranger learns nothing about the fields")
		in.Token = s.setupToken(t)
		for range 12 {
			_, _, err = s.Setup(t.Context(), in)
			require.True(t, apperr.Is(err, apperr.Invalid), "mistakes with the right token do not count: %v", err)
		}
	})
}

func paths(err error) (list []string) {
	for _, f := range apperr.As(err).Fields {
		list = append(list, f.Path)
	}
	return list
}

func TestParallelSetupsMakeOneAdministrator(t *testing.T) {
	t.Parallel()
	eachEmpty(t, func(t *testing.T, s *system) {
		token := s.setupToken(t)
		replica := newSystem(t, dbtest.Again(t, s.db))
		errs := together(6, func(i int) error {
			in := setup(token)
			in.Email, in.IP = addressOf(i)+"@example.test", addressOf(i)
			_, _, err := []*system{s, replica}[i%2].Setup(t.Context(), in)
			return err
		})
		require.Equal(t, map[string]int{"": 1, "NOT_FOUND": 5}, tally(errs))
		require.Equal(t, 1, s.count(t, "SELECT COUNT(*) FROM users"))
		require.Equal(t, 1, s.count(t, "SELECT COUNT(*) FROM sessions"))
	})
}

// Another replica starts, and makes a new token, between the check of the old one and its use.
func TestSetupRefusesATokenReplacedMeanwhile(t *testing.T) {
	t.Parallel()
	eachEmpty(t, func(t *testing.T, s *system) {
		old, inner := s.setupToken(t), s.options.Throttle
		s.options.Throttle = func(ctx context.Context, key string, limit int, window time.Duration) (time.Duration, func(context.Context) error, error) {
			s.setupToken(t)
			return inner(ctx, key, limit, window)
		}
		s.rebuild(t)
		_, _, err := s.Setup(t.Context(), setup(old))
		require.Equal(t, accounts.CodeSetupToken, code(err))
		require.Zero(t, s.count(t, "SELECT COUNT(*) FROM users"))
	})
}

func TestSetupIsOverWhenTheOperatorMadeAUser(t *testing.T) {
	t.Parallel()
	eachEmpty(t, func(t *testing.T, s *system) {
		token := s.setupToken(t)
		s.user(t, email, "viewer")
		s.clock.Advance(time.Hour)
		_, _, err := s.Setup(t.Context(), setup(token))
		require.True(t, apperr.Is(err, apperr.NotFound))
	})
}
