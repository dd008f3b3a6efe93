package config_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/config"
)

func TestSecretNeverPrints(t *testing.T) {
	t.Parallel()
	const canary = "canary-7d1f"
	secret := config.NewSecret(canary)
	hidden := struct{ inside config.Secret }{secret}
	conf := config.Config{Database: secret}

	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%20s", "%p"} {
		fmt.Fprintf(&out, verb+verb+verb+verb, secret, &secret, hidden, conf)
	}
	for _, handler := range []slog.Handler{slog.NewJSONHandler(&out, nil), slog.NewTextHandler(&out, nil)} {
		slog.New(handler).Info("m", "secret", secret, "config", conf, "hidden", hidden)
	}
	asJSON, err := json.Marshal(map[string]any{"value": secret, "config": conf})
	require.NoError(t, err)
	asText, err := secret.MarshalText()
	require.NoError(t, err)

	all := out.String() + string(asJSON) + string(asText) + secret.String() + secret.GoString()
	require.NotContains(t, all, canary)
	require.NotContains(t, all, fmt.Sprintf("%x", canary))
	require.Contains(t, string(asJSON), `"value":"[redacted]"`)
	require.Equal(t, canary, secret.Reveal())
	require.True(t, secret.IsSet())
	require.False(t, config.NewSecret("").IsSet())
	require.Empty(t, config.Secret{}.Reveal())
}

func TestSecretFromFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	c, mistakes := load(t, false,
		"DATABASE_URL_FILE="+write("db", "postgres://u:p@db/crm\n"), "REDIS_URL_FILE="+write("redis", "redis://r"),
		"SMTP_URL_FILE="+write("smtp", " smtp://mail \r\n"), "AI_CONFIG_ENCRYPTION_KEY_FILE="+write("key", "abc\n"))
	require.Empty(t, mistakes)
	require.Equal(t, "postgres://u:p@db/crm", c.Database.Reveal())
	require.Equal(t, "redis://r", c.Redis.Reveal())
	require.Equal(t, "smtp://mail", c.SMTP.Reveal())
	require.Equal(t, "abc", c.EncryptionKey.Reveal())

	for _, setting := range []string{
		"DATABASE_URL_FILE=" + filepath.Join(dir, "none"), "REDIS_URL_FILE=" + dir,
		"SMTP_URL_FILE=" + write("big", strings.Repeat("x", 70_000)),
	} {
		_, mistakes := load(t, false, setting)
		require.Len(t, mistakes, 1, setting)
		require.Contains(t, setting, mistakes[0].Variable)
		require.Contains(t, mistakes[0].Problem, "cannot be used")
	}
}

func TestSecretGivenTwice(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"DATABASE_URL", "REDIS_URL", "SMTP_URL", "AI_CONFIG_ENCRYPTION_KEY"} {
		_, mistakes := load(t, false, name+"=x", name+"_FILE=/x")
		require.Len(t, mistakes, 1)
		require.Equal(t, name, mistakes[0].Variable)
		require.Contains(t, mistakes[0].Problem, "both "+name+" and "+name+"_FILE are set")
	}
}

func TestUnreadableKeyFileOnlyWarns(t *testing.T) {
	t.Parallel()
	c, mistakes := load(t, false, "AI_CONFIG_ENCRYPTION_KEY_FILE=/nowhere/key")
	require.Empty(t, mistakes)
	require.False(t, c.EncryptionKey.IsSet())
	require.Len(t, c.Warnings, 1)
	require.Contains(t, c.Warnings[0].String(), `AI_CONFIG_ENCRYPTION_KEY_FILE: the file "/nowhere/key" cannot be used: it does not exist.`)
}
