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
	"countersign/workers"
)

const (
	drainTimeout    = 20 * time.Second
	shutdownTimeout = 5 * time.Second
	sealInterval    = time.Second

	// abandonedAfter is longer than any turn runs.
	abandonedAfter = 5 * time.Minute
)

// Serve listens and works until ctx ends, then stops in order: no longer ready, running turns and jobs get time to
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
	staff, err := a.staff()
	if err == nil {
		err = staff.Start(ctx)
	}
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	background, stopBackground := context.WithCancel(context.WithoutCancel(ctx))
	var work sync.WaitGroup
	work.Go(func() { audit.NewSealer(a.DB, sealInterval).Run(background) })
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	started(listener.Addr().String())
	select {
	case err = <-failed:
		err = errors.Join(err, staff.Stop(ctx))
	case <-ctx.Done():
		err = a.stop(server, staff)
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

func (a *App) stop(server *http.Server, staff *workers.Workers) error {
	slog.Info("stopping: running turns and jobs get time to end", "at_most", drainTimeout)
	a.stopping.Store(true)
	drain, cancel := context.WithTimeout(context.Background(), drainTimeout)
	defer cancel()
	idle := make(chan error, 1)
	go func() { idle <- staff.Stop(drain) }()
	a.Agent.Close(drain)
	if err := <-idle; err != nil {
		slog.Error("jobs not stopped", "error", err)
	}
	closing, cancelClosing := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancelClosing()
	if err := server.Shutdown(closing); err != nil {
		return errors.Join(err, server.Close())
	}
	return nil
}
