package archtest_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	guardedTest = regexp.MustCompile("`([a-z]+)\\.((?:Test|Fuzz)\\w+)`")
	testFunc    = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
)

// TestEveryGuardedTestExists holds docs/regression-guard.md against the tests: a test that was renamed or
// removed takes its line along.
func TestEveryGuardedTestExists(t *testing.T) {
	t.Parallel()
	guard, err := os.ReadFile(filepath.Join(root, "docs", "regression-guard.md"))
	require.NoError(t, err)
	named := guardedTest.FindAllStringSubmatch(string(guard), -1)
	require.Greater(t, len(named), 100)
	known := map[string]map[string]bool{}
	for _, m := range named {
		pkg, test := m[1], m[2]
		if known[pkg] == nil {
			known[pkg] = testsOf(t, pkg)
		}
		require.True(t, known[pkg][test], "docs/regression-guard.md names %s.%s, which does not exist", pkg, test)
	}
}

// testsOf are the tests of the package whose folder has a name.
func testsOf(t *testing.T, pkg string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, dir := range []string{pkg, path.Join("internal", pkg), path.Join("llm", pkg)} {
		files, err := filepath.Glob(filepath.Join(root, dir, "*_test.go"))
		require.NoError(t, err)
		for _, file := range files {
			source, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, m := range testFunc.FindAllStringSubmatch(strings.ReplaceAll(string(source), "\r", ""), -1) {
				names[m[1]] = true
			}
		}
	}
	return names
}
