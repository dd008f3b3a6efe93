package events_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/events"
	"countersign/internal/redistest"
)

func acquire(t *testing.T, l events.Locker, key string, ttl time.Duration) events.Lease {
	t.Helper()
	lease, err := l.Acquire(t.Context(), key, ttl)
	require.NoError(t, err)
	return lease
}

func requireLocked(t *testing.T, l events.Locker, key string) {
	t.Helper()
	_, err := l.Acquire(t.Context(), key, time.Hour)
	require.True(t, apperr.Is(err, apperr.Conflict) && apperr.HasCode(err, events.CodeLocked), "%v", err)
}

func TestOneHolderAtATime(t *testing.T) {
	t.Parallel()
	each(t, events.Options{}, func(t *testing.T, s system) {
		var winners, losers atomic.Int32
		s.together(20, func(b events.Backend, _ int) {
			_, err := b.Acquire(t.Context(), "conversation", time.Hour)
			switch {
			case err == nil:
				winners.Add(1)
			case apperr.HasCode(err, events.CodeLocked):
				losers.Add(1)
			}
		})
		require.EqualValues(t, 1, winners.Load())
		require.EqualValues(t, 19, losers.Load())
		acquire(t, s.one, "another", time.Hour)
	})
}

func TestReleaseFreesTheKeyAndFencesGrow(t *testing.T) {
	t.Parallel()
	each(t, events.Options{}, func(t *testing.T, s system) {
		var last int64
		for i := range 10 {
			b := []events.Backend{s.one, s.two}[i%2]
			lease := acquire(t, b, "conversation", time.Hour)
			require.Greater(t, lease.Fence(), last)
			last = lease.Fence()
			require.NoError(t, lease.Release(t.Context()))
		}
		require.Greater(t, acquire(t, s.one, "another", time.Hour).Fence(), last, "also between keys")
	})
}

func TestALeasePastItsTimeIsLost(t *testing.T) {
	t.Parallel()
	each(t, events.Options{}, func(t *testing.T, s system) {
		old := acquire(t, s.one, "conversation", s.unit/2)
		requireLocked(t, s.two, "conversation")
		s.expire(s.unit / 2)
		lost := old.Renew(t.Context(), time.Hour)
		require.True(t, apperr.Is(lost, apperr.Conflict) && apperr.HasCode(lost, events.CodeLockLost), "%v", lost)

		current := acquire(t, s.two, "conversation", time.Hour)
		require.Greater(t, current.Fence(), old.Fence())
		require.True(t, apperr.HasCode(old.Renew(t.Context(), time.Hour), events.CodeLockLost))
		require.NoError(t, old.Release(t.Context()))
		requireLocked(t, s.one, "conversation")
		require.NoError(t, current.Renew(t.Context(), time.Hour), "a foreign release is harmless")
	})
}

func TestRenewLengthensALease(t *testing.T) {
	t.Parallel()
	each(t, events.Options{}, func(t *testing.T, s system) {
		lease := acquire(t, s.one, "conversation", s.unit)
		require.NoError(t, lease.Renew(t.Context(), time.Hour))
		s.expire(s.unit)
		requireLocked(t, s.two, "conversation")
		require.NoError(t, lease.Renew(t.Context(), s.unit/2), "and shortens it")
		s.expire(s.unit / 2)
		acquire(t, s.two, "conversation", time.Hour)
	})
}

func TestLeaseTimesAreChecked(t *testing.T) {
	t.Parallel()
	each(t, events.Options{}, func(t *testing.T, s system) {
		_, err := s.one.Acquire(t.Context(), "conversation", time.Microsecond)
		require.True(t, apperr.Is(err, apperr.Invalid))
		lease := acquire(t, s.one, "conversation", time.Hour)
		require.True(t, apperr.Is(lease.Renew(t.Context(), 0), apperr.Invalid))
		requireLocked(t, s.two, "conversation")
	})
}

func TestFencesGrowOverLossOfData(t *testing.T) {
	t.Parallel()
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		before := acquire(t, events.NewMemory(events.Options{}), "conversation", time.Hour).Fence()
		wait(time.Millisecond)
		require.Greater(t, acquire(t, events.NewMemory(events.Options{}), "conversation", time.Hour).Fence(), before)
	})
	t.Run("redis", func(t *testing.T) {
		t.Parallel()
		server := redistest.New(t)
		before := acquire(t, dial(t, server.URL(), events.Options{}), "conversation", time.Hour).Fence()
		server.Kill()
		server.Restart(t)
		require.Greater(t, acquire(t, dial(t, server.URL(), events.Options{}), "conversation", time.Hour).Fence(), before)
	})
}
