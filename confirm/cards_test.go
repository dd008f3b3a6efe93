package confirm_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/conversations"
	"countersign/crm"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/proposals"
	"countersign/tools"
)

// cards are n deals of Sales1, each with a card that waits to move it from the first stage to the next. A conversation has
// as many of them as may wait there.
func (o *office) cards(t testing.TB, n int) []models.Proposal {
	t.Helper()
	const clerks = 8
	cards := make([]models.Proposal, n)
	threads := make([]string, 1+n/proposals.MaxOpen)
	for i := range threads {
		s, err := o.conversations.Start(t.Context(), o.Sales1, conversations.Opening{NewID: models.NewID(), Message: "/help", Channel: models.ViaWeb})
		require.NoError(t, err)
		threads[i] = s.Turn.ConversationID
	}
	var all sync.WaitGroup
	for clerk := range clerks {
		all.Go(func() {
			for i := clerk; i < n; i += clerks {
				cards[i] = o.card(t, fmt.Sprintf("Shipment %d", i), threads[i%len(threads)])
			}
		})
	}
	all.Wait()
	return cards
}

func (o *office) card(t testing.TB, title, conversationID string) models.Proposal {
	t.Helper()
	const tool = "update_deal_stage"
	deal, err := o.deals.Create(t.Context(), o.Sales1, crm.DealInput{Title: title, StageID: o.New.ID})
	require.NoError(t, err)
	args := models.ToJSON(map[string]string{"deal": deal.ID, "stage": o.Proposal.ID})
	draft, err := tools.NewPerformer(o.registry, o.Gate).Prepare(t.Context(), o.Sales1, tool, args)
	require.NoError(t, err)
	p, err := o.proposals.Create(t.Context(), o.Sales1, draft, proposals.Origin{Tool: tool, ConversationID: conversationID, Channel: models.ViaWeb})
	require.NoError(t, err)
	return *p
}

// trace is all that a card of [office.cards] and its confirmation leave behind.
type trace struct {
	status                                                  models.ProposalStatus
	version, history, moves, writes, confirms, told, denied int
}

// Nothing has come of a card, or all of it has, once.
var (
	untouched = trace{status: models.ProposalPending, version: 1}
	doneOnce  = trace{status: models.ProposalExecuted, version: 2, history: 1, moves: 1, writes: 1, confirms: 1, told: 1}
)

const traces = `SELECT p.id, p.status, d.version,
	(SELECT COUNT(*) FROM field_changes WHERE record_id = d.id AND field = 'stageId' AND proposal_id = p.id),
	(SELECT COUNT(*) FROM activities WHERE deal_id = d.id),
	(SELECT COUNT(*) FROM audit_entries WHERE target_id = d.id AND action = 'deal:update' AND decision = 'allowed'),
	(SELECT COUNT(*) FROM audit_entries WHERE target_id = d.id AND action = 'proposal:confirm' AND decision = 'allowed'),
	(SELECT COUNT(*) FROM messages WHERE conversation_id = p.conversation_id AND content = '"' || d.title || '" is now in the stage "Proposal".'),
	(SELECT COUNT(*) FROM audit_entries WHERE target_id IN (d.id, p.id) AND decision NOT IN ('allowed', 'proposed'))
	FROM proposals p JOIN deals d ON d.id = p.target_id`

// traces are those of all cards, by the id of the card. It leaves no connection behind.
func (o *office) traces(t testing.TB) map[string]trace {
	t.Helper()
	raw := dbtest.Raw(t, o.DB)
	defer func() { _ = raw.Close() }()
	rows, err := raw.QueryContext(t.Context(), traces)
	require.NoError(t, err)
	defer func() { _ = rows.Close() }()
	all := map[string]trace{}
	for rows.Next() {
		var id string
		var s trace
		require.NoError(t, rows.Scan(&id, &s.status, &s.version, &s.history, &s.moves, &s.writes, &s.confirms, &s.told, &s.denied))
		all[id] = s
	}
	require.NoError(t, rows.Err())
	return all
}
