package agent_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/agent"
	"countersign/apperr"
	"countersign/internal/dbtest"
	"countersign/llm/llmtest"
	"countersign/models"
	"countersign/store"
)

// The whole answer of a turn is what its events tell, whatever way the turn goes.
func TestAnswerIsTheSameTurn(t *testing.T) {
	t.Parallel()
	scripts := map[string]func() *llmtest.Endpoint{
		"looks up and answers": func() *llmtest.Endpoint {
			return llmtest.Script(
				llmtest.Say("Let me see.").And(llmtest.CallTool("get_deal", `{"deal":"Acme renewal"}`)).Costs(100, 10),
				llmtest.Say("It is ", "new.").Costs(50, 5),
			)
		},
		"proposes": func() *llmtest.Endpoint {
			return llmtest.Script(llmtest.CallTool("update_deal_stage", `{"deal":"Acme renewal","stage":"Won"}`))
		},
		"fails": func() *llmtest.Endpoint {
			return llmtest.NewEndpoint(llmtest.Refuse(http.StatusUnauthorized, `{"error":{"message":"no"}}`))
		},
	}
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dbtest.Each(t, func(t *testing.T, db *store.DB) {
				request := agent.Request{Message: "The Acme renewal: what of it?", Channel: models.ViaWeb}
				d := talk(t, db, script())
				reply, err := d.Answer(t.Context(), d.Sales1, request)
				require.NoError(t, err)
				all := d.events(t, d.Sales1, reply.TurnID, 0)
				require.Equal(t, texts(all), reply.Text)
				start, end := all[0].Data, all[len(all)-1].Data
				require.Equal(t, []any{start["conversationId"], start["messageId"]}, []any{reply.ConversationID, reply.MessageID})
				require.Len(t, reply.Calls, count(all, "tool_end"))
				require.Len(t, reply.Proposals, count(all, "proposal"))
				if reply.Failure != nil {
					require.Equal(t, []any{end["code"], end["message"], end["retryable"]}, []any{reply.Failure.Code, reply.Failure.Message, reply.Failure.Retryable})
					return
				}
				require.Equal(t, end["reason"], reply.Reason)
				require.EqualValues(t, end["usage"].(map[string]any)["promptTokens"], reply.Usage.PromptTokens)
				for i, e := range ofType(all, "tool_end") {
					require.Equal(t, []any{e["name"], e["status"], e["summary"]}, []any{reply.Calls[i].Name, string(reply.Calls[i].Status), reply.Calls[i].Summary})
				}
			})
		})
	}
}

func ofType(all []event, name string) (found []map[string]any) {
	for _, e := range all {
		if e.Type == name {
			found = append(found, e.Data)
		}
	}
	return found
}

func count(all []event, name string) int { return len(ofType(all, name)) }

func TestAnswerRefusesAsStartDoes(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		d := talk(t, db, llmtest.NewEndpoint())
		_, err := d.Answer(t.Context(), d.Sales1, agent.Request{Message: " "})
		require.True(t, apperr.Is(err, apperr.Invalid))
	})
}
