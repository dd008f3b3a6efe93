package agent_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/agent"
	"countersign/crm"
	"countersign/events"
	"countersign/internal/dbtest"
	"countersign/llm"
	"countersign/llm/anthropic"
	"countersign/llm/llmtest"
	"countersign/llm/openai"
	"countersign/models"
	"countersign/store"
)

// talk is a desk with a model behind a scripted endpoint.
func talk(t *testing.T, db *store.DB, endpoint http.Handler) *desk {
	t.Helper()
	backend := events.NewMemory(events.Options{})
	t.Cleanup(func() { require.NoError(t, backend.Close()) })
	d := newDesk(t, db, backend)
	d.config.use(modelAt(llmtest.Start(t, endpoint), db))
	return d
}

// modelAt is a model at an endpoint of llmtest. The two dialects of models go with the two databases, so that
// every turn is tried in both.
func modelAt(base string, db *store.DB) llm.Model {
	if speaksMessages(db) {
		return anthropic.New(llmtest.Options(strings.TrimSuffix(base, "/v1")))
	}
	return openai.New(llmtest.Options(base))
}

func speaksMessages(db *store.DB) bool { return db.Dialect() == "postgres" }

func texts(all []event) string {
	var b strings.Builder
	for _, e := range all {
		switch e.Type {
		case "token":
			b.WriteString(e.Data["delta"].(string))
		case "reset":
			b.Reset()
		}
	}
	return b.String()
}

func TestAModelLooksUpAndAnswers(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		endpoint := llmtest.Script(
			llmtest.CallTool("get_deal", `{"deal":"Acme renewal"}`).Costs(100, 10),
			llmtest.Say("Acme renewal ", "is **new**.").Costs(200, 20),
		)
		d := talk(t, db, endpoint)
		all := d.send(t, d.Sales1, agent.Request{Message: "How is the Acme renewal?"})
		require.Equal(t, []string{"start", "usage", "tool_start", "tool_end", "records", "token", "token", "usage", "done"}, types(all))
		require.Equal(t, "Acme renewal is **new**.", texts(all))
		done := only(t, all, "done")
		require.Equal(t, agent.ReasonStop, done["reason"])
		usage := done["usage"].(map[string]any)
		require.EqualValues(t, 300, usage["promptTokens"])
		require.EqualValues(t, 30, usage["completionTokens"])
		require.EqualValues(t, 2, usage["rounds"])
		require.Equal(t, true, usage["known"])

		requests := endpoint.Requests()
		require.Len(t, requests, 2)
		require.Contains(t, string(requests[0].Raw), "Sam Sales", "the prompt says who")
		require.Contains(t, string(requests[1].Raw), d.AcmeRenewal.ID, "the result goes back")
		thread, err := d.conversations.Get(t.Context(), d.Sales1, only(t, all, "start")["conversationId"].(string))
		require.NoError(t, err)
		require.Equal(t, "Acme renewal is **new**.", thread.Messages[1].Content)
	})
}

func TestSTR08AModelOnlyProposesAndTheTurnEnds(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		endpoint := llmtest.Script(llmtest.Say("I will do that now.").And(llmtest.CallTool("update_deal_stage", `{"deal":"Acme renewal","stage":"Won","reason":"You said so."}`)))
		d := talk(t, db, endpoint)
		all := d.send(t, d.Sales1, agent.Request{Message: "Mark the Acme renewal as won"})
		require.Equal(t, agent.ReasonAwaiting, only(t, all, "done")["reason"])
		require.Len(t, endpoint.Requests(), 1, "no further model call")
		require.NotContains(t, texts(all), "I will do that now", "text before a call is taken back")
		shown := only(t, all, "proposal")["proposal"].(map[string]any)
		stored, err := d.proposals.Get(t.Context(), d.Sales1, shown["id"].(string))
		require.NoError(t, err)
		require.Equal(t, models.ViaAssistant, stored.Via)
		require.Equal(t, "openai/test", stored.Model)
		require.Equal(t, "You said so.", stored.Reason)
		d.View(t, func(r *store.Reader) {
			deal, err := r.Deal(t.Context(), d.DealGrants(t, d.Sales1), d.AcmeRenewal.ID)
			require.NoError(t, err)
			require.Equal(t, d.AcmeRenewal.Version, deal.Version)
		})
	})
}

func TestBAT03AProposalBesideALookUpGoesOn(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		endpoint := llmtest.Script(
			llmtest.CallTool("get_deal", `{"deal":"Acme renewal"}`).And(llmtest.CallTool("update_deal_stage", `{"deal":"Acme renewal","stage":"Won"}`)),
			llmtest.Say("It waits for you."),
		)
		d := talk(t, db, endpoint)
		all := d.send(t, d.Sales1, agent.Request{Message: "Look at the Acme renewal and mark it won"})
		require.Equal(t, agent.ReasonStop, only(t, all, "done")["reason"])
		require.Contains(t, string(endpoint.Requests()[1].Raw), "Nothing has changed yet")
		calls := d.calls(t, only(t, all, "start")["conversationId"].(string))
		require.Equal(t, []models.ToolCallStatus{models.CallOK, models.CallProposed}, []models.ToolCallStatus{calls[0].Status, calls[1].Status})
		require.NotEmpty(t, calls[0].Result, "what was looked up is kept beside the card")
	})
}

func TestTheCapForcesAnAnswer(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		endpoint := llmtest.NewEndpoint()
		for range 8 {
			endpoint.Add(llmtest.CallTool("search_records", `{"query":"acme"}`).Reply())
		}
		endpoint.Add(llmtest.Say("Two records.").Reply())
		d := talk(t, db, endpoint)
		all := d.send(t, d.Sales1, agent.Request{Message: "Search for acme again and again"})
		require.Equal(t, agent.ReasonMaxRounds, only(t, all, "done")["reason"])
		last := endpoint.Requests()
		require.Len(t, last, 9)
		require.Equal(t, "none", last[8].ToolChoice)
		thread, err := d.conversations.Get(t.Context(), d.Sales1, only(t, all, "start")["conversationId"].(string))
		require.NoError(t, err)
		require.Contains(t, thread.Messages[1].Content, "⚠️")
	})
}

// LIM-04: however much a model asks for in one turn, what it is given has a bound.
func TestLIM04TheResultsOfATurnHaveABound(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		d := talk(t, db, nil)
		deals := crm.NewDeals(db, d.Gate, d.Clock.Now)
		for range 50 {
			_, err := deals.Create(t.Context(), d.Sales1, crm.DealInput{Title: strings.Repeat("long ", 50), PipelineID: d.AcmeRenewal.PipelineID, StageID: d.AcmeRenewal.StageID})
			require.NoError(t, err)
		}
		calls := llmtest.CallTool("get_deal", `{"deal":"Acme renewal"}`) // to read on after it
		for range 5 {
			calls = calls.And(llmtest.CallTool("list_deals", `{"limit":50}`))
		}
		endpoint := llmtest.Script(calls, llmtest.Say("Well."))
		d.config.use(modelAt(llmtest.Start(t, endpoint), db))
		d.send(t, d.Sales1, agent.Request{Message: "List everything"})
		request := endpoint.Requests()[1]
		require.Less(t, len(request.Raw), 150_000)
		require.Contains(t, string(request.Raw), "only the summary is given")
	})
}

// A model that calls tools where it may not, or says nothing twice, is not asked again and again.
func TestAModelWithNothingToSayEndsTheTurn(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		endpoint := llmtest.NewEndpoint()
		for range 9 {
			endpoint.Add(llmtest.CallTool("search_records", `{"query":"acme"}`).Reply())
		}
		d := talk(t, db, endpoint)
		all := d.send(t, d.Sales1, agent.Request{Message: "Search for acme again and again"})
		require.Equal(t, agent.ReasonMaxRounds, only(t, all, "done")["reason"])
		require.Equal(t, "CUT_SHORT", only(t, all, "notice")["code"])

		endpoint.Add(llmtest.Say("").Reply(), llmtest.Say("").Reply())
		all = d.send(t, d.Sales1, agent.Request{Message: "And the Globex pilot?"})
		require.Equal(t, agent.ReasonStop, only(t, all, "done")["reason"])
		require.Contains(t, texts(all), "no answer to this")
		require.Len(t, endpoint.Requests(), 11)
	})
}

func TestLIM02TheSameFailingCallEndsTheTurnHonestly(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		endpoint := llmtest.NewEndpoint()
		for range 3 {
			endpoint.Add(llmtest.CallTool("get_deal", `{"deal":"No such thing"}`).Reply())
		}
		d := talk(t, db, endpoint)
		all := d.send(t, d.Sales1, agent.Request{Message: "What about No such thing?"})
		require.Equal(t, agent.ReasonStop, only(t, all, "done")["reason"])
		require.Contains(t, texts(all), "several times")
		require.Len(t, endpoint.Requests(), 3)
	})
}

func TestAGreetingGetsNoTools(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		endpoint := llmtest.Script(llmtest.Say("Hello!"), llmtest.Say("你好！"), llmtest.Say("Which deal?"))
		d := talk(t, db, endpoint)
		for _, message := range []string{"Hi there!", "你好", "Hi, how is the Acme deal?"} {
			d.send(t, d.Sales1, agent.Request{Message: message})
		}
		requests := endpoint.Requests()
		require.NotContains(t, string(requests[0].Raw), `"tools"`)
		require.NotContains(t, string(requests[1].Raw), `"tools"`)
		require.Contains(t, string(requests[2].Raw), `"tools"`)
	})
}

func TestOnlyPermittedToolsAreOffered(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		endpoint := llmtest.Script(llmtest.Say("I cannot."), llmtest.CallTool("update_deal_stage", `{"deal":"Acme renewal","stage":"Won"}`), llmtest.Say("You need a right for that."))
		d := talk(t, db, endpoint)
		d.send(t, d.Viewer, agent.Request{Message: "Mark Acme renewal as won"})
		require.NotContains(t, string(endpoint.Requests()[0].Raw), `"name":"update_deal_stage"`)
		all := d.send(t, d.Viewer, agent.Request{Message: "Do it all the same"})
		require.NotEqual(t, "proposed", only(t, all, "tool_end")["status"])
	})
}

func TestAFailingModelIsToldPlainlyAndOnRecord(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		for status, want := range map[int]string{401: "MODEL_UNAUTHORIZED", 404: "MODEL_NOT_FOUND"} {
			endpoint := llmtest.NewEndpoint(llmtest.Refuse(status, `{"error":{"message":"secret words of the provider","type":"x","code":"model_not_found"}}`))
			d := talk(t, db2(t, db), endpoint)
			all := d.send(t, d.Sales1, agent.Request{Message: "How is Acme?"})
			failed := only(t, all, "error")
			require.Equal(t, want, failed["code"])
			require.NotContains(t, failed["message"], "secret words")
			thread, err := d.conversations.Get(t.Context(), d.Sales1, only(t, all, "start")["conversationId"].(string))
			require.NoError(t, err)
			require.Equal(t, "How is Acme?", thread.Messages[0].Content, "the message is kept")
			require.Equal(t, models.MessageFailed, thread.Messages[1].Status)
			d.View(t, func(r *store.Reader) {
				list, err := r.AuditEntries(t.Context(), d.Grant(t, d.Admin, "audit:read"), store.AuditFilter{Action: "model:call"}, store.Page{})
				require.NoError(t, err)
				require.Len(t, list.Items, 1)
				require.Equal(t, want, list.Items[0].Reason)
			})
		}
	})
}

func TestSTR12ACutStreamRunsNothing(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		moving := llmtest.Say("Moving it").And(llmtest.CallTool("create_company", `{"name":"Half Said"}`))
		endpoint := llmtest.NewEndpoint(llmtest.Reply{Answer: &moving, Omit: 2, End: llmtest.EndCut})
		d := talk(t, db, endpoint)
		all := d.send(t, d.Sales1, agent.Request{Message: "Add the company Half Said"})
		require.Equal(t, "MODEL_CUT_STREAM", only(t, all, "error")["code"])
		require.NotContains(t, types(all), "tool_start")
	})
}

func TestStopEndsAModelThatIsSilent(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		soFar := llmtest.Say("So far")
		endpoint := llmtest.NewEndpoint(llmtest.Reply{Answer: &soFar, Omit: 2, End: llmtest.EndSilence})
		d := talk(t, db, endpoint)
		id, err := d.Start(t.Context(), d.Sales1, agent.Request{Message: "Tell me about Acme", Channel: models.ViaWeb})
		require.NoError(t, err)
		for frame, err := range d.FollowOwn(t.Context(), id, 0) {
			require.NoError(t, err)
			if frame.Type == "token" {
				break
			}
		}
		require.NoError(t, d.Stop(t.Context(), d.Sales1, id))
		all := d.events(t, d.Sales1, id, 0)
		require.Equal(t, agent.ReasonStopped, only(t, all, "done")["reason"])
		start := only(t, all, "start")
		thread, err := d.conversations.Get(t.Context(), d.Sales1, start["conversationId"].(string))
		require.NoError(t, err)
		require.Equal(t, "So far", thread.Messages[1].Content)

		endpoint.Add(llmtest.Say("Yes?").Reply())
		d.send(t, d.Sales1, agent.Request{Message: "And now?", ConversationID: start["conversationId"].(string)})
		require.Contains(t, string(endpoint.Requests()[1].Raw), "So far", "the history stays valid and keeps it")
	})
}

func TestHIS08TheConversationIsReplayedWithItsCalls(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		endpoint := llmtest.Script(
			llmtest.CallTool("get_deal", `{"deal":"Acme renewal"}`), llmtest.Say("It is new."), llmtest.Say("As I said."),
		)
		d := talk(t, db, endpoint)
		start := only(t, d.send(t, d.Sales1, agent.Request{Message: "How is Acme renewal?"}), "start")
		d.send(t, d.Sales1, agent.Request{Message: "And the stage?", ConversationID: start["conversationId"].(string)})
		var said []string
		var called string
		for _, m := range endpoint.Requests()[2].Messages[1:] {
			switch {
			case len(m.ToolCalls) > 0:
				called = m.ToolCalls[0].ID
				said = append(said, m.ToolCalls[0].Function.Name)
				require.JSONEq(t, `{"deal":"Acme renewal"}`, m.ToolCalls[0].Function.Arguments)
			case m.Role == "tool":
				require.Equal(t, called, m.ToolCallID)
				said = append(said, "result")
			default:
				said = append(said, m.Content)
			}
		}
		require.Equal(t, []string{"How is Acme renewal?", "get_deal", "result", "It is new.", "And the stage?"}, said)
	})
}

// TestEndsThatAreNoAnswer: whatever a model ends with, the person reads a sentence that is true.
func TestEndsThatAreNoAnswer(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		end := func(finish string, text ...string) []event {
			d := talk(t, db2(t, db), llmtest.Script(llmtest.Answer{Text: text, Finish: finish}))
			return d.send(t, d.Sales1, agent.Request{Message: "How is Acme?"})
		}
		require.Equal(t, "MODEL_MALFORMED", only(t, end("pause_turn", "Let me search"), "error")["code"], "nothing goes on by itself")
		declined := end("refusal", "I can")
		require.Equal(t, agent.ReasonStop, only(t, declined, "done")["reason"])
		require.Contains(t, texts(declined), "declined")
		require.Contains(t, texts(end("refusal")), "declined")
		full := end("model_context_window_exceeded", "The deal")
		require.Equal(t, agent.ReasonLength, only(t, full, "done")["reason"])
		require.Contains(t, only(t, full, "notice")["text"], "Start a new one")
	})
}

// db2 is another database of the same dialect: one for each case.
func db2(t *testing.T, db *store.DB) *store.DB {
	t.Helper()
	return dbtest.Open(t, db.Dialect())
}
