package store

import (
	"fmt"
	"strings"
)

type dialect string

const (
	dialectSQLite   dialect = "sqlite"
	dialectPostgres dialect = "postgres"
)

// month is an expression for the month, as 2006-01, of a time column in the organisation's time zone.
func (d dialect) month(column string) string {
	if d == dialectPostgres {
		return fmt.Sprintf("to_char(%s AT TIME ZONE 'Asia/Hong_Kong', 'YYYY-MM')", column)
	}
	return fmt.Sprintf("strftime('%%Y-%%m', %s, '+8 hours')", column)
}

// day is an expression for the day, as 2006-01-02, of a time column in the organisation's time zone.
func (d dialect) day(column string) string {
	if d == dialectPostgres {
		return fmt.Sprintf("to_char(%s AT TIME ZONE 'Asia/Hong_Kong', 'YYYY-MM-DD')", column)
	}
	return fmt.Sprintf("strftime('%%Y-%%m-%%d', %s, '+8 hours')", column)
}

// unix is an expression for the whole seconds from 1970 to a time column, cut off.
func (d dialect) unix(column string) string {
	if d == dialectPostgres {
		return fmt.Sprintf("CAST(FLOOR(EXTRACT(EPOCH FROM %s)) AS BIGINT)", column)
	}
	return fmt.Sprintf("CAST(strftime('%%s', %s) AS INTEGER)", column)
}

// likePattern makes a LIKE pattern, for use with ESCAPE '\', that finds s anywhere as it is.
func likePattern(s string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(s) + "%"
}
