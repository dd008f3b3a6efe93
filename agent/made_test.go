package agent_test

import (
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

// HIS-08: a model reads again the very bytes that ran, and a person sees them masked.
func TestHIS08TheArgumentsThatRanAreReadAgain(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		made := []string{
			`{"name": "Ann Lee",  "company":"Acme", "email":"ann@acme.test", "phone":"+852 2345 6789"}`,
			fmt.Sprintf(`{"title":"Ring Ann","details":%q}`, strings.Repeat("long ", 900)),
		}
		endpoint := llmtest.Script(
			llmtest.CallTool("create_contact", made[0]).And(llmtest.CallTool("create_task", made[1])), llmtest.Say("Done."), llmtest.Say("As I said."),
		)
		d := talk(t, db, endpoint)
		first := d.send(t, d.Sales1, agent.Request{Message: "Add Ann"})
		thread, err := d.conversations.Get(t.Context(), d.Sales1, onlyThread(t, d).ID)
		require.NoError(t, err)
		d.send(t, d.Sales1, agent.Request{Message: "And what else?", ConversationID: thread.ID})

		ran := argumentsIn(endpoint.Requests()[1])
		require.Len(t, ran, 2)
		require.JSONEq(t, made[0], ran[0])
		require.Equal(t, ran, argumentsIn(endpoint.Requests()[2]))
		require.NotContains(t, string(models.ToJSON(first)), "ann@acme.test\",\"phone\":\"+852 2345 6789", "the person's stream is masked")
		var shown []models.ToolCall
		require.NoError(t, thread.Messages[1].ToolCalls.Into(&shown))
		require.NotContains(t, string(shown[0].Args), "ann@acme.test")
	})
}

// What a model wrote while it could see personal data stays away from one that may not; what it wrote after that was
// its own or the person's, and is read again as it is.
func TestArgumentsOfASightedModelAreMaskedLater(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		endpoint := llmtest.Script(
			llmtest.CallTool("create_task", `{"title":"ring 9555 1111"}`), llmtest.Say("Done."),
			llmtest.CallTool("create_task", `{"title":"ring 9555 2222"}`), llmtest.Say("Done."), llmtest.Say("Two of them."),
		)
		d := talk(t, db, endpoint)
		d.send(t, d.Manager, agent.Request{Message: "Remind me to ring them"})
		conversation, err := d.conversations.List(t.Context(), d.Manager, "", store.Page{Limit: 1})
		require.NoError(t, err)
		revokePersonal(t, db, "manager")
		for _, message := range []string{"Now remind me to ring 9555 2222", "What did you do?"} {
			d.Clock.Advance(time.Minute)
			d.send(t, d.Manager, agent.Request{Message: message, ConversationID: conversation.Items[0].ID})
		}
		require.Equal(t, []string{`{"title":"ring ••••••"}`, `{"title":"ring 9555 2222"}`}, argumentsIn(endpoint.Requests()[4]))
	})
}

func argumentsIn(request llmtest.Request) (made []string) {
	for _, m := range request.Messages {
		for _, call := range m.ToolCalls {
			made = append(made, call.Function.Arguments)
		}
	}
	return made
}

// revokePersonal takes the right to see personal data from a role.
func revokePersonal(t *testing.T, db *store.DB, role string) {
	t.Helper()
	raw := dbtest.Raw(t, db)
	for _, query := range []string{
		fmt.Sprintf("DELETE FROM role_permissions WHERE permission = 'contact:pii' AND role_slug = '%s'", role), "UPDATE policy_state SET version = version + 1",
	} {
		_, err := raw.ExecContext(t.Context(), query)
		require.NoError(t, err)
	}
}
