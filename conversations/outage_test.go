package conversations_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/conversations"
	"countersign/models"
	"countersign/store"
)

// fails makes a call that ends as told, and gives when it began.
func (b *books) fails(t *testing.T, kind, finish string) time.Time {
	t.Helper()
	b.Clock.Advance(time.Minute)
	open, err := b.Reserve(t.Context(), b.intent(t, b.Sales1, 10))
	require.NoError(t, err)
	open.Call.ErrorKind, open.Call.Finish = kind, finish
	require.NoError(t, b.Settle(t.Context(), open))
	return open.Call.StartedAt
}

func (b *books) endTurn(t *testing.T, actor models.Actor) {
	t.Helper()
	turn := b.turn(t, actor)
	now := b.Clock.Now()
	turn.Status, turn.EndedAt = models.TurnFailed, &now
	b.InTx(t, func(tx *store.Tx) { require.NoError(t, tx.EndTurn(t.Context(), &turn)) })
}

func TestOutage(t *testing.T) {
	account(t, func(t *testing.T, b *books) {
		outage := func() *conversations.Outage {
			o, err := b.Outage(t.Context(), []string{"timeout", "unauthorized"})
			require.NoError(t, err)
			return o
		}
		b.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.PutAIConfig(t.Context(), &models.AIConfig{ID: models.AIConfigID, Provider: "openai", Model: "m", MaxRounds: 8, UpdatedAt: b.Clock.Now()}))
		})
		require.Nil(t, outage(), "nothing was called yet")
		began := b.fails(t, "timeout", "")
		require.Nil(t, outage(), "the turn still tries")
		b.endTurn(t, b.Sales1)
		require.Equal(t, began, outage().Since)
		b.fails(t, "unauthorized", "")
		require.Equal(t, began, outage().Since, "it goes on")
		require.Equal(t, "unauthorized", outage().Last.ErrorKind)
		b.fails(t, "", models.FinishStopped)
		require.NotNil(t, outage(), "a call that was stopped before its first word says nothing")
		b.fails(t, "content_filter", "")
		require.Nil(t, outage(), "it answers, if not this message")
		b.fails(t, "", "stop")
		require.Nil(t, outage())
		again := b.fails(t, "timeout", "")
		require.Equal(t, again, outage().Since, "a new outage begins anew")
	})
}
