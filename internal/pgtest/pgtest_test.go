package pgtest_test

import (
	"context"
	"errors"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"countersign/internal/pgtest"
)

func query[T any](t *testing.T, databaseURL, sql string, args ...any) T {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), databaseURL)
	require.NoError(t, err)
	defer conn.Close(context.Background())
	var value T
	require.NoError(t, conn.QueryRow(t.Context(), sql, args...).Scan(&value))
	return value
}

func TestDatabaseOfItsOwn(t *testing.T) {
	t.Parallel()
	a, b := pgtest.NewDatabase(t, ""), pgtest.NewDatabase(t, "")
	require.NotEqual(t, a, b)
	name := query[string](t, a, "SELECT current_database()")
	require.True(t, strings.HasPrefix(name, "t_"), name)
	require.Equal(t, "UTF8", query[string](t, a, "SHOW server_encoding"))
}

func TestChineseTrigrams(t *testing.T) {
	t.Parallel()
	db := pgtest.NewDatabase(t, "")
	conn, err := pgx.Connect(t.Context(), db)
	require.NoError(t, err)
	defer conn.Close(context.Background())
	_, err = conn.Exec(t.Context(), "CREATE EXTENSION pg_trgm")
	require.NoError(t, err)
	require.Positive(t, query[int](t, db, "SELECT cardinality(show_trgm('香港貿易'))"), "the locale knows Chinese letters")
}

func TestDatabaseIsDropped(t *testing.T) {
	t.Parallel()
	var name string
	t.Run("inner", func(t *testing.T) {
		u, err := url.Parse(pgtest.NewDatabase(t, ""))
		require.NoError(t, err)
		name = strings.TrimPrefix(u.Path, "/")
	})
	require.Zero(t, query[int](t, pgtest.Start(t), "SELECT count(*) FROM pg_database WHERE datname = $1", name))
}

func TestTemplateIsBuiltOnce(t *testing.T) {
	t.Parallel()
	var built atomic.Int32
	build := func(databaseURL string) error {
		built.Add(1)
		conn, err := pgx.Connect(t.Context(), databaseURL)
		if err != nil {
			return err
		}
		defer conn.Close(context.Background())
		_, err = conn.Exec(t.Context(), "CREATE TABLE answer AS SELECT 42 AS n")
		return err
	}
	name := "pgtest_" + strings.ToLower(t.Name())
	t.Run("at once", func(t *testing.T) {
		for range 4 {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				pgtest.Template(t, name, build)
				require.Equal(t, 42, query[int](t, pgtest.NewDatabase(t, name), "SELECT n FROM answer"))
			})
		}
	})
	require.LessOrEqual(t, built.Load(), int32(1), "none when the cluster has it already")
}

func TestClusterLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	cluster, err := pgtest.Launch()
	if errors.Is(err, pgtest.ErrNoBinaries) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	require.NoError(t, err)
	require.Equal(t, 1, query[int](t, cluster.URL, "SELECT 1"))
	u, err := url.Parse(cluster.URL)
	require.NoError(t, err)
	require.DirExists(t, u.Query().Get("host"))
	require.NoError(t, cluster.Stop())
	require.NoDirExists(t, u.Query().Get("host"))
}
