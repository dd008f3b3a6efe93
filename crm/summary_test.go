package crm_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/crm"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

var groupings = []string{"", "stage", "owner", "team", "company", "product", "pipeline", "month"}

func TestSummarize(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		usd := func(minor int64) *models.Money { return &models.Money{Minor: minor, Currency: "USD"} }
		require.NoError(t, w.deals.CreateMany(t.Context(), w.Admin, []crm.DealInput{
			{Title: "a", OwnerID: w.Sales1.UserID, StageID: w.Won.ID, Amount: hkd(10)},
			{Title: "b", OwnerID: w.Sales1.UserID, StageID: w.Won.ID, Amount: hkd(15)},
			{Title: "c", OwnerID: w.Sales1.UserID, StageID: w.Won2.ID, Amount: usd(33)},
			{Title: "d", OwnerID: w.Sales1.UserID, StageID: w.Won.ID},
			{Title: "e", OwnerID: w.Sales1.UserID, StageID: w.Lost.ID, Amount: usd(0)},
			{Title: "f", OwnerID: w.Sales1.UserID, StageID: w.Lost.ID, Amount: usd(1)},
		}))
		s := must(w.deals.Summarize(t.Context(), w.Sales1, store.DealFilter{}, ""))(t)
		require.Empty(t, s.Groups)
		rate := 66.67
		require.Equal(t, crm.DealGroup{
			Deals: 8, Open: 2, Won: 4, Lost: 2, WinRate: &rate,
			Amounts: []crm.GroupAmount{
				{Deals: 3, Sum: *hkd(12_000_025), Average: *hkd(4_000_008), Won: *hkd(25), WonAvg: hkd(13)},
				{Deals: 3, Sum: *usd(34), Average: *usd(11), Won: *usd(33), WonAvg: usd(33)},
			},
		}, s.Total, "currencies apart, averages rounded half away from zero, unknown amounts counted and not averaged")
		open := must(w.deals.Summarize(t.Context(), w.Sales1, store.DealFilter{StageKind: models.StageOpen}, "stage"))(t)
		require.Nil(t, open.Total.WinRate, "nothing is decided")
		require.Nil(t, open.Total.Amounts[0].WonAvg)
		none := must(w.deals.Summarize(t.Context(), w.Sales1, store.DealFilter{Text: "nothing like it"}, "owner"))(t)
		require.Equal(t, crm.DealSummary{}, *none)
		_, err := w.deals.Summarize(t.Context(), w.Sales1, store.DealFilter{}, "amount_minor")
		require.Equal(t, "groupBy", wrongField(t, err))
	})
}

func TestSummaryGroups(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		for by, want := range map[string][]string{
			"stage":    {"Won 1 45000.00", "Proposal 2 0.00", "Lost 1 0.00", "New 1 0.00", "Proposal 1 0.00"},
			"owner":    {"Suki Sales 1 45000.00", "Sam Sales 2 0.00", "Max Manager 1 0.00", "Mei Manager 1 0.00", "Siu Ming 小明 1 0.00"},
			"team":     {"Beta 2 45000.00", "Alpha 4 0.00"},
			"company":  {"Harbour Foods 海港食品 1 45000.00", "Acme Trading Limited 2 0.00", " 1 0.00", "Globex Corporation 1 0.00", "Kowloon Ferry 1 0.00"},
			"product":  {" 5 45000.00", "Harbour crane 1 0.00"},
			"pipeline": {"Selling 4 45000.00", "Renewals 2 0.00"},
			"month":    {" 4 0.00", "2026-03 2 45000.00"},
		} {
			s := must(w.deals.Summarize(t.Context(), w.Admin, store.DealFilter{}, by))(t)
			require.Equal(t, want, ids(s.Groups, func(g crm.DealGroup) string {
				return fmt.Sprintf("%s %d %s", g.Label, g.Deals, g.Amounts[0].Won.Amount())
			}), by)
			require.Equal(t, []string{"", ""}, []string{s.Total.Key, s.Total.Label})
		}
	})
}

// SEC-46: the months are those of Hong Kong, whatever the clock of the server says.
func TestSummaryMonths(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		for _, at := range []string{"2026-01-31T15:59:59Z", "2026-01-31T23:30:00Z", "2025-12-31T16:00:00Z", "2026-02-28T15:59:59.999999Z"} {
			closed, err := time.Parse(time.RFC3339, at)
			require.NoError(t, err)
			must(w.deals.Create(t.Context(), w.Sales2, crm.DealInput{Title: at, StageID: w.Won.ID, ClosedAt: &closed}))(t)
		}
		s := must(w.deals.Summarize(t.Context(), w.Sales2, store.DealFilter{StageKind: models.StageWon}, "month"))(t)
		require.Equal(t, []string{"2026-01 2", "2026-02 2"}, ids(s.Groups, func(g crm.DealGroup) string { return fmt.Sprint(g.Key, " ", g.Deals) }))
	})
}

// A name that the actor may not see is no label, and a deal that they do not see is in no group.
func TestSummaryLeaks(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		must(w.deals.Create(t.Context(), w.Manager, crm.DealInput{Title: "x", OwnerID: w.Sales1.UserID, CompanyID: &w.Globex.ID}))(t)
		for _, by := range groupings[1:] {
			s := must(w.deals.Summarize(t.Context(), w.Sales1, store.DealFilter{}, by))(t)
			for _, g := range s.Groups {
				for _, secret := range []string{"Globex", "Siu Ming", "Mei", "Harbour Foods", "Beta"} {
					require.NotContains(t, g.Label, secret, by)
				}
			}
			require.EqualValues(t, 3, s.Total.Deals)
		}
		other := must(w.deals.Summarize(t.Context(), w.Sales1, store.DealFilter{OwnerID: w.Sales3.UserID}, "owner"))(t)
		require.Equal(t, crm.DealSummary{}, *other)
		w.refused(t, rbac.DealRead, "", func() error {
			w.role(t, w.Viewer, map[rbac.Permission]rbac.Scope{rbac.CompanyRead: rbac.ScopeAll})
			_, err := w.deals.Summarize(t.Context(), w.Viewer, store.DealFilter{}, "owner")
			return err
		})
	})
}

// SEC-45 and SEC-38: for everybody and any filter, a summary agrees with the list to the cent.
func TestSummaryAgreesWithList(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		random := rand.New(rand.NewPCG(20260302, 7))
		require.NoError(t, w.deals.CreateMany(t.Context(), w.Admin, w.randomDeals(random, 60)))
		for range 12 {
			f := w.randomFilter(random)
			for handle, actor := range w.Actors() {
				list := must(w.deals.List(t.Context(), actor, f, store.Page{Limit: store.MaxLimit}))(t)
				require.Len(t, list.Items, int(list.Total))
				by := groupings[random.IntN(len(groupings))]
				s := must(w.deals.Summarize(t.Context(), actor, f, by))(t)
				require.Equal(t, addUp(list.Items), s.Total, "%s %s %+v", handle, by, f)
				var grouped int64
				for _, g := range s.Groups {
					grouped += g.Deals
				}
				if by != "" {
					require.Equal(t, list.Total, grouped, "%s %s", handle, by)
				}
			}
		}
	})
}

// addUp is the total of deals, in the plainest way.
func addUp(deals []store.DealView) crm.DealGroup {
	var g crm.DealGroup
	sums := map[string]*crm.GroupAmount{}
	wonDeals := map[string]int64{}
	for _, d := range deals {
		g.Deals++
		switch d.StageKind {
		case models.StageOpen:
			g.Open++
		case models.StageWon:
			g.Won++
		case models.StageLost:
			g.Lost++
		}
		m := d.Amount()
		if m == nil {
			continue
		}
		if sums[m.Currency] == nil {
			sums[m.Currency] = &crm.GroupAmount{Sum: models.Money{Currency: m.Currency}, Won: models.Money{Currency: m.Currency}}
		}
		sums[m.Currency].Deals++
		sums[m.Currency].Sum.Minor += m.Minor
		if d.StageKind == models.StageWon {
			wonDeals[m.Currency]++
			sums[m.Currency].Won.Minor += m.Minor
		}
	}
	if decided := g.Won + g.Lost; decided > 0 {
		rate := float64((2*10_000*g.Won+decided)/(2*decided)) / 100
		g.WinRate = &rate
	}
	for _, currency := range []string{"HKD", "JPY", "USD"} {
		if a := sums[currency]; a != nil {
			a.Average = mean(a.Sum, a.Deals)
			if n := wonDeals[currency]; n > 0 {
				a.WonAvg = ptr(mean(a.Won, n))
			}
			g.Amounts = append(g.Amounts, *a)
		}
	}
	return g
}

func mean(sum models.Money, n int64) models.Money {
	return models.Money{Minor: (2*sum.Minor + n) / (2 * n), Currency: sum.Currency}
}

func (w *world) randomDeals(random *rand.Rand, n int) []crm.DealInput {
	owners := []models.Actor{w.Manager, w.Sales1, w.Sales2, w.Sales3, w.Manager2, w.Admin}
	stages := []models.Stage{w.New, w.Proposal, w.Won, w.Lost, w.Due, w.Won2, w.Lost2}
	companies := []*string{nil, &w.Acme.ID, &w.Globex.ID, &w.Harbour.ID, &w.Ferry.ID}
	products := []*string{nil, &w.Crane.ID, &w.Pallet.ID}
	deals := make([]crm.DealInput, n)
	for i := range deals {
		stage := stages[random.IntN(len(stages))]
		deals[i] = crm.DealInput{
			Title: fmt.Sprintf("random %d 隨機", i), OwnerID: owners[random.IntN(len(owners))].UserID, StageID: stage.ID,
			CompanyID: companies[random.IntN(len(companies))], ProductID: products[random.IntN(len(products))],
		}
		if random.IntN(4) > 0 {
			deals[i].Amount = &models.Money{Minor: random.Int64N(1_000_000), Currency: []string{"HKD", "JPY", "USD"}[random.IntN(3)]}
		}
		if random.IntN(2) > 0 {
			deals[i].ExpectedCloseDate = ptr(models.Date(fmt.Sprintf("2026-%02d-15", 1+random.IntN(12))))
		}
		if stage.Kind != models.StageOpen {
			deals[i].ClosedAt = ptr(w.Clock.Now().Add(-time.Duration(random.IntN(400)) * 24 * time.Hour))
		}
	}
	return deals
}

// randomFilter narrows by some of its fields.
func (w *world) randomFilter(random *rand.Rand) (f store.DealFilter) {
	for _, narrow := range []func(){
		func() { f.PipelineID = w.Renewals.ID },
		func() { f.StageIDs = []string{w.Won.ID, w.Won2.ID, w.New.ID} },
		func() { f.StageKind = []models.StageKind{models.StageOpen, models.StageWon}[random.IntN(2)] },
		func() { f.OwnerID = []models.Actor{w.Sales1, w.Sales3}[random.IntN(2)].UserID },
		func() { f.TeamID = w.Alpha.ID },
		func() { f.CompanyID = w.Globex.ID },
		func() { f.ProductID = w.Crane.ID },
		func() { f.Text = "隨機" },
		func() { f.ClosedFrom = ptr(w.Clock.Now().AddDate(0, -6, 0)) },
		func() { f.ClosedBefore = ptr(w.Clock.Now().AddDate(0, -1, 0)) },
		func() { f.ExpectedFrom, f.ExpectedTo = ptr(models.Date("2026-03-15")), ptr(models.Date("2026-09-15")) },
	} {
		if random.IntN(6) == 0 {
			narrow()
		}
	}
	return f
}

func TestProductsAndPipelines(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		for handle, actor := range w.Actors() {
			pipelines := must(w.pipelines.List(t.Context(), actor))(t)
			require.Equal(t, []string{"Selling", "Renewals"}, ids(pipelines, func(p models.Pipeline) string { return p.Name }), handle)
			require.Equal(t, pipelines[1], *must(w.pipelines.Get(t.Context(), actor, w.Renewals.ID))(t))
			require.Len(t, pipelines[1].Stages, 4)
			list := must(w.products.List(t.Context(), actor, "起重機", store.Page{}))(t)
			require.Equal(t, []string{"CR-100"}, ids(list.Items, func(p models.Product) string { return p.SKU }))
			require.Equal(t, list.Items[0], *must(w.products.Get(t.Context(), actor, w.Crane.ID))(t))
		}
		w.nothing(t, apperr.NotFound, func() error { _, err := w.pipelines.Get(t.Context(), w.Sales1, models.NewID()); return err })
		w.nothing(t, apperr.NotFound, func() error { _, err := w.products.Get(t.Context(), w.Sales1, models.NewID()); return err })
	})
}
