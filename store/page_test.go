package store_test

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// shelf adds deals whose sort keys tie, are missing, and need folding. Their ids are in order, the returned
// slice is not.
func shelf(t *testing.T, w *dbtest.World) []models.Deal {
	t.Helper()
	titles := []string{"beta", "Alpha", "ALPHA", "ａｌｐｈａ", "香港", "九龍", "Émile", "emile", "_", "%", "\\", "Zeta 👩‍👩‍👧"}
	var deals []models.Deal
	for i, title := range titles {
		at := dbtest.Start.Add(time.Duration(i%4) * time.Microsecond)
		d := models.Deal{Record: models.NewRecord(at), Title: title, PipelineID: w.Selling.ID, StageID: w.New.ID, OwnerID: w.Sales1.UserID}
		if i%3 != 0 {
			d.SetAmount(&models.Money{Minor: int64(i%2) * 9_007_199_254_740_993 / 10, Currency: "HKD"})
			d.ExpectedCloseDate = ptr(models.Date(fmt.Sprintf("2026-0%d-01", 1+i%3)))
		}
		deals = append(deals, d)
	}
	slices.Reverse(deals)
	w.InTx(t, func(tx *store.Tx) {
		for i := range deals {
			require.NoError(t, tx.InsertDeal(t.Context(), w.Grant(t, w.Admin, rbac.DealCreate), &deals[i]))
		}
	})
	return append(deals, w.AcmeRenewal, w.AcmeExpansion)
}

var dealOrders = map[string]func(a, b models.Deal) int{
	"updatedAt": func(a, b models.Deal) int { return a.UpdatedAt.Compare(b.UpdatedAt) },
	"createdAt": func(a, b models.Deal) int { return a.CreatedAt.Compare(b.CreatedAt) },
	"title":     func(a, b models.Deal) int { return strings.Compare(models.FoldName(a.Title), models.FoldName(b.Title)) },
	"amount": func(a, b models.Deal) int {
		value := func(d models.Deal) int64 {
			if d.AmountMinor == nil {
				return -1
			}
			return *d.AmountMinor
		}
		return cmp.Compare(value(a), value(b))
	},
	"expectedCloseDate": func(a, b models.Deal) int {
		value := func(d models.Deal) string {
			if d.ExpectedCloseDate == nil {
				return "9999-12-31"
			}
			return string(*d.ExpectedCloseDate)
		}
		return strings.Compare(value(a), value(b))
	},
}

// Every sort key, both ways, in pages of three: no row twice, none left out, in the same order on both dialects.
func TestDealPages(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		deals := shelf(t, w)
		g := w.DealGrants(t, w.Sales1)
		for key, compare := range dealOrders {
			for _, sign := range []string{"", "-"} {
				want := slices.Clone(deals)
				slices.SortFunc(want, func(a, b models.Deal) int {
					c := cmp.Or(compare(a, b), strings.Compare(a.ID, b.ID))
					if sign == "-" {
						return -c
					}
					return c
				})
				got := walk(t, func(p store.Page) (store.List[store.DealView], error) {
					p.Sort = sign + key
					return readDeals(t, w, g, p)
				})
				require.Equal(t, titles(want), ids(got, func(v store.DealView) string { return v.Title }), sign+key)
			}
		}
	})
}

func titles(deals []models.Deal) []string {
	return ids(deals, func(d models.Deal) string { return d.Title })
}

func readDeals(t *testing.T, w *dbtest.World, g store.DealGrants, p store.Page) (list store.List[store.DealView], err error) {
	t.Helper()
	w.View(t, func(r *store.Reader) { list, err = r.Deals(t.Context(), g, store.DealFilter{}, p) })
	return list, err
}

// walk reads all pages, three rows at a time.
func walk[T any](t *testing.T, read func(store.Page) (store.List[T], error)) (all []T) {
	t.Helper()
	p := store.Page{Limit: 3}
	for range 20 {
		list, err := read(p)
		require.NoError(t, err)
		all = append(all, list.Items...)
		if list.Next == "" {
			require.Equal(t, int64(len(all)), list.Total)
			return all
		}
		require.Len(t, list.Items, 3)
		p.Cursor = list.Next
	}
	t.Fatal("the pages do not end")
	return nil
}

func TestOtherListsPage(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		for _, sign := range []string{"", "-"} {
			for _, key := range []string{"updatedAt", "createdAt", "name"} {
				require.Len(t, walk(t, func(p store.Page) (list store.List[store.CompanyView], err error) {
					p.Sort = sign + key
					w.View(t, func(r *store.Reader) {
						list, err = r.Companies(t.Context(), w.Grant(t, w.Admin, rbac.CompanyRead), store.CompanyFilter{}, p)
					})
					return list, err
				}), 4)
			}
			for _, key := range []string{"updatedAt", "name", "sku"} {
				require.Len(t, walk(t, func(p store.Page) (list store.List[models.Product], err error) {
					p.Sort = sign + key
					w.View(t, func(r *store.Reader) {
						list, err = r.Products(t.Context(), w.Grant(t, w.Admin, rbac.ProductRead), "", p)
					})
					return list, err
				}), 3)
			}
			for _, key := range []string{"updatedAt", "at"} {
				require.Empty(t, walk(t, func(p store.Page) (list store.List[store.ActivityView], err error) {
					p.Sort = sign + key
					w.View(t, func(r *store.Reader) {
						list, err = r.Activities(t.Context(), w.ActivityGrants(t, w.Admin), store.ActivityFilter{}, p)
					})
					return list, err
				}))
			}
		}
	})
}

// A row that comes in while somebody pages neither repeats nor hides another.
func TestPagesAreStableUnderInserts(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		before := titles(shelf(t, w))
		g := w.DealGrants(t, w.Sales1)
		n := 0
		var got []string
		p := store.Page{Limit: 2}
		for {
			list, err := readDeals(t, w, g, p)
			require.NoError(t, err)
			got = append(got, ids(list.Items, func(v store.DealView) string { return v.Title })...)
			if p.Cursor = list.Next; p.Cursor == "" {
				break
			}
			n++
			d := models.Deal{Record: models.NewRecord(moment.Add(time.Duration(n) * time.Second)), Title: "new", PipelineID: w.Selling.ID, StageID: w.New.ID, OwnerID: w.Sales1.UserID}
			w.InTx(t, func(tx *store.Tx) {
				require.NoError(t, tx.InsertDeal(t.Context(), w.Grant(t, w.Sales1, rbac.DealCreate), &d))
			})
		}
		require.ElementsMatch(t, before, got)
	})
}

func TestDefaultOrderAndLimits(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		g := w.DealGrants(t, w.Admin)
		list, err := readDeals(t, w, g, store.Page{})
		require.NoError(t, err)
		require.Equal(t, w.HarbourAudit.ID, list.Items[0].ID, "the most recently updated first")
		again, err := readDeals(t, w, g, store.Page{Sort: "-updatedAt", Limit: 1_000_000})
		require.NoError(t, err)
		require.Equal(t, list, again)

		first, err := readDeals(t, w, g, store.Page{Limit: 2})
		require.NoError(t, err)
		_, err = readDeals(t, w, g, store.Page{Limit: 2, Sort: "-updatedAt", Cursor: first.Next})
		require.NoError(t, err, "the default order by its name is the same order")
		_, err = readDeals(t, w, g, store.Page{Limit: 2, Sort: "title", Cursor: first.Next})
		requireKind(t, err, apperr.Invalid)
	})
}

func TestBadCursorsAndSorts(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		g := w.DealGrants(t, w.Admin)
		raw := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
		for _, p := range []store.Page{
			{Sort: "owner_id"},
			{Sort: "-"},
			{Sort: "--title"},
			{Sort: "title; DROP TABLE deals"},
			{Sort: "deals.title"},
			{Sort: "Title"},
			{Sort: "notes"},
			{Cursor: "x"},
			{Cursor: "%%%"},
			{Cursor: raw("null")},
			{Cursor: raw("{}")},
			{Cursor: raw("[]")},
			{Cursor: raw(`{"s":"-updatedAt"}`)},
			{Cursor: raw(`{"s":"-updatedAt","v":"yesterday","i":"x"}`)},
			{Cursor: raw(`{"s":"-updatedAt","v":5,"i":"x"}`)},
			{Cursor: raw(`{"s":"title","v":"a","i":"x"}`)},
			{Sort: "title", Cursor: raw(`{"s":"title","v":5,"i":"x"}`)},
			{Sort: "title", Cursor: raw(`{"s":"title","v":"\u0000","i":"x"}`)},
			{Sort: "title", Cursor: raw(`{"s":"title","v":"a","i":"\u0000"}`)},
			{Sort: "title", Cursor: raw(`{"s":"title","v":{"a":1},"i":"x"}`)},
			{Sort: "amount", Cursor: raw(`{"s":"amount","v":"a","i":"x"}`)},
			{Sort: "amount", Cursor: raw(`{"s":"amount","v":1.5,"i":"x"}`)},
			{Sort: "amount", Cursor: raw(`{"s":"amount","v":1e300,"i":"x"}`)},
			{Sort: "amount", Cursor: raw(`{"s":"amount","v":null,"i":"x"}`)},
			{Sort: "expectedCloseDate", Cursor: raw(`{"s":"expectedCloseDate","v":20260101,"i":"x"}`)},
		} {
			_, err := readDeals(t, w, g, p)
			requireKind(t, err, apperr.Invalid)
			require.NotEmpty(t, apperr.As(err).Fields)
			require.Contains(t, []string{"sort", "cursor"}, apperr.As(err).Fields[0].Path)
		}
	})
}

// A foreign cursor opens no foreign rows: it is only a place to start from.
func TestCursorCarriesNoRights(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		admin, err := readDeals(t, w, w.DealGrants(t, w.Admin), store.Page{Limit: 1})
		require.NoError(t, err)
		list, err := readDeals(t, w, w.DealGrants(t, w.Sales2), store.Page{Cursor: admin.Next})
		require.NoError(t, err)
		require.Equal(t, []string{w.GlobexPilot.ID}, ids(list.Items, func(v store.DealView) string { return v.ID }))
	})
}
