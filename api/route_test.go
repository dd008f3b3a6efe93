package api_test

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/api"
	"countersign/rbac"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const golden = "testdata/routes.golden"

// TestRouteTable holds what every route demands. A new route shows up here before anybody can call it.
func TestRouteTable(t *testing.T) {
	t.Parallel()
	var table strings.Builder
	for _, r := range api.Routes() {
		access := "session"
		switch {
		case r.Public:
			access = "public"
		case r.Permission != "":
			access = string(r.Permission)
		}
		if r.Replays {
			access += " Idempotency-Key"
		}
		if !r.Plain {
			access += " masked"
		}
		fmt.Fprintf(&table, "%-6s %-36s %s\n", r.Method, r.Path, access)
	}
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(table.String()), 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), table.String())
}

func TestPermissionsAreDeclared(t *testing.T) {
	t.Parallel()
	asked := api.Permissions()
	require.Contains(t, asked, rbac.AuditRead)
	for _, p := range asked {
		require.True(t, p.Declared(), p)
	}
}

func TestEveryRouteDemandsASessionUnlessPublic(t *testing.T) {
	t.Parallel()
	s := serve(t)
	stranger, forger := s.Stranger(t), s.Stranger(t).With("Cookie", "countersign_session=forged")
	for _, r := range api.Routes() {
		if r.Public {
			continue
		}
		stranger.Do(r.Method, fill(s, r.Path), nil).Refused(http.StatusUnauthorized, "UNAUTHENTICATED")
		forger.Do(r.Method, fill(s, r.Path), "{}").Refused(http.StatusUnauthorized, "UNAUTHENTICATED")
	}
}

func TestNoGetChangesAnything(t *testing.T) {
	t.Parallel()
	s := serve(t)
	c := s.As(t, s.Admin)
	before := dump(t, s)
	for _, r := range api.Routes() {
		if r.Method != http.MethodGet {
			continue
		}
		path := fill(s, r.Path)
		if r.Path == "/api/search" || r.Path == "/api/resolve/{kind}" {
			path += "?q=acme"
		}
		status := c.Get(path).StatusCode
		require.Contains(t, []int{http.StatusOK, http.StatusNotFound}, status, path)
	}
	require.Equal(t, before, dump(t, s))
}

// TestPermissionsOfRoutes shows that the permission a route declares is the one that is asked for.
func TestPermissionsOfRoutes(t *testing.T) {
	t.Parallel()
	s := serve(t)
	exec(t, s, "DELETE FROM role_permissions WHERE role_slug = 'viewer'")
	exec(t, s, "UPDATE policy_state SET version = version + 1")
	c := s.As(t, s.Viewer).With("If-Match", `"1"`)
	bodies := map[string]string{
		"POST /api/companies": `{"name":"x"}`, "POST /api/deals": `{"title":"x"}`,
		"POST /api/contacts": `{"name":"x"}`, "POST /api/tasks": `{"title":"x"}`, "POST /api/quotations": `{}`,
		"POST /api/activities":     `{"kind":"NOTE","subject":"x","dealId":"` + s.AcmeRenewal.ID + `"}`,
		"POST /api/chat":           `{"message":"/help"}`,
		"PUT /api/ai/config":       `{"provider":"openai","endpointUrl":"https://api.example.com/v1","model":"m"}`,
		"POST /api/ai/config/test": `{"provider":"openai","endpointUrl":"https://api.example.com/v1","model":"m"}`,
		"POST /api/ai/prices":      `{"provider":"openai","model":"m","input":"1","output":"1"}`,
		"PUT /api/ai/budgets":      `{"scope":"installation","unit":"tokens","amount":"1"}`,
		"POST /api/approval-rules": `{"effect":"approve","approverRole":"manager"}`,
	}
	checked := 0
	for _, r := range api.Routes() {
		if r.Permission == "" {
			continue
		}
		body := bodies[r.Method+" "+r.Path]
		if r.Method == http.MethodPatch {
			body = "{}"
		}
		problem := c.Do(r.Method, fill(s, r.Path), body).Refused(http.StatusForbidden, "FORBIDDEN")
		// A write asks for the right to read first.
		read := rbac.Permission(r.Permission.Resource() + ":read")
		require.Contains(t, []string{string(r.Permission), string(read)}, problem["permission"], r.Method+" "+r.Path)
		checked++
	}
	require.Greater(t, checked, 30)
}

func TestUnknownRoutes(t *testing.T) {
	t.Parallel()
	s := serve(t)
	c := s.Stranger(t)
	for _, path := range []string{"/api", "/api/", "/api/nothing", "/api/deals/", "/api/deals/x/y", "/mcp", "/webhooks/whatsapp", "/metrics", "/openapi/x"} {
		c.Get(path).Refused(http.StatusNotFound, "NO_SUCH_ROUTE")
		c.Do(http.MethodPost, path, "{}").Refused(http.StatusNotFound, "NO_SUCH_ROUTE")
	}
	for _, method := range []string{http.MethodPut, http.MethodDelete, http.MethodHead, http.MethodOptions} {
		answer := c.Do(method, "/api/deals", nil).Want(http.StatusMethodNotAllowed)
		require.Equal(t, "GET, POST", answer.Header.Get("Allow"))
	}
	c.Do(http.MethodPut, "/api/deals", "{}").Refused(http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED")
	for _, page := range []string{"/", "/login", "/deals/" + s.AcmeRenewal.ID, "/apiary"} {
		require.Equal(t, "<!doctype html>", c.Get(page).Want(http.StatusOK).Text)
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	broken := fmt.Errorf("dial tcp 10.9.8.7: refused")
	for _, failing := range []bool{false, true} {
		s := serve(t, func(o *api.Options) {
			o.Checks = []api.Check{{Name: "database", Run: o.Runner.(interface {
				Ping(ctx context.Context) error
			}).Ping}, {Name: "events", Run: func(context.Context) error {
				if failing {
					return broken
				}
				return nil
			}}}
		})
		c := s.Stranger(t)
		require.JSONEq(t, `{"status":"ok"}`, c.Get("/healthz").Want(http.StatusOK).Text, "alive, whatever else")
		c.Do(http.MethodHead, "/healthz", nil).Want(http.StatusOK)
		if !failing {
			require.JSONEq(t, `{"status":"ok","checks":{"database":"ok","events":"ok"}}`, c.Get("/readyz").Want(http.StatusOK).Text)
			continue
		}
		require.JSONEq(t, `{"status":"unavailable","checks":{"database":"ok","events":"unavailable"}}`,
			c.Get("/readyz").Want(http.StatusServiceUnavailable).Text)
	}
}
