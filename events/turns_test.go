package events_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/events"
)

func add(t *testing.T, l events.TurnLog, turn, kind, data string) events.Frame {
	t.Helper()
	f, err := l.Append(t.Context(), turn, events.Frame{Type: kind, Data: []byte(data)})
	require.NoError(t, err)
	return f
}

func end(t *testing.T, l events.TurnLog, turn string) events.Frame {
	t.Helper()
	f, err := l.Append(t.Context(), turn, events.Frame{Type: "done", Data: []byte(`{"type":"done"}`), Terminal: true})
	require.NoError(t, err)
	return f
}

// read follows an ended turn to its end.
func read(t *testing.T, l events.TurnLog, turn string, after int64) []events.Frame {
	t.Helper()
	frames, err := collect(t.Context(), l, turn, after)
	require.NoError(t, err)
	return frames
}

func collect(ctx context.Context, l events.TurnLog, turn string, after int64) (frames []events.Frame, err error) {
	for f, err := range l.Follow(ctx, turn, after) {
		if err != nil {
			return frames, err
		}
		f.More = false
		frames = append(frames, f)
	}
	return frames, nil
}

func TestAReaderGetsTheSameBytesFromAnySeq(t *testing.T) {
	t.Parallel()
	each(t, events.Options{}, func(t *testing.T, s system) {
		want := []events.Frame{add(t, s.one, "turn", "start", `{"turnId":"t"}`)}
		for _, data := range []string{`{"delta":"商機 🎉"}`, "", "\x00\xff\u2028", strings.Repeat("x", 100_000)} {
			want = append(want, add(t, s.one, "turn", "token", data))
		}
		for i := range 300 {
			want = append(want, add(t, s.two, "turn", "token", fmt.Sprint(i)))
		}
		want = append(want, end(t, s.two, "turn"))
		for i, f := range want {
			require.EqualValues(t, i+1, f.Seq)
		}
		require.Equal(t, want, read(t, s.one, "turn", -1))
		for after := range want {
			b := []events.Backend{s.one, s.two}[after%2]
			require.Equal(t, want[after:], read(t, b, "turn", int64(after)))
		}
		require.Empty(t, read(t, s.one, "turn", int64(len(want))))
		require.Empty(t, read(t, s.one, "turn", int64(len(want))+5))
	})
}

func TestFollowersSeeFramesAsTheyCome(t *testing.T) {
	t.Parallel()
	each(t, events.Options{}, func(t *testing.T, s system) {
		first := add(t, s.one, "turn", "start", "{}")
		const followers = 8
		seen, results := make(chan struct{}, 2*followers), make(chan []events.Frame, followers)
		for i := range followers {
			go func() {
				var got []events.Frame
				for f, err := range []events.Backend{s.one, s.two}[i%2].Follow(t.Context(), "turn", 0) {
					if err != nil {
						t.Error(err)
					}
					f.More = false // as more came or not meanwhile
					got = append(got, f)
					if f.Seq <= 2 {
						seen <- struct{}{}
					}
				}
				results <- got
			}()
		}
		receive(t, seen, followers)
		want := []events.Frame{first, add(t, s.two, "turn", "token", "live")}
		receive(t, seen, followers)
		for i := range 50 {
			want = append(want, add(t, s.one, "turn", "token", fmt.Sprint(i)))
		}
		want = append(want, end(t, s.one, "turn"))
		for _, got := range receive(t, results, followers) {
			require.Equal(t, want, got)
		}
	})
}

// receive takes n values from a channel and fails instead of waiting for ever.
func receive[T any](t *testing.T, from <-chan T, n int) (got []T) {
	t.Helper()
	deadline := time.After(10 * time.Second)
	for range n {
		select {
		case v, ok := <-from:
			require.True(t, ok, "closed after %d of %d", len(got), n)
			got = append(got, v)
		case <-deadline:
			require.FailNow(t, "nothing came", "%d of %d", len(got), n)
		}
	}
	return got
}

func TestConcurrentAppendsLeaveNoGap(t *testing.T) {
	t.Parallel()
	each(t, events.Options{}, func(t *testing.T, s system) {
		const writers, perWriter = 10, 20
		s.together(writers, func(b events.Backend, i int) {
			for n := range perWriter {
				_, _ = b.Append(t.Context(), "turn", events.Frame{Type: "token", Data: fmt.Appendf(nil, "%d/%d", i, n)})
			}
		})
		last := end(t, s.one, "turn")
		require.EqualValues(t, writers*perWriter+1, last.Seq)
		frames := read(t, s.two, "turn", 0)
		for i, f := range frames {
			require.EqualValues(t, i+1, f.Seq)
		}
		require.True(t, slices.IsSortedFunc(ofWriter(frames, "3/"), func(a, b events.Frame) int { return int(a.Seq - b.Seq) }))
		require.Len(t, ofWriter(frames, "3/"), perWriter)
	})
}

func ofWriter(frames []events.Frame, prefix string) []events.Frame {
	return slices.DeleteFunc(slices.Clone(frames), func(f events.Frame) bool { return !strings.HasPrefix(string(f.Data), prefix) })
}

func TestSTR09NothingFollowsTheTerminalFrame(t *testing.T) {
	t.Parallel()
	each(t, events.Options{}, func(t *testing.T, s system) {
		add(t, s.one, "turn", "start", "{}")
		var ended, refused atomic.Int32
		s.together(20, func(b events.Backend, _ int) {
			_, err := b.Append(t.Context(), "turn", events.Frame{Type: "done", Terminal: true})
			switch {
			case err == nil:
				ended.Add(1)
			case apperr.Is(err, apperr.Conflict) && apperr.HasCode(err, events.CodeTurnEnded):
				refused.Add(1)
			}
		})
		require.EqualValues(t, 1, ended.Load())
		require.EqualValues(t, 19, refused.Load())
		_, err := s.two.Append(t.Context(), "turn", events.Frame{Type: "token"})
		require.True(t, apperr.HasCode(err, events.CodeTurnEnded))
		require.Len(t, read(t, s.two, "turn", 0), 2)
	})
}

func TestFollowEndsWithItsContextAndItsReader(t *testing.T) {
	t.Parallel()
	each(t, events.Options{}, func(t *testing.T, s system) {
		add(t, s.one, "turn", "start", "{}")
		ctx, cancel := context.WithCancel(t.Context())
		result := make(chan error, 1)
		begun := make(chan struct{})
		go func() {
			for _, err := range s.two.Follow(ctx, "turn", 0) {
				if err != nil {
					result <- err
					return
				}
				close(begun)
			}
			result <- nil
		}()
		<-begun
		cancel()
		require.NoError(t, receive(t, result, 1)[0])

		frames, err := collect(ctx, s.two, "turn", 0)
		require.NoError(t, err)
		require.Empty(t, frames)

		add(t, s.one, "turn", "token", "{}")
		for f := range s.two.Follow(t.Context(), "turn", 0) {
			require.EqualValues(t, 1, f.Seq)
			break
		}
	})
}

func TestUnknownAndExpiredTurnsAreNotFound(t *testing.T) {
	t.Parallel()
	each(t, events.Options{TurnTTL: 500 * time.Millisecond, EndedTurnTTL: 500 * time.Millisecond}, func(t *testing.T, s system) {
		_, err := collect(t.Context(), s.one, "unknown", 0)
		require.True(t, apperr.Is(err, apperr.NotFound))
		for _, finish := range []bool{false, true} {
			turn := fmt.Sprint("turn", finish)
			add(t, s.one, turn, "start", "{}")
			if finish {
				end(t, s.one, turn)
			}
			s.expire(500 * time.Millisecond)
			_, err := collect(t.Context(), s.two, turn, 0)
			require.True(t, apperr.Is(err, apperr.NotFound), "ended: %v", finish)
		}
	})
}

func TestAFollowerLearnsThatTheLogExpired(t *testing.T) {
	t.Parallel()
	each(t, events.Options{TurnTTL: 500 * time.Millisecond}, func(t *testing.T, s system) {
		add(t, s.one, "turn", "start", "{}")
		begun, result := make(chan struct{}, 1), make(chan error, 1)
		go func() {
			for _, err := range s.two.Follow(t.Context(), "turn", 0) {
				if err != nil {
					result <- err
					return
				}
				begun <- struct{}{}
			}
		}()
		receive(t, begun, 1)
		s.expire(500 * time.Millisecond)
		add(t, s.one, "another", "start", "{}")
		require.True(t, apperr.Is(receive(t, result, 1)[0], apperr.NotFound))
	})
}

func TestAFullLogTakesOnlyItsEnd(t *testing.T) {
	t.Parallel()
	each(t, events.Options{MaxTurnBytes: 1000}, func(t *testing.T, s system) {
		add(t, s.one, "turn", "token", strings.Repeat("x", 400))
		add(t, s.one, "turn", "token", strings.Repeat("x", 300))
		_, err := s.two.Append(t.Context(), "turn", events.Frame{Type: "token", Data: []byte(strings.Repeat("x", 300))})
		require.True(t, apperr.Is(err, apperr.TooLarge))
		require.EqualValues(t, 3, end(t, s.two, "turn").Seq)
		require.Len(t, read(t, s.one, "turn", 0), 3)
	})
}

func TestMalformedFramesAreRefused(t *testing.T) {
	t.Parallel()
	each(t, events.Options{}, func(t *testing.T, s system) {
		for _, f := range []events.Frame{
			{Data: []byte("{}")},
			{Type: "two\nlines"},
			{Type: "token", Data: []byte("two\nlines")},
			{Type: "token", Data: []byte("two\rlines")},
		} {
			_, err := s.one.Append(t.Context(), "turn", f)
			require.True(t, apperr.Is(err, apperr.Invalid), "%q", f)
		}
		_, err := collect(t.Context(), s.one, "turn", 0)
		require.True(t, apperr.Is(err, apperr.NotFound), "a refused frame begins no turn")
	})
}

func TestAppendKeepsNoHoldOfTheCallersBuffer(t *testing.T) {
	t.Parallel()
	each(t, events.Options{}, func(t *testing.T, s system) {
		buffer := []byte("before")
		_, err := s.one.Append(t.Context(), "turn", events.Frame{Type: "token", Data: buffer})
		require.NoError(t, err)
		copy(buffer, "after!")
		end(t, s.one, "turn")
		require.Equal(t, "before", string(read(t, s.one, "turn", 0)[0].Data))
	})
}

func TestAFollowerIsToldWhetherMoreIsThere(t *testing.T) {
	t.Parallel()
	each(t, events.Options{}, func(t *testing.T, s system) {
		require.True(t, apperr.Is(s.two.Known(t.Context(), "turn"), apperr.NotFound))
		for range 3 {
			add(t, s.one, "turn", "token", "{}")
		}
		require.NoError(t, s.two.Known(t.Context(), "turn"))
		end(t, s.one, "turn")
		var more []bool
		for f, err := range s.two.Follow(t.Context(), "turn", 1) {
			require.NoError(t, err)
			more = append(more, f.More)
		}
		require.Equal(t, []bool{true, true, false}, more)
	})
}
