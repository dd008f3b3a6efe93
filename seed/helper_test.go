package seed_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/accounts"
	"countersign/audit"
	"countersign/crm"
	"countersign/events"
	"countersign/internal/clock"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/proposals"
	"countersign/rbac"
	"countersign/resolve"
	"countersign/seed"
	"countersign/store"
	"countersign/tools"
)

// system is everything that loads and reads, over one database.
type system struct {
	seed.Options
	db         *store.DB
	resolver   *resolve.Resolver
	deals      *crm.Deals
	companies  *crm.Companies
	activities *crm.Activities
	contacts   *crm.Contacts
	tasks      *crm.Tasks
	quotations *crm.Quotations
	pipelines  *crm.Pipelines
	search     *crm.Search
	executor   *tools.Executor
}

func newSystem(t testing.TB, db *store.DB) *system {
	t.Helper()
	authorizer, err := rbac.NewAuthorizer(t.Context(), db)
	require.NoError(t, err)
	now := clock.At(dbtest.Start).Now
	gate := audit.NewGate(authorizer, db, now)
	limiter := events.NewMemory(events.Options{Now: now})
	t.Cleanup(func() { require.NoError(t, limiter.Close()) })
	people, err := accounts.New(accounts.Options{Runner: db, Gate: gate, Now: now, Throttle: throttle(limiter)})
	require.NoError(t, err)
	s := &system{
		Options: seed.Options{Runner: db, Gate: gate, Accounts: people, Now: now},
		db:      db, resolver: resolve.New(db, gate), deals: crm.NewDeals(db, gate, now), companies: crm.NewCompanies(db, gate, now),
		contacts: crm.NewContacts(db, gate, now), tasks: crm.NewTasks(db, gate, now), quotations: crm.NewQuotations(db, gate, now),
		activities: crm.NewActivities(db, gate, now), pipelines: crm.NewPipelines(db, gate, now), search: crm.NewSearch(db, gate, now),
	}
	s.executor, err = tools.NewExecutor(tools.ExecutorOptions{
		Registry: tools.Standard(tools.Services{
			Resolver: s.resolver, Search: s.search, Companies: s.companies, Deals: s.deals, Activities: s.activities, Now: now,
			Products: crm.NewProducts(db, gate, now), Pipelines: s.pipelines, Runner: db,
		}),
		Gate: gate, Proposals: proposals.NewService(db, gate, now), Runner: db, Now: now,
	})
	require.NoError(t, err)
	return s
}

func throttle(l events.Limiter) accounts.Throttle {
	return func(ctx context.Context, key string, limit int, window time.Duration) (time.Duration, func(context.Context) error, error) {
		d, err := l.Allow(ctx, key, limit, window)
		return d.RetryAfter, d.GiveBack, err
	}
}

// person is the actor of a user by e-mail address.
func (s *system) person(t *testing.T, email string) models.Actor {
	t.Helper()
	var actor models.Actor
	require.NoError(t, s.db.View(t.Context(), func(r *store.Reader) error {
		u, err := r.UserByEmail(t.Context(), email)
		if err == nil {
			actor = models.Actor{UserID: u.ID, Name: u.Name, Via: models.ViaWeb, Lang: u.Lang}
		}
		return err
	}))
	return actor
}

// count counts the rows of tables.
func (s *system) count(t *testing.T, tables ...string) map[string]int {
	t.Helper()
	counts := map[string]int{}
	raw := dbtest.Raw(t, s.db)
	for _, table := range tables {
		var n int
		require.NoError(t, raw.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM "+table).Scan(&n))
		counts[table] = n
	}
	return counts
}

// mavenDir is the folder with the real data set, which is not part of this repository.
func mavenDir(t testing.TB) string {
	t.Helper()
	shared := os.Getenv("COUNTERSIGN_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "shared")
	}
	dir := filepath.Join(shared, "data", "maven_crm")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the data set is not in %s: set COUNTERSIGN_SHARED to the folder that holds data/maven_crm", dir)
	}
	return dir
}
