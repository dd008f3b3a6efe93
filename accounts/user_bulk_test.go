package accounts_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/accounts"
	"countersign/apperr"
	"countersign/models"
)

func TestCreateUsersHashesAPasswordOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		users, err := s.CreateUsers(t.Context(), []accounts.UserInput{
			{Email: "A@example.test", Name: "A", Password: "the same password", Role: "sales"},
			{Email: "b@example.test", Name: "B", Password: "another password", Role: "viewer", Lang: "zh-HK"},
			{Email: "c@example.test", Name: "C", Password: "the same password", Role: "sales"},
			{Email: "d@example.test", Name: "D", Role: "sales"},
		})
		require.NoError(t, err)
		require.Equal(t, []string{"a@example.test", "b@example.test", "c@example.test", "d@example.test"},
			[]string{users[0].Email, users[1].Email, users[2].Email, users[3].Email})
		require.Equal(t, users[0].PasswordHash, users[2].PasswordHash)
		require.NotEqual(t, users[0].PasswordHash, users[1].PasswordHash)
		require.Empty(t, users[3].PasswordHash)
		for i, word := range []string{"the same password", "another password", "the same password"} {
			_, me, err := s.Login(t.Context(), login(users[i].Email, word, from("192.0.2.7")))
			require.NoError(t, err)
			require.Equal(t, users[i].ID, me.User.ID)
		}
		_, _, err = s.Login(t.Context(), login(users[3].Email, "", from("192.0.2.7")))
		require.True(t, apperr.HasCode(err, accounts.CodeInvalidCredentials))
		require.Len(t, s.entries(t, "user:create"), 5, "an entry for each, the first user of the test included")
	})
}

func TestCreateUsersAddsAllOrNone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		fine := accounts.UserInput{Email: "fine@example.test", Name: "Fine", Role: "sales"}
		for _, c := range []struct {
			bad  accounts.UserInput
			kind apperr.Kind
		}{
			{accounts.UserInput{Email: email, Name: "Taken", Role: "sales"}, apperr.Conflict},
			{accounts.UserInput{Email: "x@example.test", Name: "X", Role: "nobody"}, apperr.Invalid},
			{accounts.UserInput{Email: "x@example.test", Name: "X", Role: "sales", TeamID: models.NewID()}, apperr.Invalid},
			{accounts.UserInput{Email: "x@example.test", Name: "X", Role: "sales", Password: "short"}, apperr.Invalid},
			{accounts.UserInput{Email: "x", Name: "X", Role: "sales"}, apperr.Invalid},
		} {
			_, err := s.CreateUsers(t.Context(), []accounts.UserInput{fine, c.bad})
			require.True(t, apperr.Is(err, c.kind), "%+v: %v", c.bad, err)
			require.Equal(t, 1, s.count(t, "SELECT COUNT(*) FROM users"))
			require.Len(t, s.entries(t, "user:create"), 1)
		}
		users, err := s.CreateUsers(t.Context(), nil)
		require.NoError(t, err)
		require.Empty(t, users)
	})
}

func TestFindUser(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		user, err := s.FindUser(t.Context(), " "+"KIT@example.test")
		require.NoError(t, err)
		require.Equal(t, email, user.Email)
		require.NoError(t, s.DisableUser(t.Context(), email))
		user, err = s.FindUser(t.Context(), email)
		require.NoError(t, err)
		require.NotNil(t, user.DisabledAt)
		_, err = s.FindUser(t.Context(), "nobody@example.test")
		require.True(t, apperr.Is(err, apperr.NotFound))
		_, err = s.FindUser(t.Context(), "nobody")
		require.True(t, apperr.Is(err, apperr.Invalid))
	})
}
