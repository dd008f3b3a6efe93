package events

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// FallbackOptions tune a [Fallback]. The zero value is right for production.
type FallbackOptions struct {
	// Log gets one line when the shared limiter goes away and one when it is back; slog.Default() if nil.
	Log *slog.Logger
	// Budget is how long the shared limiter may take for a decision; 40 ms if zero, which leaves the whole
	// decision within 50 ms.
	Budget time.Duration
	// ProbeEvery is how often a shared limiter that is away is asked whether it is back; 250 ms if zero.
	ProbeEvery time.Duration
}

// Fallback is a [Limiter] that goes by a shared one, and by this process's own count while that one is away.
//
// The own count goes on all the time. So the events that this process admits never exceed a limit in any window,
// also across the moments when the shared limiter goes away or comes back; events of other replicas are unknown
// only while it is away. One failed call is enough to stop asking it: a probe in the background finds out when
// it answers again, so that no caller waits for it.
type Fallback struct {
	shared   Limiter
	own      *memoryLimiter
	opts     FallbackOptions
	degraded atomic.Bool

	mu     sync.Mutex // orders the start of a probe and Close
	ctx    context.Context
	stop   context.CancelFunc
	probes sync.WaitGroup
}

var _ Limiter = (*Fallback)(nil)

// NewFallback wraps a shared limiter, which the caller closes after the Fallback.
func NewFallback(shared Limiter, opts FallbackOptions) *Fallback {
	opts.Log = cmp.Or(opts.Log, slog.Default())
	opts.Budget = cmp.Or(opts.Budget, 40*time.Millisecond)
	opts.ProbeEvery = cmp.Or(opts.ProbeEvery, 250*time.Millisecond)
	ctx, stop := context.WithCancel(context.Background())
	return &Fallback{shared: shared, own: newMemoryLimiter(time.Now), opts: opts, ctx: ctx, stop: stop}
}

// Allow implements [Limiter]. It gives a decision also while the shared limiter is away; it fails only for wrong
// arguments and when ctx ended.
func (f *Fallback) Allow(ctx context.Context, key string, limit int, window time.Duration) (Decision, error) {
	if err := checkLimit(limit, window); err != nil {
		return Decision{}, err
	}
	if err := ctx.Err(); err != nil {
		return Decision{}, errUnavailable(err)
	}
	// The own count takes the time before the shared one does: an event leaves it no later, and what the shared
	// limiter says about the time to retry holds.
	at, log := time.Now(), limitKey{key, window}
	if f.Degraded() {
		return f.own.allowAt(at, log, limit), nil
	}
	shared, err := f.ask(ctx, key, limit, window)
	switch {
	case ctx.Err() != nil && err != nil:
		return Decision{}, err
	case err != nil:
		f.degrade(err)
		return f.own.allowAt(at, log, limit), nil
	case !shared.Allowed:
		return shared, nil
	}
	return f.both(ctx, shared, f.own.allowAt(at, log, limit)), nil
}

// Degraded reports whether the shared limiter is away.
func (f *Fallback) Degraded() bool { return f.degraded.Load() }

// Close stops the probe.
func (f *Fallback) Close() error {
	f.mu.Lock()
	f.stop()
	f.mu.Unlock()
	f.probes.Wait()
	return nil
}

func (f *Fallback) ask(ctx context.Context, key string, limit int, window time.Duration) (Decision, error) {
	ctx, cancel := context.WithTimeout(ctx, f.opts.Budget)
	defer cancel()
	return f.shared.Allow(ctx, key, limit, window)
}

// both joins the decisions about an event that the shared limiter admits. The own one refuses it only if it
// remembers events from a time when the other was away.
func (f *Fallback) both(ctx context.Context, shared, own Decision) Decision {
	if !own.Allowed {
		if err := f.giveBack(ctx, shared); err != nil {
			f.degrade(err)
		}
		return own
	}
	return Decision{Allowed: true, giveBack: func(ctx context.Context) error {
		return errors.Join(own.GiveBack(ctx), f.giveBack(ctx, shared))
	}}
}

func (f *Fallback) giveBack(ctx context.Context, shared Decision) error {
	if f.Degraded() {
		return nil // it has its place back when the window has passed
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), f.opts.Budget)
	defer cancel()
	return shared.GiveBack(ctx)
}

// degrade goes over to the own count and starts the probe.
func (f *Fallback) degrade(cause error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ctx.Err() != nil || f.degraded.Swap(true) {
		return
	}
	f.opts.Log.LogAttrs(f.ctx, slog.LevelWarn, "shared rate limits are out of reach; this process limits on its own",
		slog.String("cause", cause.Error()))
	f.probes.Go(f.probe)
}

// probe waits for the shared limiter to answer, whatever it answers.
func (f *Fallback) probe() {
	tick := time.NewTicker(f.opts.ProbeEvery)
	defer tick.Stop()
	for {
		select {
		case <-f.ctx.Done():
			return
		case <-tick.C:
		}
		if _, err := f.ask(f.ctx, "probe", 1, time.Second); err == nil {
			f.opts.Log.LogAttrs(f.ctx, slog.LevelInfo, "shared rate limits are back")
			f.degraded.Store(false)
			return
		}
	}
}
