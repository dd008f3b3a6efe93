package accounts_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/accounts"
	"countersign/apperr"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

func TestCreateUser(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		team, err := s.CreateTeam(t.Context(), "  Kowloon \t 九龍 ")
		require.NoError(t, err)
		require.Equal(t, "Kowloon 九龍", team.Name)
		u, err := s.CreateUser(t.Context(), accounts.UserInput{
			Email: " Mei.Chan@Example.Test", Name: "Mei\n Chan  陳", Password: password, Role: "manager", TeamID: team.ID, Lang: "xx",
		})
		require.NoError(t, err)
		require.Equal(t, "mei.chan@example.test", u.Email)
		require.Equal(t, "Mei Chan 陳", u.Name)
		require.Equal(t, "en", u.Lang)
		require.NoError(t, s.SetTeamManager(t.Context(), team.ID, u.ID))

		require.Equal(t, 1, s.count(t, "SELECT COUNT(*) FROM record_names WHERE kind = 'person' AND record_id = $1 AND name_key = 'mei chan 陳'", u.ID))
		require.Equal(t, 1, s.count(t, "SELECT COUNT(*) FROM teams WHERE manager_id = $1", u.ID))
		_, me, err := s.Login(t.Context(), login(u.Email, password, from("192.0.2.1")))
		require.NoError(t, err)
		require.Equal(t, "Kowloon 九龍", me.User.TeamName)
		require.Equal(t, team.ID, *me.User.TeamID)

		for _, action := range []string{"user:create", "team:create", "team:set-manager"} {
			entries := s.entries(t, action)
			last := entries[len(entries)-1]
			require.Equal(t, "operator", last.ActorName)
			require.Equal(t, models.ViaSystem, last.Via)
			require.NotContains(t, asJSON(t, entries), "example.test")
		}
	})
}

func TestCreateUserRefuses(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		good := accounts.UserInput{Email: "new@example.test", Name: "New", Password: password, Role: "sales"}
		for name, c := range map[string]struct {
			change func(in *accounts.UserInput)
			paths  []string
		}{
			"everything":         {func(in *accounts.UserInput) { *in = accounts.UserInput{Password: "x"} }, []string{"email", "name", "password", "role"}},
			"no @":               {func(in *accounts.UserInput) { in.Email = "new.example.test" }, []string{"email"}},
			"two @":              {func(in *accounts.UserInput) { in.Email = "new@a@example.test" }, []string{"email"}},
			"no local part":      {func(in *accounts.UserInput) { in.Email = "@example.test" }, []string{"email"}},
			"no domain":          {func(in *accounts.UserInput) { in.Email = "new@" }, []string{"email"}},
			"space":              {func(in *accounts.UserInput) { in.Email = "ne w@example.test" }, []string{"email"}},
			"zero width":         {func(in *accounts.UserInput) { in.Email = "ne\u200bw@example.test" }, []string{"email"}},
			"right to left":      {func(in *accounts.UserInput) { in.Email = "ne\u202ew@example.test" }, []string{"email"}},
			"control":            {func(in *accounts.UserInput) { in.Email = "ne\x01w@example.test" }, []string{"email"}},
			"full width":         {func(in *accounts.UserInput) { in.Email = "ｎew@example.test" }, []string{"email"}},
			"not UTF-8":          {func(in *accounts.UserInput) { in.Email = "ne\xffw@example.test" }, []string{"email"}},
			"long address":       {func(in *accounts.UserInput) { in.Email = strings.Repeat("n", 250) + "@a.test" }, []string{"email"}},
			"invisible name":     {func(in *accounts.UserInput) { in.Name = "\u200b\u200d" }, []string{"name"}},
			"long name":          {func(in *accounts.UserInput) { in.Name = strings.Repeat("名", 201) }, []string{"name"}},
			"11 characters":      {func(in *accounts.UserInput) { in.Password = strings.Repeat("密", 11) }, []string{"password"}},
			"257 characters":     {func(in *accounts.UserInput) { in.Password = strings.Repeat("p", 257) }, []string{"password"}},
			"unknown role":       {func(in *accounts.UserInput) { in.Role = "emperor" }, []string{"role"}},
			"unknown team":       {func(in *accounts.UserInput) { in.TeamID = models.NewID() }, []string{"role"}},
			"address in use":     {func(in *accounts.UserInput) { in.Email = strings.ToUpper(email) }, []string{"email"}},
			"team is not a uuid": {func(in *accounts.UserInput) { in.TeamID = "x" }, []string{"role"}},
		} {
			in := good
			c.change(&in)
			_, err := s.CreateUser(t.Context(), in)
			require.Error(t, err, name)
			require.Equal(t, c.paths, paths(err), "%s: %v", name, err)
			require.NotContains(t, apperr.As(err).Message, "SQL", name)
		}
		require.Equal(t, 1, s.count(t, "SELECT COUNT(*) FROM users"))
		for _, length := range []int{12, 256} {
			in := good
			in.Email, in.Password = strings.Repeat("n", length/4)+"@example.test", strings.Repeat("密", length)
			_, err := s.CreateUser(t.Context(), in)
			require.NoError(t, err)
			require.NoError(t, s.try(t, in.Email, in.Password, "192.0.2.1"))
		}
	})
}

func TestTeamRefusals(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		team, err := s.CreateTeam(t.Context(), "East")
		require.NoError(t, err)
		_, err = s.CreateTeam(t.Context(), " EAST ")
		require.True(t, apperr.HasCode(err, accounts.CodeTeamExists), "%v", err)
		_, err = s.CreateTeam(t.Context(), " ")
		require.Equal(t, []string{"name"}, paths(err))
		u := s.user(t, "boss@example.test", "manager")
		require.True(t, apperr.Is(s.SetTeamManager(t.Context(), models.NewID(), u.ID), apperr.NotFound))
		require.True(t, apperr.Is(s.SetTeamManager(t.Context(), team.ID, models.NewID()), apperr.NotFound))
	})
}

func TestSetPassword(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		require.NoError(t, s.SetPassword(t.Context(), "KIT@example.test", "another password"))
		require.Error(t, s.try(t, email, password, "192.0.2.1"))
		require.NoError(t, s.try(t, email, "another password", "192.0.2.1"))
		require.Len(t, s.entries(t, "user:set-password"), 1)
		require.NotContains(t, asJSON(t, s.entries(t, "user:set-password")), "another password")

		require.Equal(t, []string{"password"}, paths(s.SetPassword(t.Context(), email, "short")))
		require.Equal(t, []string{"email"}, paths(s.SetPassword(t.Context(), "kit", password)))
		require.True(t, apperr.Is(s.SetPassword(t.Context(), "nobody@example.test", password), apperr.NotFound))
	})
}

func TestTheLastAdministratorStays(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		s.user(t, "ada@example.test", rbac.AdminRole)
		s.user(t, "ben@example.test", rbac.AdminRole)
		require.NoError(t, s.DisableUser(t.Context(), "ada@example.test"))
		require.NoError(t, s.DisableUser(t.Context(), "ada@example.test"), "a disabled one is no error")
		err := s.DisableUser(t.Context(), "ben@example.test")
		require.True(t, apperr.HasCode(err, accounts.CodeLastAdmin), "disabled ones do not count: %v", err)
		require.NoError(t, s.DisableUser(t.Context(), email), "others may go")
		require.NoError(t, s.try(t, "ben@example.test", password, "192.0.2.1"))
		require.True(t, apperr.Is(s.DisableUser(t.Context(), "nobody@example.test"), apperr.NotFound))
	})
}

func TestAdministratorsDisablingEachOther(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		replica := newSystem(t, dbtest.Again(t, s.db))
		for range 5 {
			s.exec(t, "DELETE FROM sessions")
			s.exec(t, "DELETE FROM users")
			addresses := []string{"ada@example.test", "ben@example.test", "cy@example.test"}
			for _, address := range addresses {
				_, err := s.CreateUser(t.Context(), accounts.UserInput{Email: address, Name: address, Role: rbac.AdminRole})
				require.NoError(t, err)
			}
			errs := together(len(addresses), func(i int) error {
				return []*system{s, replica}[i%2].DisableUser(t.Context(), addresses[i])
			})
			require.Equal(t, map[string]int{"": 2, accounts.CodeLastAdmin: 1}, tally(errs))
			require.Equal(t, 1, s.count(t, "SELECT COUNT(*) FROM users WHERE disabled_at IS NULL"))
		}
	})
}

// The second one counts only after the first has committed.
func TestDisablingWaitsForTheOneBefore(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		s.user(t, "ada@example.test", rbac.AdminRole)
		s.user(t, "ben@example.test", rbac.AdminRole)
		done := make(chan error, 1)
		require.NoError(t, s.db.InTx(t.Context(), func(tx *store.Tx) error {
			err := s.With(tx).DisableUser(t.Context(), "ada@example.test")
			go func() { done <- s.DisableUser(t.Context(), "ben@example.test") }()
			s.awaitLockWait(t)
			return err
		}))
		require.True(t, apperr.HasCode(<-done, accounts.CodeLastAdmin))
	})
}

func TestWithinATransactionOfAnother(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		undo := errors.New("undo")
		err := s.db.InTx(t.Context(), func(tx *store.Tx) error {
			bound := s.With(tx)
			in := accounts.UserInput{Email: "new@example.test", Name: "New", Role: "sales"}
			u, err := bound.CreateUser(t.Context(), in)
			require.NoError(t, err)
			_, err = bound.CreateUser(t.Context(), in)
			require.True(t, apperr.HasCode(err, accounts.CodeEmailTaken), "%v", err)
			me, err := bound.Me(t.Context(), models.Actor{UserID: u.ID})
			require.NoError(t, err, "the transaction goes on, and sees its own writes")
			require.Equal(t, "New", me.User.Name)
			return undo
		})
		require.ErrorIs(t, err, undo)
		require.Equal(t, 1, s.count(t, "SELECT COUNT(*) FROM users"))
		require.Len(t, s.entries(t, "user:create"), 1)
	})
}
