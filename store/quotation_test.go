package store_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

func quotationID(v store.QuotationView) string { return v.ID }

func quotationsSeen(w *dbtest.World) reach {
	all := []string{w.QuoteAcme.ID, w.QuoteGlobex.ID, w.QuoteFerry.ID, w.QuoteHarbour.ID, w.QuoteAudit.ID}
	return reach{
		"admin": all, "viewer": all, "manager": all[:3], "manager2": all[3:],
		"sales1": all[:1], "sales2": all[1:2], "sales3": all[3:4],
	}
}

// fullQuotation has a value in every field.
func fullQuotation(w *dbtest.World) models.Quotation {
	valid := models.Date("2026-12-31")
	return models.Quotation{
		Record: live(), Number: "Q-2025-0009", Revision: 2, Status: models.QuotationAccepted, CompanyID: w.Acme.ID, ContactID: &w.Amy.ID, DealID: &w.AcmeRenewal.ID,
		OwnerID: w.Sales1.UserID, ValidUntil: &valid, Currency: "KWD", Notes: text, Discount: models.Discount{DiscountRateE4: exact, DiscountFixedE4: exact},
		QuotationTotals: models.QuotationTotals{SubtotalMinor: exact, DiscountMinor: exact, TaxMinor: exact, TotalMinor: exact},
		SentAt:          &moment, DecidedAt: &moment, SupersededAt: &moment,
		Items: []models.QuotationItem{{
			ProductID: &w.Crane.ID, SKU: text, Name: text, Unit: text, QuantityE4: exact, PriceE4: exact,
			Discount: models.Discount{DiscountRateE4: exact, DiscountFixedE4: exact}, TaxRateE4: exact, NetMinor: exact, TaxMinor: exact,
		}, {Name: "second"}},
	}
}

func TestQuotationRoundTrip(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		full := fullQuotation(w)
		check := full
		check.Record = binned(full.Record)
		requireFull(t, check)
		empty := models.Quotation{Record: live(), Revision: 1, Status: models.QuotationDraft, CompanyID: w.Acme.ID, OwnerID: w.Sales1.UserID, Items: []models.QuotationItem{}}
		create, update := w.Grant(t, w.Admin, rbac.QuotationCreate), w.Grant(t, w.Admin, rbac.QuotationUpdate)
		stored := func(id string) (q models.Quotation) {
			w.View(t, func(r *store.Reader) {
				view, err := r.Quotation(t.Context(), w.QuotationGrants(t, w.Admin), id)
				require.NoError(t, err)
				require.Equal(t, []string{w.Acme.Name, "Sam Sales"}, []string{view.CompanyName, view.OwnerName})
				q = view.Quotation
			})
			return q
		}
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.InsertQuotation(t.Context(), create, &full))
			require.NoError(t, tx.InsertQuotation(t.Context(), create, &empty))
		})
		require.Equal(t, "Q-2026-0006", empty.Number, "after the five of the world")
		requireFull(t, full.Items[0])
		require.Equal(t, full, stored(full.ID))
		require.Equal(t, empty, stored(empty.ID))
		emptied, filled := empty, full
		emptied.Record, filled.Record = full.Record, empty.Record
		emptied.Number, emptied.Revision, filled.Number, filled.Revision = full.Number, full.Revision, empty.Number, empty.Revision
		filled.Items = slices.Clone(full.Items)
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.UpdateQuotation(t.Context(), update, &emptied, moment.Add(time.Second)))
			require.NoError(t, tx.UpdateQuotation(t.Context(), update, &filled, moment.Add(time.Second)))
		})
		require.Equal(t, int64(2), emptied.Version)
		require.Equal(t, emptied, stored(full.ID))
		require.Equal(t, filled, stored(empty.ID))
	})
}

// SEC-38: the ways to read answer alike, to the row.
func TestQuotationsAreReadWithinScope(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		seen := quotationsSeen(w)
		addHistory(t, w, models.TypeQuotation, seen["admin"])
		for handle, actor := range w.Actors() {
			g, want := w.QuotationGrants(t, actor), seen[handle]
			w.View(t, func(r *store.Reader) {
				page, err := r.Quotations(t.Context(), g, store.QuotationFilter{}, store.Page{})
				require.NoError(t, err)
				require.ElementsMatch(t, want, ids(page.Items, quotationID), "%s list", handle)
				require.Equal(t, int64(len(want)), page.Total, "%s total", handle)
				requireNames(t, r, g.Quotation, models.TypeQuotation, want)
				for _, id := range seen["admin"] {
					_, err := r.Quotation(t.Context(), g, id)
					if slices.Contains(want, id) {
						require.NoError(t, err)
					} else {
						requireKind(t, err, apperr.NotFound)
					}
					requireOthers(t, r, g.Quotation, models.TypeQuotation, id, slices.Contains(want, id))
				}
			})
		}
	})
}

// Names of linked records show only to those who may see these.
func TestQuotationsShowNoNamesOfUnseenRecords(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		view := func(g store.QuotationGrants) (names []string) {
			w.View(t, func(r *store.Reader) {
				v, err := r.Quotation(t.Context(), g, w.QuoteAcme.ID)
				require.NoError(t, err)
				names = []string{v.CompanyName, v.ContactName, v.DealTitle}
			})
			return names
		}
		all := w.QuotationGrants(t, w.Admin)
		require.Equal(t, []string{w.Acme.Name, w.Amy.Name, w.AcmeRenewal.Title}, view(all))
		require.Equal(t, []string{"", "", ""}, view(store.QuotationGrants{Quotation: all.Quotation}))
		other := w.QuotationGrants(t, w.Sales3)
		other.Quotation = all.Quotation
		require.Equal(t, []string{"", "", ""}, view(other))
	})
}

func TestQuotationsAreWrittenWithinScope(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		seen := quotationsSeen(w)
		delete(seen, "viewer")
		for handle, may := range seen {
			actor := w.Actors()[handle]
			update, del := w.Grant(t, actor, rbac.QuotationUpdate), w.Grant(t, actor, rbac.QuotationDelete)
			for _, q := range []models.Quotation{w.QuoteAcme, w.QuoteGlobex, w.QuoteFerry, w.QuoteHarbour, w.QuoteAudit} {
				allowed := slices.Contains(may, q.ID)
				requireWrite(t, db, allowed, func(tx *store.Tx) error { return tx.UpdateQuotation(t.Context(), update, ptr(q), moment) })
				requireWrite(t, db, allowed, func(tx *store.Tx) error {
					return tx.SoftDelete(t.Context(), del, models.TypeQuotation, ptr(q.Record), moment)
				})
			}
		}
	})
}

// Numbers of a year have no gap and no double, however many are drafted at once and some of them undone.
func TestNumbersHaveNoGap(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		create := w.Grant(t, w.Admin, rbac.QuotationCreate)
		draft := func(at time.Time) *models.Quotation {
			return &models.Quotation{Record: models.NewRecord(at), Revision: 1, Status: models.QuotationDraft, CompanyID: w.Acme.ID, OwnerID: w.Sales1.UserID, Currency: "HKD"}
		}
		const attempts = 40
		numbers := make([]string, attempts)
		var done sync.WaitGroup
		for i := range attempts {
			done.Go(func() {
				q := draft(time.Date(2031, time.May, 1, 0, 0, 0, 0, time.UTC))
				err := db.InTx(t.Context(), func(tx *store.Tx) error {
					if err := tx.InsertQuotation(t.Context(), create, q); err != nil || i%4 > 0 {
						return err
					}
					return fmt.Errorf("undone")
				})
				if err == nil {
					numbers[i] = q.Number
				}
			})
		}
		done.Wait()
		got := slices.DeleteFunc(numbers, func(n string) bool { return n == "" })
		slices.Sort(got)
		want := make([]string, attempts-attempts/4)
		for i := range want {
			want[i] = models.QuotationNumber(2031, int64(i+1))
		}
		require.Equal(t, want, got)
		for number, at := range map[string]time.Time{
			"Q-2027-0001": time.Date(2027, time.December, 31, 15, 59, 59, 0, time.UTC),
			"Q-2028-0001": time.Date(2027, time.December, 31, 16, 0, 0, 0, time.UTC), // 00:00 in Hong Kong
		} {
			q := draft(at)
			w.InTx(t, func(tx *store.Tx) { require.NoError(t, tx.InsertQuotation(t.Context(), create, q)) })
			require.Equal(t, number, q.Number)
		}
	})
}

// A number has one draft at a time, and each revision once.
func TestRevisionsAreUnique(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		create := w.Grant(t, w.Admin, rbac.QuotationCreate)
		add := func(revision int64, status models.QuotationStatus) error {
			q := w.QuoteAcme
			q.Record, q.Revision, q.Status = live(), revision, status
			return db.InTx(t.Context(), func(tx *store.Tx) error { return tx.InsertQuotation(t.Context(), create, &q) })
		}
		requireCode(t, add(1, models.QuotationSent), store.CodeDuplicate)
		requireCode(t, add(2, models.QuotationDraft), store.CodeDuplicate)
		require.NoError(t, add(2, models.QuotationSent))
		w.View(t, func(r *store.Reader) {
			last, err := r.LastRevision(t.Context(), create, w.QuoteAcme.Number)
			require.NoError(t, err)
			require.Equal(t, int64(2), last)
			sent, err := r.Predecessors(t.Context(), w.Grant(t, w.Admin, rbac.QuotationSend), &w.QuoteAcme)
			require.NoError(t, err)
			require.Len(t, sent, 1)
			require.Equal(t, int64(2), sent[0].Revision)
		})
	})
}

// What was superseded gives the number free for its successor; a stale one is left alone.
func TestSupersede(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		send, g := w.Grant(t, w.Sales3, rbac.QuotationSend), w.QuotationGrants(t, w.Admin)
		q := w.QuoteAcme
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.Supersede(t.Context(), send, &q, moment), "whoever it belongs to")
			view, err := tx.Quotation(t.Context(), g, q.ID)
			require.NoError(t, err)
			require.Equal(t, []any{&moment, int64(2), moment}, []any{view.SupersededAt, view.Version, view.UpdatedAt})
			hits, err := tx.ByName(t.Context(), g.Quotation, store.NameQuery{Kind: models.TypeQuotation, Key: models.FoldName(q.Number), Match: store.MatchExact, Limit: 5})
			require.NoError(t, err)
			require.Empty(t, hits)
			again := w.QuoteAcme
			require.True(t, isStale(tx.Supersede(t.Context(), send, &again, moment)))
		})
	})
}

func TestListsOfQuotations(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		list := func(f store.QuotationFilter, p store.Page) (page store.List[store.QuotationView]) {
			w.View(t, func(r *store.Reader) {
				var err error
				page, err = r.Quotations(t.Context(), w.QuotationGrants(t, w.Admin), f, p)
				require.NoError(t, err)
			})
			return page
		}
		for name, c := range map[string]struct {
			filter store.QuotationFilter
			want   []string
		}{
			"status":           {store.QuotationFilter{Status: models.QuotationSent}, []string{}},
			"company":          {store.QuotationFilter{CompanyID: w.Harbour.ID}, []string{w.QuoteHarbour.ID, w.QuoteAudit.ID}},
			"contact":          {store.QuotationFilter{ContactID: w.Amy.ID}, []string{w.QuoteAcme.ID}},
			"deal":             {store.QuotationFilter{DealID: w.AcmeRenewal.ID}, []string{w.QuoteAcme.ID}},
			"owner":            {store.QuotationFilter{OwnerID: w.Sales2.UserID}, []string{w.QuoteGlobex.ID}},
			"part of a number": {store.QuotationFilter{Text: "2026-0003"}, []string{w.QuoteFerry.ID}},
			"a wildcard":       {store.QuotationFilter{Text: "%"}, []string{}},
		} {
			require.ElementsMatch(t, c.want, ids(list(c.filter, store.Page{}).Items, quotationID), name)
		}
		valid := models.Date("2026-05-01")
		w.QuoteGlobex.ValidUntil = &valid
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.UpdateQuotation(t.Context(), w.Grant(t, w.Admin, rbac.QuotationUpdate), &w.QuoteGlobex, moment))
		})
		acme, globex, ferry, harbour, audit := w.QuoteAcme.ID, w.QuoteGlobex.ID, w.QuoteFerry.ID, w.QuoteHarbour.ID, w.QuoteAudit.ID
		for sort, want := range map[string][]string{
			"":           {globex, audit, harbour, ferry, acme},
			"createdAt":  {acme, globex, ferry, harbour, audit},
			"-total":     {audit, ferry, acme, harbour, globex},
			"validUntil": {globex, acme, ferry, harbour, audit},
		} {
			var got []string
			for p := (store.Page{Limit: 2, Sort: sort}); ; {
				page := list(store.QuotationFilter{}, p)
				require.EqualValues(t, 5, page.Total)
				got = append(got, ids(page.Items, quotationID)...)
				if p.Cursor = page.Next; p.Cursor == "" {
					break
				}
			}
			require.Equal(t, want, got, sort)
		}
	})
}

// The label that the database makes of a quotation is the model's.
func TestQuotationLabels(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		second := w.QuoteAcme
		second.Record, second.Revision, second.Status = live(), 2, models.QuotationSent
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.InsertQuotation(t.Context(), w.Grant(t, w.Admin, rbac.QuotationCreate), &second))
		})
		w.View(t, func(r *store.Reader) {
			for _, q := range []models.Quotation{w.QuoteAcme, second} {
				hit, err := r.NameByID(t.Context(), w.Grant(t, w.Admin, rbac.QuotationRead), models.TypeQuotation, q.ID, "")
				require.NoError(t, err)
				require.Equal(t, []string{q.Label(), string(q.Status) + " · Sam Sales"}, []string{hit.Name, hit.Detail})
			}
		})
	})
}
