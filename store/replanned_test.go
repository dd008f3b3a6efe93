package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// A plan for all values reads the whole table where that for a name's own uses the index, so none may be kept.
func TestNoPlanOfASearchIsKept(t *testing.T) {
	t.Parallel()
	w := dbtest.NewWorld(t, dbtest.Open(t, "postgres"))
	grant := w.Grant(t, w.Admin, rbac.CompanyRead)
	require.NoError(t, w.DB.InTx(t.Context(), func(tx *store.Tx) error {
		for range 10 {
			_, err := tx.ByName(t.Context(), grant, store.NameQuery{Kind: models.TypeCompany, Key: "acme", Match: store.MatchContains, Limit: 5})
			require.NoError(t, err)
			_, err = tx.Company(t.Context(), grant, w.Acme.ID)
			require.NoError(t, err)
		}
		require.Positive(t, store.KeptPlans(t.Context(), tx, "companies.id"))
		require.Zero(t, store.KeptPlans(t.Context(), tx, "FROM record_names n"))
		return nil
	}))
}
