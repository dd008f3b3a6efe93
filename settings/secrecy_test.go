package settings_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/internal/dbtest"
	"countersign/settings"
)

// environment are the variables that SDKs of model providers read by themselves.
var environment = []string{
	"OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE", "OPENAI_ORG_ID", "OPENAI_ORGANIZATION", "OPENAI_PROJECT_ID",
	"OPENAI_MODEL", "OPENAI_API_TYPE", "OPENAI_API_VERSION", "OPENAI_WEBHOOK_SECRET", "OPENAI_ADMIN_KEY", "OPENAI_LOG",
	"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL", "ANTHROPIC_CUSTOM_HEADERS",
	"ANTHROPIC_SMALL_FAST_MODEL", "ANTHROPIC_VERSION", "ANTHROPIC_BETAS", "ANTHROPIC_LOG",
	"AI_PROVIDER", "AI_MODEL", "AI_API_KEY", "AI_ENDPOINT_URL", "AI_ALLOW_PRIVATE_ENDPOINTS", "AI_CONFIG_ENCRYPTION_KEY",
	"COUNTERSIGN_ALLOW_PRIVATE_ENDPOINTS",
}

// Not parallel: the environment belongs to the whole process.
func TestTheEnvironmentChangesNothing(t *testing.T) { //nolint:paralleltest // see above
	for _, name := range environment {
		t.Setenv(name, "from-the-environment")
	}
	for _, dialect := range dbtest.Dialects {
		t.Run(dialect, func(t *testing.T) {
			s := newSystem(t, dbtest.Open(t, dialect))
			view, err := s.Get(t.Context(), s.Admin)
			require.NoError(t, err)
			require.JSONEq(t, `{"configured": false, "apiKeySet": false, "secrets": "ok"}`, asJSON(t, view))
			_, err = s.Model(t.Context())
			require.True(t, apperr.HasCode(err, settings.CodeNotConfigured))

			s.put(t, settings.AIConfigInput{Provider: "openai", EndpointURL: endpoint, Model: "gpt-x"})
			config, err := s.Model(t.Context())
			require.NoError(t, err)
			require.Equal(t, settings.ModelConfig{Provider: "openai", EndpointURL: endpoint, Model: "gpt-x", MaxRounds: 8, Version: 1, ConversationTokens: 50_000}, config)
			require.NotContains(t, s.row(t), "from-the-environment")
		})
	}
}

// Not parallel: the default logger belongs to the whole process.
func TestTheKeyIsNowhere(t *testing.T) { //nolint:paralleltest // see above
	var log bytes.Buffer
	former := slog.Default()
	slog.SetDefault(slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	t.Cleanup(func() { slog.SetDefault(former) })
	for _, dialect := range dbtest.Dialects {
		t.Run(dialect, func(t *testing.T) {
			s := newSystem(t, dbtest.Open(t, dialect))
			var said strings.Builder
			say := func(answer any, err error) {
				fmt.Fprintf(&said, "%s %+v %v %s\n", asJSON(t, answer), answer, err, asJSON(t, apperr.As(err)))
				slog.Error("test", "answer", answer, "error", err)
			}
			hear := func(s *settings.AIConfig, in settings.AIConfigInput, w *system) {
				say(s.Put(t.Context(), w.Admin, in))
				say(s.Get(t.Context(), w.Admin))
				say(s.Model(t.Context()))
				say(s.Put(t.Context(), w.Viewer, in))
				say(s.Draft(t.Context(), w.Admin, in))
				say(in, nil)
			}
			good := input(canary)
			hear(s.AIConfig, good, s)
			for _, word := range []string{canary + " ", "** " + canary, canary + strings.Repeat("k", 5000)} {
				hear(s.AIConfig, input(word), s)
			}
			for _, key := range []string{"", "zz", otherKey} {
				broken := withKey(t, s.World, key)
				say(broken.Model(t.Context()))
				hear(broken, good, s)
			}
			for place, text := range map[string]string{
				"answers": said.String(), "log": log.String(), "audit": asJSON(t, s.entries(t)), "database": s.row(t),
			} {
				require.NotEmpty(t, text, place)
				require.NotContains(t, text, canary, place)
				require.NotContains(t, text, canary[:12], place)
			}
		})
	}
}

func TestAPIKeyNeverPrints(t *testing.T) {
	t.Parallel()
	key := settings.NewAPIKey(canary)
	hidden := struct{ inner settings.APIKey }{key}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		require.Equal(t, "[redacted]", fmt.Sprintf(verb, key))
		require.NotContains(t, fmt.Sprintf(verb, hidden), canary)
		require.NotContains(t, fmt.Sprintf(verb, &hidden), canary)
	}
	require.JSONEq(t, `"[redacted]"`, asJSON(t, key))
	require.Equal(t, canary, key.Reveal())

	var in settings.AIConfigInput
	require.NoError(t, json.Unmarshal([]byte(`{"apiKey": "sk-typed"}`), &in))
	require.Equal(t, "sk-typed", in.APIKey.Reveal())
	for _, none := range []string{`{}`, `{"apiKey": ""}`, `{"apiKey": null}`} {
		in = settings.AIConfigInput{}
		require.NoError(t, json.Unmarshal([]byte(none), &in))
		require.False(t, in.APIKey.IsSet(), none)
	}
}
