package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/dbtest"
)

// oneConnection is a connection to SQLite of the pool that writes, with a table of a hundred numbers.
func oneConnection(t *testing.T) *sql.Conn {
	t.Helper()
	conn, err := dbtest.Open(t, "sqlite").SQL().Conn(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	_, err = conn.ExecContext(t.Context(), "CREATE TABLE numbers (n INTEGER)")
	require.NoError(t, err)
	for n := range 100 {
		_, err = conn.ExecContext(t.Context(), "INSERT INTO numbers (n) VALUES (?)", n)
		require.NoError(t, err)
	}
	return conn
}

func TestPreparedStatementWhileItsRowsAreOpen(t *testing.T) {
	t.Parallel()
	conn := oneConnection(t)
	const query = "SELECT n FROM numbers WHERE n >= ? ORDER BY n"
	outer, err := conn.QueryContext(t.Context(), query, 10)
	require.NoError(t, err)
	defer func() { _ = outer.Close() }()
	for want := 10; outer.Next(); want++ {
		var n, inner int
		require.NoError(t, outer.Scan(&n))
		require.Equal(t, want, n)
		require.NoError(t, conn.QueryRowContext(t.Context(), query, 90-n%10).Scan(&inner))
		require.Equal(t, 90-n%10, inner)
	}
	require.NoError(t, outer.Err())
}

func TestPreparedStatementDroppedWhileItsRowsAreOpen(t *testing.T) {
	t.Parallel()
	conn := oneConnection(t)
	rows, err := conn.QueryContext(t.Context(), "SELECT n FROM numbers WHERE n >= ? ORDER BY n", 0)
	require.NoError(t, err)
	defer func() { require.NoError(t, rows.Close()) }()
	for want := 0; rows.Next(); want++ {
		for other := range 10 {
			var sum int
			query := fmt.Sprintf("SELECT ? + %d", 10*want+other)
			require.NoError(t, conn.QueryRowContext(t.Context(), query, 1).Scan(&sum))
			require.Equal(t, 10*want+other+1, sum)
		}
		var n int
		require.NoError(t, rows.Scan(&n))
		require.Equal(t, want, n)
	}
	require.NoError(t, rows.Err())
}

func TestPreparedStatementFollowsTheSchema(t *testing.T) {
	t.Parallel()
	conn := oneConnection(t)
	columns := func() []string {
		rows, err := conn.QueryContext(t.Context(), "SELECT * FROM numbers WHERE n = ?", 7)
		require.NoError(t, err)
		defer func() { require.NoError(t, rows.Close()) }()
		names, err := rows.Columns()
		require.NoError(t, err)
		require.True(t, rows.Next(), rows.Err())
		return names
	}
	require.Equal(t, []string{"n"}, columns())
	_, err := conn.ExecContext(t.Context(), "ALTER TABLE numbers ADD COLUMN name TEXT")
	require.NoError(t, err)
	require.Equal(t, []string{"n", "name"}, columns())
}

func TestPreparedStatementAfterAnError(t *testing.T) {
	t.Parallel()
	conn := oneConnection(t)
	_, err := conn.ExecContext(t.Context(), "CREATE UNIQUE INDEX one_of_each ON numbers (n)")
	require.NoError(t, err)
	const insert = "INSERT INTO numbers (n) VALUES (?)"
	_, err = conn.ExecContext(t.Context(), insert, 7)
	require.Error(t, err)
	_, err = conn.ExecContext(t.Context(), insert, 700)
	require.NoError(t, err)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = conn.ExecContext(gone, insert, 701)
	require.ErrorIs(t, err, context.Canceled)
	_, err = conn.ExecContext(t.Context(), insert, 701)
	require.NoError(t, err)
}
