package accounts_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/accounts"
	"countersign/apperr"
	"countersign/internal/dbtest"
)

const tooMany = "RATE_LIMITED"

func (s *system) try(t *testing.T, address, word, ip string) error {
	t.Helper()
	_, _, err := s.Login(t.Context(), login(address, word, from(ip)))
	return err
}

func code(err error) string {
	if err == nil {
		return ""
	}
	return apperr.As(err).Code
}

func onSQLite(t *testing.T) *system {
	t.Helper()
	s := newSystem(t, dbtest.Open(t, "sqlite"))
	s.user(t, email, "sales")
	return s
}

func TestFailuresAreThrottledPerAccountAndAddress(t *testing.T) {
	t.Parallel()
	s := onSQLite(t)
	s.user(t, "other@example.test", "sales")
	for i := range 10 {
		require.Equal(t, accounts.CodeInvalidCredentials, code(s.try(t, email, "wrong-password", "192.0.2.1")), i)
		s.clock.Advance(time.Second)
	}
	err := s.try(t, email, password, "192.0.2.1")
	require.Equal(t, tooMany, code(err), "also with the right password")
	for range 50 {
		require.Equal(t, tooMany, code(s.try(t, email, password, "192.0.2.1")), "refused tries use no place of the address")
	}
	wait := apperr.As(err).RetryAfter
	require.Equal(t, 15*time.Minute-10*time.Second, wait)
	require.Equal(t, accounts.CodeInvalidCredentials, code(s.try(t, email, "wrong-password", "192.0.2.2")), "one's own count elsewhere")
	require.NoError(t, s.try(t, email, password, "192.0.2.2"), "a stranger locks nobody out from another address")
	require.NoError(t, s.try(t, "other@example.test", password, "192.0.2.1"), "nor others at the same address")

	s.clock.Advance(wait - time.Microsecond)
	require.Equal(t, tooMany, code(s.try(t, email, password, "192.0.2.1")))
	s.clock.Advance(time.Microsecond)
	require.NoError(t, s.try(t, email, password, "192.0.2.1"), "the wait is true")
}

func TestFailuresAreThrottledPerAddress(t *testing.T) {
	t.Parallel()
	s := onSQLite(t)
	for i := range 50 {
		err := s.try(t, fmt.Sprintf("nobody%d@example.test", i), password, fmt.Sprintf("2001:db8::%x", i+1))
		require.Equal(t, accounts.CodeInvalidCredentials, code(err), i)
	}
	require.Equal(t, tooMany, code(s.try(t, email, password, "2001:db8::ffff:1")), "an IPv6 network is one address")
	require.NoError(t, s.try(t, email, password, "2001:db8:0:1::1"))
}

func TestSuccessNeverCounts(t *testing.T) {
	t.Parallel()
	s := onSQLite(t)
	for range 9 {
		require.Error(t, s.try(t, email, "wrong-password", "192.0.2.1"))
	}
	for range 15 {
		require.NoError(t, s.try(t, email, password, "192.0.2.1"))
	}
	require.Equal(t, accounts.CodeInvalidCredentials, code(s.try(t, email, "wrong-password", "192.0.2.1")))
	require.Equal(t, tooMany, code(s.try(t, email, "wrong-password", "192.0.2.1")))
}

func TestParallelFailuresCannotPassTheLimit(t *testing.T) {
	t.Parallel()
	s := onSQLite(t)
	errs := together(40, func(int) error { return s.try(t, email, "wrong-password", "192.0.2.1") })
	require.Equal(t, map[string]int{accounts.CodeInvalidCredentials: 10, tooMany: 30}, tally(errs))
}

func TestThrottleKeysHoldNoAddressOfAPerson(t *testing.T) {
	t.Parallel()
	s := onSQLite(t)
	var keys []string
	inner := s.options.Throttle
	s.options.Throttle = func(ctx context.Context, key string, limit int, window time.Duration) (time.Duration, func(context.Context) error, error) {
		keys = append(keys, key)
		return inner(ctx, key, limit, window)
	}
	s.rebuild(t)
	s.signIn(t)
	require.Len(t, keys, 2)
	require.NotContains(t, strings.Join(keys, " "), "kit")
}

func TestNoLoginWithoutAThrottle(t *testing.T) {
	t.Parallel()
	s := onSQLite(t)
	away := errors.New("away")
	s.options.Throttle = func(context.Context, string, int, time.Duration) (time.Duration, func(context.Context) error, error) {
		return 0, nil, away
	}
	s.rebuild(t)
	require.ErrorIs(t, s.try(t, email, password, "192.0.2.1"), away)
}

// holdBack makes the throttle, which is asked in a place to hash, answer only once open is closed. Every call in
// between is counted in entered.
func (s *system) holdBack(t *testing.T) (open chan struct{}, entered chan struct{}) {
	t.Helper()
	open, entered = make(chan struct{}), make(chan struct{}, 100)
	inner := s.options.Throttle
	s.options.Throttle = func(ctx context.Context, key string, limit int, window time.Duration) (time.Duration, func(context.Context) error, error) {
		select {
		case <-open:
		default:
			entered <- struct{}{}
			<-open
		}
		return inner(ctx, key, limit, window)
	}
	s.rebuild(t)
	return open, entered
}

// 4 at work, 64 waiting, nobody else.
func TestLoginsQueue(t *testing.T) {
	t.Parallel()
	s := onSQLite(t)
	open, entered := s.holdBack(t)
	const tries, refused = 100, 100 - 4 - 64
	results := make(chan error, tries)
	for i := range tries {
		go func() { results <- s.try(t, email, password, addressOf(i)) }()
	}
	for range refused {
		err := <-results
		require.Equal(t, tooMany, code(err))
		require.Positive(t, apperr.As(err).RetryAfter)
	}
	for range 4 {
		<-entered
	}
	require.Empty(t, entered)
	close(open)
	for range tries - refused {
		require.NoError(t, <-results)
	}
	require.NoError(t, s.try(t, email, password, "192.0.2.1"), "all places are free again")
}

func TestWhoWaitsCanLeave(t *testing.T) {
	t.Parallel()
	s := onSQLite(t)
	open, entered := s.holdBack(t)
	results := make(chan error, 4)
	for i := range 4 {
		go func() { results <- s.try(t, email, password, addressOf(i)) }()
	}
	for range 4 {
		<-entered
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := s.Login(ctx, login(email, password, from("192.0.2.1")))
	require.ErrorIs(t, err, context.Canceled)
	close(open)
	for range 4 {
		require.NoError(t, <-results)
	}
}

// Not parallel: it looks at the memory of the whole process. 50 hashes at once would take 950 MiB.
func TestFiftyLoginsStayWithinMemory(t *testing.T) { //nolint:paralleltest // see above
	s := onSQLite(t)
	runtime.GC()
	stop, peak := make(chan struct{}), make(chan uint64)
	go func() {
		var most uint64
		for {
			most = max(most, memory("/memory/classes/heap/objects:bytes"))
			select {
			case <-stop:
				peak <- most
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	errs := together(50, func(i int) error { return s.try(t, email, password, addressOf(i)) })
	close(stop)
	require.Equal(t, map[string]int{"": 50}, tally(errs))
	require.Less(t, <-peak>>20, uint64(400), "MiB")
}

// Not parallel: it looks at the memory of the whole process. Time says less on a busy machine.
func TestEveryFailureIsTheSameWork(t *testing.T) { //nolint:paralleltest // see above
	s := onSQLite(t)
	s.user(t, "odd@example.test", "sales")
	s.exec(t, "UPDATE users SET password_hash = '!' WHERE email = 'odd@example.test'")
	for _, address := range []string{email, "nobody@example.test", "not an address", "odd@example.test"} {
		before := memory("/gc/heap/allocs:bytes")
		require.Equal(t, accounts.CodeInvalidCredentials, code(s.try(t, address, "wrong-password", "192.0.2.1")))
		hashes := (memory("/gc/heap/allocs:bytes") - before) / (19 << 20)
		require.Equal(t, uint64(1), hashes, "one hash of 19 MiB for %s", address)
	}
}

func memory(name string) uint64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
