package accounts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/accounts"
	"countersign/apperr"
	"countersign/audit"
	"countersign/events"
	"countersign/internal/clock"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

const (
	password = "demo-password"
	email    = "kit@example.test"
)

// system is the service over a database without users.
type system struct {
	*accounts.Service
	db      *store.DB
	clock   *clock.Clock
	options accounts.Options
}

func newSystem(t *testing.T, db *store.DB) *system {
	t.Helper()
	authorizer, err := rbac.NewAuthorizer(t.Context(), db)
	require.NoError(t, err)
	s := &system{db: db, clock: clock.At(dbtest.Start)}
	limiter := events.NewMemory(events.Options{Now: s.clock.Now})
	t.Cleanup(func() { require.NoError(t, limiter.Close()) })
	s.options = accounts.Options{
		Runner: db, Gate: audit.NewGate(authorizer, db, s.clock.Now), Now: s.clock.Now, Throttle: throttle(limiter), Demo: true,
	}
	s.rebuild(t)
	return s
}

// rebuild makes the service anew with the options as they are now.
func (s *system) rebuild(t *testing.T) {
	t.Helper()
	service, err := accounts.New(s.options)
	require.NoError(t, err)
	s.Service = service
}

func throttle(l events.Limiter) accounts.Throttle {
	return func(ctx context.Context, key string, limit int, window time.Duration) (time.Duration, func(context.Context) error, error) {
		d, err := l.Allow(ctx, key, limit, window)
		return d.RetryAfter, d.GiveBack, err
	}
}

// each runs a test on both dialects with one user who can sign in.
func each(t *testing.T, fn func(t *testing.T, s *system)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		s := newSystem(t, db)
		s.user(t, email, "sales")
		fn(t, s)
	})
}

func (s *system) user(t *testing.T, address, role string) models.User {
	t.Helper()
	u, err := s.CreateUser(t.Context(), accounts.UserInput{Email: address, Name: "Kit 傑", Password: password, Role: role, Lang: "zh-HK"})
	require.NoError(t, err)
	return u
}

func from(ip string) accounts.Meta {
	return accounts.Meta{IP: ip, UserAgent: "test", RequestID: "req-1"}
}

func login(address, word string, m accounts.Meta) accounts.LoginInput {
	return accounts.LoginInput{Email: address, Password: word, Meta: m}
}

// signIn gives the token of a new session.
func (s *system) signIn(t *testing.T) string {
	t.Helper()
	token, _, err := s.Login(t.Context(), login(email, password, from("192.0.2.1")))
	require.NoError(t, err)
	return token
}

// alive reports whether a token opens a session.
func (s *system) alive(t *testing.T, token string) bool {
	t.Helper()
	_, _, err := s.Authenticate(t.Context(), token, from("192.0.2.1"))
	if err == nil {
		return true
	}
	require.True(t, apperr.HasCode(err, accounts.CodeUnauthenticated), "%v", err)
	return false
}

// count runs a query that gives one number.
func (s *system) count(t *testing.T, query string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, dbtest.Raw(t, s.db).QueryRowContext(t.Context(), query, args...).Scan(&n))
	return n
}

func (s *system) exec(t *testing.T, query string, args ...any) {
	t.Helper()
	_, err := dbtest.Raw(t, s.db).ExecContext(t.Context(), query, args...)
	require.NoError(t, err)
}

// entries are the audit entries of an action, oldest first.
func (s *system) entries(t *testing.T, action string) (found []models.AuditEntry) {
	t.Helper()
	require.NoError(t, s.db.InTx(t.Context(), func(tx *store.Tx) error {
		rows, err := tx.UnsealedAudit(t.Context(), 1000)
		for _, row := range rows {
			if row.Action == action {
				found = append(found, row)
			}
		}
		return err
	}))
	return found
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

// together runs fn n times at once and gives the errors.
func together(n int, fn func(i int) error) []error {
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { errs[i] = fn(i) })
	}
	all.Wait()
	return errs
}

// tally counts errors by code; "" is success.
func tally(errs []error) map[string]int {
	codes := map[string]int{}
	for _, err := range errs {
		code := ""
		if err != nil {
			code = apperr.As(err).Code
		}
		codes[code]++
	}
	return codes
}

// awaitLockWait returns when a statement waits for a lock. SQLite's transactions queue before they begin.
func (s *system) awaitLockWait(t *testing.T) {
	t.Helper()
	if s.db.Dialect() != "postgres" {
		return
	}
	raw := dbtest.Raw(t, s.db)
	require.Eventually(t, func() bool {
		var n int
		err := raw.QueryRowContext(t.Context(),
			"SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'").Scan(&n)
		return err == nil && n > 0
	}, 10*time.Second, 5*time.Millisecond, "nothing waits for a lock")
}

func addressOf(i int) string { return fmt.Sprintf("198.51.100.%d", i) }
