package api_test

import (
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/accounts"
	"countersign/api"
	"countersign/internal/apitest"
	"countersign/internal/dbtest"
)

const password = "correct horse battery"

type credentials struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

// withPassword lets an actor of the world sign in.
func withPassword(t *testing.T, s *apitest.Server) credentials {
	t.Helper()
	c := credentials{s.User(s.Sales1).Email, password}
	require.NoError(t, s.Services.Accounts.SetPassword(t.Context(), c.Email, c.Password))
	return c
}

func sessionCookie(t *testing.T, a *apitest.Answer) *http.Cookie {
	t.Helper()
	cookies := a.Cookies()
	require.Len(t, cookies, 1)
	return cookies[0]
}

func TestSignInAndOut(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		login := withPassword(t, s)
		stranger := s.Stranger(t)
		answer := stranger.Post("/api/auth/login", login).Want(http.StatusOK)
		cookie := sessionCookie(t, answer)
		require.Equal(t, apitest.Cookie, cookie.Name)
		require.Equal(t, "/", cookie.Path)
		require.Empty(t, cookie.Domain)
		require.True(t, cookie.HttpOnly)
		require.False(t, cookie.Secure, "a browser would drop it over http")
		require.Equal(t, http.SameSiteLaxMode, cookie.SameSite)
		require.Equal(t, int(accounts.SessionAge.Seconds()), cookie.MaxAge)
		require.NotContains(t, answer.Text, cookie.Value)

		client := stranger.With("Cookie", cookie.Name+"="+cookie.Value)
		me := client.Get("/api/me").Want(http.StatusOK)
		require.JSONEq(t, answer.Text, me.Text, "signing in answers as /api/me does")
		require.Equal(t, "sales1@example.test", me.JSON().At("user", "email"))
		require.Equal(t, "Alpha", me.JSON().At("user", "teamName"))
		require.Contains(t, me.JSON()["permissions"], map[string]any{"permission": "deal:update", "scope": "own"})
		require.Equal(t, true, me.JSON()["demo"])

		again := sessionCookie(t, client.Post("/api/auth/login", login).Want(http.StatusOK))
		require.NotEqual(t, cookie.Value, again.Value)
		client.Get("/api/me").Refused(http.StatusUnauthorized, "UNAUTHENTICATED")

		client = stranger.With("Cookie", again.Name+"="+again.Value)
		gone := sessionCookie(t, client.Post("/api/auth/logout", nil).Want(http.StatusNoContent))
		require.Empty(t, gone.Value)
		require.Negative(t, gone.MaxAge)
		client.Get("/api/me").Refused(http.StatusUnauthorized, "UNAUTHENTICATED")
	})
}

func TestHostCookieOverHTTPS(t *testing.T) {
	t.Parallel()
	s := serve(t, func(o *api.Options) {
		o.PublicURL, o.SessionCookie = "https://crm.example.com", "__Host-countersign_session"
	})
	cookie := sessionCookie(t, s.Stranger(t).Post("/api/auth/login", withPassword(t, s)).Want(http.StatusOK))
	require.Equal(t, "__Host-countersign_session", cookie.Name)
	require.True(t, cookie.Secure)
	require.Equal(t, "/", cookie.Path)
	require.Empty(t, cookie.Domain)
}

func TestWrongCredentials(t *testing.T) {
	t.Parallel()
	s := serve(t)
	login := withPassword(t, s)
	c := s.Stranger(t)
	wrong := c.Post("/api/auth/login", credentials{login.Email, "wrong password"}).Refused(http.StatusUnauthorized, "INVALID_CREDENTIALS")
	for _, other := range []credentials{{"nobody@example.test", password}, {"disabled@example.test", password}, {"", ""}, {"x", "y"}} {
		answer := c.Post("/api/auth/login", other)
		require.Equal(t, wrong["detail"], answer.Refused(http.StatusUnauthorized, "INVALID_CREDENTIALS")["detail"])
		require.Empty(t, answer.Cookies())
	}
}

func TestThrottle(t *testing.T) {
	t.Parallel()
	s := serve(t)
	login := withPassword(t, s)
	c := s.Stranger(t)
	for range 10 {
		c.Post("/api/auth/login", credentials{login.Email, "wrong password"}).Refused(http.StatusUnauthorized, "INVALID_CREDENTIALS")
	}
	answer := c.Post("/api/auth/login", login)
	problem := answer.Refused(http.StatusTooManyRequests, "RATE_LIMITED")
	wait, err := strconv.Atoi(answer.Header.Get("Retry-After"))
	require.NoError(t, err)
	require.Positive(t, wait)
	require.LessOrEqual(t, wait, 15*60)
	require.Contains(t, problem["detail"], "Wait")
}

func TestDisabledAmidASession(t *testing.T) {
	t.Parallel()
	s := serve(t)
	c := s.As(t, s.Sales1)
	c.Get("/api/me").Want(http.StatusOK)
	require.NoError(t, s.Services.Accounts.DisableUser(t.Context(), s.User(s.Sales1).Email))
	for _, path := range []string{"/api/me", "/api/deals", "/api/tools"} {
		c.Get(path).Refused(http.StatusUnauthorized, "UNAUTHENTICATED")
	}
}

func TestExpiredSession(t *testing.T) {
	t.Parallel()
	s := serve(t)
	c := s.As(t, s.Sales1)
	s.Clock.Advance(accounts.SessionAge + time.Minute)
	c.Get("/api/me").Refused(http.StatusUnauthorized, "UNAUTHENTICATED")
}

func TestSetupIsOver(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.Stranger(t).Post("/api/setup", `{"token":"x","email":"a@example.test","name":"A","password":"correct horse battery"}`).
		Refused(http.StatusNotFound, "NOT_FOUND")
	require.Equal(t, false, s.Stranger(t).Get("/api/status").JSON()["needsSetup"])
}

// TestFirstAdministrator: of two posts with the token at the same time one makes the first administrator.
func TestFirstAdministrator(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, dbtest.Open(t, "sqlite"))
	empty(t, s)
	c := s.Stranger(t)
	require.JSONEq(t, `{"demo":true,"needsSetup":true,"version":"test"}`, c.Get("/api/status").Want(http.StatusOK).Text)
	token, _, err := s.Services.Accounts.EnsureSetupToken(t.Context())
	require.NoError(t, err)

	body := map[string]string{"token": "wrong", "email": "first@example.test", "name": "First", "password": password}
	c.Post("/api/setup", body).Refused(http.StatusForbidden, "SETUP_TOKEN_WRONG")
	body["token"], body["password"] = token, "short"
	require.Equal(t, "password", c.Post("/api/setup", body).Refused(422, "INVALID").Text("errors", 0, "path"))
	body["password"] = password
	answers := make([]*apitest.Answer, 2)
	var wait sync.WaitGroup
	for i := range answers {
		wait.Go(func() { answers[i] = s.Stranger(t).Post("/api/setup", body) })
	}
	wait.Wait()
	won := 0
	for _, a := range answers {
		if a.StatusCode == http.StatusCreated {
			won++
			require.Equal(t, "admin", a.JSON().At("user", "role"))
			cookie := sessionCookie(t, a)
			c.With("Cookie", cookie.Name+"="+cookie.Value).Get("/api/audit").Want(http.StatusOK)
		}
	}
	require.Equal(t, 1, won)
	require.Equal(t, false, c.Get("/api/status").JSON()["needsSetup"])
}

// empty removes all people and what is theirs.
func empty(t *testing.T, s *apitest.Server) {
	t.Helper()
	raw := dbtest.Raw(t, s.DB)
	raw.SetMaxOpenConns(1)
	for _, statement := range []string{
		"PRAGMA foreign_keys = OFF", "DELETE FROM deals", "DELETE FROM companies", "DELETE FROM record_names",
		"DELETE FROM sessions", "DELETE FROM teams", "DELETE FROM users",
	} {
		_, err := raw.ExecContext(t.Context(), statement)
		require.NoError(t, err, statement)
	}
}
