package store_test

import (
	"database/sql"
	"io/fs"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"countersign/internal/dbtest"
	"countersign/migrations"
	"countersign/models"
	"countersign/store"
)

// describe lists a schema in terms that both dialects share: a line per column, unique key, reference and index.
// Left out is how each finds grams: SQLite in a virtual table, PostgreSQL in an index.
func describe(t *testing.T, db *store.DB) []string {
	t.Helper()
	var lines []string
	for _, query := range catalogues[db.Dialect()] {
		lines = append(lines, column(t, db, query)...)
	}
	slices.Sort(lines)
	return lines
}

// column is the result of a query that gives one text a row.
func column(t *testing.T, db *store.DB, query string) []string {
	t.Helper()
	rows, err := dbtest.Raw(t, db).QueryContext(t.Context(), query)
	require.NoError(t, err, query)
	defer rows.Close()
	var texts []string
	for rows.Next() {
		var text string
		require.NoError(t, rows.Scan(&text))
		texts = append(texts, text)
	}
	require.NoError(t, rows.Err())
	return texts
}

var catalogues = map[string][]string{
	"sqlite": {
		`SELECT m.name || '.' || c.name || ' ' || lower(c.type) || CASE WHEN c."notnull" OR c.pk THEN ' not null' ELSE '' END
			FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT IN ('goose_db_version', 'sqlite_sequence') AND m.name NOT LIKE 'record_grams%'`,
		`SELECT m.name || ' primary (' || group_concat(c.name, ',' ORDER BY c.pk) || ')'
			FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND c.pk AND m.name NOT IN ('goose_db_version') AND m.name NOT LIKE 'record_grams%' GROUP BY m.name`,
		`SELECT m.name || ' unique (' || (SELECT group_concat(c.name, ',' ORDER BY c.seqno) FROM pragma_index_info(i.name) c) || ')' || CASE WHEN i.partial THEN ' partial' ELSE '' END
			FROM sqlite_master m JOIN pragma_index_list(m.name) i WHERE m.type = 'table' AND i."unique" AND i.origin <> 'pk' AND m.name <> 'goose_db_version' AND m.name NOT LIKE 'record_grams%'`,
		`SELECT m.name || '.' || f."from" || ' -> ' || f."table" || '.' || f."to"
			FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table'`,
		`SELECT 'index ' || name FROM sqlite_master WHERE type = 'index' AND name NOT LIKE 'sqlite_%'`,
	},
	"postgres": {
		`SELECT table_name || '.' || column_name || ' ' ||
				CASE data_type WHEN 'bigint' THEN 'integer' WHEN 'timestamp with time zone' THEN 'datetime' ELSE data_type END ||
				CASE is_nullable WHEN 'NO' THEN ' not null' ELSE '' END
			FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> 'goose_db_version'`,
		`SELECT c.relname || CASE WHEN i.indisprimary THEN ' primary (' ELSE ' unique (' END ||
				(SELECT string_agg(a.attname, ',' ORDER BY k.n) FROM unnest(i.indkey) WITH ORDINALITY k (attnum, n)
					JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum) || ')' ||
				CASE WHEN i.indpred IS NULL THEN '' ELSE ' partial' END
			FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
			WHERE n.nspname = 'public' AND i.indisunique AND c.relname <> 'goose_db_version'`,
		`SELECT c.conrelid::regclass || '.' || a.attname || ' -> ' || c.confrelid::regclass || '.' || b.attname FROM pg_constraint c
			JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
			JOIN pg_attribute b ON b.attrelid = c.confrelid AND b.attnum = c.confkey[1] WHERE c.contype = 'f'`,
		`SELECT 'index ' || indexname FROM pg_indexes WHERE schemaname = 'public' AND indexname NOT LIKE '%_pkey' AND indexname <> 'record_names_grams'`,
	},
}

func TestDialectsHaveTheSameSchema(t *testing.T) {
	t.Parallel()
	lite, pg := describe(t, dbtest.Open(t, "sqlite")), describe(t, dbtest.Open(t, "postgres"))
	require.Greater(t, len(lite), 200)
	require.Equal(t, strings.Join(lite, "\n"), strings.Join(pg, "\n"))
}

func TestDialectsHaveTheSameMigrations(t *testing.T) {
	t.Parallel()
	names := map[string][]string{}
	for _, dialect := range dbtest.Dialects {
		files, err := fs.Glob(migrations.For(dialect), "*.sql")
		require.NoError(t, err)
		names[dialect] = files
	}
	require.NotEmpty(t, names["sqlite"])
	require.Equal(t, names["sqlite"], names["postgres"])
	_, err := fs.Stat(migrations.For("oracle"), "00001_initial.sql")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// The files say the same, checks and system roles included, but for types, collations and triggers.
func TestDialectsHaveTheSameText(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(migrations.For("sqlite"), "*.sql")
	require.NoError(t, err)
	for _, name := range names {
		require.Equal(t, plain(t, "sqlite", name), plain(t, "postgres", name), name)
	}
}

var (
	triggers = regexp.MustCompile(`(?s)-- \+goose StatementBegin.*?-- \+goose StatementEnd|CREATE TRIGGER[^;]*;|DROP (?:TRIGGER|FUNCTION)[^;]*;`)
	types    = strings.NewReplacer(` COLLATE "C"`, "", "BIGSERIAL", "INTEGER", "BIGINT", "INTEGER", "TIMESTAMPTZ", "DATETIME")
	blanks   = regexp.MustCompile(`[ \n]+`)
)

func plain(t *testing.T, dialect, name string) string {
	t.Helper()
	content, err := fs.ReadFile(migrations.For(dialect), name)
	require.NoError(t, err)
	text := types.Replace(triggers.ReplaceAllString(string(content), ""))
	return strings.ReplaceAll(blanks.ReplaceAllString(text, " "), "; ", ";\n")
}

func TestMigrateDownAndUp(t *testing.T) {
	t.Parallel()
	for _, dialect := range dbtest.Dialects {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			db := dbtest.Empty(t, dialect)
			require.NoError(t, db.Migrate(t.Context()))
			require.NoError(t, db.Migrate(t.Context()), "twice is once")
			schema := describe(t, db)

			down := provider(t, dialect, dbtest.Raw(t, db))
			_, err := down.DownTo(t.Context(), 0)
			require.NoError(t, err)
			require.Empty(t, describe(t, db), "nothing is left behind")
			current, wanted, err := db.SchemaVersion(t.Context())
			require.NoError(t, err)
			require.Zero(t, current)
			require.Positive(t, wanted)

			require.NoError(t, db.Migrate(t.Context()))
			require.Equal(t, schema, describe(t, db))
		})
	}
}

func provider(t *testing.T, dialect string, raw *sql.DB) *goose.Provider {
	t.Helper()
	names := map[string]goose.Dialect{"sqlite": goose.DialectSQLite3, "postgres": goose.DialectPostgres}
	p, err := goose.NewProvider(names[dialect], raw, migrations.For(dialect), goose.WithDisableGlobalRegistry(true))
	require.NoError(t, err)
	return p
}

func TestNewerDatabaseIsRefused(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		_, err := dbtest.Raw(t, db).ExecContext(t.Context(), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, TRUE)")
		require.NoError(t, err)
		require.ErrorContains(t, db.Migrate(t.Context()), "schema version 999")
	})
}

func TestReplicasMigrateAtOnce(t *testing.T) {
	t.Parallel()
	db := dbtest.Empty(t, "postgres")
	done := make(chan error)
	for range 3 {
		replica := dbtest.Again(t, db)
		go func() { done <- replica.Migrate(t.Context()) }()
	}
	for range 3 {
		require.NoError(t, <-done)
	}
}

// Every field of a record has a column and every column a field, under the name that GORM gives it.
func TestModelsMatchTheSchema(t *testing.T) {
	t.Parallel()
	columns := map[string][]string{}
	for _, line := range describe(t, dbtest.Open(t, "sqlite")) {
		if name, _, isColumn := strings.Cut(line, " "); isColumn && strings.Contains(name, ".") && !strings.Contains(line, "->") {
			table, column, _ := strings.Cut(name, ".")
			columns[table] = append(columns[table], strings.ReplaceAll(column, "_", ""))
		}
	}
	for table, model := range map[string]any{
		"users": models.User{}, "teams": models.Team{}, "roles": models.Role{}, "role_permissions": models.RolePermission{}, "sessions": models.Session{},
		"companies": models.Company{}, "deals": models.Deal{}, "activities": models.Activity{}, "contacts": models.Contact{}, "tasks": models.Task{}, "quotations": models.Quotation{}, "quotation_items": models.QuotationItem{}, "products": models.Product{},
		"pipelines": models.Pipeline{}, "stages": models.Stage{}, "record_names": models.RecordName{}, "field_changes": models.FieldChange{},
		"conversations": store.FoldedConversation{}, "messages": store.FoldedMessage{}, "turns": models.Turn{}, "conversation_summaries": models.ConversationSummary{}, "proposals": models.Proposal{}, "deliveries": models.Delivery{},
		"model_prices": models.ModelPrice{}, "model_calls": models.ModelCall{}, "model_call_texts": models.ModelCallText{}, "usage_months": models.UsageMonth{}, "tool_runs": models.ToolRun{}, "budgets": models.Budget{}, "budget_reservations": models.Reservation{},
		"approval_rules": models.ApprovalRule{}, "ai_config": models.AIConfig{}, "audit_entries": models.AuditEntry{}, "idempotency_keys": store.IdempotencyKey{},
	} {
		var fields []string
		for _, f := range reflect.VisibleFields(reflect.TypeOf(model)) {
			if !f.Anonymous && f.Tag.Get("gorm") != "-" {
				fields = append(fields, strings.ToLower(f.Name))
			}
		}
		require.ElementsMatch(t, columns[table], fields, table)
		delete(columns, table)
	}
	require.ElementsMatch(t, []string{"app_meta", "policy_state", "quotation_numbers"}, keys(columns), "every other table has a model")
}

func keys[V any](m map[string]V) (list []string) {
	for k := range m {
		list = append(list, k)
	}
	return list
}
