package jobs

import (
	"context"
	"database/sql"
	"errors"
)

// Args are the arguments of a job. They are stored as JSON and show up where jobs are inspected, so they hold ids and
// numbers only. Kind never changes: stored jobs are known by it.
//
// A job is unique by its kind and arguments for as long as its row is kept, at least a day after its end: enqueueing it
// again in that time does nothing. Where a field has the tag `river:"unique"`, only such fields count.
type Args interface {
	Kind() string
}

// Inserter enqueues jobs.
type Inserter interface {
	// Insert enqueues a job inside a transaction: it exists when that commits, and never otherwise.
	Insert(ctx context.Context, tx *sql.Tx, args Args) error
}

// hopeless is an error with which a job has failed for good.
type hopeless struct{ error }

func (h hopeless) Unwrap() error { return h.error }

// Hopeless marks an error after which trying the job again is of no use.
func Hopeless(err error) error { return hopeless{err} }

// IsHopeless reports whether an error was marked by Hopeless.
func IsHopeless(err error) bool {
	var h hopeless
	return errors.As(err, &h)
}
