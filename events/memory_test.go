package events_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/events"
)

func TestMemoryForgetsWhatHasExpired(t *testing.T) {
	t.Parallel()
	clock := newClock()
	m := events.NewMemory(events.Options{Now: clock.Now})
	for i := range 50_000 {
		key := fmt.Sprint(i)
		allow(t, m, key, 10, time.Minute)
		acquire(t, m, key, time.Minute)
		add(t, m, key, "start", "{}")
		if i%2 == 0 {
			end(t, m, key)
		}
		clock.Advance(time.Second)
	}
	limits, leases, turns := m.Sizes()
	require.LessOrEqual(t, limits, 2048)
	require.LessOrEqual(t, leases, 2048)
	require.LessOrEqual(t, turns, 1800+300)
}

func TestMemoryForgetsAnEndedTurnBeforeARunningOne(t *testing.T) {
	t.Parallel()
	clock := newClock()
	m := events.NewMemory(events.Options{Now: clock.Now})
	add(t, m, "running", "start", "{}")
	add(t, m, "ended", "start", "{}")
	end(t, m, "ended")
	clock.Advance(10*time.Minute - 1)
	require.Len(t, read(t, m, "ended", 0), 2)
	clock.Advance(1)
	_, err := collect(t.Context(), m, "ended", 0)
	require.True(t, apperr.Is(err, apperr.NotFound))
	require.EqualValues(t, 2, add(t, m, "running", "token", "{}").Seq)
}

func TestMemoryBoundsTheLogsOfEndedTurns(t *testing.T) {
	t.Parallel()
	m := events.NewMemory(events.Options{MaxEndedBytes: 10_000})
	for i := range 50 {
		turn := fmt.Sprint(i)
		add(t, m, turn, "token", strings.Repeat("x", 900))
		end(t, m, turn)
	}
	_, _, turns := m.Sizes()
	require.LessOrEqual(t, turns, 11)
	require.Len(t, read(t, m, "49", 0), 2, "the youngest is there")
	_, err := collect(t.Context(), m, "0", 0)
	require.True(t, apperr.Is(err, apperr.NotFound), "the oldest is gone")
}
