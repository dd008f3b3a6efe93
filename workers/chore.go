package workers

import (
	"context"
	"fmt"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"countersign/jobs"
)

// Chore is work that comes up at an interval, on one replica at a time, and first when there is somebody to do it. When
// a round fails, the next one tries again.
type Chore struct {
	Name  string
	Every time.Duration
	Run   func(context.Context) error
}

// choreTimeout is how long a chore may take.
const choreTimeout = time.Minute

// atATime keeps a chore from being enqueued while the last round of it is not over.
var atATime = river.UniqueOpts{ByArgs: true, ByState: []rivertype.JobState{
	rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRunning, rivertype.JobStateRetryable, rivertype.JobStateScheduled,
}}

func (c Chore) periodic() *river.PeriodicJob {
	enqueue := func() (river.JobArgs, *river.InsertOpts) {
		return jobs.Chore{Name: c.Name}, &river.InsertOpts{MaxAttempts: 1, UniqueOpts: atATime}
	}
	return river.NewPeriodicJob(river.PeriodicInterval(c.Every), enqueue, &river.PeriodicJobOpts{RunOnStart: true})
}

// chores carries out all of them.
func chores(list []Chore) Job {
	byName := make(map[string]Chore, len(list))
	for _, c := range list {
		byName[c.Name] = c
	}
	return On(choreTimeout, func(ctx context.Context, args jobs.Chore) error {
		chore, known := byName[args.Name]
		if !known {
			return fmt.Errorf("workers: there is no chore %q in this version", args.Name)
		}
		return chore.Run(ctx)
	})
}
