package proposals_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/models"
	"countersign/proposals"
	"countersign/store"
)

// failing carries a change out, and then fails as given.
func (h *house) failing(fail func() error) proposals.Performer {
	return performer{h.performer, func(ctx context.Context, tx *store.Tx, actor models.Actor, p *models.Proposal) (models.Outcome, error) {
		if _, err := h.performer.Execute(ctx, tx, actor, p); err != nil {
			return models.Outcome{}, err
		}
		return models.Outcome{}, fail()
	}}
}

func yes(p *models.Proposal) proposals.Decision {
	return proposals.Decision{ProposalID: p.ID, Digest: p.Digest, Confirm: true}
}

// APR-11: what failed is stored with a sentence, what it had written is undone, and it is final.
func TestAPR11AFailureIsToldAndUndone(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		for _, c := range []struct {
			cause         error
			code, message string
		}{
			{apperr.New(apperr.Conflict, "LIMIT", "The stage is full."), "LIMIT", "The stage is full."},
			{apperr.InvalidField("stage", "No."), "INVALID", "No."},
			{apperr.NotFoundf("deal"), "NOT_FOUND", "There is no such deal, or you have no access to it."},
			{errors.New(`pq: deadlock in "deals"`), "INTERNAL", "Something went wrong on our side. Try again, and quote the request id if it happens again."},
		} {
			p := h.propose(t, h.Sales1, h.AcmeRenewal, h.Proposal)
			before, hooked := h.effects(t, h.AcmeRenewal), h.hooked.Load()
			v, err := h.decide(h.Sales1, yes(p), h.failing(func() error { return c.cause }))
			require.NoError(t, err)
			require.False(t, v.Repeated)
			require.Equal(t, models.ProposalFailed, v.Proposal.Status)
			require.Equal(t, models.OutcomeFailure{Code: c.code, Message: c.message}, *outcomeOf(t, v.Proposal).Error)
			require.Empty(t, outcomeOf(t, v.Proposal).Records)
			require.Equal(t, before, h.effects(t, h.AcmeRenewal), "what was written is undone")
			require.Equal(t, hooked+1, h.hooked.Load())
			entries := h.entries(t, "proposal:confirm", h.AcmeRenewal.ID)
			require.Equal(t, models.DecisionFailed, entries[len(entries)-1].Decision)
			require.Equal(t, c.code, entries[len(entries)-1].Reason)

			again, err := h.confirm(h.Sales1, p)
			require.NoError(t, err)
			require.True(t, again.Repeated)
			require.Equal(t, shown(t, v.Proposal), shown(t, again.Proposal))
			cancelled, err := h.cancel(h.Sales1, p)
			refused(t, cancelled, err, proposals.CodeAlreadyExecuted)
		}
	})
}

// A statement that the database refuses must not keep the failure from being stored.
func TestAFailedStatementIsAFailureToo(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		p := h.propose(t, h.Sales1, h.AcmeRenewal, h.Proposal)
		v, err := h.decide(h.Sales1, yes(p), performer{h.performer, func(ctx context.Context, tx *store.Tx, _ models.Actor, p *models.Proposal) (models.Outcome, error) {
			return models.Outcome{}, tx.InsertProposal(ctx, p) // the id is taken
		}})
		require.NoError(t, err)
		require.Equal(t, models.ProposalFailed, v.Proposal.Status)
		require.Equal(t, store.CodeDuplicate, outcomeOf(t, v.Proposal).Error.Code)
	})
}

// A database that is busy for a moment ends no proposal: the same click can succeed.
func TestAPassingFailureLeavesItPending(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		before := h.effects(t, h.AcmeRenewal)
		p := h.propose(t, h.Sales1, h.AcmeRenewal, h.Proposal)
		busy := apperr.New(apperr.Unavailable, store.CodeBusy, "Try again.")
		_, err := h.decide(h.Sales1, yes(p), h.failing(func() error { return busy }))
		require.ErrorIs(t, err, busy)
		require.Equal(t, before, h.effects(t, h.AcmeRenewal))
		h.executed(t, h.Sales1, p)
		require.Equal(t, before.after(1), h.effects(t, h.AcmeRenewal))
	})
}

// between does something before the second of its transactions.
type between struct {
	store.Runner
	meanwhile func()
	begun     *int
}

func (b between) InTx(ctx context.Context, fn func(*store.Tx) error) error {
	if *b.begun++; *b.begun == 2 {
		b.meanwhile()
	}
	return b.Runner.InTx(ctx, fn)
}

// What somebody else decides between a failure and what stores it is what counts.
func TestAnotherDecidesAfterTheFailure(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		decide := func(p *models.Proposal, meanwhile func()) (*proposals.Verdict, error) {
			s := proposals.NewService(between{h.DB, meanwhile, new(int)}, h.Gate, h.Clock.Now)
			return s.Decide(t.Context(), h.Sales1, yes(p), h.failing(func() error { return errors.New("broken") }), h.hook)
		}
		before := h.effects(t, h.AcmeRenewal)
		p := h.propose(t, h.Sales1, h.AcmeRenewal, h.Proposal)
		v, err := decide(p, func() {
			_, err := h.cancel(h.Sales1, p)
			require.NoError(t, err)
		})
		refused(t, v, err, proposals.CodeAlreadyCancelled)
		require.Equal(t, before, h.effects(t, h.AcmeRenewal))

		p = h.propose(t, h.Sales1, h.AcmeRenewal, h.Proposal)
		v, err = decide(p, func() { h.executed(t, h.Sales1, p) })
		require.NoError(t, err)
		require.True(t, v.Repeated)
		require.Equal(t, models.ProposalExecuted, v.Proposal.Status)
		require.Equal(t, before.after(1), h.effects(t, h.AcmeRenewal))
	})
}

// Another write that slips in between the check of the version and the write itself is stale as well.
func TestStaleInTheMiddle(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		p := h.propose(t, h.Sales1, h.AcmeRenewal, h.Proposal)
		v, err := h.decide(h.Sales1, yes(p), h.failing(func() error { return apperr.New(apperr.Stale, "STALE", "x") }))
		fresh, since := stale(t, v, err)
		require.Empty(t, since)
		require.NotNil(t, fresh)
		require.Equal(t, models.ProposalStale, h.status(t, p))
		require.Equal(t, effects{version: 1}, h.effects(t, h.AcmeRenewal))
	})
}

// APR-08, SEC-28: a panic undoes everything, and the proposal waits as before.
func TestAPR08APanicLeavesItPending(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		p := h.propose(t, h.Sales1, h.AcmeRenewal, h.Proposal)
		before := h.effects(t, h.AcmeRenewal)
		require.Panics(t, func() { _, _ = h.decide(h.Sales1, yes(p), h.failing(func() error { panic("bug") })) })
		require.Zero(t, h.DB.InUse(), "no connection is lost")
		require.Equal(t, models.ProposalPending, h.status(t, p))
		require.Equal(t, before, h.effects(t, h.AcmeRenewal))
		require.Zero(t, h.hooked.Load())
		h.executed(t, h.Sales1, p)
		require.Equal(t, before.after(1), h.effects(t, h.AcmeRenewal))
	})
}

func TestAFailingHookUndoesTheDecision(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		p := h.propose(t, h.Sales1, h.AcmeRenewal, h.Proposal)
		before := h.effects(t, h.AcmeRenewal)
		broken := func(context.Context, *store.Tx, *models.Proposal) error { return errors.New("disk full") }
		for _, d := range []proposals.Decision{yes(p), {ProposalID: p.ID}} {
			_, err := h.Decide(t.Context(), h.Sales1, d, h.performer, broken)
			require.ErrorContains(t, err, "disk full")
			require.Equal(t, models.ProposalPending, h.status(t, p))
			require.Equal(t, before, h.effects(t, h.AcmeRenewal))
			require.Empty(t, h.entries(t, "proposal:confirm", h.AcmeRenewal.ID))
			require.Empty(t, h.entries(t, "proposal:confirm", p.ID), "what breaks is no refusal")
		}
		h.executed(t, h.Sales1, p)
	})
}

// SEC-72: without a record nothing happens.
func TestAnUnwritableRecordUndoesTheDecision(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		p := h.propose(t, h.Sales1, h.AcmeRenewal, h.Proposal)
		h.exec(t, "ALTER TABLE audit_entries RENAME TO audit_gone")
		_, err := h.confirm(h.Sales1, p)
		require.Error(t, err)
		require.Equal(t, models.ProposalPending, h.status(t, p))
		h.exec(t, "ALTER TABLE audit_gone RENAME TO audit_entries")
		require.Equal(t, effects{version: 1}, h.effects(t, h.AcmeRenewal))
		h.executed(t, h.Sales1, p)
	})
}

// SEC-54: the person may go away; a decision that has begun finishes.
func TestADecisionOutlivesItsCaller(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		p := h.propose(t, h.Sales1, h.AcmeRenewal, h.Proposal)
		ctx, leave := context.WithCancel(t.Context())
		v, err := h.Decide(ctx, h.Sales1, yes(p), performer{h.performer, func(ctx context.Context, tx *store.Tx, actor models.Actor, p *models.Proposal) (models.Outcome, error) {
			leave()
			require.NoError(t, ctx.Err())
			return h.performer.Execute(ctx, tx, actor, p)
		}}, h.hook)
		require.NoError(t, err)
		require.Equal(t, models.ProposalExecuted, v.Proposal.Status)
		require.Equal(t, models.ProposalExecuted, h.status(t, p))

		p = h.propose(t, h.Sales1, h.AcmeExpansion, h.Won)
		h.rename(t, h.AcmeExpansion, "Changed")
		v, err = h.Decide(ctx, h.Sales1, yes(p), h.performer, h.hook)
		fresh, _ := stale(t, v, err)
		require.NotNil(t, fresh)
	})
}
