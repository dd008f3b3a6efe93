package agent_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/agent"
	"countersign/internal/dbtest"
	"countersign/llm/llmtest"
	"countersign/models"
	"countersign/store"
)

// cardsOf are the proposals of a conversation of sales1.
func (d *desk) cardsOf(t *testing.T, conversation string) []models.Proposal {
	t.Helper()
	list, err := d.proposals.OfConversation(t.Context(), d.Sales1, conversation)
	require.NoError(t, err)
	return list
}

// APR-04: a provider that gives every call the same id still makes a card for each.
func TestAPR04ARepeatedCallIDIsAnotherCard(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		call := func(deal string) llmtest.Answer {
			args := json.RawMessage(fmt.Sprintf(`{"deal":%q,"stage":"Won"}`, deal))
			return llmtest.Answer{Calls: []llmtest.Call{{ID: "call_0", Name: "update_deal_stage", Arguments: args}}}
		}
		endpoint := llmtest.Script(call("Acme renewal"), call("Acme expansion"))
		d := talk(t, db, endpoint)
		first := d.send(t, d.Sales1, agent.Request{Message: "Mark the renewal as won"})
		conversation := only(t, first, "start")["conversationId"].(string)
		d.decide(t, &d.cardsOf(t, conversation)[0], true, "")
		second := d.send(t, d.Sales1, agent.Request{Message: "And the expansion", ConversationID: conversation})
		require.Equal(t, agent.ReasonAwaiting, only(t, second, "done")["reason"])

		cards := d.cardsOf(t, conversation)
		require.Len(t, cards, 2)
		require.Equal(t, models.ProposalExecuted, cards[0].Status)
		require.Equal(t, models.ProposalPending, cards[1].Status, "the click on the first is for the first")
		d.decide(t, &cards[1], true, "")
		require.Equal(t, models.ProposalExecuted, d.cardsOf(t, conversation)[1].Status)
		require.Empty(t, endpoint.Problems())
	})
}

// BAT-04: of two calls of one tool in one message, each ends and has its card.
func TestBAT04TwoCallsOfOneToolBothEnd(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		d := talk(t, db, llmtest.Script(llmtest.CallTool("update_deal", `{"deal":"Acme renewal","title":"Acme one"}`).And(
			llmtest.CallTool("update_deal", `{"deal":"Acme expansion","title":"Acme two"}`))))
		all := d.send(t, d.Sales1, agent.Request{Message: "Rename both"})
		running, shown := map[any]bool{}, 0
		for _, e := range all {
			switch e.Type {
			case "tool_start":
				running[e.Data["callId"]] = true
			case "tool_end":
				require.True(t, running[e.Data["callId"]])
				delete(running, e.Data["callId"])
			case "proposal":
				shown++
			}
		}
		require.Empty(t, running)
		require.Equal(t, 2, shown)
		for _, call := range d.calls(t, only(t, all, "start")["conversationId"].(string)) {
			require.Equal(t, models.CallProposed, call.Status)
		}
	})
}

// calls are the stored ones of the first reply of a conversation of sales1.
func (d *desk) calls(t *testing.T, conversation string) (list []models.ToolCall) {
	t.Helper()
	thread, err := d.conversations.Get(t.Context(), d.Sales1, conversation)
	require.NoError(t, err)
	require.NoError(t, thread.Messages[1].ToolCalls.Into(&list))
	require.Len(t, list, 2)
	return list
}

// HIS-02: what has no room goes in whole turns, so that no call loses its result.
func TestHIS02TheHistoryIsCutBetweenTurns(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		both := llmtest.CallTool("get_deal", `{"deal":"Acme renewal"}`).And(llmtest.CallTool("get_deal", `{"deal":"Acme expansion"}`))
		endpoint := llmtest.Script(both, llmtest.Say(noted), both, llmtest.Say(noted), both, llmtest.Say(noted))
		d := talk(t, db, endpoint)
		conversation := ""
		for _, word := range []string{"甲", "乙", "丙"} {
			all := d.send(t, d.Sales1, agent.Request{Message: strings.Repeat(word, 7_000), ConversationID: conversation})
			conversation = only(t, all, "start")["conversationId"].(string)
		}
		last := endpoint.Requests()[5]
		require.NotContains(t, contents(last), "甲", "the first turn has no room any more")
		require.True(t, strings.HasPrefix(contents(last), "user: 乙"))
		require.Empty(t, endpoint.Problems(), "each call has its result, and each result its call")
	})
}

// STR-05: a turn that nobody follows any more is stopped after a while, and costs nothing from then on.
func TestSTR05ATurnThatNobodyFollowsIsStopped(t *testing.T) {
	t.Parallel()
	d := talk(t, dbtest.Open(t, "sqlite"), llmtest.NewEndpoint())
	d.config.use(silent{})
	id, err := d.Start(t.Context(), d.Sales1, agent.Request{Message: "How is Acme?", Channel: models.ViaWeb})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		turn, err := d.conversations.Turn(t.Context(), d.Sales1, id)
		require.NoError(t, err)
		return turn.Status == models.TurnStopped
	}, time.Minute, time.Second)
}
