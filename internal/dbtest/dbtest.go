package dbtest

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"countersign/internal/pgtest"
	"countersign/migrations"
	"countersign/store"
)

// Dialects are the databases that the product runs on.
var Dialects = []string{"sqlite", "postgres"}

// Each runs fn as a parallel subtest per dialect, on a fresh migrated database.
func Each(t *testing.T, fn func(t *testing.T, db *store.DB)) {
	t.Helper()
	for _, dialect := range Dialects {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			fn(t, Open(t, dialect))
		})
	}
}

// Open gives a fresh migrated database of a dialect. It closes with the test, which fails when it leaves
// a connection in use.
func Open(t testing.TB, dialect string) *store.DB { return OpenWith(t, dialect, nil) }

// OpenWith is Open with something that listens to what is sent.
func OpenWith(t testing.TB, dialect string, wrap func(driver.Connector) driver.Connector) *store.DB {
	t.Helper()
	if dialect == "postgres" {
		return open(t, store.Options{URL: pgtest.NewDatabase(t, postgresTemplate(t)), Unsafe: true, Wrap: wrap})
	}
	image, err := sqliteTemplate()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, sqliteFile), image, 0o600); err != nil {
		t.Fatal(err)
	}
	return open(t, store.Options{Dir: dir, Unsafe: true, Wrap: wrap})
}

// Empty gives a database of a dialect that has never been migrated.
func Empty(t testing.TB, dialect string) *store.DB {
	t.Helper()
	if dialect == "postgres" {
		return open(t, store.Options{URL: pgtest.NewDatabase(t, ""), Unsafe: true})
	}
	return open(t, store.Options{Dir: t.TempDir(), Unsafe: true})
}

// Again opens the database of db a second time, as another replica does.
func Again(t testing.TB, db *store.DB) *store.DB {
	t.Helper()
	return open(t, Options(t, db))
}

// Options are the options that db was opened with by this package.
func Options(t testing.TB, db *store.DB) store.Options {
	t.Helper()
	o, ok := opened.Load(db)
	if !ok {
		t.Fatal("dbtest: this database was not opened by dbtest")
	}
	return o.(store.Options)
}

// Raw is a connection to the database of db that goes around package store: for looking at what is
// stored, and for doing what an intruder would. Placeholders are $1, $2 in both dialects.
func Raw(t testing.TB, db *store.DB) *sql.DB {
	t.Helper()
	o := Options(t, db)
	name, address := "pgx", o.URL
	if o.URL == "" {
		name, address = "sqlite", "file:"+filepath.Join(o.Dir, sqliteFile)+"?_pragma=busy_timeout(5000)"
	}
	raw, err := sql.Open(name, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = raw.Close() })
	return raw
}

// sqliteFile is the name that package store gives to its file.
const sqliteFile = "countersign.db"

// opened maps each open *store.DB to its store.Options.
var opened sync.Map

func open(t testing.TB, o store.Options) *store.DB {
	t.Helper()
	db, err := store.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	opened.Store(db, o)
	t.Cleanup(func() {
		opened.Delete(db)
		if n := db.InUse(); n != 0 {
			t.Errorf("dbtest: %d connections are still in use at the end of the test", n)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// sqliteTemplate is the content of a migrated SQLite file.
var sqliteTemplate = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "countersign-template-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := migrate(store.Options{Dir: dir, Unsafe: true}); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, sqliteFile))
})

// postgresTemplate is the name of a migrated database in the cluster. It carries the hash of the migrations,
// since a cluster may outlive them.
func postgresTemplate(t testing.TB) string {
	t.Helper()
	name, err := templateName()
	if err != nil {
		t.Fatal(err)
	}
	pgtest.Template(t, name, func(databaseURL string) error {
		return migrate(store.Options{URL: databaseURL, Unsafe: true})
	})
	return name
}

var templateName = sync.OnceValues(func() (string, error) {
	hash := sha256.New()
	files := migrations.For("postgres")
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, name)
		fmt.Fprintf(hash, "%s %d\n%s", name, len(content), content)
		return err
	})
	return "countersign_" + hex.EncodeToString(hash.Sum(nil)[:8]), err
})

// migrate leaves a migrated database behind, with all connections closed.
func migrate(o store.Options) error {
	ctx := context.Background()
	db, err := store.Open(ctx, o)
	if err != nil {
		return err
	}
	return errors.Join(db.Migrate(ctx), db.Close())
}
