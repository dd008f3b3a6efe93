package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/agent"
	"countersign/internal/dbtest"
	"countersign/llm/llmtest"
	"countersign/store"
)

// SEC-14: of a model that never has enough 20 calls run. Each one more is refused, and asking for the same again ends
// the turn before its 8 rounds are over.
func TestSEC14ALoopingModelIsStopped(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		victim := &llmtest.Victim{Repeat: true}
		d := talk(t, db, victim)
		var loop strings.Builder
		for i := range 5 {
			fmt.Fprintf(&loop, `⟦DO list_pipelines {}⟧ ⟦DO search_records {"query":"Acme %d"}⟧`, i)
		}
		all := d.send(t, d.Sales1, agent.Request{Message: "Look. " + loop.String()})
		require.Equal(t, agent.ReasonStop, only(t, all, "done")["reason"])
		require.Less(t, len(victim.Take()), 9)
		ran := 0
		for _, e := range all {
			if e.Type == "tool_end" && e.Data["status"] == "ok" {
				ran++
			}
		}
		require.Equal(t, 20, ran)
	})
}

// SEC-13: what a role loses in the middle of a conversation is gone with the next message.
func TestSEC13ARoleChangesMidConversation(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		victim := &llmtest.Victim{}
		d := talk(t, db, victim)
		d.send(t, d.Sales1, agent.Request{Message: `⟦DO get_deal {"deal":"Acme renewal"}⟧`})
		require.Contains(t, string(victim.Take()[0].Raw), `"name":"update_deal_stage"`)
		raw := dbtest.Raw(t, db)
		for _, statement := range []string{
			`DELETE FROM role_permissions WHERE role_slug = 'sales' AND permission IN ('deal:update', 'deal:read')`,
			`UPDATE policy_state SET version = version + 1`,
		} {
			_, err := raw.ExecContext(t.Context(), statement)
			require.NoError(t, err)
		}
		all := d.send(t, d.Sales1, agent.Request{
			ConversationID: onlyThread(t, d).ID, Message: fmt.Sprintf(`⟦DO update_deal_stage {"deal":%q,"stage":"Won"}⟧`, d.AcmeRenewal.ID),
		})
		for _, e := range all {
			require.NotEqual(t, "proposal", e.Type)
			require.False(t, e.Type == "tool_end" && e.Data["status"] != "failed", "%v", e.Data)
		}
		require.NotContains(t, string(victim.Take()[0].Raw), `"name":"update_deal_stage"`)
	})
}
