package migrations

import (
	"embed"
	"io/fs"
)

//go:embed sqlite/*.sql postgres/*.sql
var files embed.FS

// For returns the migrations of a dialect, "sqlite" or "postgres".
func For(dialect string) fs.FS {
	sub, err := fs.Sub(files, dialect)
	if err != nil {
		panic(err)
	}
	return sub
}
