package dbtest

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"regexp"
	"slices"
	"sync"

	"countersign/models"
)

// Tape records what the product sends to its database, to be sent again by itself: what is left is what the SQL
// alone takes.
type Tape struct {
	mu    sync.Mutex
	on    bool
	since string
	runs  []*run
	open  map[*tapeConn]*run
}

// run is a statement, or those of a transaction.
type run struct {
	transaction bool
	statements  []statement
}

type statement struct {
	query string
	args  []any
	rows  bool
}

// Wrap is for [store.Options].
func (t *Tape) Wrap(c driver.Connector) driver.Connector { return tapeConnector{c, t} }

// Record records what is sent while fn runs.
func (t *Tape) Record(fn func()) {
	t.mu.Lock()
	t.on, t.since, t.open = true, models.NewID(), map[*tapeConn]*run{}
	t.mu.Unlock()
	fn()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.on = false
}

// Statements is how many were recorded, and Transactions in how many transactions most of them stand.
func (t *Tape) Statements() (statements, transactions int) {
	for _, r := range t.runs {
		statements += len(r.statements)
		if r.transaction {
			transactions++
		}
	}
	return statements, transactions
}

// Replay sends it all again, one after the other, with new ids for the records that were made.
func (t *Tape) Replay(ctx context.Context, db *sql.DB) error {
	fresh := map[string]string{}
	for _, r := range t.runs {
		if err := t.replay(ctx, db, r, fresh); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tape) replay(ctx context.Context, db *sql.DB, r *run, fresh map[string]string) error {
	if !r.transaction {
		return t.send(ctx, db, r.statements[0], fresh)
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	for _, s := range r.statements {
		if err := t.send(ctx, tx, s, fresh); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// sender is a database or a transaction.
type sender interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func (t *Tape) send(ctx context.Context, to sender, s statement, fresh map[string]string) error {
	args := make([]any, len(s.args))
	for i, arg := range s.args {
		args[i] = t.renewed(arg, fresh)
	}
	if !s.rows {
		_, err := to.ExecContext(ctx, s.query, args...)
		return err
	}
	rows, err := to.QueryContext(ctx, s.query, args...)
	if err != nil {
		return fmt.Errorf("dbtest: %s: %w", s.query, err)
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	values, at := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		at[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(at...); err != nil {
			return err
		}
	}
	return rows.Err()
}

var anID = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7`)

// renewed is an argument, or another id in the place of one that was made while the tape ran.
func (t *Tape) renewed(arg any, fresh map[string]string) any {
	id, ok := arg.(string)
	if !ok || !anID.MatchString(id) || id < t.since {
		return arg
	}
	if fresh[id] == "" {
		fresh[id] = models.NewID()
	}
	return fresh[id]
}

func (t *Tape) note(c *tapeConn, query string, args []driver.NamedValue, rows bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.on {
		return
	}
	s := statement{query: query, rows: rows}
	for _, a := range args {
		s.args = append(s.args, a.Value)
	}
	if r := t.open[c]; r != nil {
		r.statements = append(r.statements, s)
		return
	}
	t.runs = append(t.runs, &run{statements: []statement{s}})
}

func (t *Tape) begin(c *tapeConn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.on {
		t.open[c] = &run{transaction: true}
		t.runs = append(t.runs, t.open[c])
	}
}

func (t *Tape) end(c *tapeConn, kept bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if r := t.open[c]; r != nil && !kept {
		t.runs = slices.DeleteFunc(t.runs, func(other *run) bool { return other == r })
	}
	delete(t.open, c)
}

type tapeConnector struct {
	driver.Connector
	tape *Tape
}

// Connect implements driver.Connector.
func (c tapeConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &tapeConn{conn.(wholeConn), c.tape}, nil
}

// wholeConn is what database/sql asks of the connections of both drivers.
type wholeConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
}

type tapeConn struct {
	wholeConn
	tape *Tape
}

// CheckNamedValue implements driver.NamedValueChecker, where the driver does.
func (c *tapeConn) CheckNamedValue(v *driver.NamedValue) error {
	if checker, ok := c.wholeConn.(driver.NamedValueChecker); ok {
		return checker.CheckNamedValue(v)
	}
	return driver.ErrSkip
}

// ExecContext implements driver.ExecerContext.
func (c *tapeConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	c.tape.note(c, query, args, false)
	return c.wholeConn.ExecContext(ctx, query, args)
}

// QueryContext implements driver.QueryerContext.
func (c *tapeConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	c.tape.note(c, query, args, true)
	return c.wholeConn.QueryContext(ctx, query, args)
}

// BeginTx implements driver.ConnBeginTx.
func (c *tapeConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	tx, err := c.wholeConn.BeginTx(ctx, o)
	if err != nil {
		return nil, err
	}
	c.tape.begin(c)
	return tapeTx{tx, c}, nil
}

type tapeTx struct {
	driver.Tx
	conn *tapeConn
}

// Commit implements driver.Tx.
func (t tapeTx) Commit() error {
	err := t.Tx.Commit()
	t.conn.tape.end(t.conn, err == nil)
	return err
}

// Rollback implements driver.Tx.
func (t tapeTx) Rollback() error {
	t.conn.tape.end(t.conn, false)
	return t.Tx.Rollback()
}
