package secrets_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/secrets"
)

func TestKeyFileIsMadeOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "data", "demo.key")
	made := make([]string, 8)
	var wg sync.WaitGroup
	for i := range made {
		wg.Go(func() {
			text, err := secrets.KeyFile(path)
			if err == nil {
				made[i] = text
			}
		})
	}
	wg.Wait()
	for _, text := range made {
		require.Equal(t, made[0], text, "all starts use the same key")
	}
	require.Equal(t, secrets.OK, secrets.NewKeyring(made[0]).State())

	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing else is left behind")
}

func TestKeyFileIsNeverOverwritten(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "demo.key")
	require.NoError(t, os.WriteFile(path, []byte("not a key\n"), 0o600))
	text, err := secrets.KeyFile(path)
	require.NoError(t, err)
	require.Equal(t, "not a key", text)
}

func TestKeyFileWithoutAPlace(t *testing.T) {
	t.Parallel()
	blocked := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(blocked, nil, 0o600))
	_, err := secrets.KeyFile(filepath.Join(blocked, "demo.key"))
	require.Error(t, err)
	_, err = secrets.KeyFile(filepath.Dir(blocked))
	require.Error(t, err, "a folder is no key file")
}
