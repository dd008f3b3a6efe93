package archtest_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/archtest"
)

const root = "../.."

var update = flag.Bool("update", false, "write the import table into .golangci.yml")

func module(t *testing.T) []archtest.File {
	t.Helper()
	files, err := archtest.Scan(os.DirFS(root))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return files
}

func TestImports(t *testing.T) {
	t.Parallel()
	report(t, archtest.CheckImports(module(t)))
}

func TestEveryPackageIsKnownAndDocumented(t *testing.T) {
	t.Parallel()
	report(t, archtest.CheckTable(module(t)))
}

func TestLibrariesStayBehindOnePackage(t *testing.T) {
	t.Parallel()
	report(t, archtest.CheckLibraries(module(t)))
}

func TestCalls(t *testing.T) {
	t.Parallel()
	report(t, archtest.CheckCalls(module(t)))
}

func TestAPR21AgentCannotConfirm(t *testing.T) {
	t.Parallel()
	require.NotContains(t, archtest.Reaches(module(t), "agent"), "confirm")
}

func TestTableIsWellFormed(t *testing.T) {
	t.Parallel()
	allowed := archtest.Allowed()
	services := []string{"crm", "proposals", "conversations", "settings", "accounts", "deliveries", "knowledge"}
	for _, p := range archtest.Packages {
		for _, target := range allowed[p.Path] {
			if target == "*" {
				continue
			}
			require.Contains(t, allowed, target, "%s refers to a package that has no row", p.Path)
			require.NotContains(t, allowed[target], p.Path, "%s and %s import each other", p.Path, target)
		}
	}
	for _, service := range services {
		for _, other := range services {
			require.NotContains(t, allowed[service], other, "services do not import each other")
		}
	}
	require.NotContains(t, allowed["agent"], "confirm")
}

func TestLinterHasTheSameTable(t *testing.T) {
	t.Parallel()
	const begin, end = "        # the import table: go test ./internal/archtest -update\n", "        # end of the import table\n"
	text, err := os.ReadFile(root + "/.golangci.yml")
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(text), begin)
	require.True(t, ok, "no begin of the import table")
	table, after, ok := strings.Cut(rest, end)
	require.True(t, ok, "no end of the import table")
	if *update {
		require.NoError(t, os.WriteFile(root+"/.golangci.yml", []byte(before+begin+archtest.Depguard()+end+after), 0o600))
		return
	}
	if table != archtest.Depguard() {
		t.Error("the tables differ; run: go test ./internal/archtest -update")
	}
}

// report fails with every problem, one a line.
func report(t *testing.T, problems []string) {
	t.Helper()
	if len(problems) > 0 {
		t.Errorf("%d problems:\n  %s", len(problems), strings.Join(problems, "\n  "))
	}
}
