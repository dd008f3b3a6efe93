package events

import (
	"context"
	"slices"
	"sync"
	"time"
)

// memoryLimiter keeps the times of the admitted events of each log.
type memoryLimiter struct {
	now     func() time.Time
	mu      sync.Mutex
	logs    map[limitKey][]time.Time // ascending
	sweeper sweeper
}

type limitKey struct {
	key    string
	window time.Duration
}

func newMemoryLimiter(now func() time.Time) *memoryLimiter {
	return &memoryLimiter{now: now, logs: map[limitKey][]time.Time{}}
}

// Allow implements [Limiter].
func (l *memoryLimiter) Allow(_ context.Context, key string, limit int, window time.Duration) (Decision, error) {
	if err := checkLimit(limit, window); err != nil {
		return Decision{}, err
	}
	return l.allowAt(l.now(), limitKey{key, window}, limit), nil
}

// allowAt decides about an event of the time at, which may lie before that of others already admitted.
func (l *memoryLimiter) allowAt(at time.Time, key limitKey, limit int) Decision {
	l.mu.Lock()
	defer l.mu.Unlock()
	log := l.logs[key]
	log = slices.Delete(log, 0, firstAfter(log, at.Add(-key.window)))
	if len(log) >= limit {
		l.logs[key] = log
		return Decision{RetryAfter: log[len(log)-limit].Add(key.window).Sub(at)}
	}
	l.logs[key] = slices.Insert(log, firstAfter(log, at), at)
	sweep(&l.sweeper, l.logs, func(k limitKey, log []time.Time) bool {
		return firstAfter(log, at.Add(-k.window)) == len(log)
	})
	return Decision{Allowed: true, giveBack: func(context.Context) error {
		l.giveBack(key, at)
		return nil
	}}
}

// giveBack removes one event of that time: which one does not matter, they expire together.
func (l *memoryLimiter) giveBack(key limitKey, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	log := l.logs[key]
	if i := firstAfter(log, at) - 1; i >= 0 && log[i].Equal(at) {
		log = slices.Delete(log, i, i+1)
	}
	if len(log) == 0 {
		delete(l.logs, key)
		return
	}
	l.logs[key] = log
}

// firstAfter gives the index of the first event later than t. With t a window's length ago it is the number of
// expired events: one counts for exactly as long as the window.
func firstAfter(log []time.Time, t time.Time) int {
	i, _ := slices.BinarySearchFunc(log, t, func(event, t time.Time) int {
		if event.After(t) {
			return 1
		}
		return -1
	})
	return i
}
