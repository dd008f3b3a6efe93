package api_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/api"
	"countersign/internal/apitest"
)

func TestSecurityHeaders(t *testing.T) {
	t.Parallel()
	plain := serve(t)
	secure := serve(t, func(o *api.Options) {
		o.PublicURL, o.SessionCookie = "https://crm.example.com", "__Host-countersign_session"
	})
	want := map[string]string{
		"Content-Security-Policy": "default-src 'self'; img-src 'self' data:; connect-src 'self'; style-src 'self' 'unsafe-inline'; " +
			"script-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; object-src 'none'",
		"X-Content-Type-Options": "nosniff",
		"Referrer-Policy":        "same-origin",
	}
	for _, path := range []string{"/", "/docs", "/api/status", "/api/deals", "/api/nothing", "/healthz"} {
		for name, value := range want {
			require.Equal(t, value, plain.Stranger(t).Get(path).Header.Get(name), path)
		}
		require.Empty(t, plain.Stranger(t).Get(path).Header.Get("Strict-Transport-Security"), "over http it would lock people out")
		require.Equal(t, "max-age=31536000; includeSubDomains", secure.Stranger(t).Get(path).Header.Get("Strict-Transport-Security"))
	}
	require.Equal(t, "no-store", plain.As(t, plain.Sales1).Get("/api/deals").Header.Get("Cache-Control"))
	require.NotContains(t, plain.Stranger(t).Get("/docs").Text, "<script", "the policy would not let it run")
}

// TestCrossOrigin is the table of what browsers send: a page of another site can change nothing.
func TestCrossOrigin(t *testing.T) {
	t.Parallel()
	s := serve(t, func(o *api.Options) { o.PublicURL = "http://crm.example.com" })
	cases := []struct {
		name, site, origin string
		passes             bool
	}{
		{"no browser", "", "", true},
		{"own page", "same-origin", s.URL, true},
		{"typed by hand", "none", "", true},
		{"another site", "cross-site", "https://evil.example", false},
		{"a sibling host", "same-site", "https://blog.example.com", false},
		{"old browser, other origin", "", "https://evil.example", false},
		{"opaque origin", "", "null", false},
		{"old browser, own origin", "", s.URL, true},
		{"behind a proxy that changes the host", "", "http://crm.example.com", true},
	}
	for _, c := range cases {
		client := s.As(t, s.Sales1)
		if c.site != "" {
			client = client.With("Sec-Fetch-Site", c.site)
		}
		if c.origin != "" {
			client = client.With("Origin", c.origin)
		}
		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
			answer := client.Do(method, "/api/nothing", "{}")
			if c.passes {
				answer.Refused(http.StatusNotFound, "NO_SUCH_ROUTE")
			} else {
				answer.Refused(http.StatusForbidden, "CROSS_ORIGIN")
			}
		}
		client.Get("/api/deals").Want(http.StatusOK) // reading is what the browser keeps from the other site
	}
	require.Zero(t, count(t, s, "SELECT COUNT(*) FROM audit_entries WHERE action = 'auth:logout'"))
	s.As(t, s.Sales1).With("Sec-Fetch-Site", "cross-site").Post("/api/auth/logout", nil).Refused(http.StatusForbidden, "CROSS_ORIGIN")
}

func TestForwardedFor(t *testing.T) {
	t.Parallel()
	proxies := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8")}
	cases := []struct {
		trusted []netip.Prefix
		header  []string
		want    string
	}{
		{nil, nil, "127.0.0.1"},
		{nil, []string{"6.6.6.6"}, "127.0.0.1"},
		{proxies[1:], []string{"6.6.6.6"}, "127.0.0.1"},
		{proxies, nil, "127.0.0.1"},
		{proxies, []string{"203.0.113.9"}, "203.0.113.9"},
		{proxies, []string{"6.6.6.6, 203.0.113.9"}, "203.0.113.9"},
		{proxies, []string{"6.6.6.6", "203.0.113.9"}, "203.0.113.9"},
		{proxies, []string{"6.6.6.6,203.0.113.9 , 10.0.0.2"}, "203.0.113.9"},
		{proxies, []string{"10.0.0.3,10.0.0.2"}, "10.0.0.3"},
		{proxies, []string{"2001:db8::7"}, "2001:db8::7"},
		{proxies, []string{"::ffff:203.0.113.9"}, "203.0.113.9"},
		{proxies, []string{"203.0.113.9, rubbish"}, "127.0.0.1"},
		{proxies, []string{"rubbish, 203.0.113.9"}, "203.0.113.9"},
	}
	for _, c := range cases {
		s := serve(t, func(o *api.Options) { o.TrustedProxies = c.trusted })
		client := s.As(t, s.Viewer).With("X-Real-IP", "7.7.7.7").With("Forwarded", "for=8.8.8.8")
		client.Header["X-Forwarded-For"] = c.header
		client.Get("/api/audit").Refused(http.StatusForbidden, "FORBIDDEN")
		entry := s.As(t, s.Admin).Get("/api/audit?decision=denied").Want(http.StatusOK).JSON()
		require.Equal(t, c.want, entry.Text("items", 0, "actor", "ip"), "%v", c.header)
	}
}

func TestBodyLimit(t *testing.T) {
	t.Parallel()
	s := serve(t)
	c := s.As(t, s.Sales1)
	big := `{"title":"` + strings.Repeat("x", 1<<20) + `"}`
	for _, client := range []*apitest.Client{c, c.With("Idempotency-Key", "k")} {
		problem := client.Post("/api/deals", big).Refused(http.StatusRequestEntityTooLarge, "TOO_LARGE")
		require.Contains(t, problem["detail"], "1 MiB")
	}
	// Without a length the limit shows only while reading.
	for _, key := range []string{"", "k"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/deals", io.MultiReader(strings.NewReader(big)))
		require.NoError(t, err)
		req.Header = c.Header.Clone()
		req.Header.Set("Content-Type", "application/json")
		if key != "" {
			req.Header.Set("Idempotency-Key", key)
		}
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, http.StatusRequestEntityTooLarge, res.StatusCode)
	}
	just := `{"title":"` + strings.Repeat("x", 1<<20-12) + `"}`
	c.Post("/api/deals", just).Refused(http.StatusUnprocessableEntity, "INVALID") // a long title, but no large body
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	s := serve(t)
	c := s.Stranger(t)
	kept := c.With("X-Request-Id", "edge-0123_a.b").Get("/api/deals")
	require.Equal(t, "edge-0123_a.b", kept.Header.Get("X-Request-Id"))
	require.Equal(t, "edge-0123_a.b", kept.JSON()["requestId"])
	seen := map[string]bool{}
	for _, odd := range []string{"", "short", "with space", "x\"y\"zzzzzz", strings.Repeat("x", 65), "<script>alert</script>"} {
		id := c.With("X-Request-Id", odd).Get("/api/deals").JSON().Text("requestId")
		require.Len(t, id, 36, odd)
		require.False(t, seen[id])
		seen[id] = true
	}
}

// buffer is a log that goroutines write to.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) lines(t *testing.T) (lines []map[string]any, text string) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for line := range strings.Lines(b.text.String()) {
		var fields map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &fields))
		lines = append(lines, fields)
	}
	return lines, b.text.String()
}

// TestPanics: a panic becomes a problem document; one amid an answer breaks the connection, so that nobody takes
// half an answer for a whole one.
func TestPanics(t *testing.T) {
	t.Parallel()
	log := &buffer{}
	s := serve(t, func(o *api.Options) {
		o.Logger = slog.New(slog.NewJSONHandler(log, nil))
		o.Frontend = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/late" {
				_, _ = io.WriteString(w, strings.Repeat("half ", 10_000))
			}
			panic("canary-panic-value")
		})
	})
	c := s.Stranger(t).With("Cookie", "countersign_session=canary-cookie")
	answer := c.Get("/early?canary-query=1")
	problem := answer.Refused(http.StatusInternalServerError, "INTERNAL")
	require.Equal(t, answer.Header.Get("X-Request-Id"), problem["requestId"])
	require.NotContains(t, answer.Text, "canary")

	res := c.Open(http.MethodGet, "/late", nil)
	defer res.Body.Close()
	_, err := io.ReadAll(res.Body)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)

	lines, text := log.lines(t)
	require.Len(t, lines, 4, "what went wrong, and the line of the request, for each")
	require.Contains(t, lines[0]["stack"], "api_test")
	require.NotContains(t, text, "canary-cookie")
	require.NotContains(t, text, "canary-query")
}

func TestRequestLog(t *testing.T) {
	t.Parallel()
	log := &buffer{}
	s := serve(t, func(o *api.Options) { o.Logger = slog.New(slog.NewJSONHandler(log, nil)) })
	c := s.As(t, s.Sales1).With("Authorization", "Bearer canary-token")
	answer := c.Patch("/api/deals/"+s.AcmeRenewal.ID+"?canary=query", `{"title":"canary-body"}`)
	answer.Refused(http.StatusUnprocessableEntity, "INVALID")
	s.Stranger(t).Post("/api/auth/login", `{"email":"canary@example.test","password":"canary-password"}`).Want(http.StatusUnauthorized)
	s.Stranger(t).With("Sec-Fetch-Site", "cross-site").Post("/api/auth/login", `{}`).Want(http.StatusForbidden)

	lines, text := log.lines(t)
	require.Len(t, lines, 3)
	for name, want := range map[string]any{
		"msg": "request", "request_id": answer.Header.Get("X-Request-Id"), "user_id": s.Sales1.UserID, "method": "PATCH",
		"route": "/api/deals/:id", "status": float64(422),
	} {
		require.Equal(t, want, lines[0][name], name)
	}
	require.Contains(t, lines[0], "ms")
	require.EqualValues(t, 403, lines[2]["status"])
	require.NotContains(t, text, "canary")
	require.NotContains(t, text, strings.TrimPrefix(c.Header.Get("Cookie"), apitest.Cookie+"="))
}

func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	s := serve(t)
	whole := api.Options{Services: s.Services, SessionCookie: "c", Now: s.Clock.Now, Frontend: http.NotFoundHandler()}
	_, err := api.New(whole)
	require.NoError(t, err)
	_, err = api.New(api.Options{})
	for _, missing := range []string{"Accounts", "Deals", "Agent", "Confirm", "Runner", "Frontend", "cookie"} {
		require.ErrorContains(t, err, missing)
	}
	for _, origin := range []string{"crm.example.com", "https://crm.example.com/path", "://"} {
		whole.PublicURL = origin
		_, err = api.New(whole)
		require.ErrorContains(t, err, "origin", origin)
	}
}
