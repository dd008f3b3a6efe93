package dbtest

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"countersign/store"
)

var tableNames = map[string]string{
	"sqlite":   `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'record_grams%'`,
	"postgres": `SELECT tablename FROM pg_tables WHERE schemaname = current_schema()`,
}

// Content is every row of every table but some, as text in an order of its own: two that are equal are of databases
// in the same state. raw is a connection as from [Raw].
func Content(t testing.TB, db *store.DB, raw *sql.DB, except ...string) []string {
	t.Helper()
	var content []string
	for _, table := range queryTexts(t, raw, tableNames[db.Dialect()]) {
		if !slices.Contains(except, table) {
			content = append(content, dump(t, raw, table)...)
		}
	}
	slices.Sort(content)
	return content
}

func queryTexts(t testing.TB, raw *sql.DB, query string) (texts []string) {
	t.Helper()
	rows, err := raw.QueryContext(t.Context(), query)
	must(t, err)
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var text string
		must(t, rows.Scan(&text))
		texts = append(texts, text)
	}
	must(t, rows.Err())
	return texts
}

// dump is a line per row of a table.
func dump(t testing.TB, raw *sql.DB, table string) (lines []string) {
	t.Helper()
	rows, err := raw.QueryContext(t.Context(), `SELECT * FROM `+table)
	must(t, err)
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	must(t, err)
	values, at := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		at[i] = &values[i]
	}
	for rows.Next() {
		must(t, rows.Scan(at...))
		var line strings.Builder
		line.WriteString(table)
		for i, v := range values {
			fmt.Fprintf(&line, " %s=%v", columns[i], v)
		}
		lines = append(lines, line.String())
	}
	must(t, rows.Err())
	return lines
}
