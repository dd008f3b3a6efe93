package workers

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/riverqueue/river"

	"countersign/store"
)

const (
	// pollEvery is how long a job waits at most before it is begun, while there are hands: nobody announces jobs, since
	// a connection that listens would be one more for each replica, and the only one on SQLite.
	pollEvery = 800 * time.Millisecond
	// hands is how many jobs a replica works on at the same time.
	hands = 4
	// rescueAfter is after how long a job counts as left behind by a dead process. None may take as long.
	rescueAfter = 5 * time.Minute
	// settleTime is how long jobs get that were cancelled.
	settleTime = 5 * time.Second
)

// Options are what Workers work with.
type Options struct {
	// DB is migrated, by its own migrations and by [Migrate].
	DB     *store.DB
	Jobs   []Job
	Chores []Chore
}

// Workers carry out jobs, those of other replicas included.
type Workers struct{ client *river.Client[*sql.Tx] }

// New returns Workers that do nothing until they are started.
func New(o Options) (*Workers, error) {
	known := river.NewWorkers()
	for _, job := range append([]Job{chores(o.Chores)}, o.Jobs...) {
		if err := job(known); err != nil {
			return nil, fmt.Errorf("workers: %w", err)
		}
	}
	config := &river.Config{
		Logger: logger(), Workers: known, Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: hands}},
		PollOnly: true, FetchPollInterval: pollEvery, RescueStuckJobsAfter: rescueAfter, MaxAttempts: maxAttempts,
	}
	for _, c := range o.Chores {
		config.PeriodicJobs = append(config.PeriodicJobs, c.periodic())
	}
	client, err := river.NewClient(driverOf(o.DB), config)
	if err != nil {
		return nil, fmt.Errorf("workers: %w", err)
	}
	return &Workers{client}, nil
}

// Start begins to work, until Stop.
func (w *Workers) Start(ctx context.Context) error {
	if err := w.client.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("workers: start: %w", err)
	}
	return nil
}

// Stop begins no more jobs and waits for those that run. When ctx ends first, they are cancelled; what was cancelled is
// tried again by whoever works next.
func (w *Workers) Stop(ctx context.Context) error {
	err := w.client.Stop(ctx)
	if err == nil || ctx.Err() == nil {
		return err
	}
	hard, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	if err := w.client.StopAndCancel(hard); err != nil {
		return errors.New("workers: a job does not end, and is left behind")
	}
	return nil
}
