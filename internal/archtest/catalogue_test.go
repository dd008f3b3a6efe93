package archtest_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// failuresOfOthers are the entries of the catalogue of approvals and turns that went wrong elsewhere.
var failuresOfOthers = strings.Fields(`
	APR-01 APR-02 APR-03 APR-04 APR-06 APR-07 APR-08 APR-09 APR-11 APR-12 APR-13 APR-14 APR-16 APR-17 APR-18 APR-19 APR-21 APR-22 APR-23 APR-24
	BAT-02 BAT-03 BAT-04 BAT-05 BAT-07 BAT-08
	CON-01 CON-02 CON-04 CON-05 CON-06 CON-07 CON-09
	HIS-01 HIS-02 HIS-03 HIS-05 HIS-06 HIS-07 HIS-08
	STR-02 STR-03 STR-04 STR-05 STR-07 STR-08 STR-09 STR-10 STR-12 STR-13
	LIM-01 LIM-02 LIM-04 LIM-05 LIM-06`)

// testedEntry is the entry that a test carries in its name.
var testedEntry = regexp.MustCompile(`^Test([A-Z]{3})(\d\d)`)

// TestEveryFailureOfOthersIsAccountedFor demands for each entry a test that carries its name, or a line of
// docs/regression-guard.md that says why it cannot occur.
func TestEveryFailureOfOthersIsAccountedFor(t *testing.T) {
	t.Parallel()
	accounted := map[string]bool{}
	require.NoError(t, filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == ".git"):
			return fs.SkipDir
		case !strings.HasSuffix(file, "_test.go"):
			return nil
		}
		source, err := os.ReadFile(file)
		for _, test := range testFunc.FindAllStringSubmatch(string(source), -1) {
			if m := testedEntry.FindStringSubmatch(test[1]); m != nil {
				accounted[m[1]+"-"+m[2]] = true
			}
		}
		return err
	}))
	guard, err := os.ReadFile(filepath.Join(root, "docs", "regression-guard.md"))
	require.NoError(t, err)
	for line := range strings.Lines(string(guard)) {
		if entry, why, found := strings.Cut(strings.TrimPrefix(line, "| "), " "); found && strings.Contains(why, "| cannot occur: ") {
			accounted[entry] = true
		}
	}
	for _, entry := range failuresOfOthers {
		require.True(t, accounted[entry], "%s has neither a test nor a reason why it cannot occur", entry)
	}
}
