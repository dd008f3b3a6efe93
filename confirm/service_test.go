package confirm_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/confirm"
	"countersign/conversations"
	"countersign/crm"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/proposals"
	"countersign/resolve"
	"countersign/store"
	"countersign/tools"
)

// office is the World with everything from a command to its confirmation.
type office struct {
	*dbtest.World
	*confirm.Service
	proposals     *proposals.Service
	conversations *conversations.Service
	registry      *tools.Registry
	executor      *tools.Executor
	deals         *crm.Deals
	companies     *crm.Companies
	contacts      *crm.Contacts
	raw           func(query string, args ...any)
}

func each(t *testing.T, fn func(t *testing.T, o *office)) {
	t.Helper()
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) { fn(t, newOffice(t, dbtest.NewWorld(t, db))) })
}

func newOffice(t *testing.T, w *dbtest.World) *office {
	t.Helper()
	now := w.Clock.Now
	o := &office{
		World: w, proposals: proposals.NewService(w.DB, w.Gate, now), conversations: conversations.NewService(w.DB, now), deals: crm.NewDeals(w.DB, w.Gate, now), companies: crm.NewCompanies(w.DB, w.Gate, now),
		contacts: crm.NewContacts(w.DB, w.Gate, now),
	}
	raw := dbtest.Raw(t, w.DB)
	o.raw = func(query string, args ...any) {
		_, err := raw.Exec(query, args...)
		require.NoError(t, err)
	}
	o.registry = tools.Standard(tools.Services{
		Resolver: resolve.New(w.DB, w.Gate), Deals: o.deals, Companies: o.companies, Contacts: o.contacts,
		Quotations: crm.NewQuotations(w.DB, w.Gate, now), Runner: w.DB,
	})
	executor, err := tools.NewExecutor(tools.ExecutorOptions{Registry: o.registry, Gate: w.Gate, Proposals: o.proposals, Runner: w.DB, Now: now})
	require.NoError(t, err)
	o.executor = executor
	o.Service = confirm.NewService(o.proposals, tools.NewPerformer(o.registry, w.Gate), o.conversations)
	return o
}

// ask types a command that proposes, in a conversation of its own, and gives the card.
func (o *office) ask(t *testing.T, actor models.Actor, command string) *models.Proposal {
	t.Helper()
	s, err := o.conversations.Start(t.Context(), actor, conversations.Opening{NewID: models.NewID(), Message: command, Channel: models.ViaWeb})
	require.NoError(t, err)
	parsed, err := o.registry.ParseCommand(actor.Lang, command)
	require.NoError(t, err)
	outcome := o.executor.Call(t.Context(), actor.As(models.ViaCommand), tools.Call{
		ID: models.NewID(), Name: parsed.Tool, Args: parsed.Args, ConversationID: s.Turn.ConversationID, TurnID: s.Turn.ID, Channel: models.ViaWeb,
	})
	require.NotNil(t, outcome.Proposal, outcome.Summary)
	s.Turn.Status, s.Reply.Status, s.Reply.Content = models.TurnDone, models.MessageComplete, outcome.Text
	require.NoError(t, o.conversations.End(t.Context(), &s.Turn, &s.Reply))
	return outcome.Proposal
}

// told are the messages of a card's conversation after the reply.
func (o *office) told(t *testing.T, actor models.Actor, p *models.Proposal) (texts []string) {
	t.Helper()
	thread, err := o.conversations.Get(t.Context(), actor, *p.ConversationID)
	require.NoError(t, err)
	for _, m := range thread.Messages[2:] {
		require.Equal(t, models.RoleAssistant, m.Role)
		require.Equal(t, models.MessageComplete, m.Status)
		texts = append(texts, m.Content)
	}
	return texts
}

func chinese(a models.Actor) models.Actor {
	a.Lang = "zh-HK"
	return a
}

const toProposal = `/update_deal_stage renewal stage=Proposal`

func TestTheConversationIsToldOfTheOutcome(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		p := o.ask(t, o.Sales1, toProposal)
		v, err := o.Confirm(t.Context(), o.Sales1, p.ID, p.Digest)
		require.NoError(t, err)
		require.Equal(t, models.ProposalExecuted, v.Proposal.Status)
		require.Equal(t, []string{`"Acme renewal" is now in the stage "Proposal".`}, o.told(t, o.Sales1, p))
		v, err = o.Confirm(t.Context(), o.Sales1, p.ID, p.Digest)
		require.NoError(t, err)
		require.True(t, v.Repeated)
		require.Len(t, o.told(t, o.Sales1, p), 1, "once")

		p = o.ask(t, o.Sales1, `/update_deal_stage renewal stage=Won`)
		_, err = o.Confirm(t.Context(), chinese(o.Sales1), p.ID, p.Digest)
		require.NoError(t, err)
		require.Equal(t, []string{"「Acme renewal」現已轉到「Won」階段。"}, o.told(t, o.Sales1, p), "in the language of who confirms")
	})
}

func TestTheConversationIsToldOfACancel(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		p := o.ask(t, o.Sales1, toProposal)
		v, err := o.Cancel(t.Context(), o.Sales1, p.ID, "Not yet")
		require.NoError(t, err)
		require.Equal(t, "Not yet", v.Proposal.DecisionReason)
		_, err = o.Cancel(t.Context(), o.Sales1, p.ID, "")
		require.NoError(t, err)
		require.Equal(t, []string{"Cancelled: Change stage · Acme renewal."}, o.told(t, o.Sales1, p))

		p = o.ask(t, chinese(o.Sales1), toProposal)
		_, err = o.Cancel(t.Context(), chinese(o.Sales1), p.ID, "")
		require.NoError(t, err)
		require.Equal(t, []string{"已取消：更改階段 · Acme renewal。"}, o.told(t, o.Sales1, p))
	})
}

func TestTheConversationIsToldThatItIsStale(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		p := o.ask(t, o.Sales1, toProposal)
		_, err := o.deals.Update(t.Context(), o.Admin, o.AcmeRenewal.ID, 1, crm.DealPatch{Title: models.Some("Acme renewal 2")})
		require.NoError(t, err)
		for range 2 {
			_, err = o.Confirm(t.Context(), o.Sales1, p.ID, p.Digest)
			require.True(t, apperr.HasCode(err, proposals.CodeStale))
		}
		fresh := apperr.As(err).Extra["fresh"].(*models.Proposal)
		require.Equal(t, p.ConversationID, fresh.ConversationID)
		require.Equal(t, []string{`Nothing was changed: "Acme renewal" had changed in the meantime.`}, o.told(t, o.Sales1, p))
	})
}

func TestTheConversationIsToldOfAFailure(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		for _, c := range []struct {
			actor models.Actor
			want  string
		}{
			{o.Sales1, "Not done: You no longer have the right to make this change."},
			{chinese(o.Sales1), "未能完成：你已沒有權限作出這項變更。"},
		} {
			p := o.ask(t, o.Sales1, toProposal)
			o.raw("UPDATE users SET role = 'viewer' WHERE id = $1", o.Sales1.UserID)
			_, err := o.Confirm(t.Context(), c.actor, p.ID, p.Digest)
			require.True(t, apperr.Is(err, apperr.Forbidden), "%v", err)
			require.Equal(t, []string{c.want}, o.told(t, o.Sales1, p))
			o.raw("UPDATE users SET role = 'sales' WHERE id = $1", o.Sales1.UserID)
		}

		p := o.ask(t, o.Sales1, toProposal)
		o.raw("ALTER TABLE activities RENAME TO activities_gone")
		v, err := o.Confirm(t.Context(), chinese(o.Sales1), p.ID, p.Digest)
		require.NoError(t, err)
		require.Equal(t, models.ProposalFailed, v.Proposal.Status)
		require.Equal(t, []string{"未能完成：系統發生問題，請稍後再試。"}, o.told(t, o.Sales1, p))

		gone := confirm.NewService(o.proposals, tools.NewPerformer(tools.NewRegistry(), o.Gate), o.conversations)
		p = o.ask(t, o.Sales1, toProposal)
		_, err = gone.Confirm(t.Context(), o.Sales1, p.ID, p.Digest)
		require.NoError(t, err)
		require.Equal(t, []string{"Not done: This kind of change is no longer offered. Ask for it again."}, o.told(t, o.Sales1, p))
	})
}

// What is told and what is done stand or fall together.
func TestNothingIsDoneThatCannotBeTold(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		p := o.ask(t, o.Sales1, toProposal)
		o.raw("ALTER TABLE messages RENAME TO messages_gone")
		_, err := o.Confirm(t.Context(), o.Sales1, p.ID, p.Digest)
		require.Error(t, err)
		o.raw("ALTER TABLE messages_gone RENAME TO messages")
		deal, err := o.deals.Get(t.Context(), o.Sales1, o.AcmeRenewal.ID)
		require.NoError(t, err)
		require.Equal(t, int64(1), deal.Version)
		got, err := o.proposals.Get(t.Context(), o.Sales1, p.ID)
		require.NoError(t, err)
		require.Equal(t, models.ProposalPending, got.Status)
		_, err = o.Confirm(t.Context(), o.Sales1, p.ID, p.Digest)
		require.NoError(t, err)
	})
}

func TestADeletedConversationIsNoObstacle(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		p := o.ask(t, o.Sales1, toProposal)
		require.NoError(t, o.conversations.Delete(t.Context(), o.Sales1, *p.ConversationID))
		v, err := o.Confirm(t.Context(), o.Sales1, p.ID, p.Digest)
		require.NoError(t, err)
		require.Equal(t, models.ProposalExecuted, v.Proposal.Status)
	})
}

func TestAProposalWithoutAConversation(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		draft, err := tools.NewPerformer(o.registry, o.Gate).Prepare(t.Context(), o.Sales1, "update_deal_stage",
			models.ToJSON(map[string]string{"deal": o.AcmeRenewal.ID, "stage": o.Won.ID}))
		require.NoError(t, err)
		p, err := o.proposals.Create(t.Context(), o.Sales1, draft, proposals.Origin{Tool: "update_deal_stage", Channel: models.ViaMCP})
		require.NoError(t, err)
		v, err := o.Confirm(t.Context(), o.Sales1, p.ID, p.Digest)
		require.NoError(t, err)
		require.Equal(t, models.ProposalExecuted, v.Proposal.Status)
	})
}

func TestOthersAreRefusedAndNotTold(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		p := o.ask(t, o.Sales1, toProposal)
		for _, other := range []models.Actor{o.Sales2, o.Manager, o.Admin} {
			_, err := o.Confirm(t.Context(), other, p.ID, p.Digest)
			require.True(t, apperr.Is(err, apperr.NotFound))
			_, err = o.Cancel(t.Context(), other, p.ID, "")
			require.True(t, apperr.Is(err, apperr.NotFound))
		}
		_, err := o.Confirm(t.Context(), o.Sales1, p.ID, "x")
		require.True(t, apperr.HasCode(err, proposals.CodeDigestMismatch))
		o.Clock.Advance(proposals.TTL)
		_, err = o.Confirm(t.Context(), o.Sales1, p.ID, p.Digest)
		require.True(t, apperr.HasCode(err, proposals.CodeExpired))
		require.Empty(t, o.told(t, o.Sales1, p))
	})
}

// CON-01, BAT-02: a new message leaves the card alone; APR-19: one confirm is for one card.
func TestAPR19OneConfirmIsForOneCard(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		first := o.ask(t, o.Sales1, toProposal)
		_, err := o.conversations.Start(t.Context(), o.Sales1, conversations.Opening{ConversationID: *first.ConversationID, Message: "yes, confirm", Channel: models.ViaWeb})
		require.NoError(t, err)
		second := o.ask(t, o.Sales1, `/update_deal_stage expansion stage=Won`)
		_, err = o.Confirm(t.Context(), o.Sales1, second.ID, second.Digest)
		require.NoError(t, err)
		got, err := o.proposals.Get(t.Context(), o.Sales1, first.ID)
		require.NoError(t, err)
		require.Equal(t, models.ProposalPending, got.Status)
	})
}

// Confirms, cancels, commands and messages of one conversation at once neither wait for each other for ever nor
// tell anything twice.
func TestConfirmsAndTurnsAtOnce(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		p := o.ask(t, o.Sales1, toProposal)
		errs := make([]error, 12)
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() {
				switch i % 3 {
				case 0:
					_, errs[i] = o.Confirm(t.Context(), o.Sales1, p.ID, p.Digest)
				case 1:
					_, errs[i] = o.conversations.Start(t.Context(), o.Sales1, conversations.Opening{ConversationID: *p.ConversationID, Message: "hello", Channel: models.ViaWeb})
				case 2:
					outcome := o.executor.Call(t.Context(), o.Sales1, tools.Call{Name: "get_deal", Args: []byte(`{"deal":"renewal"}`), ConversationID: *p.ConversationID})
					if outcome.Error != nil {
						errs[i] = errors.New(outcome.Error.Message)
					}
				}
			})
		}
		done := make(chan struct{})
		go func() { all.Wait(); close(done) }()
		select {
		case <-done:
		case <-time.After(30 * time.Second):
			t.Fatal("they wait for each other")
		}
		for _, err := range errs {
			require.NoError(t, err)
		}
		thread, err := o.conversations.Get(t.Context(), o.Sales1, *p.ConversationID)
		require.NoError(t, err)
		outcomes := 0
		for i, m := range thread.Messages {
			require.Equal(t, int64(i+1), m.Seq)
			if m.Content == `"Acme renewal" is now in the stage "Proposal".` {
				outcomes++
			}
		}
		require.Equal(t, 1, outcomes)
	})
}
