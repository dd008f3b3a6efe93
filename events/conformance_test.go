package events_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/events"
	"countersign/internal/redistest"
)

// system is one backend seen from two replicas. Of [events.Memory] both are the same one.
type system struct {
	one, two events.Backend
	// pass lets time pass, the backend's own.
	pass func(time.Duration)
	// unit is a time that is long against one call and short enough to let it pass.
	unit time.Duration
	// exact tells that no time passes but by pass.
	exact bool
}

// expire lets a time to live pass. Redis counts it in whole milliseconds.
func (s system) expire(ttl time.Duration) {
	if !s.exact {
		ttl += 2 * time.Millisecond
	}
	s.pass(ttl)
}

// each runs a test of the promises on every backend.
func each(t *testing.T, opts events.Options, test func(t *testing.T, s system)) {
	t.Helper()
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		clock := newClock()
		opts := opts
		opts.Now = clock.Now
		m := events.NewMemory(opts)
		t.Cleanup(func() { require.NoError(t, m.Close()) })
		test(t, system{one: m, two: m, pass: clock.Advance, unit: time.Minute, exact: true})
	})
	t.Run("redis", func(t *testing.T) {
		t.Parallel()
		url := redistest.Start(t)
		test(t, system{one: dial(t, url, opts), two: dial(t, url, opts), pass: wait, unit: time.Second})
	})
}

func dial(tb testing.TB, url string, opts events.Options) *events.Redis {
	tb.Helper()
	r, err := events.NewRedis(url, opts)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, r.Close()) })
	return r
}

// wait lets real time pass, for what goes by the clock of the Redis server.
func wait(d time.Duration) { <-time.After(d) }

// clock is moved by hand.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 11, 29, 9, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// together runs n calls at the same time, spread over both replicas, and waits for them.
func (s system) together(n int, call func(b events.Backend, i int)) {
	var all sync.WaitGroup
	begin := make(chan struct{})
	for i := range n {
		all.Go(func() {
			<-begin
			call([]events.Backend{s.one, s.two}[i%2], i)
		})
	}
	close(begin)
	all.Wait()
}

func TestPingAndClose(t *testing.T) {
	t.Parallel()
	each(t, events.Options{}, func(t *testing.T, s system) {
		require.NoError(t, s.one.Ping(t.Context()))
		require.NoError(t, s.one.Close())
		require.NoError(t, s.one.Close())
	})
}

func TestCloseEndsFollowersAndSubscriptions(t *testing.T) {
	t.Parallel()
	each(t, events.Options{}, func(t *testing.T, s system) {
		sub, err := s.one.Subscribe(t.Context(), "topic")
		require.NoError(t, err)
		add(t, s.one, "turn", "start", "{}")
		begun, ended := make(chan struct{}), make(chan error)
		go func() {
			var last error
			for f, err := range s.one.Follow(context.Background(), "turn", 0) {
				if f.Seq == 1 {
					close(begun)
				}
				last = err
			}
			ended <- last
		}()
		<-begun
		require.NoError(t, s.one.Close())
		require.True(t, unavailable(<-ended))
		_, open := <-sub.Messages()
		require.False(t, open)
		sub.Close()

		_, err = s.one.Subscribe(t.Context(), "topic")
		require.True(t, unavailable(err))
		_, err = s.one.Append(t.Context(), "turn", events.Frame{Type: "token"})
		require.True(t, unavailable(err))
	})
}
