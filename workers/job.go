package workers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"countersign/jobs"
)

// Job is a kind of job and how it is carried out, as [On] makes it.
type Job func(*river.Workers) error

// On carries out jobs with arguments of type T. Each has at most timeout. An error has the job tried again later, unless
// it is marked by [jobs.Hopeless]; a panic is an error, too.
func On[T jobs.Args](timeout time.Duration, run func(context.Context, T) error) Job {
	return func(w *river.Workers) error { return river.AddWorkerSafely(w, worker[T]{timeout: timeout, run: run}) }
}

type worker[T jobs.Args] struct {
	river.WorkerDefaults[T]
	timeout time.Duration
	run     func(context.Context, T) error
}

// Timeout implements river.Worker.
func (w worker[T]) Timeout(*river.Job[T]) time.Duration { return w.timeout }

// Work implements river.Worker. River keeps the error with the job for those who look at it there, so it is told only
// that the log has it.
func (w worker[T]) Work(ctx context.Context, job *river.Job[T]) error {
	err := contained(ctx, job.JobRow, func() error { return w.run(ctx, job.Args) })
	if err == nil {
		return nil
	}
	slog.ErrorContext(ctx, "job failed", "kind", job.Kind, "job_id", job.ID, "attempt", job.Attempt, "of", job.MaxAttempts, "error", err)
	if jobs.IsHopeless(err) {
		return river.JobCancel(errFailed)
	}
	return errFailed
}

// errFailed is what River keeps of every failure.
var errFailed = errors.New("it failed: see the log for its id")

// contained turns a panic into an error.
func contained(ctx context.Context, job *rivertype.JobRow, run func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			slog.ErrorContext(ctx, "job panicked", "kind", job.Kind, "job_id", job.ID, "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("workers: job %d panicked", job.ID)
		}
	}()
	return run()
}
