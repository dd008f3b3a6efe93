package events_test

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/events"
)

func unavailable(err error) bool { return apperr.Is(err, apperr.Unavailable) }

// allow asks for a place and wants an answer.
func allow(t *testing.T, l events.Limiter, key string, limit int, window time.Duration) events.Decision {
	t.Helper()
	d, err := l.Allow(t.Context(), key, limit, window)
	require.NoError(t, err)
	require.Equal(t, !d.Allowed, d.RetryAfter > 0, "only a refusal says when to retry")
	require.LessOrEqual(t, d.RetryAfter, window)
	return d
}

// fill takes n places, which must all be free.
func fill(t *testing.T, l events.Limiter, key string, n, limit int, window time.Duration) {
	t.Helper()
	for range n {
		require.True(t, allow(t, l, key, limit, window).Allowed)
	}
}

func TestNoWindowHoldsMoreThanTheLimit(t *testing.T) {
	t.Parallel()
	each(t, events.Options{}, func(t *testing.T, s system) {
		const limit, tries = 5, 150
		window := 300 * time.Millisecond
		type admitted struct{ before, after time.Time }
		var log []admitted
		virtual := time.Now()
		now := func() time.Time {
			if s.exact {
				return virtual
			}
			return time.Now()
		}
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		random := rand.New(rand.NewPCG(seed, 0))
		for i := range tries {
			// Bursts and pauses: a limit that refills evenly lets nearly twice as many through after a pause.
			if random.IntN(4) == 0 {
				step := time.Duration(random.Int64N(int64(window) / 4))
				s.pass(step)
				virtual = virtual.Add(step)
			}
			before := now()
			if allow(t, []events.Backend{s.one, s.two}[i%2], "user", limit, window).Allowed {
				log = append(log, admitted{before, now()})
			}
		}
		require.Greater(t, len(log), 2*limit)
		for i := limit; i < len(log); i++ {
			require.GreaterOrEqual(t, log[i].after.Sub(log[i-limit].before), window, "admission %d came too early", i)
		}
	})
}

func TestRetryAfterIsTrue(t *testing.T) {
	t.Parallel()
	each(t, events.Options{}, func(t *testing.T, s system) {
		const limit = 3
		fill(t, s.one, "user", 1, limit, s.unit)
		s.pass(s.unit / 4)
		fill(t, s.one, "user", 2, limit, s.unit)
		refused := allow(t, s.two, "user", limit, s.unit)
		require.False(t, refused.Allowed)
		if s.exact {
			require.Equal(t, s.unit*3/4, refused.RetryAfter)
			s.pass(refused.RetryAfter - 1)
			refused = allow(t, s.two, "user", limit, s.unit)
			require.Equal(t, time.Duration(1), refused.RetryAfter)
		}
		s.pass(refused.RetryAfter)
		require.True(t, allow(t, s.two, "user", limit, s.unit).Allowed)
		require.False(t, s.exact && allow(t, s.two, "user", limit, s.unit).Allowed, "only one place is free again")
	})
}

func TestRetryAfterFollowsALowerLimit(t *testing.T) {
	t.Parallel()
	each(t, events.Options{}, func(t *testing.T, s system) {
		fill(t, s.one, "user", 1, 3, s.unit)
		s.pass(s.unit / 4)
		fill(t, s.one, "user", 2, 3, s.unit)
		s.pass(allow(t, s.one, "user", 1, s.unit).RetryAfter)
		require.True(t, allow(t, s.one, "user", 1, s.unit).Allowed)
	})
}

func TestRefusedTriesUseNoPlace(t *testing.T) {
	t.Parallel()
	each(t, events.Options{}, func(t *testing.T, s system) {
		const limit = 4
		fill(t, s.one, "user", limit, limit, s.unit)
		for range 3 {
			s.pass(s.unit / 8)
			require.False(t, allow(t, s.one, "user", limit, s.unit).Allowed)
		}
		s.pass(s.unit * 5 / 8)
		fill(t, s.one, "user", limit, limit, s.unit)
	})
}

func TestLogsAreApart(t *testing.T) {
	t.Parallel()
	each(t, events.Options{}, func(t *testing.T, s system) {
		fill(t, s.one, "user", 1, 1, time.Hour)
		require.False(t, allow(t, s.two, "user", 1, time.Hour).Allowed)
		require.True(t, allow(t, s.two, "other", 1, time.Hour).Allowed, "by key")
		require.True(t, allow(t, s.two, "user", 1, 2*time.Hour).Allowed, "by window")
	})
}

func TestRacingTriesAdmitExactlyTheLimit(t *testing.T) {
	t.Parallel()
	each(t, events.Options{}, func(t *testing.T, s system) {
		var admitted atomic.Int32
		s.together(50, func(b events.Backend, _ int) {
			if d, err := b.Allow(t.Context(), "user", 10, time.Hour); err == nil && d.Allowed {
				admitted.Add(1)
			}
		})
		require.EqualValues(t, 10, admitted.Load())
	})
}

func TestGiveBackFreesThePlace(t *testing.T) {
	t.Parallel()
	each(t, events.Options{}, func(t *testing.T, s system) {
		for range 5 {
			d := allow(t, s.one, "user", 2, time.Hour)
			require.True(t, d.Allowed)
			require.NoError(t, d.GiveBack(t.Context()))
		}
		fill(t, s.one, "user", 2, 2, time.Hour)
		refused := allow(t, s.one, "user", 2, time.Hour)
		require.False(t, refused.Allowed)
		require.NoError(t, refused.GiveBack(t.Context()))
		require.False(t, allow(t, s.one, "user", 2, time.Hour).Allowed, "a refused try has nothing to give back")
	})
}

func TestLimitsAreChecked(t *testing.T) {
	t.Parallel()
	each(t, events.Options{}, func(t *testing.T, s system) {
		shared := events.NewFallback(s.one, events.FallbackOptions{})
		t.Cleanup(func() { require.NoError(t, shared.Close()) })
		for _, limiter := range []events.Limiter{s.one, shared} {
			_, err := limiter.Allow(t.Context(), "user", 0, time.Minute)
			require.True(t, apperr.Is(err, apperr.Invalid))
			_, err = limiter.Allow(t.Context(), "user", 1, time.Microsecond)
			require.True(t, apperr.Is(err, apperr.Invalid))
		}
		require.False(t, shared.Degraded())
	})
}
