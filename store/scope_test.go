package store_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// who sees which records, by actor.
type reach map[string][]string

func dealsSeen(w *dbtest.World) reach {
	acme := []string{w.AcmeRenewal.ID, w.AcmeExpansion.ID}
	alpha := append(slices.Clone(acme), w.GlobexPilot.ID, w.FerryFleet.ID)
	beta := []string{w.HarbourRollout.ID, w.HarbourAudit.ID}
	all := append(slices.Clone(alpha), beta...)
	return reach{
		"admin": all, "viewer": all, "manager": alpha, "manager2": beta,
		"sales1": acme, "sales2": {w.GlobexPilot.ID}, "sales3": {w.HarbourRollout.ID},
	}
}

func companiesSeen(w *dbtest.World) reach {
	all := []string{w.Acme.ID, w.Globex.ID, w.Harbour.ID, w.Ferry.ID}
	return reach{
		"admin": all, "viewer": all,
		"manager": {w.Acme.ID, w.Globex.ID, w.Ferry.ID}, "manager2": {w.Harbour.ID, w.Ferry.ID},
		"sales1": {w.Acme.ID, w.Ferry.ID}, "sales2": {w.Globex.ID, w.Ferry.ID}, "sales3": {w.Harbour.ID, w.Ferry.ID},
	}
}

// SEC-38: the ways to read answer alike, to the row.
func TestDealsAreReadWithinScope(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		seen := dealsSeen(w)
		addHistory(t, w, models.TypeDeal, seen["admin"])
		for handle, actor := range w.Actors() {
			g := w.DealGrants(t, actor)
			w.View(t, func(r *store.Reader) {
				want := seen[handle]
				page, err := r.Deals(t.Context(), g, store.DealFilter{}, store.Page{})
				require.NoError(t, err)
				require.ElementsMatch(t, want, ids(page.Items, func(v store.DealView) string { return v.ID }), "%s list", handle)
				require.Equal(t, int64(len(want)), page.Total, "%s total", handle)
				for _, by := range []string{"", "stage", "owner", "team", "company", "product", "pipeline", "month"} {
					rows, err := r.SummarizeDeals(t.Context(), g, store.DealFilter{}, by)
					require.NoError(t, err, by)
					var n int64
					for _, row := range rows {
						n += row.Deals
					}
					require.Equal(t, int64(len(want)), n, "%s summary by %q", handle, by)
				}
				requireNames(t, r, g.Deal, models.TypeDeal, want)
				for _, id := range seen["admin"] {
					view, err := r.Deal(t.Context(), g, id)
					if slices.Contains(want, id) {
						require.NoError(t, err)
						require.Equal(t, id, view.ID)
					} else {
						requireKind(t, err, apperr.NotFound)
					}
					requireOthers(t, r, g.Deal, models.TypeDeal, id, slices.Contains(want, id))
				}
			})
		}
	})
}

func TestCompaniesAreReadWithinScope(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		seen := companiesSeen(w)
		addHistory(t, w, models.TypeCompany, seen["admin"])
		for handle, actor := range w.Actors() {
			g := w.Grant(t, actor, rbac.CompanyRead)
			w.View(t, func(r *store.Reader) {
				want := seen[handle]
				page, err := r.Companies(t.Context(), g, store.CompanyFilter{}, store.Page{})
				require.NoError(t, err)
				require.ElementsMatch(t, want, ids(page.Items, func(v store.CompanyView) string { return v.ID }), "%s list", handle)
				require.Equal(t, int64(len(want)), page.Total, "%s total", handle)
				requireNames(t, r, g, models.TypeCompany, want)
				for _, id := range seen["admin"] {
					_, err := r.Company(t.Context(), g, id)
					if slices.Contains(want, id) {
						require.NoError(t, err)
					} else {
						requireKind(t, err, apperr.NotFound)
					}
					requireOthers(t, r, g, models.TypeCompany, id, slices.Contains(want, id))
				}
			})
		}
	})
}

// requireNames checks everything that the resolver and search ask, for one kind.
func requireNames(t *testing.T, r *store.Reader, g rbac.Grant, kind models.RecordType, want []string) {
	t.Helper()
	all := store.NameQuery{Kind: kind, Key: "", Match: store.MatchContains, Limit: 100}
	hits, err := r.ByName(t.Context(), g, all)
	require.NoError(t, err)
	require.ElementsMatch(t, want, ids(hits, func(h store.NameHit) string { return h.RecordID }))
	n, err := r.CountByName(t.Context(), g, all)
	require.NoError(t, err)
	require.Equal(t, int64(len(want)), n)
	similar, err := r.SimilarNames(t.Context(), g, kind, "", nil)
	require.NoError(t, err)
	for _, hit := range similar {
		require.Contains(t, want, hit.RecordID)
	}
}

// requireOthers checks the look-up by id, the history and Covers for one record.
func requireOthers(t *testing.T, r *store.Reader, g rbac.Grant, kind models.RecordType, id string, seen bool) {
	t.Helper()
	hit, err := r.NameByID(t.Context(), g, kind, id, "")
	require.NoError(t, err)
	require.Equal(t, seen, hit != nil, "by id")
	history, err := r.FieldChanges(t.Context(), g, kind, id, 10)
	require.NoError(t, err)
	require.Equal(t, seen, len(history) == 1, "history")
	covers, err := r.Covers(t.Context(), g, kind, id)
	require.NoError(t, err)
	require.Equal(t, seen, covers, "covers")
}

func addHistory(t *testing.T, w *dbtest.World, kind models.RecordType, records []string) {
	t.Helper()
	w.InTx(t, func(tx *store.Tx) {
		for _, id := range records {
			require.NoError(t, tx.AddFieldChanges(t.Context(), []models.FieldChange{
				{ID: models.NewID(), RecordType: kind, RecordID: id, RecordVersion: 1, Field: "f", AfterValue: models.JSON("1"), At: moment, Via: models.ViaWeb},
			}))
		}
	})
}

// SEC-38: writes reach as far as their own right does, whatever the actor may read.
func TestDealsAreWrittenWithinScope(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		seen := dealsSeen(w)
		all := []models.Deal{w.AcmeRenewal, w.AcmeExpansion, w.GlobexPilot, w.FerryFleet, w.HarbourRollout, w.HarbourAudit}
		for _, handle := range []string{"admin", "manager", "manager2", "sales1", "sales2", "sales3"} {
			actor := w.Actors()[handle]
			update := w.Grant(t, actor, rbac.DealUpdate)
			for _, d := range all {
				allowed := slices.Contains(seen[handle], d.ID)
				requireWrite(t, db, allowed, func(tx *store.Tx) error { return tx.UpdateDeal(t.Context(), update, &d, ptr(d), moment) })
				owner := w.User(models.Actor{UserID: d.OwnerID})
				team := ""
				if owner.TeamID != nil {
					team = *owner.TeamID
				}
				require.Equal(t, allowed, store.Reaches(update, d.OwnerID, team), "%s %s", handle, d.Title)
				if del, err := w.Authorizer.Authorize(t.Context(), actor, rbac.DealDelete); err == nil {
					requireWrite(t, db, allowed, func(tx *store.Tx) error {
						return tx.SoftDelete(t.Context(), del, models.TypeDeal, ptr(d.Record), moment)
					})
				}
			}
		}
	})
}

// A shared company is everybody's to read, and nobody's to write but those who may write all.
func TestCompaniesAreWrittenWithinScope(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		seen := companiesSeen(w)
		for _, handle := range []string{"admin", "manager", "manager2", "sales1", "sales2", "sales3"} {
			g := w.Grant(t, w.Actors()[handle], rbac.CompanyUpdate)
			for _, c := range []models.Company{w.Acme, w.Globex, w.Harbour, w.Ferry} {
				allowed := slices.Contains(seen[handle], c.ID) && (c.OwnerID != nil || handle == "admin")
				requireWrite(t, db, allowed, func(tx *store.Tx) error { return tx.UpdateCompany(t.Context(), g, ptr(c), moment) })
				w.View(t, func(r *store.Reader) {
					covers, err := r.Covers(t.Context(), g, models.TypeCompany, c.ID)
					require.NoError(t, err)
					require.Equal(t, allowed, covers, "%s %s", handle, c.Name)
				})
			}
		}
	})
}

// requireWrite runs a write and undoes it. Beyond the scope it must not have happened.
func requireWrite(t *testing.T, db *store.DB, allowed bool, write func(tx *store.Tx) error) {
	t.Helper()
	undo := errors.New("undo")
	err := db.InTx(t.Context(), func(tx *store.Tx) error { return errors.Join(write(tx), undo) })
	require.ErrorIs(t, err, undo)
	require.Equal(t, !allowed, isStale(err), "%v", err)
}

// A role with scope team and a person without a team: their own records, not those of everyone without a team.
func TestReachesNothing(t *testing.T) {
	t.Parallel()
	w := dbtest.NewWorld(t, dbtest.Open(t, "sqlite"))
	require.False(t, store.Reaches(rbac.Grant{}, "", ""), "the zero Grant")
	require.False(t, store.Reaches(w.Grant(t, w.Manager, rbac.DealUpdate), w.Viewer.UserID, ""), "who is in no team")
}

func TestTeamScopeWithoutATeam(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		d := w.HarbourAudit
		d.OwnerID = w.Viewer.UserID // of no team
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.UpdateDeal(t.Context(), w.Grant(t, w.Admin, rbac.DealUpdate), &w.HarbourAudit, &d, moment))
			view, err := tx.UserByID(t.Context(), w.Manager.UserID)
			require.NoError(t, err)
			view.TeamID = nil
			require.NoError(t, tx.UpdateUser(t.Context(), &view.User, moment))
		})
		w.View(t, func(r *store.Reader) {
			page, err := r.Deals(t.Context(), w.DealGrants(t, w.Manager), store.DealFilter{}, store.Page{})
			require.NoError(t, err)
			require.Equal(t, []string{w.FerryFleet.ID}, ids(page.Items, func(v store.DealView) string { return v.ID }))
		})
	})
}

// The name of a company shows only to those who may see the company, wherever it would appear.
func TestCompanyNamesAreHidden(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		d := w.AcmeExpansion
		d.CompanyID = &w.Globex.ID // which Sales1 does not see
		note := models.Activity{Record: live(), Kind: models.ActivityNote, At: moment, CompanyID: &w.Globex.ID, DealID: &w.GlobexPilot.ID, OwnerID: w.Sales1.UserID}
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.UpdateDeal(t.Context(), w.Grant(t, w.Admin, rbac.DealUpdate), &w.AcmeExpansion, &d, moment))
			require.NoError(t, tx.InsertActivity(t.Context(), w.Grant(t, w.Admin, rbac.ActivityCreate), &note))
		})
		shown := func(g store.DealGrants, a store.ActivityGrants) (names []string) {
			w.View(t, func(r *store.Reader) {
				view, err := r.Deal(t.Context(), g, d.ID)
				require.NoError(t, err)
				rows, err := r.SummarizeDeals(t.Context(), g, store.DealFilter{StageIDs: []string{d.StageID}, OwnerID: d.OwnerID}, "company")
				require.NoError(t, err)
				require.Len(t, rows, 1)
				entry, err := r.Activity(t.Context(), a, note.ID)
				require.NoError(t, err)
				names = []string{view.CompanyName, rows[0].Label, entry.CompanyName, entry.DealTitle}
			})
			return names
		}
		hidden := []string{"", "", "", ""}
		require.Equal(t, hidden, shown(w.DealGrants(t, w.Sales1), w.ActivityGrants(t, w.Sales1)))
		require.Equal(t, []string{w.Globex.Name, w.Globex.Name, w.Globex.Name, w.GlobexPilot.Title}, shown(w.DealGrants(t, w.Manager), w.ActivityGrants(t, w.Manager)))
		require.Equal(t, hidden, shown(
			store.DealGrants{Deal: w.Grant(t, w.Admin, rbac.DealRead)}, store.ActivityGrants{Activity: w.Grant(t, w.Admin, rbac.ActivityRead)}),
			"without a right to companies")

		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.SoftDelete(t.Context(), w.Grant(t, w.Admin, rbac.CompanyDelete), models.TypeCompany, &w.Globex.Record, moment))
		})
		require.Equal(t, []string{"", "", "", w.GlobexPilot.Title}, shown(w.DealGrants(t, w.Manager), w.ActivityGrants(t, w.Manager)), "in the bin")
	})
}

// Activities are seen with the company or deal that they are on, besides by those who logged them.
func TestActivitiesInheritVisibility(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		log := func(owner models.Actor, company *models.Company, deal *models.Deal) string {
			a := models.Activity{Record: models.NewRecord(moment), Kind: models.ActivityNote, At: moment, OwnerID: owner.UserID}
			if company != nil {
				a.CompanyID = &company.ID
			}
			if deal != nil {
				a.DealID = &deal.ID
			}
			w.InTx(t, func(tx *store.Tx) {
				require.NoError(t, tx.InsertActivity(t.Context(), w.Grant(t, w.Admin, rbac.ActivityCreate), &a))
			})
			return a.ID
		}
		onDeal, onCompany := log(w.Manager2, nil, &w.AcmeRenewal), log(w.Manager2, &w.Acme, nil)
		onBoth, alone := log(w.Sales2, &w.Harbour, &w.GlobexPilot), log(w.Sales3, nil, nil)
		all := []string{onDeal, onCompany, onBoth, alone}
		for handle, want := range (reach{
			"admin": all, "viewer": all, "manager": {onDeal, onCompany, onBoth}, "manager2": {onDeal, onCompany, alone},
			"sales1": {onDeal, onCompany}, "sales2": {onBoth}, "sales3": {alone},
		}) {
			g := w.ActivityGrants(t, w.Actors()[handle])
			w.View(t, func(r *store.Reader) {
				page, err := r.Activities(t.Context(), g, store.ActivityFilter{}, store.Page{})
				require.NoError(t, err)
				require.ElementsMatch(t, want, ids(page.Items, func(v store.ActivityView) string { return v.ID }), handle)
				require.Equal(t, int64(len(want)), page.Total)
				for _, id := range all {
					_, err := r.Activity(t.Context(), g, id)
					require.Equal(t, slices.Contains(want, id), err == nil, handle)
					covers, err := r.Covers(t.Context(), g.Activity, models.TypeActivity, id)
					require.NoError(t, err)
					require.Equal(t, slices.Contains(want, id), covers, handle)
				}
			})
		}
		// To change, an activity is its owner's.
		w.View(t, func(r *store.Reader) {
			for _, id := range []string{onDeal, onCompany} {
				covers, err := r.Covers(t.Context(), w.Grant(t, w.Sales1, rbac.ActivityUpdate), models.TypeActivity, id)
				require.NoError(t, err)
				require.False(t, covers)
			}
			covers, err := r.Covers(t.Context(), w.Grant(t, w.Sales2, rbac.ActivityUpdate), models.TypeActivity, onBoth)
			require.NoError(t, err)
			require.True(t, covers)
		})
		w.View(t, func(r *store.Reader) {
			page, err := r.Activities(t.Context(), w.ActivityGrants(t, w.Admin), store.ActivityFilter{CompanyID: w.Acme.ID}, store.Page{})
			require.NoError(t, err)
			require.ElementsMatch(t, []string{onDeal, onCompany}, ids(page.Items, func(v store.ActivityView) string { return v.ID }), "those on the company's deals, too")
		})
	})
}

// The bin is for those who may restore, and its history goes with the record.
func TestHistoryOfABinnedRecord(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		addHistory(t, w, models.TypeDeal, []string{w.AcmeRenewal.ID})
		addHistory(t, w, models.TypeProduct, []string{w.Crane.ID})
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.SoftDelete(t.Context(), w.Grant(t, w.Admin, rbac.DealDelete), models.TypeDeal, &w.AcmeRenewal.Record, moment))
		})
		w.View(t, func(r *store.Reader) {
			for _, c := range []struct {
				actor models.Actor
				want  int
			}{{w.Sales1, 1}, {w.Sales3, 0}} {
				history, err := r.FieldChanges(t.Context(), w.Grant(t, c.actor, rbac.DealRead), models.TypeDeal, w.AcmeRenewal.ID, 10)
				require.NoError(t, err)
				require.Len(t, history, c.want)
			}
			_, err := r.FieldChanges(t.Context(), w.Grant(t, w.Sales1, rbac.CompanyRead), models.TypeDeal, w.AcmeRenewal.ID, 10)
			requireKind(t, err, apperr.Internal)
			history, err := r.FieldChanges(t.Context(), w.Grant(t, w.Sales1, rbac.ProductRead), models.TypeProduct, w.Crane.ID, 10)
			require.NoError(t, err)
			require.Len(t, history, 1, "products have no owner")
		})
	})
}

func ids[T any](items []T, id func(T) string) []string {
	list := make([]string, len(items))
	for i, item := range items {
		list[i] = id(item)
	}
	return list
}
