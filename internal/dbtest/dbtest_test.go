package dbtest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/dbtest"
	"countersign/rbac"
	"countersign/store"
)

func TestWorld(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		for handle, actor := range w.Actors() {
			require.Equal(t, handle+"@example.test", w.User(actor).Email)
			w.Grant(t, actor, rbac.DealRead)
		}
		require.Equal(t, dbtest.Start, w.Clock.Now())
		w.Clock.Advance(time.Minute)
		require.Equal(t, dbtest.Start.Add(time.Minute), w.Clock.Now())
		w.View(t, func(r *store.Reader) {
			d, err := r.Deal(t.Context(), w.DealGrants(t, w.Sales1), w.AcmeRenewal.ID)
			require.NoError(t, err)
			require.Equal(t, w.AcmeRenewal, d.Deal)
		})
	})
}

func TestDatabasesAreApart(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		other := dbtest.Open(t, db.Dialect())
		dbtest.NewWorld(t, db)
		count := func(db *store.DB) (n int) {
			require.NoError(t, dbtest.Raw(t, db).QueryRowContext(t.Context(), "SELECT COUNT(*) FROM users").Scan(&n))
			return n
		}
		require.Equal(t, 8, count(db))
		require.Equal(t, 8, count(dbtest.Again(t, db)), "a second handle sees the same database")
		require.Zero(t, count(other))
	})
}
