package conversations_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/conversations"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

var groupings = []store.UsageBy{store.ByDay, store.ByUser, store.ByRole, store.ByChannel, store.ByModel}

// scatter makes calls of all kinds over several months, and returns them.
func (b *books) scatter(t *testing.T, random *rand.Rand, n int) []models.ModelCall {
	t.Helper()
	b.price(t, b.Clock.Now(), 2_500_001, 9_999_999, 777_777)
	actors := []models.Actor{b.Admin, b.Manager, b.Sales1, b.Sales2, b.Sales3}
	var made []models.ModelCall
	for i := range n {
		b.Clock.Advance(time.Duration(random.IntN(40)) * time.Hour)
		intent := b.intent(t, actors[random.IntN(len(actors))], 1)
		intent.Attempt = i
		intent.Channel = []models.Via{models.ViaWeb, models.ViaWhatsApp}[random.IntN(2)]
		intent.Model = []string{"m", "unpriced"}[random.IntN(2)]
		open, err := b.Reserve(t.Context(), intent)
		require.NoError(t, err)
		c := &open.Call
		switch prompt, completion, ms := random.Int64N(100_000), random.Int64N(5000), random.Int64N(3000); random.IntN(4) {
		case 0:
			c.ErrorKind = "rate_limited"
		case 1:
			c.PromptTokens, c.CompletionTokens, c.Estimated, c.Finish = &prompt, &completion, true, "stopped"
		default:
			cached := prompt / 3
			c.PromptTokens, c.CompletionTokens, c.CachedTokens, c.FirstTokenMS, c.Finish = &prompt, &completion, &cached, &ms, "stop"
		}
		require.NoError(t, b.Settle(t.Context(), open))
		made = append(made, *c)
	}
	return made
}

// UX 145: whatever it is grouped by, the total is the sum of the lines and that of the ledger.
func TestTotalsEqualTheLedger(t *testing.T) {
	account(t, func(t *testing.T, b *books) {
		seed := rand.Uint64()
		calls := b.scatter(t, rand.New(rand.NewPCG(seed, 1)), 120)
		from, to := models.DateOf(calls[20].StartedAt), models.DateOf(calls[100].StartedAt)
		want := ledgerSum(calls, from, to)
		for _, by := range groupings {
			usage, err := b.Usage(t.Context(), b.Admin, conversations.Question{By: by, From: from, To: to})
			require.NoError(t, err)
			var lines conversations.Figures
			for _, line := range usage.Lines {
				lines = plus(lines, line.Figures)
			}
			total := plus(conversations.Figures{}, usage.Total)
			require.Equal(t, want, lines, "%s, seed %d", by, seed)
			require.Equal(t, want, total, "%s, seed %d", by, seed)
			ever := ledgerSum(calls, "", "9999-12-31")
			require.Equal(t, [3]int64{ever.Calls, ever.PromptTokens, ever.CompletionTokens},
				[3]int64{usage.Ever.Calls, usage.Ever.PromptTokens, usage.Ever.CompletionTokens})
			require.Equal(t, ever.Costs, usage.Ever.Costs, "the sums of the months are those of the calls")
		}
	})
}

// ledgerSum adds calls up in Go, as nobody else does.
func ledgerSum(calls []models.ModelCall, from, to models.Date) (f conversations.Figures) {
	for _, c := range calls {
		if day := models.DateOf(c.StartedAt); day < from || day > to {
			continue
		}
		one := conversations.Figures{Calls: 1}
		if c.ErrorKind != "" {
			one.Errors = 1
		}
		if c.Estimated {
			one.Estimated = 1
		}
		if c.Counted() {
			one.PromptTokens, one.CompletionTokens = *c.PromptTokens, *c.CompletionTokens
		}
		if c.CachedTokens != nil {
			one.CachedTokens = *c.CachedTokens
		}
		if cost := c.Cost(); cost != nil {
			one.Costs = []models.Cost{*cost}
		} else if c.Counted() {
			one.Unpriced = 1
		}
		f = plus(f, one)
	}
	return f
}

func plus(a, b conversations.Figures) conversations.Figures {
	a.Calls, a.Errors, a.Estimated, a.Unpriced = a.Calls+b.Calls, a.Errors+b.Errors, a.Estimated+b.Estimated, a.Unpriced+b.Unpriced
	a.PromptTokens, a.CompletionTokens, a.CachedTokens = a.PromptTokens+b.PromptTokens, a.CompletionTokens+b.CompletionTokens, a.CachedTokens+b.CachedTokens
	for _, cost := range b.Costs {
		if len(a.Costs) == 0 {
			a.Costs = []models.Cost{{Currency: cost.Currency}}
		}
		a.Costs = []models.Cost{{E6: a.Costs[0].E6 + cost.E6, Currency: cost.Currency}}
	}
	return a
}

func TestWhoseUseIsSeen(t *testing.T) {
	account(t, func(t *testing.T, b *books) {
		for i, actor := range []models.Actor{b.Admin, b.Manager, b.Sales1, b.Sales2, b.Sales3} {
			b.call(t, actor, 10*int64(i+1), 1, 0)
		}
		for _, c := range []struct {
			actor models.Actor
			scope rbac.Scope
			names []string
		}{
			{b.Admin, rbac.ScopeAll, []string{"Suki Sales", "Siu Ming 小明", "Sam Sales", "Mei Manager", "Ada Admin"}},
			{b.Manager, rbac.ScopeTeam, []string{"Siu Ming 小明", "Sam Sales", "Mei Manager"}},
			{b.Sales1, rbac.ScopeOwn, []string{"Sam Sales"}},
			{b.Viewer, rbac.ScopeOwn, nil},
		} {
			usage, err := b.Usage(t.Context(), c.actor, conversations.Question{By: store.ByUser})
			require.NoError(t, err)
			var names []string
			for _, line := range usage.Lines {
				names = append(names, line.Name)
			}
			require.Equal(t, c.names, names)
			require.Equal(t, c.scope, usage.Scope)
			require.Equal(t, int64(len(c.names)), usage.Total.Calls)
			require.Equal(t, int64(len(c.names)), usage.Ever.Calls)
		}
	})
}

func TestCostsAreForAdministratorsUnlessTheyShareThem(t *testing.T) {
	account(t, func(t *testing.T, b *books) {
		b.price(t, b.Clock.Now(), 1_000_000, 1_000_000, 1_000_000)
		b.call(t, b.Sales1, 100, 0, 0)
		costs := func(actor models.Actor) []models.Cost {
			usage, err := b.Usage(t.Context(), actor, conversations.Question{})
			require.NoError(t, err)
			require.Equal(t, usage.CostShown, usage.Total.Costs != nil)
			require.Equal(t, usage.CostShown, usage.Lines[0].Costs != nil)
			require.Equal(t, usage.CostShown, usage.Month.Costs != nil)
			return usage.Ever.Costs
		}
		require.Equal(t, []models.Cost{{E6: 100, Currency: "USD"}}, costs(b.Admin))
		require.Empty(t, costs(b.Sales1))
		b.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.PutAIConfig(t.Context(), &models.AIConfig{ID: models.AIConfigID, MaxRounds: 1, ShowCost: true}))
		})
		require.Equal(t, []models.Cost{{E6: 100, Currency: "USD"}}, costs(b.Sales1))
	})
}

func TestFirstTokensAreRanked(t *testing.T) {
	account(t, func(t *testing.T, b *books) {
		for i := range 40 {
			open, err := b.Reserve(t.Context(), b.intent(t, b.Sales1, 1))
			require.NoError(t, err)
			ms := int64(40-i) * 10
			open.Call.FirstTokenMS = &ms
			require.NoError(t, b.Settle(t.Context(), open))
		}
		for _, by := range groupings {
			usage, err := b.Usage(t.Context(), b.Admin, conversations.Question{By: by})
			require.NoError(t, err)
			require.Len(t, usage.Lines, 1)
			for _, f := range []conversations.Figures{usage.Lines[0].Figures, usage.Total} {
				require.Equal(t, int64(200), *f.P50MS)
				require.Equal(t, int64(380), *f.P95MS)
			}
		}
	})
}

func TestPeriods(t *testing.T) {
	account(t, func(t *testing.T, b *books) {
		usage, err := b.Usage(t.Context(), b.Admin, conversations.Question{})
		require.NoError(t, err)
		today := models.DateOf(dbtest.Start)
		require.Equal(t, [2]models.Date{today[:8] + "01", today}, [2]models.Date{usage.From, usage.To})
		require.Empty(t, usage.Lines)
		require.NotNil(t, usage.Lines)
		_, err = b.Usage(t.Context(), b.Admin, conversations.Question{From: "2026-03-02", To: "2026-03-01"})
		require.True(t, apperr.Is(err, apperr.Invalid), "%v", err)

		// 15:59 UTC and 16:00 UTC are two days in Hong Kong.
		day := models.DateOf(b.Clock.Now())
		b.Clock.Advance(day.Start().AddDate(0, 0, 1).Sub(b.Clock.Now()) - time.Minute)
		for range 2 {
			b.call(t, b.Sales1, 1, 1, 0)
			b.Clock.Advance(time.Minute)
		}
		usage, err = b.Usage(t.Context(), b.Admin, conversations.Question{})
		require.NoError(t, err)
		require.Equal(t, []string{string(day), string(models.DateOf(b.Clock.Now()))}, []string{usage.Lines[0].Key, usage.Lines[1].Key}, fmt.Sprint(usage.Lines))
		for _, line := range usage.Lines {
			one, err := b.Usage(t.Context(), b.Admin, conversations.Question{From: models.Date(line.Key), To: models.Date(line.Key)})
			require.NoError(t, err)
			require.Equal(t, int64(1), one.Total.Calls)
		}
	})
}
