package settings_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/secrets"
	"countersign/settings"
	"countersign/store"
)

const (
	goodKey  = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
	otherKey = "ff112233445566778899aabbccddeeff00112233445566778899aabbccddee00"
	canary   = "sk-canary-8kaL5jaoQnP"
	endpoint = "https://api.example.com/v1"
)

// system is the service over a small organisation.
type system struct {
	*settings.AIConfig
	*dbtest.World
}

func newSystem(t *testing.T, db *store.DB) *system {
	t.Helper()
	w := dbtest.NewWorld(t, db)
	return &system{withKey(t, w, goodKey), w}
}

// withKey is the service as after a start with an encryption key.
func withKey(t *testing.T, w *dbtest.World, key string) *settings.AIConfig {
	t.Helper()
	return build(t, settings.Options{Runner: w.DB, Gate: w.Gate, Now: w.Clock.Now, Keyring: secrets.NewKeyring(key)})
}

func build(t *testing.T, o settings.Options) *settings.AIConfig {
	t.Helper()
	s, err := settings.NewAIConfig(o)
	require.NoError(t, err)
	return s
}

func each(t *testing.T, fn func(t *testing.T, s *system)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, db *store.DB) { fn(t, newSystem(t, db)) })
}

func input(key string) settings.AIConfigInput {
	return settings.AIConfigInput{
		Provider: settings.ProviderOpenAI, EndpointURL: endpoint, Model: "gpt-x", APIKey: settings.NewAPIKey(key), SystemPrompt: "Be brief.",
	}
}

func (s *system) put(t *testing.T, in settings.AIConfigInput) settings.AIConfigView {
	t.Helper()
	view, err := s.Put(t.Context(), s.Admin, in)
	require.NoError(t, err)
	return view
}

// key is the API key that the agent gets.
func (s *system) key(t *testing.T) string {
	t.Helper()
	config, err := s.Model(t.Context())
	require.NoError(t, err)
	return config.APIKey.Reveal()
}

// row is the stored configuration as text; "" when there is none.
func (s *system) row(t *testing.T) string {
	t.Helper()
	rows, err := dbtest.Raw(t, s.DB).QueryContext(t.Context(),
		"SELECT provider, endpoint_url, model, sealed_key, system_prompt, max_rounds, version, updated_by FROM ai_config")
	require.NoError(t, err)
	defer rows.Close()
	var text strings.Builder
	for rows.Next() {
		fields := make([]any, 8)
		for i := range fields {
			fields[i] = new(string)
		}
		require.NoError(t, rows.Scan(fields...))
		for _, f := range fields {
			fmt.Fprintf(&text, "%s\n", *f.(*string))
		}
	}
	require.NoError(t, rows.Err())
	return text.String()
}

// entries are the audit entries, oldest first.
func (s *system) entries(t *testing.T) (rows []models.AuditEntry) {
	t.Helper()
	s.InTx(t, func(tx *store.Tx) {
		var err error
		rows, err = tx.UnsealedAudit(t.Context(), 1000)
		require.NoError(t, err)
	})
	return rows
}

func (s *system) last(t *testing.T) models.AuditEntry {
	t.Helper()
	entries := s.entries(t)
	require.NotEmpty(t, entries)
	return entries[len(entries)-1]
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

func paths(err error) (list []string) {
	for _, f := range apperr.As(err).Fields {
		list = append(list, f.Path)
	}
	return list
}

// awaitLockWait returns when a statement waits for a lock. SQLite's transactions queue before they begin.
func (s *system) awaitLockWait(t *testing.T) {
	t.Helper()
	if s.DB.Dialect() != "postgres" {
		return
	}
	raw := dbtest.Raw(t, s.DB)
	require.Eventually(t, func() bool {
		var n int
		err := raw.QueryRowContext(t.Context(),
			"SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'").Scan(&n)
		return err == nil && n > 0
	}, 10*time.Second, 5*time.Millisecond, "nothing waits for a lock")
}
