package crm_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/crm"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

func TestSearch(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		for name, c := range map[string]struct {
			actor models.Actor
			text  string
			kinds []models.RecordType
			want  []string
		}{
			"all kinds, in their order": {w.Admin, "HARBOUR", nil, []string{w.Harbour.ID, w.HarbourRollout.ID, w.HarbourAudit.ID, w.Crane.ID}},
			"one kind":                  {w.Admin, "harbour", []models.RecordType{models.TypeProduct}, []string{w.Crane.ID}},
			"no such kind":              {w.Admin, "harbour", []models.RecordType{models.TypeActivity}, nil},
			"other names":               {w.Sales1, "艾克美", nil, []string{w.Acme.ID}},
			"one Chinese character":     {w.Admin, "九", nil, []string{w.Ferry.ID}},
			"full width":                {w.Sales1, "ＡＣＭＥ　Trading", nil, []string{w.Acme.ID}},
			"external id":               {w.Sales1, "d-1001", nil, []string{w.AcmeRenewal.ID}},
			"SKU":                       {w.Viewer, "cr-100", nil, []string{w.Crane.ID}},
			"contacts":                  {w.Sales1, "詠詩", nil, []string{w.Amy.ID}},
			"contacts of one's company": {w.Sales1, "ivy", nil, []string{w.Ivy.ID}},
			"contacts out of scope":     {w.Sales1, "hana", nil, nil},
			"addresses are no name":     {w.Admin, "amy@acme.test", nil, nil},
			"people":                    {w.Sales1, "小明", nil, []string{w.Sales2.UserID}},
			"disabled people":           {w.Admin, "Dan Disabled", nil, nil},
			"wildcards are letters":     {w.Admin, "%", nil, nil},
			"own records only":          {w.Sales1, "harbour", nil, []string{w.Crane.ID}},
			"team only":                 {w.Manager, "globex", nil, []string{w.Globex.ID, w.GlobexPilot.ID}},
			"shared":                    {w.Sales3, "ferry", nil, []string{w.Ferry.ID}},
			"phone numbers are no name": {w.Admin, "21234567", nil, nil},
		} {
			found := must(w.search.Find(t.Context(), c.actor, c.text, c.kinds, 10))(t)
			require.ElementsMatch(t, c.want, ids(found.Hits, hitID), name)
			require.EqualValues(t, len(c.want), found.Total, "%s: nothing unseen in the total", name)
			for i := 1; i < len(found.Hits); i++ {
				require.LessOrEqual(t, kindOrder[found.Hits[i-1].Kind], kindOrder[found.Hits[i].Kind], name)
			}
			for _, hit := range found.Hits {
				require.Empty(t, hit.Email, name)
			}
		}
		for _, blank := range []string{"", " \t", "\u200b\x00"} {
			w.nothing(t, apperr.Invalid, func() error { _, err := w.search.Find(t.Context(), w.Admin, blank, nil, 10); return err })
		}
	})
}

var kindOrder = map[models.RecordType]int{models.TypeCompany: 1, models.TypeContact: 2, models.TypeDeal: 3, models.TypeQuotation: 4, models.TypeProduct: 5, models.TypePerson: 6}

func TestSearchLimits(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		many := make([]crm.DealInput, 230)
		for i := range many {
			many[i] = crm.DealInput{Title: fmt.Sprint("Bulk ", i), OwnerID: []string{w.Sales1.UserID, w.Sales3.UserID}[i%2]}
		}
		require.NoError(t, w.deals.CreateMany(t.Context(), w.Admin, many))
		for limit, want := range map[int]int{3: 3, 0: store.DefaultLimit, -1: store.DefaultLimit, 115: 115, 10_000: 115} {
			found := must(w.search.Find(t.Context(), w.Sales1, "bulk", nil, limit))(t)
			require.Len(t, found.Hits, want, limit)
			require.EqualValues(t, 115, found.Total, limit)
		}
		all := must(w.search.Find(t.Context(), w.Admin, "bulk", nil, 10_000))(t)
		require.Len(t, all.Hits, store.MaxLimit)
		require.EqualValues(t, 230, all.Total)
	})
}

// Each kind is searched by its own right; one without it has no hits, and the search goes on.
func TestSearchByRights(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		w.role(t, w.Sales1, map[rbac.Permission]rbac.Scope{rbac.DealRead: rbac.ScopeOwn})
		require.Empty(t, w.recorded(t, func() {
			found := must(w.search.Find(t.Context(), w.Sales1, "a", nil, 10))(t)
			require.ElementsMatch(t, []string{w.AcmeRenewal.ID, w.AcmeExpansion.ID}, ids(found.Hits, hitID))
		}))
	})
}
