package events_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/events"
	"countersign/internal/redistest"
)

// outages are the ways in which Redis goes away: connections refused, and connections that nobody answers.
var outages = map[string]struct {
	begin, end func(testing.TB, *redistest.Server)
}{
	"killed": {
		begin: func(_ testing.TB, s *redistest.Server) { s.Kill() },
		end:   func(tb testing.TB, s *redistest.Server) { s.Restart(tb) },
	},
	"paused": {
		begin: func(tb testing.TB, s *redistest.Server) { s.Pause(tb) },
		end:   func(tb testing.TB, s *redistest.Server) { s.Resume(tb) },
	},
}

// soon is a generous bound for what is promised within 50 ms: this machine has other things to do.
const soon = 250 * time.Millisecond

const (
	standard = 0 // the budget of production
	patience = 5 * time.Second
)

// newFallback gives a fallback and its log. A busy machine is no outage: tests of what happens without one take patience.
func newFallback(t *testing.T, shared events.Limiter, budget time.Duration) (*events.Fallback, *lines) {
	t.Helper()
	log := &lines{}
	f := events.NewFallback(shared, events.FallbackOptions{
		Log: slog.New(slog.NewTextHandler(log, nil)), Budget: budget, ProbeEvery: 20 * time.Millisecond,
	})
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return f, log
}

// lines keeps a log.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) count(part string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), part)
}

func back(t *testing.T, f *events.Fallback) {
	t.Helper()
	require.Eventually(t, func() bool { return !f.Degraded() }, 10*time.Second, 5*time.Millisecond)
}

func TestALimitHoldsWhileRedisIsAwayAndAfter(t *testing.T) {
	t.Parallel()
	for how, outage := range outages {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			server := redistest.New(t)
			f, log := newFallback(t, dial(t, server.URL(), events.Options{}), 100*time.Millisecond)
			const limit = 6
			fill(t, f, "user", 3, limit, time.Hour)
			require.False(t, f.Degraded())

			outage.begin(t, server)
			begin := time.Now()
			fill(t, f, "user", 1, limit, time.Hour)
			require.Less(t, time.Since(begin), soon)
			require.True(t, f.Degraded())
			begin = time.Now()
			fill(t, f, "user", 2, limit, time.Hour)
			for range 1000 {
				require.False(t, allow(t, f, "user", limit, time.Hour).Allowed)
			}
			require.Less(t, time.Since(begin), soon, "only the first call waits")

			outage.end(t, server)
			back(t, f)
			require.False(t, allow(t, f, "user", limit, time.Hour).Allowed, "what was admitted meanwhile counts")
			fill(t, f, "other", limit, limit, time.Hour)
			require.False(t, allow(t, f, "other", limit, time.Hour).Allowed)
			require.Equal(t, 1, log.count("level=WARN"))
			require.Equal(t, 1, log.count("level=INFO"))
			require.Equal(t, 2, log.count("\n"))
		})
	}
}

func TestRacingTriesIntoAnOutageAdmitExactlyTheLimit(t *testing.T) {
	t.Parallel()
	for how, outage := range outages {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			server := redistest.New(t)
			f, log := newFallback(t, dial(t, server.URL(), events.Options{}), standard)
			outage.begin(t, server)
			var admitted atomic.Int32
			var all sync.WaitGroup
			begin := time.Now()
			for range 50 {
				all.Go(func() {
					if d, err := f.Allow(t.Context(), "user", 10, time.Hour); err == nil && d.Allowed {
						admitted.Add(1)
					}
				})
			}
			all.Wait()
			require.Less(t, time.Since(begin), 2*soon)
			require.EqualValues(t, 10, admitted.Load())
			require.Equal(t, 1, log.count("\n"))
			outage.end(t, server)
		})
	}
}

func TestReplicasShareALimitWhileRedisIsThere(t *testing.T) {
	t.Parallel()
	url := redistest.Start(t)
	one, _ := newFallback(t, dial(t, url, events.Options{}), patience)
	two, _ := newFallback(t, dial(t, url, events.Options{}), patience)
	fill(t, one, "user", 2, 3, time.Hour)
	last := allow(t, two, "user", 3, time.Hour)
	require.True(t, last.Allowed)
	require.False(t, allow(t, one, "user", 3, time.Hour).Allowed)
	require.NoError(t, last.GiveBack(t.Context()))
	fill(t, one, "user", 1, 3, time.Hour)
}

func TestARetryAtTheSaidTimePassesTheFallback(t *testing.T) {
	t.Parallel()
	f, _ := newFallback(t, dial(t, redistest.Start(t), events.Options{}), patience)
	for range 3 {
		fill(t, f, "user", 2, 2, 100*time.Millisecond)
		wait(allow(t, f, "user", 2, 100*time.Millisecond).RetryAfter)
		require.True(t, allow(t, f, "user", 2, 100*time.Millisecond).Allowed)
		wait(100 * time.Millisecond)
	}
}

func TestAPlaceIsGivenBackWhileRedisIsAway(t *testing.T) {
	t.Parallel()
	server := redistest.New(t)
	f, _ := newFallback(t, dial(t, server.URL(), events.Options{}), patience)
	d := allow(t, f, "user", 1, time.Hour)
	server.Kill()
	require.False(t, allow(t, f, "user", 1, time.Hour).Allowed)
	require.NoError(t, d.GiveBack(t.Context()))
	fill(t, f, "user", 1, 1, time.Hour)
}

func TestACallerWhoLeftIsNoOutage(t *testing.T) {
	t.Parallel()
	f, _ := newFallback(t, dial(t, redistest.Start(t), events.Options{}), patience)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d, err := f.Allow(ctx, "user", 1, time.Hour)
	require.ErrorIs(t, err, context.Canceled)
	require.False(t, d.Allowed)
	require.False(t, f.Degraded())
	fill(t, f, "user", 1, 1, time.Hour)
}
