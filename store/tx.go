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
	inserter jobs.Inserter
	kept     *kept
}

// kept is what a transaction and its savepoints keep in common: what runs after the commit, what is still to be written, and
// the people whose rights it has asked for.
type kept struct {
	hooks    []func()
	journal  journal
	subjects map[string]subject
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
	shared := &kept{}
	err := db.write.WithContext(ctx).Transaction(func(q *gorm.DB) error {
		tx := &Tx{Reader: db.reader(q), kept: shared, inserter: db.inserter}
		if err := fn(tx); err != nil {
			return err
		}
		return tx.flushJournal(ctx)
	})
	if err != nil {
		return translate(err)
	}
	for _, hook := range shared.hooks {
		hook()
	}
	return nil
}

// View implements Runner.
func (db *DB) View(_ context.Context, fn func(*Reader) error) error {
	return translate(fn(db.reader(db.read)))
}

// InTx implements Runner as a savepoint: an error undoes what fn wrote and drops its hooks, the
// transaction around it can go on.
func (tx *Tx) InTx(ctx context.Context, fn func(*Tx) error) error {
	if err := tx.flushJournal(ctx); err != nil { // what is kept from here on is the savepoint's
		return err
	}
	before, done := len(tx.kept.hooks), false
	defer func() { // also when fn panics and a caller recovers
		if !done {
			tx.kept.hooks, tx.kept.journal, tx.kept.subjects = tx.kept.hooks[:before], journal{}, nil
		}
	}()
	err := tx.q.WithContext(ctx).Transaction(func(q *gorm.DB) error {
		return fn(&Tx{Reader: tx.on(q), kept: tx.kept, inserter: tx.inserter})
	})
	done = err == nil
	return translate(err)
}

// Joined is a Runner for what takes part in the transaction without a savepoint of its own: after an error its caller must
// undo the transaction, or the savepoint, that tx is.
func (tx *Tx) Joined() Runner { return joined{tx} }

type joined struct{ *Tx }

// InTx implements Runner.
func (j joined) InTx(_ context.Context, fn func(*Tx) error) error { return fn(j.Tx) }

// View implements Runner.
func (tx *Tx) View(_ context.Context, fn func(*Reader) error) error {
	return translate(fn(tx.Reader))
}

// AfterCommit runs hook once the outermost transaction has committed, and never otherwise.
func (tx *Tx) AfterCommit(hook func()) { tx.kept.hooks = append(tx.kept.hooks, hook) }
