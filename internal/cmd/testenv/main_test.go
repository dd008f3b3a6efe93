package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func build(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "testenv")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", bin, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	return bin
}

func TestExitCodeIsPassedOn(t *testing.T) {
	t.Parallel()
	bin := build(t)
	for want, args := range map[int][]string{
		0: {"--", "true"}, 3: {"--", "sh", "-c", "exit 3"}, 1: {"--", "/no/such/command"}, 2: {},
	} {
		cmd := exec.CommandContext(t.Context(), bin, args...)
		_ = cmd.Run()
		require.Equal(t, want, cmd.ProcessState.ExitCode(), args)
	}
}

func TestCommandSeesACluster(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("initdb"); err != nil {
		if found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb"); len(found) == 0 && os.Getenv("CI") != "true" {
			t.Skip("no PostgreSQL binaries: install the package postgresql of your system")
		}
	}
	out, err := exec.CommandContext(t.Context(), build(t), "sh", "-c", "printf %s \"$COUNTERSIGN_TEST_POSTGRES\"").Output()
	require.NoError(t, err)
	require.Contains(t, string(out), "postgres://app@/postgres?host=")
}
