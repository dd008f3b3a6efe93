package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"countersign/jobs"
)

// EnqueueThrough sets what enqueues the jobs of transactions. It is called once, before any begins.
func (db *DB) EnqueueThrough(inserter jobs.Inserter) { db.inserter = inserter }

// Enqueue has a job done after the outermost commit, and never otherwise. It fails where nothing was set to enqueue
// through.
func (tx *Tx) Enqueue(ctx context.Context, args jobs.Args) error {
	if tx.inserter == nil {
		return fmt.Errorf("store: the job %s cannot be enqueued: this process was started without jobs", args.Kind())
	}
	raw, ok := tx.q.Statement.ConnPool.(*sql.Tx)
	if !ok {
		return errors.New("store: a job can be enqueued in a transaction only")
	}
	return tx.inserter.Insert(ctx, raw, args)
}

// Exclusively runs fn while no other replica runs one of the same name. fn may use the database. An SQLite file has one
// process, so there is nobody to wait for.
func (db *DB) Exclusively(ctx context.Context, name string, fn func() error) (err error) {
	if db.dialect != dialectPostgres {
		return fn()
	}
	conn, err := db.pools[0].Conn(ctx)
	if err != nil {
		return fmt.Errorf("store: lock %s: %w", name, err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock(hashtext($1))", name); err != nil {
		return fmt.Errorf("store: lock %s: %w", name, err)
	}
	defer func() {
		_, failed := conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock(hashtext($1))", name)
		err = errors.Join(err, failed)
	}()
	return fn()
}
