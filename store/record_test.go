package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// SEC-43: of two writers with the same version one is told.
func TestStaleVersion(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		g := w.Grant(t, w.Sales1, rbac.DealUpdate)
		mine, theirs := w.AcmeRenewal, w.AcmeRenewal
		mine.Title, theirs.Title = "mine", "theirs"
		w.InTx(t, func(tx *store.Tx) { require.NoError(t, tx.UpdateDeal(t.Context(), g, &w.AcmeRenewal, &mine, moment)) })
		require.Equal(t, int64(2), mine.Version)
		require.Equal(t, moment, mine.UpdatedAt)
		err := db.InTx(t.Context(), func(tx *store.Tx) error { return tx.UpdateDeal(t.Context(), g, &w.AcmeRenewal, &theirs, moment) })
		requireKind(t, err, apperr.Stale)
		require.Equal(t, int64(1), theirs.Version, "a refused record is as it was")
		w.View(t, func(r *store.Reader) {
			view, err := r.Deal(t.Context(), w.DealGrants(t, w.Sales1), mine.ID)
			require.NoError(t, err)
			require.Equal(t, mine, view.Deal)
			standing, err := r.Standing(t.Context(), g, models.TypeDeal, mine.ID)
			require.NoError(t, err)
			require.Equal(t, store.Standing{Version: 2, Covered: true}, standing)
			version, deleted, found, err := r.RecordState(t.Context(), models.TypeDeal, mine.ID)
			require.NoError(t, err)
			require.Equal(t, []any{int64(2), false, true}, []any{version, deleted, found})
			_, _, found, err = r.RecordState(t.Context(), models.TypeDeal, models.NewID())
			require.NoError(t, err)
			require.False(t, found)
		})
	})
}

func TestConcurrentWritersOfOneVersion(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		g := w.Grant(t, w.Sales1, rbac.DealUpdate)
		results := make(chan error)
		for range 8 {
			go func() {
				d := w.AcmeRenewal
				results <- db.InTx(t.Context(), func(tx *store.Tx) error { return tx.UpdateDeal(t.Context(), g, &w.AcmeRenewal, &d, moment) })
			}()
		}
		won := 0
		for range 8 {
			if err := <-results; err == nil {
				won++
			} else {
				requireKind(t, err, apperr.Stale)
			}
		}
		require.Equal(t, 1, won)
	})
}

func TestBinAndRestore(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		ctx := t.Context()
		read, del, restore := w.Grant(t, w.Admin, rbac.CompanyRead), w.Grant(t, w.Admin, rbac.CompanyDelete), w.Grant(t, w.Admin, rbac.CompanyRestore)
		found := func() (n int) {
			w.View(t, func(r *store.Reader) {
				hits, err := r.ByName(ctx, read, store.NameQuery{Kind: models.TypeCompany, Key: models.FoldName(w.Acme.OtherNames[0]), Limit: 5})
				require.NoError(t, err)
				n = len(hits)
			})
			return n
		}
		names := func() (n int) {
			require.NoError(t, dbtest.Raw(t, db).QueryRowContext(ctx, "SELECT COUNT(*) FROM record_names WHERE record_id = $1", w.Acme.ID).Scan(&n))
			return n
		}
		require.Equal(t, []int{1, 2}, []int{found(), names()})

		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.SoftDelete(ctx, del, models.TypeCompany, &w.Acme.Record, moment))
		})
		require.Equal(t, int64(2), w.Acme.Version)
		require.Equal(t, []int{0, 0}, []int{found(), names()})
		w.View(t, func(r *store.Reader) {
			_, err := r.Company(ctx, read, w.Acme.ID)
			requireKind(t, err, apperr.NotFound)
			c, err := r.DeletedCompany(ctx, restore, w.Acme.ID)
			require.NoError(t, err)
			require.Equal(t, w.Acme, *c)
			require.Equal(t, w.Admin.UserID, *c.DeletedBy)
			_, err = r.DeletedCompany(ctx, restore, w.Globex.ID)
			requireKind(t, err, apperr.NotFound)
			_, deleted, _, err := r.RecordState(ctx, models.TypeCompany, w.Acme.ID)
			require.NoError(t, err)
			require.True(t, deleted)
		})
		err := db.InTx(ctx, func(tx *store.Tx) error {
			return tx.UpdateCompany(ctx, w.Grant(t, w.Admin, rbac.CompanyUpdate), ptr(w.Acme), moment)
		})
		requireKind(t, err, apperr.Stale)

		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.Undelete(ctx, restore, models.TypeCompany, &w.Acme.Record, moment, w.Acme.Names()))
		})
		require.Equal(t, int64(3), w.Acme.Version)
		require.Equal(t, []int{1, 2}, []int{found(), names()})
		err = db.InTx(ctx, func(tx *store.Tx) error {
			return tx.Undelete(ctx, restore, models.TypeCompany, &w.Acme.Record, moment, nil)
		})
		requireKind(t, err, apperr.Stale)
	})
}

func TestBinOfDealsAndActivities(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		ctx := t.Context()
		a := models.Activity{Record: models.NewRecord(moment), Kind: models.ActivityCall, At: moment, OwnerID: w.Sales1.UserID}
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.InsertActivity(ctx, w.Grant(t, w.Sales1, rbac.ActivityCreate), &a))
			require.NoError(t, tx.SoftDelete(ctx, w.Grant(t, w.Manager, rbac.ActivityDelete), models.TypeActivity, &a.Record, moment))
			require.NoError(t, tx.SoftDelete(ctx, w.Grant(t, w.Manager, rbac.DealDelete), models.TypeDeal, &w.AcmeRenewal.Record, moment))
			_, err := tx.Activity(ctx, w.ActivityGrants(t, w.Admin), a.ID)
			requireKind(t, err, apperr.NotFound)
			gotA, err := tx.DeletedActivity(ctx, w.Grant(t, w.Admin, rbac.ActivityRestore), a.ID)
			require.NoError(t, err)
			require.Equal(t, a, *gotA)
			gotD, err := tx.DeletedDeal(ctx, w.Grant(t, w.Admin, rbac.DealRestore), w.AcmeRenewal.ID)
			require.NoError(t, err)
			require.Equal(t, w.AcmeRenewal, *gotD)
			require.NoError(t, tx.Undelete(ctx, w.Grant(t, w.Admin, rbac.ActivityRestore), models.TypeActivity, &a.Record, moment, nil))
			_, err = tx.Activity(ctx, w.ActivityGrants(t, w.Sales1), a.ID)
			require.NoError(t, err)
		})
	})
}

// A unique value is free again while its record is in the bin, and a restore into a taken one says so.
func TestUniqueValuesAndTheBin(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		ctx := t.Context()
		again := w.AcmeExpansion
		again.Record, again.ExternalID = models.NewRecord(moment), w.AcmeRenewal.ExternalID
		insert := func() error {
			return db.InTx(ctx, func(tx *store.Tx) error { return tx.InsertDeal(ctx, w.Grant(t, w.Admin, rbac.DealCreate), &again) })
		}
		requireCode(t, insert(), store.CodeDuplicate)
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.SoftDelete(ctx, w.Grant(t, w.Admin, rbac.DealDelete), models.TypeDeal, &w.AcmeRenewal.Record, moment))
		})
		require.NoError(t, insert())
		err := db.InTx(ctx, func(tx *store.Tx) error {
			return tx.Undelete(ctx, w.Grant(t, w.Admin, rbac.DealRestore), models.TypeDeal, &w.AcmeRenewal.Record, moment, nil)
		})
		requireCode(t, err, store.CodeDuplicate)
	})
}

// Driver errors become kinds and sentences at the edge, alike on both dialects, and their text stays inside.
func TestErrorsAreTranslated(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		ctx := t.Context()
		in := func(fn func(tx *store.Tx) error) *apperr.Error {
			t.Helper()
			err := db.InTx(ctx, fn)
			require.Error(t, err)
			e := apperr.As(err)
			for _, leak := range []string{"SQL", "constraint", "UNIQUE", "deals_", "pq", "sqlite", "23505"} {
				require.NotContains(t, e.Message, leak)
			}
			return e
		}
		company := w.Grant(t, w.Admin, rbac.CompanyCreate)
		require.Equal(t, store.CodeDuplicate, in(func(tx *store.Tx) error {
			return tx.InsertUser(ctx, &models.User{ID: models.NewID(), Email: "sales1@example.test", Role: "sales"})
		}).Code)
		require.Equal(t, store.CodeDuplicate, in(func(tx *store.Tx) error { return tx.InsertCompany(ctx, company, ptr(w.Acme)) }).Code, "primary key")
		require.Equal(t, "UNKNOWN_REFERENCE", in(func(tx *store.Tx) error {
			return tx.InsertCompany(ctx, company, &models.Company{Record: live(), Status: models.CompanyLead, OwnerID: ptr(models.NewID())})
		}).Code)
		require.Equal(t, apperr.Internal, in(func(tx *store.Tx) error {
			return tx.InsertCompany(ctx, company, &models.Company{Record: live(), Status: "WHATEVER"})
		}).Kind, "a broken check is our mistake")
		require.Equal(t, apperr.Internal, in(func(tx *store.Tx) error {
			d := w.AcmeExpansion
			d.Currency = ptr("HKD") // without an amount
			return tx.UpdateDeal(ctx, w.Grant(t, w.Admin, rbac.DealUpdate), &w.AcmeExpansion, &d, moment)
		}).Kind)
		w.View(t, func(r *store.Reader) {
			_, err := r.Company(ctx, w.Grant(t, w.Admin, rbac.CompanyRead), "' OR 1=1 --")
			requireKind(t, err, apperr.NotFound)
			_, err = r.Stage(ctx, w.Grant(t, w.Admin, rbac.PipelineRead), models.NewID())
			requireKind(t, err, apperr.NotFound)
			_, err = r.Product(ctx, w.Grant(t, w.Admin, rbac.ProductRead), models.NewID())
			requireKind(t, err, apperr.NotFound)
		})
	})
}

func TestHistoryReads(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		changes := make([]models.FieldChange, 3)
		for i := range changes {
			changes[i] = models.FieldChange{
				ID: models.NewID(), RecordType: models.TypeDeal, RecordID: w.AcmeRenewal.ID, RecordVersion: int64(i + 2), Field: "title", At: moment.Add(time.Duration(i)),
				BeforeValue: models.JSON(`"海"`), AfterValue: nil, ActorUserID: &w.Sales1.UserID, ActorName: "Sam", Via: models.ViaAssistant, Model: "m", Client: "c", ProposalID: ptr("p"),
				ApproverID: &w.Admin.UserID, ApproverName: "Ada",
			}
			changes[i].At = moment
		}
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.AddFieldChanges(t.Context(), nil), "nothing changed")
			require.NoError(t, tx.AddFieldChanges(t.Context(), changes))
		})
		w.View(t, func(r *store.Reader) {
			got, err := r.FieldChanges(t.Context(), w.Grant(t, w.Sales1, rbac.DealRead), models.TypeDeal, w.AcmeRenewal.ID, 2)
			require.NoError(t, err)
			require.Equal(t, []models.FieldChange{changes[2], changes[1]}, got)
			got, err = r.FieldChangesSince(t.Context(), models.TypeDeal, w.AcmeRenewal.ID, 2)
			require.NoError(t, err)
			require.Equal(t, changes[1:], got)
		})
	})
}
