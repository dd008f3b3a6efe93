package agent_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"countersign/agent"
	"countersign/crm"
	"countersign/events"
	"countersign/internal/dbtest"
	"countersign/llm/llmtest"
	"countersign/models"
	"countersign/store"
)

// canaries are personal data that nobody without contact:pii may meet, in any form in which they are kept or shown.
var canaries = []string{
	"canary.one@secret.test", "canary.two@secret.test", "canary.three@secret.test", "95551111", "9555 1111", "95552222", "9555 2222",
	"95553333", "9555-3333", "canary.four@secret.test", "Z987654(3)", "95554444",
}

// plantPersonal puts them wherever records hold text.
func plantPersonal(t *testing.T, d *desk) {
	t.Helper()
	contacts := crm.NewContacts(d.DB, d.Gate, d.Clock.Now)
	for i, address := range []string{"canary.one@secret.test", "canary.two@secret.test"} {
		_, err := contacts.Create(t.Context(), d.Admin, crm.ContactInput{
			CompanyID: &d.Acme.ID, Name: "Twin Cheung", Email: address, Phone: fmt.Sprintf("+8529555%d", 1111*(i+1)), WhatsApp: fmt.Sprintf("+8529555%d", 1111*(i+1)),
		})
		require.NoError(t, err)
	}
	const free = "ring 9555-3333 or canary.four@secret.test, ID Z987654(3)"
	_, err := crm.NewCompanies(d.DB, d.Gate, d.Clock.Now).Update(t.Context(), d.Admin, d.Acme.ID, d.Acme.Version, crm.CompanyPatch{
		Phone: models.Some("+85295554444"), Notes: models.Some(free), Address: models.Some("Flat A, " + free),
	})
	require.NoError(t, err)
	_, err = crm.NewActivities(d.DB, d.Gate, d.Clock.Now).Create(t.Context(), d.Admin, crm.ActivityInput{
		Kind: models.ActivityNote, Subject: "Note: " + free, Body: free, CompanyID: &d.Acme.ID,
	})
	require.NoError(t, err)
	_, err = crm.NewTasks(d.DB, d.Gate, d.Clock.Now).Create(t.Context(), d.Admin, crm.TaskInput{Title: "Task: " + free, AssigneeID: d.Manager.UserID, CompanyID: &d.Acme.ID})
	require.NoError(t, err)
	_, err = crm.NewDeals(d.DB, d.Gate, d.Clock.Now).Update(t.Context(), d.Admin, d.AcmeRenewal.ID, d.AcmeRenewal.Version, crm.DealPatch{Title: models.Some("Deal: " + free)})
	require.NoError(t, err)
}

// askEverything are calls whose results, summaries, candidates, errors and cards would show personal data.
func askEverything(d *desk) llmtest.Answer {
	var all llmtest.Answer
	for _, call := range [][2]string{
		{"get_contact", `{"contact":"Twin Cheung"}`},
		{"search_contacts", `{"query":"Twin"}`},
		{"search_records", `{"query":"Twin Cheung"}`},
		{"get_company", fmt.Sprintf(`{"company":%q}`, d.Acme.ID)},
		{"list_activities", fmt.Sprintf(`{"company":%q}`, d.Acme.ID)},
		{"list_tasks", `{}`},
		{"get_deal", fmt.Sprintf(`{"deal":%q}`, d.AcmeRenewal.ID)},
		{"search_records", `{"query":"Deal"}`},
		{"get_deal", `{"deal":"Deal"}`},
		{"update_company", fmt.Sprintf(`{"company":%q,"notes":"new notes","phone":"+85223456789"}`, d.Acme.ID)},
		{"list_proposals", `{}`},
	} {
		all = all.And(llmtest.CallTool(call[0], call[1]))
	}
	return all
}

func requireNoCanary(t *testing.T, what any) {
	t.Helper()
	text := string(models.ToJSON(what))
	for _, canary := range canaries {
		if i := strings.Index(text, canary); i >= 0 {
			require.Fail(t, "personal data got out", "…%s…", text[max(0, i-200):min(len(text), i+60)])
		}
	}
}

// TestPersonalDataStaysAwayFromThoseWithoutTheRight: neither a person without contact:pii nor the model that acts for
// them meets any (SEC-17).
func TestPersonalDataStaysAwayFromThoseWithoutTheRight(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		d := talk(t, db, llmtest.NewEndpoint())
		plantPersonal(t, d)
		endpoint := llmtest.Script(
			askEverything(d), llmtest.Say("canary.three@secret.test and 9555 1111 are theirs."),
			askEverything(d), llmtest.Say("Here you are."), askEverything(d), llmtest.Say("Here you are."),
		)
		d.config.use(modelAt(llmtest.Start(t, endpoint), db))
		look := func(conversation string) (string, []event) {
			all := d.send(t, d.Manager, agent.Request{Message: "Tell me all about them", ConversationID: conversation})
			return only(t, all, "start")["conversationId"].(string), all
		}
		earlier, before := look("")
		seen := string(endpoint.Requests()[1].Raw) + string(models.ToJSON(before))
		for _, canary := range []string{"canary.one@secret.test", "95552222", "9555-3333", "Z987654(3)", "95554444"} {
			require.Contains(t, seen, canary, "with the right, all of it is there")
		}

		revokePersonal(t, db, "manager")
		d.Clock.Advance(time.Minute)
		for _, conversation := range []string{earlier, ""} {
			conversation, all := look(conversation)
			requireNoCanary(t, all)
			thread, err := d.conversations.Get(t.Context(), d.Manager, conversation)
			require.NoError(t, err)
			requireNoCanary(t, thread.Messages[len(thread.Messages)-1])
		}
		for _, request := range endpoint.Requests()[2:] {
			requireNoCanary(t, request.Raw)
		}
		for _, command := range []string{"/contact \"Twin Cheung\"", "/find Twin", "/company Acme", "/list_tasks", "/list_activities company=Acme", "/find canary.one@secret.tes"} {
			all := d.send(t, d.Viewer, agent.Request{Message: command})
			requireNoCanary(t, all[1:])
			d.Clock.Advance(time.Minute)
		}
	})
}

// TestAHiddenValueIsNeverWritten: a mask that a model takes for a value is refused (SEC-16).
func TestAHiddenValueIsNeverWritten(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		d := talk(t, db, llmtest.Script(
			llmtest.CallTool("log_activity", `{"kind":"NOTE","subject":"ring •••••• back","deal":"Acme renewal"}`).And(
				llmtest.CallTool("update_company", `{"company":"Acme","notes":"ring ••••••"}`)), llmtest.Say("I could not."),
		))
		all := d.send(t, d.Sales1, agent.Request{Message: "Note that"})
		require.NotContains(t, types(all), "proposal")
		for _, e := range all {
			if e.Type == "tool_end" {
				require.Equal(t, "failed", e.Data["status"])
				require.Contains(t, e.Data["summary"], "hidden from you")
			}
		}
	})
}

// TestNoPromptHoldsAnothersWords: whatever five people say in whatever order, the model that works for one of them
// reads nothing of the others (SEC-12).
func TestNoPromptHoldsAnothersWords(t *testing.T) {
	t.Parallel()
	db := dbtest.Open(t, "sqlite")
	d := talk(t, db, llmtest.NewEndpoint())
	actors := []models.Actor{d.Sales1, d.Sales2, d.Sales3, d.Manager2, d.Viewer}
	said := 0
	rapid.Check(t, func(r *rapid.T) {
		// The limit on messages begins anew with each walk.
		fresh, endpoint := events.NewMemory(events.Options{}), llmtest.NewEndpoint()
		options := d.Options
		options.Limiter = fresh
		desk, err := agent.New(options)
		if err != nil {
			r.Fatal(err)
		}
		defer func() {
			desk.Close(t.Context())
			_ = fresh.Close()
		}()
		d.config.use(modelAt(llmtest.Start(t, endpoint), db))
		conversations, last := make([]string, len(actors)), 0
		for _, who := range rapid.SliceOfN(rapid.IntRange(0, len(actors)-1), 2, 8).Draw(r, "order") {
			said++
			d.Clock.Advance(time.Minute)
			actor := actors[who]
			endpoint.Add(llmtest.CallTool("search_records", `{"query":"deal"}`).And(llmtest.CallTool("list_proposals", `{}`)).Reply(),
				llmtest.Say(fmt.Sprintf("answer-%s-%d", actor.UserID, said)).Reply())
			if rapid.Bool().Draw(r, "new") {
				conversations[who] = ""
			}
			reply, err := desk.Answer(t.Context(), actor, agent.Request{
				Message: fmt.Sprintf("words-%s-%d", actor.UserID, said), ConversationID: conversations[who], Channel: models.ViaWeb,
			})
			if err != nil || reply.Failure != nil {
				r.Fatal(err, reply)
			}
			conversations[who] = reply.ConversationID
			for _, request := range endpoint.Requests()[last:] {
				last++
				for _, other := range actors {
					if other.UserID == actor.UserID {
						continue
					}
					for _, planted := range []string{"words-" + other.UserID, "answer-" + other.UserID} {
						if strings.Contains(string(request.Raw), planted) {
							r.Fatalf("%s was read for %s", planted, actor.Name)
						}
					}
				}
				if !strings.Contains(string(request.Raw), fmt.Sprintf("words-%s-%d", actor.UserID, said)) {
					r.Fatal("the person's own words are there")
				}
			}
		}
	})
}
