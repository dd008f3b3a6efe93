package conversations_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/conversations"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// attempt makes an attempt at a call in a turn, on which something is said.
func (b *books) attempt(t *testing.T, turn models.Turn, number int, said string) {
	t.Helper()
	i := conversations.Intent{Turn: turn, Channel: models.ViaWeb, Provider: "openai", Model: "m", Round: 1, Attempt: number}
	open, err := b.Reserve(t.Context(), i)
	require.NoError(t, err)
	tokens := int64(1000)
	open.Call.PromptTokens, open.Call.CompletionTokens = &tokens, &tokens
	open.Texts = &models.CallTexts{Request: models.CallRequest{System: said}, Answer: models.CallAnswer{Text: said}}
	require.NoError(t, b.Settle(t.Context(), open))
}

func (b *books) openings(t *testing.T) (entries []models.AuditEntry) {
	t.Helper()
	b.View(t, func(r *store.Reader) {
		list, err := r.AuditEntries(t.Context(), b.Grant(t, b.Admin, rbac.AuditRead), store.AuditFilter{Action: conversations.ActionInspect}, store.Page{})
		require.NoError(t, err)
		entries = list.Items
	})
	return entries
}

func TestOpeningATurnIsRecorded(t *testing.T) {
	account(t, func(t *testing.T, b *books) {
		turn := b.turn(t, b.Sales1)
		b.attempt(t, turn, 1, "first")
		b.attempt(t, turn, 2, "second")
		for opened := 1; opened <= 2; opened++ {
			i, err := b.Inspect(t.Context(), b.Admin, turn.ID)
			require.NoError(t, err)
			require.Equal(t, []any{"Hello", "Sam Sales", models.ViaWeb, models.TurnRunning}, []any{i.Message, i.UserName, i.Channel, i.Status})
			require.Equal(t, []string{"first", "second"}, []string{i.ModelCalls[0].Answer.Text, i.ModelCalls[1].Request.System})
			require.Len(t, b.openings(t), opened)
		}
		entry := b.openings(t)[0]
		require.Equal(t, []any{b.Admin.UserID, models.TypeConversation, turn.ConversationID}, []any{*entry.ActorID, entry.TargetType, entry.TargetID})
		require.JSONEq(t, `{"turnId":"`+turn.ID+`","userId":"`+b.Sales1.UserID+`"}`, string(entry.Detail))

		_, err := b.Inspect(t.Context(), b.Admin, models.NewID())
		require.True(t, apperr.Is(err, apperr.NotFound))
		for _, other := range []models.Actor{b.Sales1, b.Manager, b.Viewer} {
			_, err = b.Inspect(t.Context(), other, turn.ID)
			require.True(t, apperr.Is(err, apperr.Forbidden), "not even one's own")
			_, err = b.Turns(t.Context(), other, store.TurnFilter{}, store.Page{})
			require.True(t, apperr.Is(err, apperr.Forbidden))
		}
		require.Len(t, b.openings(t), 2)
	})
}

func TestTurnsAreListedWithWhatTheyTook(t *testing.T) {
	account(t, func(t *testing.T, b *books) {
		b.price(t, b.Clock.Now(), 1_000_000, 1_000_000, 1_000_000)
		first := b.turn(t, b.Sales1)
		b.attempt(t, first, 1, "a")
		b.attempt(t, first, 2, "b")
		b.Clock.Advance(time.Minute)
		between := b.Clock.Now()
		second := b.turn(t, b.Sales2)
		b.Clock.Advance(time.Second)
		second.Status, second.Code = models.TurnFailed, "MODEL_BUSY"
		ended := b.Clock.Now()
		second.EndedAt = &ended
		b.InTx(t, func(tx *store.Tx) { require.NoError(t, tx.EndTurn(t.Context(), &second)) })

		ids := func(f store.TurnFilter) (ids []string) {
			list, err := b.Turns(t.Context(), b.Admin, f, store.Page{})
			require.NoError(t, err)
			for _, line := range list.Items {
				ids = append(ids, line.ID)
			}
			require.EqualValues(t, len(ids), list.Total)
			return ids
		}
		require.Equal(t, []string{second.ID, first.ID}, ids(store.TurnFilter{}), "the newest first")
		require.Equal(t, []string{first.ID}, ids(store.TurnFilter{UserID: b.Sales1.UserID}))
		require.Equal(t, []string{second.ID}, ids(store.TurnFilter{Status: models.TurnFailed}))
		require.Equal(t, []string{first.ID}, ids(store.TurnFilter{Model: "openai/m"}))
		require.Equal(t, []string{second.ID}, ids(store.TurnFilter{From: &between}))
		require.Equal(t, []string{first.ID}, ids(store.TurnFilter{To: &between}))

		page, err := b.Turns(t.Context(), b.Admin, store.TurnFilter{}, store.Page{Limit: 1})
		require.NoError(t, err)
		require.Equal(t, "MODEL_BUSY", page.Items[0].Code)
		require.Equal(t, int64(1000), *page.Items[0].DurationMS)
		require.Empty(t, page.Items[0].Model)
		page, err = b.Turns(t.Context(), b.Admin, store.TurnFilter{}, store.Page{Limit: 1, Cursor: page.Next})
		require.NoError(t, err)
		line := page.Items[0]
		require.Equal(t, []int64{2, 1, 1, 2000, 2000}, []int64{line.Calls, line.Rounds, line.Retries, line.PromptTokens, line.CompletionTokens})
		require.Equal(t, []models.Cost{{E6: 4000, Currency: "USD"}}, line.Costs)
		require.Equal(t, "openai/m", line.Model)
		require.Nil(t, line.DurationMS, "it runs")
		require.Empty(t, page.Next)
	})
}

func TestOldTextsAreRemoved(t *testing.T) {
	account(t, func(t *testing.T, b *books) {
		turn := b.turn(t, b.Sales1)
		b.attempt(t, turn, 1, "old")
		b.Clock.Advance(24 * time.Hour)
		b.attempt(t, turn, 2, "new")
		b.Clock.Advance(29*24*time.Hour + time.Microsecond)
		require.NoError(t, b.RemoveOldTexts(t.Context()))
		i, err := b.Inspect(t.Context(), b.Admin, turn.ID)
		require.NoError(t, err)
		require.Nil(t, i.ModelCalls[0].Request)
		require.Nil(t, i.ModelCalls[0].Answer)
		require.Equal(t, "new", i.ModelCalls[1].Answer.Text)
		require.EqualValues(t, 2000, i.PromptTokens, "what it took stays")
	})
}
