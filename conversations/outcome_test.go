package conversations_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/conversations"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// propose adds a proposal as it became; one that is decided was so after some seconds.
func (b *books) propose(t *testing.T, actor models.Actor, p models.Proposal, seconds float64) models.Proposal {
	t.Helper()
	p.ID, p.RequestedBy, p.TargetID = models.NewID(), actor.UserID, models.NewID()
	p.Args, p.Changes, p.Warnings = models.JSON("{}"), models.JSON("[]"), models.JSON("[]")
	p.CreatedAt, p.ExpiresAt = b.Clock.Now(), b.Clock.Now().Add(time.Hour)
	if seconds > 0 {
		at := p.CreatedAt.Add(time.Duration(seconds * float64(time.Second)))
		p.DecidedAt, p.DecidedBy = &at, &actor.UserID
	}
	b.InTx(t, func(tx *store.Tx) { require.NoError(t, tx.InsertProposal(t.Context(), &p)) })
	return p
}

// decide makes a dozen proposals: by two people with two tools over two channels, in two months of Hong Kong.
func (b *books) decide(t *testing.T) {
	t.Helper()
	deal := func(status models.ProposalStatus) models.Proposal {
		return models.Proposal{Status: status, Tool: "update_deal", Channel: models.ViaWeb}
	}
	edited, explained := deal(models.ProposalExecuted), deal(models.ProposalCancelled)
	edited.EditedArgs, explained.DecisionReason = models.JSON("{}"), "Not now."
	b.Clock.Advance(models.MonthOf(b.Clock.Now().AddDate(0, 1, 0)).Start().Sub(b.Clock.Now()) - 2*time.Hour)
	b.propose(t, b.Sales1, deal(models.ProposalPending), 0) // expires before anybody looks
	b.propose(t, b.Sales1, deal(models.ProposalExpired), 0)
	b.Clock.Advance(2 * time.Hour)
	done := b.propose(t, b.Sales1, deal(models.ProposalExecuted), 10)
	undo := deal(models.ProposalExecuted)
	undo.UndoesID = &done.ID
	undo = b.propose(t, b.Sales1, undo, 1)
	b.InTx(t, func(tx *store.Tx) { require.NoError(t, tx.MarkUndone(t.Context(), done.ID, undo.ID)) })
	b.propose(t, b.Sales1, edited, 20)
	b.propose(t, b.Sales1, deal(models.ProposalCancelled), 30)
	b.propose(t, b.Sales1, explained, 40)
	b.propose(t, b.Sales1, deal(models.ProposalStale), 50)
	b.propose(t, b.Sales1, deal(models.ProposalFailed), 60)
	b.propose(t, b.Sales1, deal(models.ProposalSuperseded), 0)
	b.propose(t, b.Sales1, deal(models.ProposalPending), 0)
	b.propose(t, b.Sales3, models.Proposal{Status: models.ProposalExecuted, Tool: "create_task", Channel: models.ViaWhatsApp}, 700)
}

var (
	ofDeals = models.ProposalCounts{
		Made: 10, Pending: 1, Decided: 6, Executed: 2, Edited: 1, Undone: 1, Cancelled: 2, Explained: 1, Stale: 1, Failed: 1, Expired: 2, Superseded: 1,
	}
	ofTasks = models.ProposalCounts{Made: 1, Decided: 1, Executed: 1}
)

// outcomes are figures with the rates of acceptance, edits, rejection and staleness.
func outcomes(counts models.ProposalCounts, rates [4]float64, p50, p90 int64) conversations.OutcomeFigures {
	return conversations.OutcomeFigures{
		ProposalCounts: counts, AcceptRate: &rates[0], EditRate: &rates[1], RejectRate: &rates[2], StaleRate: &rates[3], P50Seconds: &p50, P90Seconds: &p90,
	}
}

func TestOutcomesOfProposals(t *testing.T) {
	account(t, func(t *testing.T, b *books) {
		first := models.DateOf(b.Clock.Now())
		b.decide(t)
		month := models.MonthOf(b.Clock.Now())
		deals, tasks := outcomes(ofDeals, [4]float64{2.0 / 6, 1.0 / 6, 2.0 / 6, 1.0 / 6}, 30, 60), outcomes(ofTasks, [4]float64{1}, 700, 700)
		sum := ofDeals
		sum.Add(ofTasks)
		total := outcomes(sum, [4]float64{3.0 / 7, 1.0 / 7, 2.0 / 7, 1.0 / 7}, 40, 700)
		for by, want := range map[store.OutcomesBy][]conversations.OutcomeLine{
			"":                      {{Key: "update_deal", Name: "update_deal", OutcomeFigures: deals}, {Key: "create_task", Name: "create_task", OutcomeFigures: tasks}},
			store.OutcomesByUser:    {{Key: b.Sales1.UserID, Name: b.Sales1.Name, OutcomeFigures: deals}, {Key: b.Sales3.UserID, Name: b.Sales3.Name, OutcomeFigures: tasks}},
			store.OutcomesByChannel: {{Key: "web", Name: "web", OutcomeFigures: deals}, {Key: "whatsapp", Name: "whatsapp", OutcomeFigures: tasks}},
		} {
			report, err := b.Outcomes(t.Context(), b.Admin, by, first, "")
			require.NoError(t, err)
			require.Equal(t, want, report.Lines, by)
			require.Equal(t, total, report.Total, by)
		}

		report, err := b.Outcomes(t.Context(), b.Admin, store.OutcomesByMonth, first, "")
		require.NoError(t, err)
		require.Len(t, report.Lines, 2)
		before, now := report.Lines[0], report.Lines[1]
		require.Equal(t, []string{string(models.MonthOf(first.Start())), string(month)}, []string{before.Key, now.Key})
		require.Equal(t, conversations.OutcomeFigures{ProposalCounts: models.ProposalCounts{Made: 2, Expired: 2}}, before.OutcomeFigures, "no rate of nothing")
		require.EqualValues(t, 9, now.Made)
	})
}

func TestWhoseOutcomesAreSeen(t *testing.T) {
	account(t, func(t *testing.T, b *books) {
		first := models.DateOf(b.Clock.Now())
		b.decide(t)
		for _, c := range []struct {
			actor models.Actor
			scope rbac.Scope
			made  int64
		}{{b.Admin, rbac.ScopeAll, 11}, {b.Manager, rbac.ScopeTeam, 10}, {b.Sales1, rbac.ScopeOwn, 10}, {b.Sales3, rbac.ScopeOwn, 1}, {b.Viewer, rbac.ScopeOwn, 0}} {
			report, err := b.Outcomes(t.Context(), c.actor, "", first, "")
			require.NoError(t, err)
			require.Equal(t, c.scope, report.Scope)
			require.Equal(t, c.made, report.Total.Made)
			require.NotNil(t, report.Lines)
		}
		_, err := b.Outcomes(t.Context(), b.Admin, "", "2026-03-02", "2026-03-01")
		require.True(t, apperr.Is(err, apperr.Invalid), "%v", err)
	})
}
