package secrets

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// KeyFile gives the text of the key file at path and makes one with a new key, readable by its owner only, when there
// is none. It is for demo mode; everywhere else the key must not lie beside the data that it protects.
// What is in an existing file is not judged and never overwritten.
func KeyFile(path string) (string, error) {
	content, err := os.ReadFile(path) //nolint:gosec // the path is the operator's own
	if errors.Is(err, fs.ErrNotExist) {
		return createKeyFile(path)
	}
	if err != nil {
		return "", fmt.Errorf("read the key file: %w", err)
	}
	return strings.TrimSpace(string(content)), nil
}

// createKeyFile writes a file of its own first and then links it in place, so that of two processes that start
// at once one wins and both use the same key.
func createKeyFile(path string) (string, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("make the folder of the key file: %w", err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".key-*") // made with mode 0600
	if err != nil {
		return "", fmt.Errorf("make the key file: %w", err)
	}
	defer os.Remove(tmp.Name()) // only the link at path stays
	raw := make([]byte, keySize)
	_, _ = rand.Read(raw) // never fails
	_, err = tmp.WriteString(hex.EncodeToString(raw) + "\n")
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return "", fmt.Errorf("write the key file: %w", err)
	}
	if err := os.Link(tmp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("put the key file in place: %w", err)
	}
	return KeyFile(path)
}
