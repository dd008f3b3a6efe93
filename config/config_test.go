package config_test

import (
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/config"
)

// load runs Load with a data dir that does not exist, so that only env decides.
func load(t *testing.T, demo bool, env ...string) (config.Config, config.Mistakes) {
	t.Helper()
	c, err := config.Load(env, demo)
	if err == nil {
		return c, nil
	}
	var mistakes config.Mistakes
	require.ErrorAs(t, err, &mistakes)
	require.Zero(t, c, "a wrong configuration is not handed out")
	return c, mistakes
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	for _, env := range [][]string{nil, {"COUNTERSIGN_ADDR=", "DATABASE_URL= ", "REDIS_URL=", "SMTP_URL_FILE="}} {
		c, mistakes := load(t, true, env...)
		require.Empty(t, mistakes)
		require.Equal(t, config.Config{Demo: true, Addr: "127.0.0.1:8080", DataDir: "data"}, c)
		require.False(t, c.SecureCookies())
		require.Equal(t, "countersign_session", c.SessionCookie())
	}
}

func TestEverythingSet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, mistakes := load(t, false,
		"COUNTERSIGN_ADDR=0.0.0.0:80", "COUNTERSIGN_DATA_DIR="+dir+"/", "COUNTERSIGN_PUBLIC_URL=https://CRM.example.com/",
		"COUNTERSIGN_TRUSTED_PROXIES=10.1.2.3/8, 192.168.1.7,::1", "COUNTERSIGN_ALLOW_PRIVATE_ENDPOINTS=TRUE",
		"DATABASE_URL=postgresql://u:p@db/crm", "REDIS_URL=rediss://:p@r:6380/2", "SMTP_URL=smtps://u:p@mail:465?from=CRM+<crm@example.com>",
		"AI_CONFIG_ENCRYPTION_KEY=rubbish", "OPENAI_API_KEY=ignored", "PATH=/bin")
	require.Empty(t, mistakes)
	require.Equal(t, "0.0.0.0:80", c.Addr)
	require.Equal(t, dir, c.DataDir)
	require.Equal(t, "https://crm.example.com", c.PublicURL)
	require.Equal(t, []netip.Prefix{
		netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("192.168.1.7/32"), netip.MustParsePrefix("::1/128"),
	}, c.TrustedProxies)
	require.True(t, c.AllowPrivateEndpoints)
	require.Equal(t, "postgresql://u:p@db/crm", c.Database.Reveal())
	require.Equal(t, "rediss://:p@r:6380/2", c.Redis.Reveal())
	require.Equal(t, "smtps://u:p@mail:465?from=CRM+<crm@example.com>", c.SMTP.Reveal())
	require.Equal(t, "rubbish", c.EncryptionKey.Reveal(), "a bad key does not stop the start")
	require.True(t, c.SecureCookies())
	require.Equal(t, "__Host-countersign_session", c.SessionCookie())
}

func TestAllMistakesAtOnce(t *testing.T) {
	t.Parallel()
	_, err := config.Load([]string{
		"COUNTERSIGN_ADDR=8080", "DATABASE_URL=mysql://root:hunter2@db/x", "REDIS_URL=http://:hunter2@r",
		"COUNTERSIGN_TRUSTED_PROXIES=proxy", "COUNTERSIGN_DATADIR=/x",
	}, false)
	require.EqualError(t, err, `5 settings are wrong:
  COUNTERSIGN_ADDR: "8080" is not an address of the form host:port. Example: COUNTERSIGN_ADDR=127.0.0.1:8080
  COUNTERSIGN_TRUSTED_PROXIES: "proxy" is neither an IP address nor a network. Example: COUNTERSIGN_TRUSTED_PROXIES=10.0.0.0/8,192.168.1.7
  DATABASE_URL: it must begin with postgres:// or postgresql://. Leave it empty to use SQLite in the data folder. `+
		`Example: DATABASE_URL=postgres://countersign:password@db.example.com:5432/countersign?sslmode=require
  REDIS_URL: it must begin with redis://, rediss:// or unix://. Leave it empty to run without Redis. Example: REDIS_URL=redis://:password@redis.example.com:6379/0
  COUNTERSIGN_DATADIR: there is no such setting; correct the name or remove it. The names are COUNTERSIGN_ADDR, COUNTERSIGN_DATA_DIR, `+
		`COUNTERSIGN_PUBLIC_URL, COUNTERSIGN_TRUSTED_PROXIES, COUNTERSIGN_ALLOW_PRIVATE_ENDPOINTS.`)
}

func TestWrongValues(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	cases := []struct{ setting, problem string }{
		{"COUNTERSIGN_ADDR=localhost", "host:port"},
		{"COUNTERSIGN_ADDR=http://localhost:80", "host:port"},
		{"COUNTERSIGN_ADDR=:http", "number from 0 to 65535"},
		{"COUNTERSIGN_ADDR=:65536", "number from 0 to 65535"},
		{"COUNTERSIGN_DATA_DIR=" + file, "must be a folder"},
		{"COUNTERSIGN_PUBLIC_URL=crm.example.com", "http:// or https://"},
		{"COUNTERSIGN_PUBLIC_URL=ftp://crm.example.com", "http:// or https://"},
		{"COUNTERSIGN_PUBLIC_URL=https://", "http:// or https://"},
		{"COUNTERSIGN_PUBLIC_URL=https://crm.example.com/crm", "nothing after it"},
		{"COUNTERSIGN_PUBLIC_URL=https://u:hunter2@crm.example.com", "nothing after it"},
		{"COUNTERSIGN_PUBLIC_URL=https://crm.example.com:x", "http:// or https://"},
		{"COUNTERSIGN_TRUSTED_PROXIES=10.0.0.0/33", "neither an IP address nor a network"},
		{"COUNTERSIGN_TRUSTED_PROXIES=0.0.0.0/0", "name your proxies"},
		{"COUNTERSIGN_ALLOW_PRIVATE_ENDPOINTS=maybe", "neither true nor false"},
		{"DATABASE_URL=/var/lib/crm.db", "postgres://"},
		{"DATABASE_URL=postgres:crm", "names no host"},
		{"DATABASE_URL=postgres:///crm", "names no host"},
		{"DATABASE_URL=postgres://u:hunter2%@db/crm", "percent-encoded"},
		{"REDIS_URL=localhost:6379", "redis://"},
		{"REDIS_URL=redis://", "names no host"},
		{"REDIS_URL=redis://:hunter2@r/zero", "number of a database"},
		{"REDIS_URL=unix://", "names no socket"},
		{"SMTP_URL=https://u:hunter2@mail", "smtp://"},
		{"SMTP_URL=smtp://", "names no host"},
		{"SMTP_URL=smtp://mail?from=hunter2", "not an e-mail address"},
		{"SMTP_URL=smtp://mail?from=sales+hunter2@example.com", "%2B"},
		{"SMTP_URL=smtp://mail?from=a@b.test&from=c@d.test", "nothing but ?from="},
		{"SMTP_URL=smtp://mail?tls=hunter2", "nothing but ?from="},
		{"SMTP_URL=smtp://mail/hunter2", "nothing but ?from="},
		{"COUNTERSIGN_PORT=8080", "no such setting"},
		{"COUNTERSIGN_OPENAI_API_KEY=hunter2", "no such setting"},
	}
	for _, c := range cases {
		t.Run(c.setting, func(t *testing.T) {
			t.Parallel()
			_, mistakes := load(t, false, c.setting)
			require.Len(t, mistakes, 1)
			name, _, _ := strings.Cut(c.setting, "=")
			require.Equal(t, name, mistakes[0].Variable)
			require.Contains(t, mistakes[0].Problem, c.problem)
			require.NotContains(t, mistakes.Error(), "hunter2", "secrets are not repeated")
			require.True(t, strings.HasPrefix(mistakes.Error(), "1 setting is wrong:"))
		})
	}
}

func TestAcceptedForms(t *testing.T) {
	t.Parallel()
	for _, setting := range []string{
		"COUNTERSIGN_ADDR=:0", "COUNTERSIGN_ADDR=[::1]:8080", "DATABASE_URL=postgres:///crm?host=/run/postgresql",
		"REDIS_URL=unix:///run/redis.sock", "REDIS_URL=redis://r", "SMTP_URL=smtp://mail", "COUNTERSIGN_PUBLIC_URL=http://10.0.0.7:8080",
		"COUNTERSIGN_TEST_POSTGRES=x", "COUNTERSIGN_SERVICE_HOST=10.0.0.1", "COUNTERSIGN_PORT=tcp://10.0.0.1:8080",
		"COUNTERSIGN_PORT_8080_TCP_ADDR=10.0.0.1",
	} {
		_, mistakes := load(t, false, setting)
		require.Empty(t, mistakes, setting)
	}
}

func TestDemoOnlyOnLoopback(t *testing.T) {
	t.Parallel()
	for _, addr := range []string{"127.0.0.1:8080", "127.8.8.8:1", "[::1]:8080", "localhost:0", "[::ffff:127.0.0.1]:80"} {
		_, mistakes := load(t, true, "COUNTERSIGN_ADDR="+addr)
		require.Empty(t, mistakes, addr)
	}
	for _, addr := range []string{":8080", "0.0.0.0:8080", "[::]:8080", "10.0.0.1:8080", "crm.example.com:80", "localhost.example.com:80"} {
		_, mistakes := load(t, true, "COUNTERSIGN_ADDR="+addr)
		require.Len(t, mistakes, 1, addr)
		require.Contains(t, mistakes[0].Problem, "--demo")
		_, mistakes = load(t, false, "COUNTERSIGN_ADDR="+addr)
		require.Empty(t, mistakes, "without demo data it is fine")
	}
}

func TestBaseURL(t *testing.T) {
	t.Parallel()
	for listening, want := range map[string]string{
		"127.0.0.1:8080": "http://127.0.0.1:8080", "[::]:80": "http://localhost:80", "0.0.0.0:1": "http://localhost:1",
		":8080": "http://localhost:8080", "[::1]:8080": "http://[::1]:8080",
	} {
		require.Equal(t, want, config.Config{}.BaseURL(listening))
	}
	require.Equal(t, "https://crm.example.com", config.Config{PublicURL: "https://crm.example.com"}.BaseURL("127.0.0.1:80"))
}
