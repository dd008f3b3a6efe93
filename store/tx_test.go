package store_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/internal/dbtest"
	"countersign/internal/pgtest"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

var errUndo = errors.New("undo")

func fact(t *testing.T, r store.Runner, key string) (value string) {
	t.Helper()
	require.NoError(t, r.View(context.Background(), func(r *store.Reader) (err error) {
		value, err = r.Meta(context.Background(), key)
		return err
	}))
	return value
}

func TestCommitAndRollback(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		var hooks []string
		require.NoError(t, db.InTx(ctx, func(tx *store.Tx) error {
			tx.AfterCommit(func() {
				require.Equal(t, "1", fact(t, db, "a"), "others see it by then")
				hooks = append(hooks, "first")
			})
			tx.AfterCommit(func() { hooks = append(hooks, "second") })
			require.NoError(t, tx.SetMeta(ctx, "a", "1"))
			require.Equal(t, "1", fact(t, tx, "a"), "inside, one sees what one has written")
			require.Empty(t, hooks)
			return nil
		}))
		require.Equal(t, []string{"first", "second"}, hooks)

		err := db.InTx(ctx, func(tx *store.Tx) error {
			tx.AfterCommit(func() { t.Error("nothing was committed") })
			require.NoError(t, tx.SetMeta(ctx, "a", "2"))
			return errUndo
		})
		require.ErrorIs(t, err, errUndo)
		require.Equal(t, "1", fact(t, db, "a"))
		refusal := apperr.New(apperr.Conflict, "X", "No.")
		require.Same(t, refusal, db.InTx(ctx, func(*store.Tx) error { return refusal }), "service errors pass as they are")
	})
}

func TestSavepoints(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		var hooks []string
		hook := func(name string) func() { return func() { hooks = append(hooks, name) } }
		require.NoError(t, db.InTx(ctx, func(tx *store.Tx) error {
			tx.AfterCommit(hook("outer"))
			require.NoError(t, tx.SetMeta(ctx, "outer", "1"))
			require.NoError(t, tx.InTx(ctx, func(kept *store.Tx) error {
				kept.AfterCommit(hook("kept"))
				return kept.SetMeta(ctx, "kept", "1")
			}))
			require.Empty(t, hooks, "a savepoint is no commit")
			err := tx.InTx(ctx, func(undone *store.Tx) error {
				undone.AfterCommit(hook("undone"))
				require.NoError(t, undone.SetMeta(ctx, "undone", "1"))
				require.NoError(t, undone.InTx(ctx, func(deeper *store.Tx) error {
					deeper.AfterCommit(hook("deeper"))
					return deeper.SetMeta(ctx, "deeper", "1")
				}))
				return errUndo
			})
			require.ErrorIs(t, err, errUndo)
			// An error of the database itself must not spoil the transaction around the savepoint.
			err = tx.InTx(ctx, func(failed *store.Tx) error {
				return failed.InsertTeam(ctx, &models.Team{ID: "t", Name: "bad", NameKey: "bad", ManagerID: nil, CreatedAt: moment, UpdatedAt: moment})
			})
			require.NoError(t, err)
			err = tx.InTx(ctx, func(failed *store.Tx) error {
				return failed.InsertTeam(ctx, &models.Team{ID: "t", Name: "bad", NameKey: "bad", CreatedAt: moment, UpdatedAt: moment})
			})
			requireCode(t, err, store.CodeDuplicate)
			tx.AfterCommit(hook("last"))
			return tx.SetMeta(ctx, "last", "1")
		}))
		require.Equal(t, []string{"outer", "kept", "last"}, hooks)
		for key, want := range map[string]string{"outer": "1", "kept": "1", "undone": "", "deeper": "", "last": "1"} {
			require.Equal(t, want, fact(t, db, key), key)
		}
	})
}

func TestPanicRollsBack(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		require.PanicsWithValue(t, "boom", func() {
			_ = db.InTx(ctx, func(tx *store.Tx) error {
				tx.AfterCommit(func() { t.Error("nothing was committed") })
				require.NoError(t, tx.SetMeta(ctx, "a", "1"))
				panic("boom")
			})
		})
		require.Empty(t, fact(t, db, "a"))
		require.Zero(t, db.InUse())

		// Inside a savepoint, for a caller that recovers.
		require.NoError(t, db.InTx(ctx, func(tx *store.Tx) error {
			require.Panics(t, func() {
				_ = tx.InTx(ctx, func(inner *store.Tx) error {
					inner.AfterCommit(func() { t.Error("the savepoint was undone") })
					require.NoError(t, inner.SetMeta(ctx, "inner", "1"))
					panic("boom")
				})
			})
			return tx.SetMeta(ctx, "outer", "1")
		}))
		require.Equal(t, []string{"", "1"}, []string{fact(t, db, "inner"), fact(t, db, "outer")})
	})
}

func TestCancelledContext(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, cancel := context.WithCancel(t.Context())
		err := db.InTx(ctx, func(tx *store.Tx) error {
			tx.AfterCommit(func() { t.Error("nothing was committed") })
			require.NoError(t, tx.SetMeta(ctx, "a", "1"))
			cancel()
			return nil
		})
		require.Error(t, err)
		require.Empty(t, fact(t, db, "a"))
		require.Error(t, db.InTx(ctx, func(*store.Tx) error { t.Error("never begun"); return nil }))
		require.Error(t, db.View(ctx, func(r *store.Reader) error { _, err := r.Meta(ctx, "a"); return err }))
		require.Eventually(t, func() bool { return db.InUse() == 0 }, time.Second, time.Millisecond)
	})
}

// A view cannot write on SQLite, where its connections are apart.
func TestReadersDoNotWaitForWriters(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		require.NoError(t, db.InTx(ctx, func(tx *store.Tx) error {
			require.NoError(t, tx.SetMeta(ctx, "a", "1"))
			require.Empty(t, fact(t, db, "a"), "outside, nothing is seen before the commit, and nobody waits")
			return nil
		}))
		require.Equal(t, "1", fact(t, db, "a"))
	})
}

func TestWritersTakeTurns(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		done := make(chan error)
		for _, runner := range []*store.DB{db, dbtest.Again(t, db)} {
			for range 8 {
				go func() {
					done <- runner.InTx(t.Context(), func(tx *store.Tx) error {
						d := w.AcmeExpansion
						d.Record = models.NewRecord(moment)
						return tx.InsertDeal(t.Context(), w.Grant(t, w.Sales1, rbac.DealCreate), &d)
					})
				}()
			}
		}
		for range 16 {
			require.NoError(t, <-done, "busy is waited for")
		}
	})
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for _, o := range []store.Options{
		{URL: "postgres://nobody:secret@127.0.0.1:1/none?connect_timeout=1"},
		{URL: "://secret"},
		{URL: "postgres://u:secret@host:notaport/db"},
		{Dir: "/nowhere/at/all"},
	} {
		_, err := store.Open(t.Context(), o)
		require.Error(t, err)
		require.NotContains(t, err.Error(), "secret")
	}
}

func TestFileIsPrivate(t *testing.T) {
	t.Parallel()
	db := dbtest.Empty(t, "sqlite")
	require.NoError(t, db.Migrate(t.Context()))
	files, err := filepath.Glob(filepath.Join(dbtest.Options(t, db).Dir, "countersign.db*"))
	require.NoError(t, err)
	require.Len(t, files, 3)
	for _, file := range files {
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode(), file)
	}
}

// A database that has gone away is no mistake of ours: the answer is to try again.
func TestUnreachableDatabase(t *testing.T) {
	t.Parallel()
	db := dbtest.Open(t, "postgres")
	require.NoError(t, db.Ping(t.Context()))
	var name string
	require.NoError(t, dbtest.Raw(t, db).QueryRowContext(t.Context(), "SELECT current_database()").Scan(&name))
	admin, err := sql.Open("pgx", pgtest.Start(t))
	require.NoError(t, err)
	defer admin.Close()
	for _, statement := range []string{
		"ALTER DATABASE " + name + " ALLOW_CONNECTIONS false",
		"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name + "'",
	} {
		_, err := admin.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
	require.Error(t, db.Ping(t.Context()))
	err = db.View(t.Context(), func(r *store.Reader) error { _, err := r.Meta(t.Context(), "a"); return err })
	requireKind(t, err, apperr.Unavailable)
	err = db.InTx(t.Context(), func(*store.Tx) error { return nil })
	requireKind(t, err, apperr.Unavailable)
}

// A connection that is lost within a transaction is a database that is away, not a fault of what was written.
func TestLostConnection(t *testing.T) {
	t.Parallel()
	db := dbtest.Open(t, "postgres")
	err := db.InTx(t.Context(), func(tx *store.Tx) error {
		_, err := dbtest.Raw(t, db).ExecContext(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
		require.NoError(t, err)
		return tx.SetMeta(t.Context(), "a", "1")
	})
	requireKind(t, err, apperr.Unavailable)
}
