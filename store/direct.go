package store

import (
	"context"
	"database/sql"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gorm.io/gorm/schema"
)

// The statements of every request and every write go past GORM, which builds each of its own anew. Their placeholders are
// question marks in both dialects.

// exec runs a statement, and says how many rows it has written.
func (tx *Tx) exec(ctx context.Context, statement string, args ...any) (int64, error) {
	result, err := tx.q.Statement.ConnPool.ExecContext(ctx, tx.dialect.bind(statement), args...)
	if err != nil {
		return 0, translate(err)
	}
	return result.RowsAffected()
}

// execOne runs a statement that must write one row: Conflict where another has come first.
func (tx *Tx) execOne(ctx context.Context, statement string, args ...any) error {
	n, err := tx.exec(ctx, statement, args...)
	if err == nil && n != 1 {
		return errRaced
	}
	return err
}

// find reads the rows of a statement. A column goes into the field of T that GORM's schema has for it, where there is one. A column
// that can be NULL needs a field that can hold that.
func find[T any](ctx context.Context, r *Reader, statement string, args ...any) (found []T, err error) {
	rows, err := r.q.Statement.ConnPool.QueryContext(ctx, r.dialect.bind(statement), args...)
	if err != nil {
		return nil, translate(err)
	}
	defer func() { _ = rows.Close() }()
	var row T
	fields, err := fieldsOf(ctx, r, &row, rows)
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		if err := rows.Scan(fields...); err != nil {
			return nil, translate(err)
		}
		found = append(found, row)
	}
	return found, translate(rows.Err())
}

// fieldsOf are pointers to the fields of a row, one for each column.
func fieldsOf(ctx context.Context, r *Reader, row any, rows *sql.Rows) ([]any, error) {
	s, err := schema.Parse(row, &schemas, r.q.NamingStrategy)
	if err != nil {
		return nil, err
	}
	columns, err := rows.Columns()
	if err != nil {
		return nil, translate(err)
	}
	fields, value := make([]any, len(columns)), reflect.ValueOf(row).Elem()
	for i, column := range columns {
		if field, ok := s.FieldsByDBName[column]; ok {
			fields[i] = field.ReflectValueOf(ctx, value).Addr().Interface()
		} else {
			fields[i] = new(sql.RawBytes)
		}
	}
	return fields, nil
}

// findOne reads the first row of a statement, or gives nil when there is none.
func findOne[T any](ctx context.Context, r *Reader, statement string, args ...any) (*T, error) {
	rows, err := find[T](ctx, r, statement+" LIMIT 1", args...)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return &rows[0], nil
}

// row reads one row.
func (r *Reader) row(ctx context.Context, statement string, args ...any) *sql.Row {
	return r.q.Statement.ConnPool.QueryRowContext(ctx, r.dialect.bind(statement), args...)
}

var schemas sync.Map

// insert adds rows of one type, whose fields are all set.
func insert[T any](ctx context.Context, tx *Tx, rows ...T) error {
	statement, err := inserting(ctx, tx, rows, nil)
	if err != nil {
		return err
	}
	_, err = tx.exec(ctx, statement.sql, statement.args...)
	return err
}

// inserting is the statement that adds rows of one type; empty for none. An expression is added to what each row has in its column.
func inserting[T any](ctx context.Context, tx *Tx, rows []T, plus map[string]condition) (condition, error) {
	if len(rows) == 0 {
		return condition{}, nil
	}
	s, err := schema.Parse(&rows[0], &schemas, tx.q.NamingStrategy)
	if err != nil {
		return condition{}, err
	}
	places := ""
	for _, name := range s.DBNames {
		places += ", ?"
		if more, ok := plus[name]; ok {
			places += " + " + more.sql
		}
	}
	places = ", (" + places[2:] + ")"
	values := make([]any, 0, len(rows)*(len(s.DBNames)+len(plus)))
	for i := range rows {
		row := reflect.Indirect(reflect.ValueOf(&rows[i]).Elem())
		for _, name := range s.DBNames {
			value, _ := s.FieldsByDBName[name].ValueOf(ctx, row)
			values = append(append(values, value), plus[name].args...)
		}
	}
	return condition{"INSERT INTO " + s.Table + " (" + strings.Join(s.DBNames, ", ") + ") VALUES " + strings.Repeat(places, len(rows))[2:], values}, nil
}

// execTogether runs statements on different tables, leaving empty ones out, and says how many rows the last has written.
// PostgreSQL, where each takes a round trip, gets them as one.
func (tx *Tx) execTogether(ctx context.Context, statements ...condition) (n int64, err error) {
	statements = slices.DeleteFunc(statements, func(s condition) bool { return s.sql == "" })
	if tx.dialect == dialectPostgres && len(statements) > 1 {
		statements = []condition{asOne(statements)}
	}
	for _, s := range statements {
		if n, err = tx.exec(ctx, s.sql, s.args...); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// asOne makes the statements before the last parts of it.
func asOne(statements []condition) condition {
	size, values := 0, 0
	for _, s := range statements {
		size, values = size+len("), s0 AS (")+len(s.sql), values+len(s.args)
	}
	var sql strings.Builder
	sql.Grow(size)
	args := make([]any, 0, values)
	for i, s := range statements {
		switch {
		case i == len(statements)-1:
			sql.WriteString(") ")
		case i == 0:
			sql.WriteString("WITH s0 AS (")
		default:
			sql.WriteString("), s" + strconv.Itoa(i) + " AS (")
		}
		sql.WriteString(s.sql)
		args = append(args, s.args...)
	}
	return condition{sql.String(), args}
}

// bind writes the placeholders of a statement as the dialect has them.
func (d dialect) bind(statement string) string {
	if d != dialectPostgres {
		return statement
	}
	var b strings.Builder
	b.Grow(len(statement) + 2*strings.Count(statement, "?"))
	n := 0
	for part := range strings.SplitSeq(statement, "?") {
		if n > 0 {
			b.WriteString("$" + strconv.Itoa(n))
		}
		b.WriteString(part)
		n++
	}
	return b.String()
}
