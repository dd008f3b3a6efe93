package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// command runs the command line in an installation of its own.
func command(t *testing.T, in string, args ...string) (code int, out, errOut string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(t.Context(), args, strings.NewReader(in), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// The environment belongs to the process, so these tests take turns.

func TestCommandLine(t *testing.T) {
	t.Setenv("COUNTERSIGN_DATA_DIR", t.TempDir())
	for _, c := range []struct {
		name string
		in   string
		args []string
		code int
		says string
	}{
		{"version", "", []string{"version"}, 0, "dev"},
		{"help", "", []string{"--help"}, 0, "asks before it writes"},
		{"unknown command", "", []string{"frobnicate"}, exitUsage, "unknown command"},
		{"unknown flag", "", []string{"serve", "--frobnicate"}, exitUsage, "unknown flag"},
		{"argument too many", "", []string{"serve", "now"}, exitUsage, "now"},
		{"unknown subcommand", "", []string{"migrate", "sideways"}, exitUsage, "sideways"},
		{"argument missing", "", []string{"user", "add"}, exitUsage, "1 arg"},
		{"no password", "", []string{"user", "add", "ada@example.test", "--name", "Ada"}, exitUsage, "standard input"},
		{"short password", "short\n", []string{"user", "add", "ada@example.test", "--name", "Ada"}, exitFailed, "12"},
		{"no such role", "a good password\n", []string{"user", "add", "ada@example.test", "--name", "Ada", "--role", "boss"}, exitFailed, "role"},
		{"added", "a good password\n", []string{"user", "add", "Ada@Example.test", "--name", "Ada", "--role", "admin"}, 0, "ada@example.test"},
		{"taken", "a good password\n", []string{"user", "add", "ada@example.test", "--name", "Ada"}, exitFailed, "already"},
		{"password", "another password\n", []string{"user", "password", "ada@example.test"}, 0, ""},
		{"nobody", "another password\n", []string{"user", "password", "bob@example.test"}, exitFailed, "no such user"},
		{"the last administrator", "", []string{"user", "disable", "ada@example.test"}, exitFailed, "administrator"},
		{"schema", "", []string{"migrate", "status"}, 0, "sqlite: schema version"},
		{"migrate", "", []string{"migrate", "up"}, 0, ""},
		{"audit", "", []string{"audit", "verify"}, 0, "The record is whole"},
		{"demo beside people", "", []string{"seed", "demo"}, exitFailed, "demo"},
		{"import of nothing", "", []string{"import", "maven", filepath.Join(t.TempDir(), "none")}, exitFailed, "CSV files"},
		{"server away", "", []string{"healthcheck"}, exitFailed, "does not answer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, out, errOut := command(t, c.in, c.args...)
			require.Equal(t, c.code, code, out+errOut)
			require.Contains(t, out+errOut, c.says)
		})
	}
}

func TestAllMistakesOfTheEnvironmentComeAtOnce(t *testing.T) {
	t.Setenv("COUNTERSIGN_ADDR", "nowhere")
	t.Setenv("DATABASE_URL", "mysql://x")
	t.Setenv("COUNTERSIGN_PUBLIK_URL", "https://crm.example")
	code, _, errOut := command(t, "", "serve")
	require.Equal(t, exitFailed, code)
	for _, variable := range []string{"COUNTERSIGN_ADDR", "DATABASE_URL", "COUNTERSIGN_PUBLIK_URL"} {
		require.Contains(t, errOut, variable)
	}
}

func TestDemoIsForThisMachineOnly(t *testing.T) {
	t.Setenv("COUNTERSIGN_DATA_DIR", t.TempDir())
	t.Setenv("COUNTERSIGN_ADDR", "0.0.0.0:0")
	code, _, errOut := command(t, "", "serve", "--demo")
	require.Equal(t, exitFailed, code)
	require.Contains(t, errOut, "COUNTERSIGN_ADDR")
}
