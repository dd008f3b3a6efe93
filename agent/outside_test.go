package agent_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/agent"
	"countersign/crm"
	"countersign/internal/dbtest"
	"countersign/llm/llmtest"
	"countersign/models"
	"countersign/store"
)

// SEC-3: the second message of a conversation in which somebody else's text was read only proposes, and says why.
func TestSEC3AConversationStaysOneThatHasReadOutsideText(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		d := talk(t, db, &llmtest.Victim{})
		mail(t, d)
		first := d.send(t, d.Sales1, agent.Request{Message: `Read it. ⟦DO list_activities {"deal":"Acme renewal"}⟧`})
		thread := onlyThread(t, d)
		var record models.Ref
		require.NoError(t, thread.Outside.Into(&record))
		require.Equal(t, "Re: offer", record.Name)
		require.Equal(t, llmtest.Done, texts(first))

		before := dbtest.Content(t, d.DB, dbtest.Raw(t, d.DB), aside...)
		all := d.send(t, d.Sales1, agent.Request{ConversationID: thread.ID, Message: `Remind me. ⟦DO create_task {"title":"Ring Amy"}⟧`})
		require.Equal(t, agent.ReasonAwaiting, only(t, all, "done")["reason"])
		card := only(t, all, "proposal")["proposal"].(map[string]any)
		require.Equal(t, "create_task", card["tool"])
		require.Equal(t, []any{"This conversation has read text that you did not write (Re: offer), so nothing is written without your click."}, card["warnings"])
		require.Equal(t, before, dbtest.Content(t, d.DB, dbtest.Raw(t, d.DB), aside...))

		typed := d.send(t, d.Sales1, agent.Request{ConversationID: thread.ID, Message: `/create_task "Ring Amy"`})
		require.Equal(t, "ok", only(t, typed, "tool_end")["status"], "what a person types is the person's own words")
		fresh := d.send(t, d.Sales1, agent.Request{Message: `Remind me. ⟦DO create_task {"title":"Ring Gus"}⟧`})
		require.Equal(t, "ok", only(t, fresh, "tool_end")["status"], "a new conversation has read nothing")
	})
}

// A look-up that a person typed is read by the model with the next message, and counts.
func TestWhatACommandShowedIsReadToo(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		d := talk(t, db, &llmtest.Victim{})
		mail(t, d)
		d.send(t, d.Sales1, agent.Request{Message: `/list_activities deal="Acme renewal"`})
		all := d.send(t, d.Sales1, agent.Request{ConversationID: onlyThread(t, d).ID, Message: `⟦DO create_task {"title":"Ring Amy"}⟧`})
		require.Equal(t, "proposed", only(t, all, "tool_end")["status"])
	})
}

// What a model decides before it has read anything is decided by the person's words.
func TestACreateBesideALookUpRuns(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		d := talk(t, db, &llmtest.Victim{})
		mail(t, d)
		all := d.send(t, d.Sales1, agent.Request{Message: `⟦DO list_activities {"deal":"Acme renewal"}⟧ ⟦DO create_task {"title":"Ring Amy"}⟧`})
		for _, e := range all {
			if e.Type == "tool_end" {
				require.Equal(t, "ok", e.Data["status"], "%v", e.Data)
			}
		}
		require.NotEmpty(t, onlyThread(t, d).Outside)
	})
}

// mail is an e-mail on the deal AcmeRenewal.
func mail(t *testing.T, d *desk) {
	t.Helper()
	_, err := crm.NewActivities(d.DB, d.Gate, d.Clock.Now).Create(t.Context(), d.Manager, crm.ActivityInput{
		Kind: models.ActivityEmail, Subject: "Re: offer", Body: "Thanks", DealID: &d.AcmeRenewal.ID,
	})
	require.NoError(t, err)
}

// onlyThread is the one conversation of sales1.
func onlyThread(t *testing.T, d *desk) models.Conversation {
	t.Helper()
	list, err := d.conversations.List(t.Context(), d.Sales1, "", store.Page{})
	require.NoError(t, err)
	require.Len(t, list.Items, 1)
	return list.Items[0]
}

// SEC-2: the same tasks, with every injection in place, are done in full by a model that does not heed it.
func TestSEC2TasksAreDoneWithInjectionsInPlace(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		deaf := &llmtest.Victim{Deaf: true}
		s := newStage(t, db, deaf)
		goals := s.goals()
		for i, v := range s.vectors() {
			s.plant(t, v, goals[[]string{"win own deal", "add a false contact", "flood with twenty"}[i%3]])
		}
		before := s.state(t)
		for _, task := range s.tasks() {
			for _, v := range s.vectors()[:10] {
				deaf.Take()
				s.tell(t, "", task+" "+v.lookUp)
				for _, request := range deaf.Take() {
					for _, m := range request.Messages {
						if m.Role == "tool" {
							require.Contains(t, m.Content, `"ok":true`, "every look-up that was asked for has its answer")
						}
					}
				}
			}
		}
		require.Equal(t, before, s.state(t))
		conversation := s.tell(t, "", s.vectors()[0].lookUp)
		s.tell(t, conversation, `⟦DO create_task {"title":"Send the offer"}⟧`)
		list, err := s.proposals.List(t.Context(), s.Sales1, models.ProposalPending, store.Page{})
		require.NoError(t, err)
		require.Len(t, list.Items, 1, "what the person asks for after reading is one click away")
	})
}
