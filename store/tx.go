package store

import (
	"context"

	"gorm.io/gorm"

	"countersign/jobs"
)

// Runner is where a service works: the database, or a transaction that it takes part in.
type Runner interface {
	// InTx runs fn in a transaction, inside one that is already open as a savepoint. It commits when fn
	// returns nil. fn must not do network calls.
	InTx(ctx context.Context, fn func(*Tx) error) error
	// View runs fn on a connection that reads. Inside a transaction fn sees what it has written.
	View(ctx context.Context, fn func(*Reader) error) error
}

// Reader reads.
type Reader struct {
	q       *gorm.DB
	dialect dialect
	office  *censusOffice
}

// Tx reads and writes, and is itself a Runner.
type Tx struct {
	*Reader
	hooks    *[]func()
	inserter jobs.Inserter
}

var (
	_ Runner = (*DB)(nil)
	_ Runner = (*Tx)(nil)
)

func (db *DB) reader(q *gorm.DB) *Reader {
	return &Reader{q: q, dialect: db.dialect, office: &db.office}
}

// on is the same reader on another connection or savepoint.
func (r *Reader) on(q *gorm.DB) *Reader { return &Reader{q: q, dialect: r.dialect, office: r.office} }

// InTx implements Runner.
func (db *DB) InTx(ctx context.Context, fn func(*Tx) error) error {
	var hooks []func()
	err := db.write.WithContext(ctx).Transaction(func(q *gorm.DB) error {
		return fn(&Tx{Reader: db.reader(q), hooks: &hooks, inserter: db.inserter})
	})
	if err != nil {
		return translate(err)
	}
	for _, hook := range hooks {
		hook()
	}
	return nil
}

// View implements Runner.
func (db *DB) View(ctx context.Context, fn func(*Reader) error) error {
	return translate(fn(db.reader(db.read.WithContext(ctx))))
}

// InTx implements Runner as a savepoint: an error undoes what fn wrote and drops its hooks, the
// transaction around it can go on.
func (tx *Tx) InTx(ctx context.Context, fn func(*Tx) error) error {
	before, done := len(*tx.hooks), false
	defer func() { // also when fn panics and a caller recovers
		if !done {
			*tx.hooks = (*tx.hooks)[:before]
		}
	}()
	err := tx.q.WithContext(ctx).Transaction(func(q *gorm.DB) error {
		return fn(&Tx{Reader: tx.on(q), hooks: tx.hooks, inserter: tx.inserter})
	})
	done = err == nil
	return translate(err)
}

// View implements Runner.
func (tx *Tx) View(ctx context.Context, fn func(*Reader) error) error {
	return translate(fn(tx.on(tx.q.WithContext(ctx))))
}

// AfterCommit runs hook once the outermost transaction has committed, and never otherwise.
func (tx *Tx) AfterCommit(hook func()) { *tx.hooks = append(*tx.hooks, hook) }
