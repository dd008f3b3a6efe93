package events

import (
	"context"
	"sync"
	"time"
)

// memoryLocker keeps the current lease of each key.
type memoryLocker struct {
	now     func() time.Time
	mu      sync.Mutex
	held    map[string]holding
	fence   int64 // the highest given
	sweeper sweeper
}

type holding struct {
	fence int64
	until time.Time
}

func newMemoryLocker(now func() time.Time) *memoryLocker {
	return &memoryLocker{now: now, held: map[string]holding{}}
}

// Acquire implements [Locker].
func (l *memoryLocker) Acquire(_ context.Context, key string, ttl time.Duration) (Lease, error) {
	if err := checkTTL(ttl); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if now.Before(l.held[key].until) {
		return nil, errLocked()
	}
	// Following the clock, fences also grow over a restart of the process.
	l.fence = max(l.fence+1, now.UnixMicro())
	l.held[key] = holding{l.fence, now.Add(ttl)}
	sweep(&l.sweeper, l.held, func(_ string, h holding) bool { return !now.Before(h.until) })
	return &memoryLease{locker: l, key: key, fence: l.fence}, nil
}

type memoryLease struct {
	locker *memoryLocker
	key    string
	fence  int64
}

func (l *memoryLease) Fence() int64 { return l.fence }

func (l *memoryLease) Renew(_ context.Context, ttl time.Duration) error {
	if err := checkTTL(ttl); err != nil {
		return err
	}
	l.locker.mu.Lock()
	defer l.locker.mu.Unlock()
	now, mine := l.locker.now(), l.locker.held[l.key]
	if mine.fence != l.fence || !now.Before(mine.until) {
		return errLockLost()
	}
	l.locker.held[l.key] = holding{l.fence, now.Add(ttl)}
	return nil
}

func (l *memoryLease) Release(context.Context) error {
	l.locker.mu.Lock()
	defer l.locker.mu.Unlock()
	if l.locker.held[l.key].fence == l.fence {
		delete(l.locker.held, l.key)
	}
	return nil
}
