package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"countersign/audit"
	"countersign/store"
)

const (
	drainTimeout    = 20 * time.Second
	shutdownTimeout = 5 * time.Second
	sealInterval    = time.Second
	minute          = time.Minute

	// abandonedAfter is longer than any turn runs.
	abandonedAfter = 5 * time.Minute
	idempotencyTTL = 24 * time.Hour
)

// Serve listens and works until ctx ends, then stops in order: no longer ready, running turns get time to
// end, connections close, background work ends. started is called with the address once people can connect.
func (a *App) Serve(ctx context.Context, started func(address string)) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", a.Config.Addr)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w; set COUNTERSIGN_ADDR to a free address", a.Config.Addr, err)
	}
	server := &http.Server{
		Handler:           a.Handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       60 * time.Second,
		MaxHeaderBytes:    32 << 10,
	}
	if err := a.closeAbandoned(ctx); err != nil {
		return errors.Join(err, listener.Close())
	}
	background, stopBackground := context.WithCancel(context.WithoutCancel(ctx))
	var work sync.WaitGroup
	a.startBackground(background, &work)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	started(listener.Addr().String())
	select {
	case err = <-failed:
	case <-ctx.Done():
		err = a.stop(server)
	}
	stopBackground()
	work.Wait()
	return err
}

// closeAbandoned ends the turns that a process which died has left. With a database of its own, that is
// every turn that looks running; beside other replicas only those that are too old to be theirs.
func (a *App) closeAbandoned(ctx context.Context) error {
	before := Now()
	if a.Config.Database.IsSet() {
		before = before.Add(-abandonedAfter)
	}
	_, err := a.Conversations.CloseAbandoned(ctx, before)
	return err
}

func (a *App) stop(server *http.Server) error {
	slog.Info("stopping: running turns get time to end", "at_most", drainTimeout)
	a.stopping.Store(true)
	drain, cancel := context.WithTimeout(context.Background(), drainTimeout)
	defer cancel()
	a.Agent.Close(drain)
	closing, cancelClosing := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancelClosing()
	if err := server.Shutdown(closing); err != nil {
		return errors.Join(err, server.Close())
	}
	return nil
}

// startBackground starts the work that goes on beside requests.
func (a *App) startBackground(ctx context.Context, work *sync.WaitGroup) {
	work.Go(func() { audit.NewSealer(a.DB, sealInterval).Run(ctx) })
	for _, job := range []struct {
		name  string
		every time.Duration
		run   func(context.Context) error
	}{
		{"expire proposals", minute, func(ctx context.Context) error {
			_, err := a.Proposals.Reap(ctx)
			return err
		}},
		{"close abandoned turns", minute, func(ctx context.Context) error {
			_, err := a.Conversations.CloseAbandoned(ctx, Now().Add(-abandonedAfter))
			return err
		}},
		{"remove ended sessions", time.Hour, a.Accounts.RemoveEndedSessions},
		{"remove old texts of model calls", time.Hour, a.Ledger.RemoveOldTexts},
		{"remove old idempotency keys", time.Hour, a.removeIdempotencyKeys},
	} {
		work.Go(func() { repeat(ctx, job.name, job.every, job.run) })
	}
}

func (a *App) removeIdempotencyKeys(ctx context.Context) error {
	return a.DB.InTx(ctx, func(tx *store.Tx) error { return tx.DeleteOldIdempotencyKeys(ctx, Now().Add(-idempotencyTTL)) })
}

// repeat runs a job at once and then at an interval until ctx ends. A failure is logged, and the next round
// tries again.
func repeat(ctx context.Context, name string, every time.Duration, run func(context.Context) error) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		if err := run(ctx); err != nil && ctx.Err() == nil {
			slog.ErrorContext(ctx, "background job failed", "job", name, "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
