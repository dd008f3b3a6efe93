package workers

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"countersign/jobs"
	"countersign/store"
)

// maxAttempts is how often a job is tried, over about six minutes: after the first failure again in a second, then in
// 16, 81 and 256 seconds.
const maxAttempts = 5

// Inserter enqueues jobs for those who work, in this process or another one.
type Inserter struct{ client *river.Client[*sql.Tx] }

var _ jobs.Inserter = (*Inserter)(nil)

// NewInserter returns an Inserter for transactions of db.
func NewInserter(db *store.DB) (*Inserter, error) {
	client, err := river.NewClient(driverOf(db), &river.Config{Logger: logger(), MaxAttempts: maxAttempts})
	if err != nil {
		return nil, fmt.Errorf("workers: %w", err)
	}
	return &Inserter{client}, nil
}

// Insert implements jobs.Inserter.
func (i *Inserter) Insert(ctx context.Context, tx *sql.Tx, args jobs.Args) error {
	if _, err := i.client.InsertTx(ctx, tx, args, &river.InsertOpts{UniqueOpts: once}); err != nil {
		return fmt.Errorf("workers: enqueue %s: %w", args.Kind(), err)
	}
	return nil
}

// once keeps a job from being enqueued again while its row is there, however it ended.
var once = river.UniqueOpts{ByArgs: true, ByState: rivertype.JobStates()}
