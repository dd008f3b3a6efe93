package events

import (
	"bytes"
	"context"
	"errors"
	"time"
)

var errClosed = errors.New("events: closed")

// Memory is the [Backend] of a single process. It starts no goroutines; what has expired is dropped as new things
// come in. Limits and locks go on working after Close.
type Memory struct {
	*memoryLimiter
	*memoryLocker
	*memoryTurns
	topics *topics
	buffer int
}

var _ Backend = (*Memory)(nil)

// NewMemory makes an empty backend.
func NewMemory(opts Options) *Memory {
	opts = opts.withDefaults(10 * time.Minute)
	return &Memory{
		memoryLimiter: newMemoryLimiter(opts.Now),
		memoryLocker:  newMemoryLocker(opts.Now),
		memoryTurns:   newMemoryTurns(opts),
		topics:        newTopics(),
		buffer:        opts.Buffer,
	}
}

// Publish implements [Bus].
func (m *Memory) Publish(_ context.Context, topic string, payload []byte) error {
	m.topics.deliver(topic, bytes.Clone(payload))
	return nil
}

// Subscribe implements [Bus].
func (m *Memory) Subscribe(ctx context.Context, topic string) (*Subscription, error) {
	sub := m.topics.add(topic, m.buffer)
	if sub == nil {
		return nil, errUnavailable(errClosed)
	}
	sub.closeWith(ctx, func() { m.topics.remove(topic, sub) })
	return sub, nil
}

// Ping implements [Backend].
func (m *Memory) Ping(context.Context) error { return nil }

// Close implements [Backend].
func (m *Memory) Close() error {
	m.topics.closeAll()
	m.memoryTurns.close()
	return nil
}

// sweeper says when to look through a map for what has expired: whenever it has doubled since the last look.
// So the map stays within twice of what is alive, at a constant cost per addition.
type sweeper struct{ next int }

const sweepFloor = 1024

// sweep deletes the expired entries of m if it is time to.
func sweep[K comparable, V any](s *sweeper, m map[K]V, expired func(K, V) bool) {
	if len(m) < max(s.next, sweepFloor) {
		return
	}
	for k, v := range m {
		if expired(k, v) {
			delete(m, k)
		}
	}
	s.next = 2 * len(m)
}
