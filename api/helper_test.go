package api_test

import (
	"database/sql"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/api"
	"countersign/internal/apitest"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/store"
)

// each runs a test against a server on each dialect.
func each(t *testing.T, fn func(t *testing.T, s *apitest.Server)) {
	t.Helper()
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) { fn(t, apitest.New(t, db)) })
}

// serve gives a server on SQLite, for what has nothing to do with the database.
func serve(t *testing.T, adjust ...func(*api.Options)) *apitest.Server {
	t.Helper()
	return apitest.New(t, dbtest.Open(t, "sqlite"), adjust...)
}

func version(o apitest.Object) int64 { v, _ := o["version"].(float64); return int64(v) }

func total(o apitest.Object) int { n, _ := o["total"].(float64); return int(n) }

// count runs a query that gives one number.
func count(t *testing.T, s *apitest.Server, query string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, dbtest.Raw(t, s.DB).QueryRowContext(t.Context(), query, args...).Scan(&n))
	return n
}

func exec(t *testing.T, s *apitest.Server, query string, args ...any) {
	t.Helper()
	_, err := dbtest.Raw(t, s.DB).ExecContext(t.Context(), query, args...)
	require.NoError(t, err)
}

// fill puts ids of the world into a route's pattern.
func fill(s *apitest.Server, path string) string {
	ids := strings.NewReplacer(
		"/companies/{id}", "/companies/"+s.Acme.ID, "/deals/{id}", "/deals/"+s.AcmeRenewal.ID,
		"/contacts/{id}", "/contacts/"+s.Amy.ID, "/tasks/{id}", "/tasks/"+s.RingAmy.ID,
		"/quotations/{id}", "/quotations/"+s.QuoteAcme.ID,
		"/products/{id}", "/products/"+s.Crane.ID, "/pipelines/{id}", "/pipelines/"+s.Selling.ID,
		"{kind}", "deal", "{id}", models.NewID())
	return ids.Replace(path)
}

// dump is everything that a SQLite database holds, table by table.
func dump(t *testing.T, s *apitest.Server) map[string]string {
	t.Helper()
	raw := dbtest.Raw(t, s.DB)
	tables := column(t, raw, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
	require.Greater(t, len(tables), 15)
	content := map[string]string{}
	for _, table := range tables {
		fields := column(t, raw, "SELECT name FROM pragma_table_info('"+table+"')")
		for i, f := range fields {
			fields[i] = "quote(\"" + f + "\")"
		}
		rows := column(t, raw, "SELECT "+strings.Join(fields, "||','||")+" FROM \""+table+"\" ORDER BY 1")
		content[table] = strings.Join(rows, "\n")
	}
	return content
}

func column(t *testing.T, raw *sql.DB, query string) (values []string) {
	t.Helper()
	rows, err := raw.QueryContext(t.Context(), query)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var v string
		require.NoError(t, rows.Scan(&v))
		values = append(values, v)
	}
	require.NoError(t, rows.Err())
	return values
}

func jsonLogger(w io.Writer) *slog.Logger { return slog.New(slog.NewJSONHandler(w, nil)) }
