package proposals_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/models"
	"countersign/proposals"
)

func (h *house) undo(actor models.Actor, p *models.Proposal) (*models.Proposal, error) {
	return h.Undo(context.Background(), actor, p.ID, h.performer)
}

// undone demands a proposal that takes p back.
func (h *house) undone(t tb, actor models.Actor, p *models.Proposal) *models.Proposal {
	t.Helper()
	undo, err := h.undo(actor, p)
	require.NoError(t, err)
	require.Equal(t, p.ID, *undo.UndoesID)
	return undo
}

// noUndo demands a refusal with a code, and gives it.
func noUndo(t tb, undo *models.Proposal, err error, code string) *apperr.Error {
	t.Helper()
	require.Nil(t, undo)
	require.True(t, apperr.HasCode(err, code), "want %s, got %v", code, err)
	return apperr.As(err)
}

// get is a proposal as its requester sees it now.
func (h *house) get(t tb, p *models.Proposal) proposals.View {
	t.Helper()
	got, err := h.Get(context.Background(), models.Actor{UserID: p.RequestedBy}, p.ID)
	require.NoError(t, err)
	view, err := proposals.ViewOf(got)
	require.NoError(t, err)
	return view
}

func (h *house) stage(t tb, deal models.Deal) string {
	t.Helper()
	now, err := h.deals.Get(context.Background(), h.Admin, deal.ID)
	require.NoError(t, err)
	return now.StageID
}

func TestUndo(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		p := h.propose(t, h.Sales1, h.AcmeRenewal, h.Won)
		require.Nil(t, h.get(t, p).Undo)
		h.executed(t, h.Sales1, p)
		require.Equal(t, h.Clock.Now().Add(proposals.UndoTime), h.get(t, p).Undo.Until)
		require.Empty(t, h.get(t, p).Outcome.NoUndo)
		before := h.effects(t, h.AcmeRenewal)

		undo := h.undone(t, h.Sales1, p)
		require.Equal(t, before, h.effects(t, h.AcmeRenewal), "it is only proposed")
		require.Equal(t, []any{models.ProposalPending, "Undo: Change stage", tool, int64(2), models.ViaWeb}, []any{undo.Status, undo.Title, undo.Tool, undo.TargetVersion, undo.Via})
		require.Equal(t, h.Clock.Now().Add(proposals.TTL), undo.ExpiresAt)
		view := h.get(t, undo)
		require.Equal(t, p.ID, *view.UndoesID)
		require.Len(t, view.Changes, 1)
		require.Equal(t, []string{"Won", "New"}, []string{view.Changes[0].BeforeDisplay, view.Changes[0].AfterDisplay})
		require.NotNil(t, h.get(t, p).Undo, "not yet undone")

		h.executed(t, h.Sales1, undo)
		require.Equal(t, before.after(1), h.effects(t, h.AcmeRenewal))
		require.Equal(t, h.New.ID, h.stage(t, h.AcmeRenewal))
		original := h.get(t, p)
		require.Nil(t, original.Undo)
		require.Equal(t, undo.ID, *original.UndoneByID)
		again, err := h.undo(h.Sales1, p)
		noUndo(t, again, err, proposals.CodeCannotUndo)

		redo := h.undone(t, h.Sales1, undo)
		h.executed(t, h.Sales1, redo)
		require.Equal(t, h.Won.ID, h.stage(t, h.AcmeRenewal), "undoing an undo is simply a change")
		require.Len(t, h.entries(t, "proposal:create", h.AcmeRenewal.ID), 3)
	})
}

func TestUndoRestoresTheReasonOfALoss(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		lose := func(deal models.Deal, args map[string]any) *models.Proposal {
			args["deal"] = deal.ID
			d, err := h.performer.Prepare(t.Context(), h.Sales1, tool, models.ToJSON(args))
			require.NoError(t, err)
			p, err := h.Create(t.Context(), h.Sales1, d, proposals.Origin{Tool: tool})
			require.NoError(t, err)
			return h.executed(t, h.Sales1, p)
		}
		reason := func() string {
			deal, err := h.deals.Get(t.Context(), h.Sales1, h.AcmeRenewal.ID)
			require.NoError(t, err)
			return deal.LostReason
		}
		lost := lose(h.AcmeRenewal, map[string]any{"stage": h.Lost.ID, "lost_reason": "Too dear"})
		h.executed(t, h.Sales1, h.undone(t, h.Sales1, lost))
		require.Empty(t, reason())

		lose(h.AcmeRenewal, map[string]any{"stage": h.Lost.ID, "lost_reason": "Too dear"})
		reopened := h.executed(t, h.Sales1, h.propose(t, h.Sales1, h.AcmeRenewal, h.New))
		require.Empty(t, reason())
		undo := h.undone(t, h.Sales1, reopened)
		require.Contains(t, string(undo.Warnings), "closed as of the moment you confirm")
		h.executed(t, h.Sales1, undo)
		require.Equal(t, "Too dear", reason())
	})
}

func TestUndoAskedForAgainIsTheSame(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		p := h.executed(t, h.Sales1, h.propose(t, h.Sales1, h.AcmeRenewal, h.Won))
		// The same change, asked for in another way, is not the undo, and gives way to it.
		asked := h.propose(t, h.Sales1, h.AcmeRenewal, h.New)

		replicas := h.replicas(t)
		undos, errs := make([]*models.Proposal, 8), make([]error, 8)
		var clicks sync.WaitGroup
		for i := range undos {
			clicks.Go(func() { undos[i], errs[i] = replicas[i%2].undo(h.Sales1, p) })
		}
		clicks.Wait()
		for i := range undos {
			require.NoError(t, errs[i])
			require.Equal(t, undos[0].ID, undos[i].ID)
		}
		require.Equal(t, models.ProposalSuperseded, h.status(t, asked))
		h.executed(t, h.Sales1, undos[0])
		require.Equal(t, int64(2), h.hooked.Load())
	})
}

func TestUndoInTime(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		p := h.executed(t, h.Sales1, h.propose(t, h.Sales1, h.AcmeRenewal, h.Won))
		h.Clock.Advance(proposals.UndoTime - time.Microsecond)
		undo := h.undone(t, h.Sales1, p)
		h.Clock.Advance(time.Microsecond)
		require.Nil(t, h.get(t, p).Undo)
		late, err := h.undo(h.Sales1, p)
		require.Equal(t, apperr.Gone, noUndo(t, late, err, proposals.CodeExpired).Kind)
		h.executed(t, h.Sales1, undo)
		require.Equal(t, undo.ID, *h.get(t, p).UndoneByID, "what was asked for in time can be confirmed later")
	})
}

func TestUndoOnlyOfWhatWasDone(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		p := h.propose(t, h.Sales1, h.AcmeRenewal, h.Won)
		undo, err := h.undo(h.Sales1, p)
		require.Equal(t, "Only a change that was carried out can be undone.", noUndo(t, undo, err, proposals.CodeCannotUndo).Message)
		chinese := h.Sales1
		chinese.Lang = "zh-HK"
		undo, err = h.undo(chinese, p)
		require.Equal(t, "只有已執行的變更才可以復原。", noUndo(t, undo, err, proposals.CodeCannotUndo).Message)
		_, err = h.cancel(h.Sales1, p)
		require.NoError(t, err)
		undo, err = h.undo(h.Sales1, p)
		noUndo(t, undo, err, proposals.CodeCannotUndo)

		entries := h.entries(t, "proposal:undo", p.ID)
		require.Len(t, entries, 3, "each refusal is on record")
		require.Equal(t, []any{models.DecisionDenied, proposals.CodeCannotUndo}, []any{entries[0].Decision, entries[0].Reason})
	})
}

func TestUndoIsForTheRequesterAlone(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		p := h.executed(t, h.Sales1, h.propose(t, h.Sales1, h.AcmeRenewal, h.Won))
		for _, other := range []models.Actor{h.Sales2, h.Manager, h.Admin, {}} {
			undo, err := h.undo(other, p)
			noUndo(t, undo, err, "NOT_FOUND")
		}
		require.Len(t, h.entries(t, "proposal:undo", p.ID), 4)
		require.Equal(t, h.Won.ID, h.stage(t, h.AcmeRenewal))
	})
}

func TestUndoNeedsTheRightNow(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		p := h.executed(t, h.Sales1, h.propose(t, h.Sales1, h.AcmeRenewal, h.Won))
		h.role(t, h.Sales1, "viewer")
		undo, err := h.undo(h.Sales1, p)
		require.Equal(t, apperr.Forbidden, noUndo(t, undo, err, "FORBIDDEN").Kind)
		h.role(t, h.Sales1, "sales")

		undo = h.undone(t, h.Sales1, p)
		h.role(t, h.Sales1, "viewer")
		v, err := h.confirm(h.Sales1, undo)
		refused(t, v, err, "FORBIDDEN")
		require.Equal(t, h.Won.ID, h.stage(t, h.AcmeRenewal))
		require.Nil(t, h.get(t, p).UndoneByID)
	})
}

func TestUndoOfARecordThatHasChangedSince(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		p := h.executed(t, h.Sales1, h.propose(t, h.Sales1, h.AcmeRenewal, h.Won))
		undo := h.undone(t, h.Sales1, p)
		h.rename(t, h.AcmeRenewal, "Renamed by a colleague")

		again, err := h.undo(h.Sales1, p)
		e := noUndo(t, again, err, proposals.CodeStale)
		require.Equal(t, apperr.Stale, e.Kind)
		since := e.Extra["changedSince"].([]proposals.FieldSince)
		require.Len(t, since, 1)
		require.Equal(t, []string{"title", "Ada Admin"}, []string{since[0].Field, since[0].By})

		v, err := h.confirm(h.Sales1, undo)
		refused(t, v, err, proposals.CodeStale)
		require.Equal(t, h.Won.ID, h.stage(t, h.AcmeRenewal))

		gone := h.executed(t, h.Sales1, h.propose(t, h.Sales1, h.AcmeExpansion, h.Won))
		require.NoError(t, h.deals.Delete(t.Context(), h.Admin, h.AcmeExpansion.ID, 2))
		undo, err = h.undo(h.Sales1, gone)
		noUndo(t, undo, err, proposals.CodeStale)
	})
}

// Where the tool cannot put a former value back exactly, nothing is proposed.
func TestUndoIsExactOrNotAtAll(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.exec(t, "UPDATE stages SET kind = 'LOST' WHERE id = $1", h.Proposal.ID)
		lost := h.executed(t, h.Sales1, h.propose(t, h.Sales1, h.AcmeRenewal, h.Lost))
		d, err := h.performer.Prepare(t.Context(), h.Sales1, tool, models.ToJSON(map[string]any{"deal": h.AcmeRenewal.ID, "stage": h.Proposal.ID, "lost_reason": "No answer"}))
		require.NoError(t, err)
		p, err := h.Create(t.Context(), h.Sales1, d, proposals.Origin{Tool: tool})
		require.NoError(t, err)
		h.executed(t, h.Sales1, p)
		undo, err := h.undo(h.Sales1, p)
		require.Contains(t, noUndo(t, undo, err, proposals.CodeCannotUndo).Message, "no exact way back")
		undo, err = h.undo(h.Sales1, lost)
		noUndo(t, undo, err, proposals.CodeStale)
	})
}

// The former value may have become impossible since.
func TestUndoToWhatIsNoLongerThere(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		p := h.executed(t, h.Sales1, h.propose(t, h.Sales1, h.AcmeRenewal, h.Won))
		h.exec(t, "UPDATE stages SET pipeline_id = $1, position = 99 WHERE id = $2", h.Renewals.ID, h.New.ID)
		undo, err := h.undo(h.Sales1, p)
		require.Contains(t, noUndo(t, undo, err, proposals.CodeCannotUndo).Message, "This cannot be undone: ")
	})
}
