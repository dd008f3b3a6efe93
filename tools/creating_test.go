package tools_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/crm"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/proposals"
	"countersign/store"
	"countersign/tools"
)

// callOutside calls a tool as a model does that has read what somebody else wrote.
func (d *desk) callOutside(t testing.TB, actor models.Actor, name, args string) tools.Outcome {
	t.Helper()
	return d.executor.Call(t.Context(), actor.As(models.ViaAssistant), tools.Call{
		ID: "call-1", Name: name, Args: json.RawMessage(args), Outside: &models.Ref{Type: models.TypeCompany, ID: d.Acme.ID, Name: "Acme"},
	})
}

// state is everything that is stored but proposals and the record of calls.
func (d *desk) state(t testing.TB) []string {
	t.Helper()
	return dbtest.Content(t, d.DB, d.raw, "proposals", "audit_entries", "tool_runs")
}

// creations are calls of all tools that create, and how many records of which kind each makes.
func creations(d *desk) map[string]string {
	return map[string]string{
		"create_company":   `{"name":"Harbour Lights","other_names":["海港"],"industry":"retail","notes":"VIP","parent":"Acme"}`,
		"create_contact":   `{"name":"Lee Siu Lan","company":"Acme","email":"lan@lights.example","phone":"+85223456789","language":"zh-HK"}`,
		"create_task":      `{"title":"Ring Lan","due":"tomorrow","deal":"` + d.AcmeRenewal.ID + `","company":"Acme","contact":"Amy"}`,
		"log_activity":     `{"subject":"They want a demo","body":"Next Friday","kind":"CALL","deal":"` + d.AcmeRenewal.ID + `"}`,
		"complete_task":    `{"task":"` + d.RingAmy.ID + `"}`,
		"draft_quotation":  `{"company":"Acme","contact":"Amy","deal":"` + d.AcmeRenewal.ID + `","items":[{"product":"PL-1","quantity":"10"}],"discount_percent":"10","valid_until":"2026-04-30","notes":"Net 30"}`,
		"revise_quotation": `{"quotation":"` + d.QuoteAcme.ID + `","notes":"Net 60"}`,
	}
}

func TestEveryToolThatCreatesIsTested(t *testing.T) {
	t.Parallel()
	var names, tested []string
	for _, tool := range standard().All() {
		if tool.Effect == tools.Create {
			names = append(names, tool.Name)
		}
	}
	for name := range creations(&desk{World: &dbtest.World{}}) {
		tested = append(tested, name)
	}
	require.ElementsMatch(t, names, tested)
}

// SEC-3: with text from outside in the conversation nothing is written before the click, and what the click does is
// what the same call does by itself otherwise, once.
func TestSEC3CreatesWaitForAClickOnceOutsideTextWasRead(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.move(t, d.Sales1, d.QuoteAcme.ID, models.QuotationSent)
		for name, args := range creations(d) {
			before := d.state(t)
			o := d.callOutside(t, d.Sales1, name, args)
			require.Equal(t, models.CallProposed, o.Status, "%s: %s", name, o.Summary)
			require.Equal(t, tools.Finish, o.After)
			require.Equal(t, before, d.state(t), "nothing is written, also not by the trial")

			p := o.Proposal
			view, err := proposals.ViewOf(p)
			require.NoError(t, err)
			require.NotEmpty(t, view.Title)
			require.NotEmpty(t, view.Target.Name)
			require.NotEmpty(t, view.Changes, name)
			for _, c := range view.Changes {
				require.Nil(t, c.Before, "%s.%s", name, c.Field)
				require.NotEmpty(t, c.Label, c.Field)
				require.NotEmpty(t, c.AfterDisplay, "%s.%s", name, c.Field)
				require.NotContains(t, c.AfterDisplay, "0190", "%s.%s shows a name, not an id", name, c.Field)
			}
			require.Equal(t, []string{"This conversation has read text that you did not write (Acme), so nothing is written without your click."}, view.Warnings)
			require.Equal(t, dbtest.Start.Add(proposals.TTL), view.ExpiresAt.UTC())

			detail := string(d.last(t, "tool:"+name).Detail)
			require.Contains(t, detail, `"outside":"company:`+d.Acme.ID+`"`, "the record says what had been read")

			again := d.callOutside(t, d.Sales1, name, args)
			require.Equal(t, p.ID, again.Proposal.ID, "the same creation is the same open proposal")

			v, err := d.decide(t, d.Sales1, p)
			require.NoError(t, err)
			require.Equal(t, models.ProposalExecuted, v.Proposal.Status, "%s: %s", name, v.Proposal.Outcome)
			after := d.state(t)
			require.NotEqual(t, before, after, name)
			v, err = d.decide(t, d.Sales1, p)
			require.NoError(t, err)
			require.True(t, v.Repeated)
			require.Equal(t, after, d.state(t), "once")
		}
	})
}

func TestWhatIsCreatedSaysThatItIsNotUndone(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.move(t, d.Sales1, d.QuoteAcme.ID, models.QuotationSent)
		for name, args := range creations(d) {
			p := d.callOutside(t, d.Sales1, name, args).Proposal
			v, err := d.decide(t, d.Sales1, p)
			require.NoError(t, err)
			var outcome models.Outcome
			require.NoError(t, v.Proposal.Outcome.Into(&outcome))
			require.Contains(t, outcome.NoUndo, "not undone", name)
			undo, err := d.proposals.Undo(t.Context(), d.Sales1, p.ID, tools.NewPerformer(d.registry, d.Gate))
			require.Nil(t, undo)
			require.True(t, apperr.HasCode(err, proposals.CodeCannotUndo), "%s: %v", name, err)
			require.Equal(t, outcome.NoUndo, apperr.As(err).Message)
		}
	})
}

// The card has every value that is then stored.
func TestACreationIsStoredAsItsCardShowsIt(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		o := d.callOutside(t, d.Sales1, "create_contact", creations(d)["create_contact"])
		shown := map[string]any{}
		view, err := proposals.ViewOf(o.Proposal)
		require.NoError(t, err)
		for _, c := range view.Changes {
			shown[c.Field] = c.AfterDisplay
		}
		require.Equal(t, map[string]any{
			"name": "Lee Siu Lan", "companyId": d.Acme.Name, "email": "lan@lights.example", "phone": "+85223456789",
			"language": "Chinese", "ownerId": d.Sales1.Name,
		}, shown)
		require.Empty(t, view.Target.ID, "there is no such record yet")
		require.Empty(t, o.Refs)
		v, err := d.decide(t, d.Sales1, o.Proposal)
		require.NoError(t, err)
		var outcome models.Outcome
		require.NoError(t, v.Proposal.Outcome.Into(&outcome))
		contact, err := d.contacts.Get(t.Context(), d.Sales1, outcome.Records[0].ID)
		require.NoError(t, err)
		require.Equal(t, []string{"Lee Siu Lan", d.Acme.ID, "lan@lights.example", "+85223456789"}, []string{contact.Name, *contact.CompanyID, contact.Email, contact.Phone})
	})
}

// What a day was called is settled when the card is made.
func TestAProposedTaskKeepsItsDay(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		o := d.callOutside(t, d.Sales1, "create_task", `{"title":"Ring","due":"tomorrow"}`)
		d.Clock.Advance(10 * time.Minute)
		_, err := d.decide(t, d.Sales1, o.Proposal)
		require.NoError(t, err)
		list, err := d.tasks.List(t.Context(), d.Sales1, store.TaskFilter{}, store.Page{})
		require.NoError(t, err)
		require.Equal(t, "2026-03-03T23:59:00+08:00", list.Items[0].DueAt.In(models.Zone()).Format(time.RFC3339))
	})
}

// Two creations of one kind wait side by side; both can be confirmed.
func TestDifferentCreationsWaitSideBySide(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		first := d.callOutside(t, d.Sales1, "create_task", `{"title":"One"}`)
		second := d.callOutside(t, d.Sales1, "create_task", `{"title":"Two"}`)
		for _, o := range []tools.Outcome{first, second} {
			v, err := d.decide(t, d.Sales1, o.Proposal)
			require.NoError(t, err)
			require.Equal(t, models.ProposalExecuted, v.Proposal.Status)
		}
	})
}

// The right is asked for again at the click, and what cannot be is refused before there is a card.
func TestProposedCreationsAreChecked(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		for _, c := range []struct{ tool, args, kind string }{
			{"create_contact", `{"name":"Lan","email":"none"}`, "invalid"},
			{"create_company", `{"name":"` + d.Acme.Name + `"}`, "conflict"},
			{"create_task", `{"title":"Ring","assignee":"` + d.Sales3.UserID + `"}`, "invalid"},
			{"create_task", `{"title":"Ring","due":"soonish"}`, "invalid"},
			{"log_activity", `{"subject":"x"}`, "invalid"},
			{"log_activity", `{"subject":"x","deal":"` + d.HarbourRollout.ID + `"}`, "not_found"},
			{"complete_task", `{"task":"` + d.DemoGus.ID + `"}`, "not_found"},
			{"complete_task", `{"task":"` + unknownID + `"}`, "not_found"},
		} {
			fails(t, d.callOutside(t, d.Sales1, c.tool, c.args), c.kind)
		}
		fails(t, d.callOutside(t, d.Viewer, "create_task", `{"title":"x"}`), "forbidden")

		o := d.callOutside(t, d.Sales1, "create_company", `{"name":"Lights"}`)
		d.exec(t, `DELETE FROM role_permissions WHERE permission = 'company:create'`)
		d.exec(t, `UPDATE policy_state SET version = version + 1`)
		before := d.state(t)
		_, err := d.decide(t, d.Sales1, o.Proposal)
		require.True(t, apperr.Is(err, apperr.Forbidden), "%v", err)
		require.Equal(t, before, d.state(t))
	})
}

// A task that changed meanwhile is stale, as any record is.
func TestACompletionCanBeStale(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		o := d.callOutside(t, d.Sales1, "complete_task", `{"task":"`+d.RingAmy.ID+`"}`)
		_, err := d.tasks.Update(t.Context(), d.Sales1, d.RingAmy.ID, d.RingAmy.Version, crm.TaskPatch{Title: models.Some("Write to Amy")})
		require.NoError(t, err)
		_, err = d.decide(t, d.Sales1, o.Proposal)
		require.True(t, apperr.HasCode(err, proposals.CodeStale), "%v", err)
	})
}

// A command is the person's own words, and so is a conversation in which nobody else's were read.
func TestCreatesRunAtOnceOtherwise(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.move(t, d.Sales1, d.QuoteAcme.ID, models.QuotationSent)
		for name, args := range creations(d) {
			o := d.call(t, d.Sales1, name, args)
			require.Equal(t, models.CallOK, o.Status, "%s: %s", name, o.Summary)
			require.Nil(t, o.Proposal)
			require.Nil(t, o.Outside, "what the model gave is not from outside")
		}
	})
}

// Whose words a result holds.
func TestWhatCountsAsOutside(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		notes := func(actor models.Actor, text string) {
			t.Helper()
			company, err := d.companies.Get(t.Context(), d.Admin, d.Acme.ID)
			require.NoError(t, err)
			_, err = d.companies.Update(t.Context(), actor, d.Acme.ID, company.Version, crm.CompanyPatch{Notes: models.Some(text)})
			require.NoError(t, err)
		}
		look := func() *models.Ref { return d.call(t, d.Sales1, "get_company", `{"company":"`+d.Acme.ID+`"}`).Outside }
		acme := &models.Ref{Type: models.TypeCompany, ID: d.Acme.ID, Name: d.Acme.Name}

		require.Nil(t, look(), "no notes")
		notes(d.Sales1, "Mine.")
		require.Nil(t, look(), "one's own words")
		notes(d.Admin, "A colleague's.")
		require.Equal(t, acme, look())
		notes(d.Sales1.As(models.ViaImport), "Brought in.")
		require.Equal(t, acme, look(), "an import, whoever ran it")
		_, err := d.companies.Create(t.Context(), models.System("importer"), crm.CompanyInput{Name: "Old Mill", Notes: "Established: 1996", Unowned: true})
		require.NoError(t, err)
		require.Nil(t, d.call(t, d.Sales1, "get_company", `{"company":"Old Mill"}`).Outside, "the product's own words")

		log := func(actor models.Actor, kind models.ActivityKind, subject, body string) *models.Ref {
			t.Helper()
			a, err := d.activities.Create(t.Context(), actor, crm.ActivityInput{Kind: kind, Subject: subject, Body: body, DealID: &d.AcmeRenewal.ID})
			require.NoError(t, err)
			o := d.call(t, d.Sales1, "list_activities", `{"deal":"`+d.AcmeRenewal.ID+`"}`)
			require.NoError(t, d.activities.Delete(t.Context(), d.Admin, a.ID, a.Version))
			return o.Outside
		}
		require.Nil(t, log(d.Sales1, models.ActivityNote, "Called", "They want a demo"))
		require.Nil(t, log(d.Manager, models.ActivityNote, "Called", ""))
		require.NotNil(t, log(d.Manager, models.ActivityNote, "Called", "They want a demo"))
		require.NotNil(t, log(d.Sales1, models.ActivityEmail, "Re: offer", ""))
		require.NotNil(t, log(d.Sales1, models.ActivityWhatsApp, "Hi", ""))

		require.Nil(t, d.call(t, d.Sales1, "search_records", `{"query":"Acme"}`).Outside)
		require.Nil(t, d.call(t, d.Sales1, "list_deals", `{}`).Outside)
		require.Nil(t, d.call(t, d.Sales1, "list_tasks", `{"status":"all"}`).Outside)
		require.Nil(t, d.call(t, d.Sales1, "search_contacts", `{}`).Outside)
		require.Nil(t, d.call(t, d.Sales1, "list_pipelines", `{}`).Outside)
		require.Nil(t, d.call(t, d.Sales1, "summarize_deals", `{"group_by":"owner"}`).Outside)
		require.Nil(t, d.call(t, d.Sales1, "search_products", `{}`).Outside)
		require.Nil(t, d.call(t, d.Sales1, "get_contact", `{"contact":"Amy"}`).Outside)
		_, err = d.deals.Update(t.Context(), d.Admin, d.AcmeRenewal.ID, d.AcmeRenewal.Version, crm.DealPatch{Title: models.Some(`Renewal {"tool":"create_task"}`)})
		require.NoError(t, err)
		for name, args := range map[string]string{
			"search_records": `{"query":"Renewal"}`, "list_deals": `{}`, "get_deal": `{"deal":"` + d.AcmeRenewal.ID + `"}`, "summarize_deals": `{}`,
		} {
			require.Equal(t, name != "summarize_deals", d.call(t, d.Sales1, name, args).Outside != nil, "%s: a title that is more than a name", name)
		}
		ambiguous := d.call(t, d.Sales1, "get_deal", `{"deal":"Renewal {"}`)
		require.NotNil(t, ambiguous.Outside, "%v", ambiguous.Error)
	})
}

// A list of proposals links to records, and to none that is still to be created.
func TestProposedCreationsAreListed(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.callOutside(t, d.Sales1, "create_task", `{"title":"One"}`)
		o := d.call(t, d.Sales1, "list_proposals", `{}`)
		require.Contains(t, o.Text, "One")
		require.Empty(t, o.Refs)
	})
}
