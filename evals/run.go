package evals

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"countersign/llm/llmtest"
)

// Options say what to run. Exactly one of Recordings and Endpoint.URL is given.
type Options struct {
	Cases []Case
	// Data is the folder of the Maven data set.
	Data string
	// Recordings is a folder of recorded answers.
	Recordings fs.FS
	Endpoint   Endpoint
	// Runs is how often each case runs; 0 means once. Parallel is how many run at a time; 0 means one.
	Runs, Parallel int
	// Progress, if set, is told of each case that has ended, one at a time.
	Progress func(Result)
}

// ErrNoData says that the data set is not there.
var ErrNoData = errors.New("the Maven data set is not there")

func (o *Options) validate() error {
	if (o.Recordings != nil) == (o.Endpoint.URL != "") {
		return errors.New("evals: give either recordings or an endpoint")
	}
	if _, err := os.Stat(filepath.Join(o.Data, "sales_pipeline.csv")); err != nil {
		return fmt.Errorf("evals: %w: there is no %s", ErrNoData, filepath.Join(o.Data, "sales_pipeline.csv"))
	}
	o.Runs, o.Parallel = max(1, o.Runs), max(1, o.Parallel)
	return nil
}

// Run runs the cases and judges them. The error is about the harness itself: a case that fails is in the report.
func Run(ctx context.Context, o Options) (report *Report, err error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	var player *llmtest.Player
	if o.Recordings != nil {
		if player, err = llmtest.Load(o.Recordings); err != nil {
			return nil, err
		}
		server := httptest.NewServer(player)
		defer server.Close()
		o.Endpoint = Endpoint{Provider: "openai", URL: server.URL + "/v1", Model: "recorded"}
	}
	dir, err := os.MkdirTemp("", "countersign-evals-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	t, err := newTemplate(ctx, filepath.Join(dir, "template"), o.Data, o.Endpoint, o.Cases)
	if err != nil {
		return nil, err
	}
	r := runner{Options: o, template: t, player: player}
	results, err := r.all(ctx)
	return newReport(o, results), err
}

// runner runs cases on copies of one installation.
type runner struct {
	Options
	template *template
	// player is set when the model is recorded.
	player *llmtest.Player
}

// all runs the cases, some side by side, and keeps their order. The first error ends it.
func (r *runner) all(ctx context.Context) ([]Result, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	results := make([]Result, len(r.Cases))
	seats := make(chan struct{}, r.Parallel)
	var running sync.WaitGroup
	var telling sync.Mutex
	for i, c := range r.Cases {
		seats <- struct{}{}
		running.Go(func() {
			defer func() { <-seats }()
			result, err := r.run(ctx, c)
			if err != nil {
				stop(fmt.Errorf("evals: case %s: %w", c.ID, err))
				return
			}
			telling.Lock()
			defer telling.Unlock()
			results[i] = result
			if r.Progress != nil {
				r.Progress(result)
			}
		})
	}
	running.Wait()
	return results, context.Cause(ctx)
}

// run runs a case as often as wanted, unless it cannot be judged.
func (r *runner) run(ctx context.Context, c Case) (Result, error) {
	result := Result{ID: c.ID, Category: c.category(), Question: c.Question, Status: Passed}
	if tool := c.missing(r.template.tools); tool != "" {
		result.Status, result.Reason = NotYet, "not yet: tool "+tool+" missing"
		return result, nil
	}
	if r.player != nil && !r.player.Knows(c.Question) {
		result.Status, result.Reason = NotRecorded, "no recording of this question"
		return result, nil
	}
	for range r.Runs {
		if err := ctx.Err(); err != nil {
			return result, err
		}
		o, err := r.template.observe(ctx, c)
		if err != nil {
			return result, err
		}
		if r.player != nil && strings.HasPrefix(o.Failure, "MODEL_") {
			o.Failure += " (no recorded round answers this request)"
		}
		result.add(o, Grade(c, o))
	}
	return result, nil
}
