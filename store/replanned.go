package store

import (
	"context"
	"database/sql"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
)

// replanned is the same reader, but PostgreSQL plans each of its statements for the values at hand. Elsewhere a
// statement that came five times may get one plan for all values, which suits a lookup by id and turns searches for
// names into sequential scans.
func (r *Reader) replanned(ctx context.Context) *Reader {
	if r.dialect != dialectPostgres {
		return r
	}
	q := r.q.WithContext(ctx)
	q.Statement.ConnPool = replanning{q.Statement.ConnPool}
	return r.on(q)
}

// replanning sends queries as unnamed statements, of which pgx keeps the types and PostgreSQL no plan.
type replanning struct{ gorm.ConnPool }

// QueryContext implements gorm.ConnPool.
func (p replanning) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return p.ConnPool.QueryContext(ctx, query, append([]any{pgx.QueryExecModeCacheDescribe}, args...)...)
}

// QueryRowContext implements gorm.ConnPool.
func (p replanning) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	return p.ConnPool.QueryRowContext(ctx, query, append([]any{pgx.QueryExecModeCacheDescribe}, args...)...)
}
