package store

import (
	"context"
	"database/sql/driver"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// preparedPerConnection is how many statements a connection to SQLite keeps prepared: the product has some three
// hundred, and the rest are lists of other lengths.
const preparedPerConnection = 400

// preparing opens connections to SQLite that keep their statements prepared, as pgx does for PostgreSQL. Without it
// SQLite parses and plans each statement anew, which takes longer than most of them run.
type preparing struct{ driver.Connector }

// sqliteConn is all that database/sql asks of a connection of the driver.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// sqliteRows is all that database/sql asks of the rows of the driver.
type sqliteRows interface {
	driver.Rows
	driver.RowsColumnTypeDatabaseTypeName
	driver.RowsColumnTypeLength
	driver.RowsColumnTypeNullable
	driver.RowsColumnTypePrecisionScale
	driver.RowsColumnTypeScanType
}

// sqliteStmt is a prepared statement of the driver.
type sqliteStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// Connect implements driver.Connector.
func (p preparing) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := p.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	c := &preparedConn{sqliteConn: conn.(sqliteConn)}
	c.kept, err = simplelru.NewLRU(preparedPerConnection, func(_ string, s *preparedStmt) { s.drop() })
	return c, err
}

// preparedConn is a connection with the statements that it keeps. database/sql uses it from one goroutine at a time.
type preparedConn struct {
	sqliteConn
	kept *simplelru.LRU[string, *preparedStmt]
}

// preparedStmt is a kept statement. While its rows are open it is busy, and one that is dropped then is closed with them.
type preparedStmt struct {
	sqliteStmt
	busy, dropped bool
}

// ExecContext implements driver.ExecerContext. Without arguments, as savepoints and migrations are, none comes twice.
func (c *preparedConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if len(args) == 0 {
		return c.sqliteConn.ExecContext(ctx, query, args)
	}
	s, err := c.prepared(ctx, query)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return c.sqliteConn.ExecContext(ctx, query, args)
	}
	return s.ExecContext(ctx, args)
}

// QueryContext implements driver.QueryerContext.
func (c *preparedConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := c.prepared(ctx, query)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return c.sqliteConn.QueryContext(ctx, query, args)
	}
	rows, err := s.QueryContext(ctx, args)
	if err != nil {
		return nil, err
	}
	s.busy = true
	return &preparedRows{rows.(sqliteRows), s}, nil
}

// Close implements driver.Conn.
func (c *preparedConn) Close() error {
	c.kept.Purge()
	return c.sqliteConn.Close()
}

// prepared is the kept statement for a query. It is nil while the statement's rows are open: the query is to go its own way.
func (c *preparedConn) prepared(ctx context.Context, query string) (*preparedStmt, error) {
	if s, ok := c.kept.Get(query); ok {
		if s.busy {
			return nil, nil
		}
		return s, nil
	}
	stmt, err := c.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	s := &preparedStmt{sqliteStmt: stmt.(sqliteStmt)}
	c.kept.Add(query, s)
	return s, nil
}

func (s *preparedStmt) drop() {
	s.dropped = true
	if !s.busy {
		_ = s.Close()
	}
}

// preparedRows are the rows of a kept statement.
type preparedRows struct {
	sqliteRows
	stmt *preparedStmt
}

// Close implements driver.Rows.
func (r *preparedRows) Close() error {
	err := r.sqliteRows.Close()
	r.stmt.busy = false
	if r.stmt.dropped {
		r.stmt.drop()
	}
	return err
}
