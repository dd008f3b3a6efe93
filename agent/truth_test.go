package agent_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/agent"
	"countersign/internal/dbtest"
	"countersign/llm/llmtest"
	"countersign/models"
	"countersign/store"
)

func lookUp() llmtest.Answer { return llmtest.CallTool("get_deal", `{"deal":"Acme renewal"}`) }

func TestAFigureWithoutASourceIsToldAndKept(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		amount := "HK$" + dbtest.NewWorld(t, db2(t, db)).AcmeRenewal.Amount().Amount()
		endpoint := llmtest.Script(
			lookUp(), llmtest.Say("商機是 "+amount+"，", "即 HK$98,765,432 的 12.34%。"),
			llmtest.Say("It is "+amount+", as I said."), llmtest.Say("It is HK$98,765,432."), llmtest.Say("So HK$55,555,555?"),
		)
		d := talk(t, db, endpoint)
		all := d.send(t, d.Sales1, agent.Request{Message: "How is the Acme renewal?"})
		conversation := only(t, all, "start")["conversationId"].(string)
		want := models.Notice{
			Code: agent.CodeUnverified, Text: "Unverified, no result in this conversation gives: HK$98,765,432, 12.34%. Check before you rely on it.",
		}
		text := []rune(texts(all))
		for _, figure := range []string{"HK$98,765,432", "12.34%"} {
			start := len([]rune(texts(all)[:indexOf(t, texts(all), figure)]))
			want.Marks = append(want.Marks, models.Mark{Start: start, End: start + len(figure), Text: figure})
			require.Equal(t, figure, string(text[start:start+len(figure)]))
		}
		require.Equal(t, []models.Notice{want}, d.notices(t, d.Sales1, conversation))
		told := only(t, all, "notice")
		require.Equal(t, want.Text, told["text"])
		require.Len(t, told["marks"], 2, "a client can mark them while it reads")
		require.NotContains(t, texts(all), "Unverified", "what can be marked is not said")

		again := agent.Request{Message: "Again?", ConversationID: conversation}
		require.NotContains(t, types(d.send(t, d.Sales1, again)), "notice", "an earlier turn looked it up")
		require.Contains(t, types(d.send(t, d.Sales1, again)), "notice", "what the model has said is no source")
		again.Message = "I think it is HK$55,555,555"
		require.NotContains(t, types(d.send(t, d.Sales1, again)), "notice", "what the person has said is one")
		require.Len(t, endpoint.Requests(), 5, "no more calls than before")
	})
}

func indexOf(t *testing.T, text, part string) int {
	t.Helper()
	for i := range text {
		if len(text[i:]) >= len(part) && text[i:i+len(part)] == part {
			return i
		}
	}
	require.Fail(t, "not found", part)
	return 0
}

func TestWhereNothingCanBeMarkedTheModelCorrects(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		wrong := llmtest.Say("It is HK$98,765,432.")
		ask := func(answers ...llmtest.Reply) (*agent.Reply, *desk, *llmtest.Endpoint) {
			endpoint := llmtest.NewEndpoint(append([]llmtest.Reply{lookUp().Reply(), wrong.Reply()}, answers...)...)
			d := talk(t, db2(t, db), endpoint)
			reply, err := d.Answer(t.Context(), d.Sales1, agent.Request{Message: "How is the Acme renewal?", Channel: models.ViaWhatsApp})
			require.NoError(t, err)
			require.Nil(t, reply.Failure)
			require.Equal(t, agent.ReasonStop, reply.Reason)
			thread, err := d.conversations.Get(t.Context(), d.Sales1, reply.ConversationID)
			require.NoError(t, err)
			require.Equal(t, reply.Text, thread.Messages[1].Content, "what is stored is what was sent")
			require.Len(t, endpoint.Requests(), 3)
			require.Contains(t, string(endpoint.Requests()[2].Raw), "HK$98,765,432. Give the whole answer again")
			require.Equal(t, "none", endpoint.Requests()[2].ToolChoice)
			return reply, d, endpoint
		}
		reply, _, _ := ask(llmtest.Say("It is in stage New.").Reply())
		require.Equal(t, "It is in stage New.", reply.Text)
		require.Empty(t, reply.Notices)

		warning := "\n\n⚠️ Unverified, no result in this conversation gives: %s. Check before you rely on it."
		reply, _, _ = ask(llmtest.Say("It is HK$7,654,321.").Reply())
		require.Equal(t, "It is HK$7,654,321."+fmt.Sprintf(warning, "HK$7,654,321"), reply.Text)
		require.Equal(t, agent.CodeUnverified, reply.Notices[0].Code)

		reply, _, _ = ask(llmtest.Refuse(401, `{"error":{"message":"no"}}`))
		require.Equal(t, "It is HK$98,765,432."+fmt.Sprintf(warning, "HK$98,765,432"), reply.Text, "an answer is not lost")
		reply, _, _ = ask(lookUp().Reply())
		require.Equal(t, "It is HK$98,765,432."+fmt.Sprintf(warning, "HK$98,765,432"), reply.Text, "it only speaks")
	})
}

func TestAllNoticesOfATurnAreKept(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		endpoint := llmtest.NewEndpoint()
		for range 8 {
			endpoint.Add(llmtest.CallTool("search_records", `{"query":"acme"}`).Reply())
		}
		endpoint.Add(llmtest.Say("There are 98,765 records.").Reply())
		d := talk(t, db, endpoint)
		all := d.send(t, d.Sales1, agent.Request{Message: "Search for acme again and again"})
		kept := d.notices(t, d.Sales1, only(t, all, "start")["conversationId"].(string))
		require.Len(t, kept, 2)
		require.Equal(t, []string{agent.CodeUnverified, "CUT_SHORT"}, []string{kept[0].Code, kept[1].Code})
	})
}

// TestOnlyReturnedRecordsMayBeLinked: a client links what the refs of a message name, and nothing else.
func TestOnlyReturnedRecordsMayBeLinked(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		d := talk(t, db, llmtest.NewEndpoint())
		link := func(id string) string { return "[it](/deals/" + id + ")" }
		endpoint := llmtest.Script(
			lookUp(), llmtest.Say("See "+link(d.AcmeRenewal.ID)),
			llmtest.Say("See "+link(d.AcmeRenewal.ID)+", "+link(d.HarbourRollout.ID)+" and "+link(models.NewID())),
			llmtest.Say("Nothing to see."), llmtest.Say("See "+link(d.AcmeRenewal.ID)),
		)
		d.config.use(modelAt(llmtest.Start(t, endpoint), db))
		refs := func(conversation string) (conversationID string, list []models.Ref) {
			all := d.send(t, d.Sales1, agent.Request{Message: "Show me", ConversationID: conversation})
			conversation = only(t, all, "start")["conversationId"].(string)
			thread, err := d.conversations.Get(t.Context(), d.Sales1, conversation)
			require.NoError(t, err)
			require.NoError(t, thread.Messages[len(thread.Messages)-1].Refs.Into(&list))
			told := []models.Ref{}
			for _, e := range all {
				if e.Type == "records" {
					var event struct{ Refs []models.Ref }
					require.NoError(t, models.ToJSON(e.Data).Into(&event))
					told = append(told, event.Refs...)
				}
			}
			require.Equal(t, list, told)
			return conversation, list
		}
		renewal := []models.Ref{{Type: models.TypeDeal, ID: d.AcmeRenewal.ID, Name: d.AcmeRenewal.Title}}
		conversation, list := refs("")
		require.Subset(t, list, renewal)
		_, list = refs(conversation)
		require.Equal(t, renewal, list, "what an earlier turn returned may be linked, what the model made up may not")
		_, list = refs(conversation)
		require.Empty(t, list)
		_, list = refs("")
		require.Empty(t, list, "another conversation has returned nothing")
	})
}
