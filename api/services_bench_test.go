package api_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/audit"
	"countersign/conversations"
	"countersign/internal/apitest"
	"countersign/models"
	"countersign/rbac"
	"countersign/resolve"
	"countersign/store"
)

// runServices makes the calls of services that a turn of one look-up makes, and so its SQL, in its order.
func runServices(b *testing.B, s *apitest.Server) {
	b.Helper()
	v, actor, ctx := s.Services, s.Sales1, b.Context()
	for b.Loop() {
		_, err := v.Gate.Authorize(ctx, actor, rbac.AssistantUse)
		require.NoError(b, err)
		started, err := v.Conversations.Start(ctx, actor, conversations.Opening{
			NewID: models.NewID(), Message: "How is the Acme renewal going?", Channel: models.ViaWeb, Fence: 1,
		})
		require.NoError(b, err)
		_, err = v.Conversations.Get(ctx, actor, started.Turn.ConversationID)
		require.NoError(b, err)
		_, err = v.Tools.Offered(ctx, v.Gate, actor)
		require.NoError(b, err)
		callModel(b, s, started.Turn)
		lookUp(ctx, b, s, actor)
		require.NoError(b, v.Conversations.SaveReply(ctx, &started.Reply))
		callModel(b, s, started.Turn)
		started.Turn.Status, started.Reply.Status = models.TurnDone, models.MessageComplete
		require.NoError(b, v.Conversations.End(ctx, &started.Turn, &started.Reply))
		_, err = v.Conversations.Turn(ctx, actor, started.Turn.ID)
		require.NoError(b, err)
	}
}

// callModel keeps account of a call to the model.
func callModel(b *testing.B, s *apitest.Server, turn models.Turn) {
	b.Helper()
	open, err := s.Services.Ledger.Reserve(b.Context(), conversations.Intent{Turn: turn, Channel: models.ViaWeb, Provider: "openai", Model: "bench", Round: 1, Attempt: 1})
	require.NoError(b, err)
	prompt, completion := int64(1000), int64(100)
	open.Call.PromptTokens, open.Call.CompletionTokens = &prompt, &completion
	require.NoError(b, s.Services.Ledger.Settle(b.Context(), open))
}

// lookUp is the tool call of the turn, with its entry in the record.
func lookUp(ctx context.Context, b *testing.B, s *apitest.Server, actor models.Actor) {
	b.Helper()
	v := s.Services
	_, err := v.Gate.Authorize(ctx, actor, rbac.DealRead)
	require.NoError(b, err)
	match, err := v.Resolver.Resolve(ctx, actor, resolve.Query{Kind: models.TypeDeal, Text: "Acme renewal"})
	require.NoError(b, err)
	_, err = v.Deals.Get(ctx, actor, match.Ref.ID)
	require.NoError(b, err)
	err = v.Runner.InTx(ctx, func(tx *store.Tx) error {
		return audit.Write(ctx, tx, actor, s.Clock.Now(), audit.Entry{
			Action: "tool:get_deal", Target: match.Ref, Decision: models.DecisionAllowed, Detail: map[string]any{"args": map[string]string{"deal": "Acme renewal"}},
		})
	})
	require.NoError(b, err)
}
