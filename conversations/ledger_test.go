package conversations_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/conversations"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/store"
)

// books is the ledger over a small organisation, with a turn for each user.
type books struct {
	*room
	*conversations.Ledger
	turns map[string]models.Turn
}

func account(t *testing.T, fn func(t *testing.T, b *books)) {
	t.Helper()
	each(t, func(t *testing.T, r *room) {
		fn(t, &books{r, conversations.NewLedger(r.DB, r.Gate, r.Clock.Now), map[string]models.Turn{}})
	})
}

// turn is a turn of an actor, the same one each time.
func (b *books) turn(t *testing.T, actor models.Actor) models.Turn {
	t.Helper()
	if turn, ok := b.turns[actor.UserID]; ok {
		return turn
	}
	started, err := b.Start(t.Context(), actor, conversations.Opening{NewID: models.NewID(), Message: "Hello", Channel: models.ViaWeb})
	require.NoError(t, err)
	b.turns[actor.UserID] = started.Turn
	return started.Turn
}

func (b *books) intent(t *testing.T, actor models.Actor, tokens int64) conversations.Intent {
	t.Helper()
	return conversations.Intent{
		Turn: b.turn(t, actor), Channel: models.ViaWeb, Provider: "openai", Model: "m", Round: 1, Attempt: 1, PromptTokens: tokens,
	}
}

// call makes a call that takes so many tokens.
func (b *books) call(t *testing.T, actor models.Actor, prompt, completion, cached int64) models.ModelCall {
	t.Helper()
	open, err := b.Reserve(t.Context(), b.intent(t, actor, prompt+completion))
	require.NoError(t, err)
	open.Call.PromptTokens, open.Call.CompletionTokens, open.Call.CachedTokens, open.Call.Finish = &prompt, &completion, &cached, "stop"
	require.NoError(t, b.Settle(t.Context(), open))
	return open.Call
}

func (b *books) price(t *testing.T, startsAt time.Time, input, output, cached int64) *models.ModelPrice {
	t.Helper()
	p := &models.ModelPrice{
		ID: models.NewID(), Provider: "openai", Model: "m", StartsAt: startsAt, InputE6: input, OutputE6: output, CachedE6: cached, Currency: "USD", CreatedAt: startsAt,
	}
	b.InTx(t, func(tx *store.Tx) { require.NoError(t, tx.InsertModelPrice(t.Context(), p)) })
	return p
}

func (b *books) budget(t *testing.T, scope models.BudgetScope, subject string, unit models.BudgetUnit, amount int64) models.Budget {
	t.Helper()
	budget := models.Budget{ID: models.NewID(), Scope: scope, Subject: subject, Unit: unit, Amount: amount, UpdatedAt: b.Clock.Now()}
	if unit == models.BudgetCost {
		budget.Currency = "USD"
	}
	b.InTx(t, func(tx *store.Tx) { require.NoError(t, tx.PutBudget(t.Context(), &budget)) })
	return budget
}

func (b *books) requireOver(t *testing.T, actor models.Actor, tokens int64, want models.Budget) {
	t.Helper()
	_, err := b.Reserve(t.Context(), b.intent(t, actor, tokens))
	var over *conversations.OverBudget
	require.ErrorAs(t, err, &over)
	require.Equal(t, want.ID, over.ID)
}

func TestCostIsThatOfThePriceAtTheStart(t *testing.T) {
	account(t, func(t *testing.T, b *books) {
		free := b.call(t, b.Sales1, 1000, 100, 0)
		require.Nil(t, free.Cost(), "no price is not a price of nothing")

		old := b.price(t, b.Clock.Now(), 2_500_000, 10_000_000, 1_250_000)
		b.price(t, b.Clock.Now().Add(time.Hour), 1, 1, 1)
		before := b.call(t, b.Sales1, 1000, 100, 400)
		require.Equal(t, &models.Cost{E6: 600*5/2 + 400*5/4 + 100*10, Currency: "USD"}, before.Cost())
		require.Equal(t, old.ID, *before.PriceID)

		b.Clock.Advance(2 * time.Hour)
		after := b.call(t, b.Sales1, 1000, 100, 400)
		require.Equal(t, int64(0), *after.CostE6, "rounded once: 1,100 tokens at a millionth of a dollar a million")
		var stored int64
		require.NoError(t, dbtest.Raw(t, b.DB).QueryRowContext(t.Context(), "SELECT cost_e6 FROM model_calls WHERE id = $1", before.ID).Scan(&stored))
		require.Equal(t, *before.CostE6, stored, "past costs do not change")
	})
}

func TestACallHasOneRowAndItsMonth(t *testing.T) {
	account(t, func(t *testing.T, b *books) {
		open, err := b.Reserve(t.Context(), b.intent(t, b.Sales1, 500))
		require.NoError(t, err)
		ms := int64(40)
		open.Call.FirstTokenMS, open.Call.DurationMS, open.Call.ErrorKind, open.Call.ErrorCode = &ms, 60, "rate_limited", "x"
		require.NoError(t, b.Settle(t.Context(), open))
		require.Error(t, b.Settle(t.Context(), open), "a call is settled once")
		require.Equal(t, "sales", open.Call.Role)

		usage, err := b.Usage(t.Context(), b.Sales1, conversations.Question{})
		require.NoError(t, err)
		require.Equal(t, int64(1), usage.Total.Calls)
		require.Equal(t, int64(1), usage.Total.Errors)
		require.Zero(t, usage.Total.PromptTokens, "nobody counted")
		require.Equal(t, int64(40), *usage.Total.P50MS)
		spent, err := b.Spent(t.Context(), open.Call.ConversationID)
		require.NoError(t, err)
		require.Zero(t, spent)
	})
}

func TestCountsThatCannotBeAreDropped(t *testing.T) {
	account(t, func(t *testing.T, b *books) {
		b.price(t, b.Clock.Now(), 1_000_000, 1_000_000, 1_000_000)
		require.Nil(t, b.call(t, b.Sales1, -5, 10, 0).PromptTokens)
		require.Nil(t, b.call(t, b.Sales1, 1<<60, 10, 0).Cost())
		more := b.call(t, b.Sales1, 10, 10, 99)
		require.Equal(t, int64(10), *more.CachedTokens, "cached tokens are among the others")
		require.Equal(t, int64(20), *more.CostE6)
	})
}

func TestBudgetsOfEveryScope(t *testing.T) {
	account(t, func(t *testing.T, b *books) {
		user := b.budget(t, models.BudgetUser, "", models.BudgetTokens, 1000)
		b.call(t, b.Sales1, 900, 0, 0)
		b.requireOver(t, b.Sales1, 101, user)
		b.call(t, b.Sales2, 1000, 0, 0)
		b.requireOver(t, b.Sales2, 1, user)

		own := b.budget(t, models.BudgetUser, b.Sales1.UserID, models.BudgetTokens, 2000)
		b.call(t, b.Sales1, 1100, 0, 0)
		b.requireOver(t, b.Sales1, 1, own)

		role := b.budget(t, models.BudgetRole, "viewer", models.BudgetTokens, 500)
		b.requireOver(t, b.Viewer, 501, role)
		b.call(t, b.Manager, 600, 0, 0)

		whole := b.budget(t, models.BudgetInstallation, "", models.BudgetTokens, 3700)
		b.requireOver(t, b.Manager, 101, whole)
		b.call(t, b.Manager, 100, 0, 0)
		b.requireOver(t, b.Viewer, 0, whole)
	})
}

func TestABudgetOfMoneyCountsItsCurrency(t *testing.T) {
	account(t, func(t *testing.T, b *books) {
		budget := b.budget(t, models.BudgetInstallation, "", models.BudgetCost, 10_000)
		b.call(t, b.Sales1, 1_000_000, 0, 0)
		b.price(t, b.Clock.Now(), 5_000_000, 0, 0)
		b.call(t, b.Sales1, 1000, 0, 0)
		b.requireOver(t, b.Sales1, 1001, budget)
		b.call(t, b.Sales1, 1000, 0, 0)
		b.requireOver(t, b.Sales2, 1, budget)
	})
}

// The month is that of Hong Kong: it ends at 16:00 UTC.
func TestABudgetStartsAnewWithTheMonth(t *testing.T) {
	account(t, func(t *testing.T, b *books) {
		budget := b.budget(t, models.BudgetUser, "", models.BudgetTokens, 1000)
		end := models.MonthOf(b.Clock.Now()).End()
		require.Equal(t, 16, end.Hour())
		b.Clock.Advance(end.Sub(b.Clock.Now()) - time.Second)
		b.call(t, b.Sales1, 1000, 0, 0)
		_, err := b.Reserve(t.Context(), b.intent(t, b.Sales1, 1))
		var over *conversations.OverBudget
		require.ErrorAs(t, err, &over)
		require.Equal(t, end, over.Resets)
		require.Equal(t, int64(1000), over.Used)
		require.Equal(t, budget.ID, over.ID)
		b.Clock.Advance(time.Second)
		b.call(t, b.Sales1, 1000, 0, 0)
	})
}

func TestNearlyUsedUp(t *testing.T) {
	account(t, func(t *testing.T, b *books) {
		budget := b.budget(t, models.BudgetUser, "", models.BudgetTokens, 1000)
		b.call(t, b.Sales1, 799, 0, 0)
		open, err := b.Reserve(t.Context(), b.intent(t, b.Sales1, 1))
		require.NoError(t, err)
		require.Empty(t, open.Nearly)
		open, err = b.Reserve(t.Context(), b.intent(t, b.Sales1, 1))
		require.NoError(t, err)
		require.Len(t, open.Nearly, 1)
		require.Equal(t, budget.ID, open.Nearly[0].ID)
		require.Equal(t, int64(800), open.Nearly[0].Used)
	})
}

// SEC-78: of twenty calls at the same time, on two replicas, those that the budget has room for go through.
func TestTwentyCallsAndABudgetForThree(t *testing.T) {
	account(t, func(t *testing.T, b *books) {
		b.budget(t, models.BudgetUser, "", models.BudgetTokens, 3000)
		intent := b.intent(t, b.Sales1, 1000)
		replica := conversations.NewLedger(dbtest.Again(t, b.DB), b.Gate, b.Clock.Now)
		var through, refused atomic.Int32
		var calls sync.WaitGroup
		for i := range 20 {
			ledger := b.Ledger
			if i%2 == 1 {
				ledger = replica
			}
			calls.Go(func() {
				_, err := ledger.Reserve(t.Context(), intent)
				var over *conversations.OverBudget
				switch {
				case err == nil:
					through.Add(1)
				case errors.As(err, &over):
					refused.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		calls.Wait()
		require.Equal(t, int32(3), through.Load())
		require.Equal(t, int32(17), refused.Load())
	})
}

func TestReservationsEndWithTheirCallOrTheirProcess(t *testing.T) {
	account(t, func(t *testing.T, b *books) {
		budget := b.budget(t, models.BudgetUser, "", models.BudgetTokens, 1000)
		open, err := b.Reserve(t.Context(), b.intent(t, b.Sales1, 1000))
		require.NoError(t, err)
		b.requireOver(t, b.Sales1, 1, budget)
		few, none := int64(10), int64(0)
		open.Call.PromptTokens, open.Call.CompletionTokens = &few, &none
		require.NoError(t, b.Settle(t.Context(), open))
		_, err = b.Reserve(t.Context(), b.intent(t, b.Sales1, 990))
		require.NoError(t, err, "what was not used is given back")
		b.requireOver(t, b.Sales1, 1, budget)
		b.Clock.Advance(6 * time.Minute)
		_, err = b.Reserve(t.Context(), b.intent(t, b.Sales1, 990))
		require.NoError(t, err, "nobody settled the last one")
		var left int
		require.NoError(t, dbtest.Raw(t, b.DB).QueryRowContext(t.Context(), "SELECT COUNT(*) FROM budget_reservations").Scan(&left))
		require.Equal(t, 1, left)
	})
}

func TestTheLedgerIsForActiveUsers(t *testing.T) {
	account(t, func(t *testing.T, b *books) {
		intent := b.intent(t, b.Sales1, 1)
		for _, user := range []string{"", models.NewID(), b.Disabled.UserID} {
			intent.Turn.UserID = user
			_, err := b.Reserve(t.Context(), intent)
			require.True(t, apperr.Is(err, apperr.Unauthenticated), "%v", err)
		}
		for _, actor := range []models.Actor{{}, b.Disabled} {
			_, err := b.Usage(t.Context(), actor, conversations.Question{})
			require.True(t, apperr.Is(err, apperr.Unauthenticated), "%v", err)
			_, err = b.ShowsCost(t.Context(), actor)
			require.True(t, apperr.Is(err, apperr.Unauthenticated), "%v", err)
		}
	})
}
