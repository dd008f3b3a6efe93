package accounts_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/accounts"
	"countersign/apperr"
	"countersign/models"
)

func TestSessionEndsWhenIdle(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		token := s.signIn(t)
		s.clock.Advance(accounts.SessionIdle - time.Microsecond)
		require.True(t, s.alive(t, token))
		s.clock.Advance(accounts.SessionIdle - time.Microsecond)
		require.True(t, s.alive(t, token), "use prolongs it")
		s.clock.Advance(accounts.SessionIdle)
		require.False(t, s.alive(t, token))
	})
}

func TestSessionEndsWithAge(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		token := s.signIn(t)
		for age := 10 * time.Hour; age < accounts.SessionAge; age += 10 * time.Hour {
			s.clock.Advance(10 * time.Hour)
			require.True(t, s.alive(t, token), age)
		}
		s.clock.Advance(8 * time.Hour) // 7 days are 16 times 10 hours and 8
		require.False(t, s.alive(t, token))
		require.NoError(t, s.RemoveEndedSessions(t.Context()))
		require.Zero(t, s.count(t, "SELECT COUNT(*) FROM sessions"))
	})
}

func TestSessionIsWrittenOnceAMinute(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		token := s.signIn(t)
		touched := func() int { return s.count(t, "SELECT COUNT(*) FROM sessions WHERE last_seen_at > created_at") }
		s.clock.Advance(time.Minute - time.Microsecond)
		require.True(t, s.alive(t, token))
		require.Zero(t, touched())
		s.clock.Advance(time.Microsecond)
		require.True(t, s.alive(t, token))
		require.Equal(t, 1, touched())
		require.NoError(t, s.RemoveEndedSessions(t.Context()))
		require.True(t, s.alive(t, token), "only ended ones are removed")
	})
}

func TestTokenIsStoredAsAHash(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		token := s.signIn(t)
		require.Equal(t, 1, s.count(t, "SELECT COUNT(*) FROM sessions"))
		require.Zero(t, s.count(t, "SELECT COUNT(*) FROM sessions WHERE token_hash = $1", token))
		require.NotContains(t, asJSON(t, s.entries(t, "auth:login")), token)
	})
}

func TestWhatEndsASession(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		s.user(t, "admin@example.test", "admin")
		for name, end := range map[string]func(t *testing.T, token string){
			"logout": func(t *testing.T, token string) {
				actor, _, err := s.Authenticate(t.Context(), token, from("192.0.2.1"))
				require.NoError(t, err)
				require.NoError(t, s.Logout(t.Context(), actor, token))
				require.NoError(t, s.Logout(t.Context(), actor, token), "twice is no error")
			},
			"login in the same browser": func(t *testing.T, token string) {
				in := login(email, password, from("192.0.2.1"))
				in.Previous = token
				_, _, err := s.Login(t.Context(), in)
				require.NoError(t, err)
			},
			"a new password": func(t *testing.T, _ string) {
				require.NoError(t, s.SetPassword(t.Context(), email, password))
			},
			"disabling": func(t *testing.T, token string) {
				require.NoError(t, s.DisableUser(t.Context(), email))
				s.exec(t, "UPDATE users SET disabled_at = NULL WHERE email = $1", email)
				require.False(t, s.alive(t, token), "for good")
			},
			"disabling behind the service's back": func(t *testing.T, token string) {
				s.exec(t, "UPDATE users SET disabled_at = created_at WHERE email = $1", email)
				require.False(t, s.alive(t, token))
				s.exec(t, "UPDATE users SET disabled_at = NULL WHERE email = $1", email)
				s.exec(t, "DELETE FROM sessions")
			},
		} {
			token := s.signIn(t)
			require.True(t, s.alive(t, token), name)
			end(t, token)
			require.False(t, s.alive(t, token), name)
		}
	})
}

func TestOneSessionEndsAlone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		first, second := s.signIn(t), s.signIn(t)
		actor, _, err := s.Authenticate(t.Context(), first, from("192.0.2.1"))
		require.NoError(t, err)
		require.NoError(t, s.Logout(t.Context(), actor, first))
		require.True(t, s.alive(t, second))
		require.False(t, s.alive(t, first))
		require.Len(t, s.entries(t, "auth:logout"), 1)
	})
}

func TestNobodyIsRefused(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		for _, token := range []string{"", "x", "\x00"} {
			require.False(t, s.alive(t, token))
		}
		require.True(t, apperr.Is(s.Logout(t.Context(), models.Actor{}, "x"), apperr.Unauthenticated))
		_, err := s.Me(t.Context(), models.Actor{})
		require.True(t, apperr.Is(err, apperr.Unauthenticated))
		_, err = s.Me(t.Context(), models.System("operator"))
		require.True(t, apperr.Is(err, apperr.Unauthenticated))
	})
}
