package store

import (
	"context"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"gorm.io/gorm/schema"
)

var schemas sync.Map

// insert adds rows of one type, whose fields are all set, in one statement. It is GORM's Create without hooks, defaults and
// associations, which no model has, for the tables that every write of a record adds to.
func insert[T any](ctx context.Context, tx *Tx, rows ...T) error {
	s, err := schema.Parse(rows[0], &schemas, tx.q.NamingStrategy)
	if err != nil {
		return err
	}
	values := make([]any, 0, len(rows)*len(s.DBNames))
	for _, row := range rows {
		for _, name := range s.DBNames {
			value, _ := s.FieldsByDBName[name].ValueOf(ctx, reflect.Indirect(reflect.ValueOf(row)))
			values = append(values, value)
		}
	}
	statement := "INSERT INTO " + s.Table + " (" + strings.Join(s.DBNames, ", ") + ") VALUES " + tx.dialect.rows(len(rows), len(s.DBNames))
	_, err = tx.q.Statement.ConnPool.ExecContext(ctx, statement, values...)
	return translate(err)
}

// rows are the placeholders of the values of an INSERT.
func (d dialect) rows(n, columns int) string {
	var b strings.Builder
	for i := range n * columns {
		switch {
		case i == 0:
			b.WriteString("(")
		case i%columns == 0:
			b.WriteString("), (")
		default:
			b.WriteString(", ")
		}
		if d == dialectPostgres {
			b.WriteString("$" + strconv.Itoa(i+1))
		} else {
			b.WriteString("?")
		}
	}
	b.WriteString(")")
	return b.String()
}
