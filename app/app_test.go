package app_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/app"
	"countersign/config"
	"countersign/internal/dbtest"
	"countersign/internal/pgtest"
	"countersign/internal/redistest"
	"countersign/store"
)

// place is where an installation lives.
type place struct {
	name string
	cfg  config.Config
}

// places are an installation on one machine and one beside other replicas.
func places(t *testing.T) []place {
	t.Helper()
	alone := config.Config{Addr: "127.0.0.1:0", DataDir: t.TempDir(), Demo: true}
	shared := alone
	shared.DataDir = t.TempDir()
	shared.Database = config.NewSecret(pgtest.NewDatabase(t, "template1"))
	shared.Redis = config.NewSecret(redistest.Start(t))
	return []place{{"alone", alone}, {"beside replicas", shared}}
}

// running is a server and a browser of one person.
type running struct {
	base   string
	client *http.Client
	stop   func() error
}

func serve(t *testing.T, cfg config.Config) *running {
	t.Helper()
	a, err := app.Open(t.Context(), cfg, "test")
	require.NoError(t, err)
	if cfg.Demo {
		require.NoError(t, a.SeedDemo(t.Context()))
	}
	ctx, cancel := context.WithCancel(context.Background())
	address, ended := make(chan string, 1), make(chan error, 1)
	go func() { ended <- a.Serve(ctx, func(at string) { address <- at }) }()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	r := &running{client: &http.Client{Jar: jar, Timeout: 30 * time.Second}}
	r.stop = func() error {
		cancel()
		if err := <-ended; err != nil {
			return err
		}
		return a.Close()
	}
	select {
	case at := <-address:
		r.base = "http://" + at
	case err := <-ended:
		require.NoError(t, err, "the server did not start")
	}
	return r
}

func (r *running) do(t *testing.T, method, path, body string) (status int, answer string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, r.base+path, strings.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	response, err := r.client.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(read)
}

func (r *running) signIn(t *testing.T, who string) {
	t.Helper()
	status, answer := r.do(t, http.MethodPost, "/api/auth/login", `{"email":"`+who+`@demo.test","password":"demo-password"}`)
	require.Equal(t, http.StatusOK, status, answer)
}

func TestServeStopsInOrderAndKeepsEverything(t *testing.T) {
	t.Parallel()
	for _, p := range places(t) {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			first := serve(t, p.cfg)
			status, answer := first.do(t, http.MethodGet, "/readyz", "")
			require.Equal(t, http.StatusOK, status, answer)
			first.signIn(t, "sales")
			_, answer = first.do(t, http.MethodPost, "/api/chat", `{"message":"/update_deal_stage deal=\"Acme renewal\" stage=Won"}`)
			require.Contains(t, answer, `"reason":"awaiting_confirmation"`)
			require.NoError(t, first.stop())

			second := serve(t, p.cfg)
			second.signIn(t, "sales")
			_, answer = second.do(t, http.MethodGet, "/api/proposals?status=pending", "")
			var waiting struct {
				Items []struct{ ID, Digest string }
			}
			require.NoError(t, json.Unmarshal([]byte(answer), &waiting))
			require.Len(t, waiting.Items, 1, "the card has survived the restart")
			status, answer = second.do(t, http.MethodPost, "/api/proposals/"+waiting.Items[0].ID+"/confirm", `{"digest":"`+waiting.Items[0].Digest+`"}`)
			require.Equal(t, http.StatusOK, status, answer)
			require.Contains(t, answer, `"status":"executed"`)
			require.NoError(t, second.stop())
		})
	}
}

func TestABadEncryptionKeyDegradesAndServes(t *testing.T) {
	t.Parallel()
	for key, state := range map[string]string{"nonsense": "malformed_key", strings.Repeat("0", 64): "malformed_key"} {
		cfg := config.Config{Addr: "127.0.0.1:0", DataDir: t.TempDir(), Demo: true, EncryptionKey: config.NewSecret(key)}
		server := serve(t, cfg)
		server.signIn(t, "admin")
		status, answer := server.do(t, http.MethodGet, "/readyz", "")
		require.Equal(t, http.StatusOK, status, answer)
		_, answer = server.do(t, http.MethodGet, "/api/ai/config", "")
		require.Contains(t, answer, state)
		status, answer = server.do(t, http.MethodPost, "/api/chat", `{"message":"/help"}`)
		require.Equal(t, http.StatusOK, status, answer)
		require.NoError(t, server.stop())
	}
}

func TestDriftStopsTheStart(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		raw := dbtest.Raw(t, db)
		_, err := raw.ExecContext(t.Context(), "DELETE FROM role_permissions WHERE permission = 'deal:assign'")
		require.NoError(t, err)
		_, err = raw.ExecContext(t.Context(), "DELETE FROM role_permissions WHERE permission = 'audit:read' AND role_slug = 'admin'")
		require.NoError(t, err)
		o := dbtest.Options(t, db)
		cfg := config.Config{Addr: "127.0.0.1:0", DataDir: o.Dir}
		if o.URL != "" {
			cfg.DataDir, cfg.Database = t.TempDir(), config.NewSecret(o.URL)
		}
		_, err = app.Open(t.Context(), cfg, "test")
		require.ErrorContains(t, err, "deal:assign is declared but granted to no system role")
		require.ErrorContains(t, err, "audit:read", "all differences come at once")
	})
}

func TestMistakesNameWhatToDo(t *testing.T) {
	t.Parallel()
	_, err := app.Open(t.Context(), config.Config{DataDir: "/dev/null/no", Addr: "127.0.0.1:0"}, "test")
	require.ErrorContains(t, err, "COUNTERSIGN_DATA_DIR")

	a, err := app.Open(t.Context(), config.Config{DataDir: t.TempDir(), Addr: "256.0.0.1:1"}, "test")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	require.ErrorContains(t, a.Serve(t.Context(), func(string) {}), "COUNTERSIGN_ADDR")
}
