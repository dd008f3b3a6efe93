package main_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSummary(t *testing.T) {
	t.Parallel()
	bin := filepath.Join(t.TempDir(), "testsum")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", bin, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	cases := map[string]struct {
		in, want string
		ok       bool
	}{
		"all is well": {
			`go: downloading x
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"pass","Package":"p","Test":"TestA","Elapsed":0.1}
{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:3: no redis-server\n"}
{"Action":"skip","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Output":"PASS\n"}
{"Action":"pass","Package":"p","Elapsed":1.25}
{"Action":"skip","Package":"q"}
`, "go: downloading x\nSKIP  p TestB\n    b_test.go:3: no redis-server\nok    p  1.2s  1 passed\n\n1 passed, 0 failed, 1 skipped\n", true,
		},
		"a test fails": {
			`{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestB","Output":"=== RUN   TestB\n"}
{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:3: wrong\n"}
{"Action":"fail","Package":"p","Test":"TestB"}
{"Action":"fail","Package":"p","Elapsed":2}
`, "FAIL  p TestB\n    b_test.go:3: wrong\nFAIL  p  2.0s\n\n1 passed, 1 failed, 0 skipped; failed packages: 1\n", false,
		},
		"a package does not compile": {
			`{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"build-output","ImportPath":"q","Output":"q.go:1: undefined: x\n"}
{"Action":"fail","Package":"q"}
`, "q.go:1: undefined: x\nFAIL  q  0.0s\n\n1 passed, 0 failed, 0 skipped; failed packages: 1\n", false,
		},
		"nothing ran": {"", "\n0 passed, 0 failed, 0 skipped\n", false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), bin)
			cmd.Stdin = strings.NewReader(c.in)
			got, err := cmd.Output()
			require.Equal(t, c.want, string(got))
			require.Equal(t, c.ok, err == nil)
		})
	}
}
