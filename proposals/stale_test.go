package proposals_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/models"
	"countersign/proposals"
	"countersign/store"
)

// stale demands the answer that the record has changed, and gives the fresh proposal, if any, and what changed.
func stale(t tb, v *proposals.Verdict, err error) (*models.Proposal, []proposals.FieldSince) {
	t.Helper()
	e := refused(t, v, err, proposals.CodeStale)
	require.Equal(t, apperr.Stale, e.Kind)
	var since []proposals.FieldSince
	require.NoError(t, e.Extra["changedSince"].(models.JSON).Into(&since))
	require.Equal(t, models.ProposalStale, e.Extra["proposal"].(*models.Proposal).Status)
	fresh, _ := e.Extra["fresh"].(*models.Proposal)
	if fresh != nil {
		require.Equal(t, fresh.ID, *e.Extra["proposal"].(*models.Proposal).FreshID)
		require.Contains(t, e.Message, "fresh proposal")
	}
	return fresh, since
}

func TestStaleByAnyChangeOfTheVersion(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		p := h.propose(t, h.Sales1, h.AcmeRenewal, h.Won)
		h.Clock.Advance(time.Minute)
		h.rename(t, h.AcmeRenewal, "Acme renewal 2027")
		before := h.effects(t, h.AcmeRenewal)
		v, err := h.confirm(h.Sales1, p)
		fresh, since := stale(t, v, err)
		require.Equal(t, before, h.effects(t, h.AcmeRenewal), "nothing was done")
		require.Equal(t, models.ProposalStale, h.status(t, p))
		require.Equal(t, int64(1), h.hooked.Load())

		require.Len(t, since, 1)
		require.Equal(t, "title", since[0].Field)
		require.Equal(t, "Ada Admin", since[0].By)
		require.Equal(t, "null", string(since[0].Before), "the card did not show it")
		require.Equal(t, "null", string(since[0].After))

		require.Equal(t, models.ProposalPending, fresh.Status)
		require.Equal(t, int64(2), fresh.TargetVersion)
		require.Equal(t, p.Args, fresh.Args)
		require.Equal(t, "Acme renewal 2027", fresh.TargetName)
		require.NotEqual(t, p.Digest, fresh.Digest)
		require.Equal(t, h.Clock.Now().Add(proposals.TTL), fresh.ExpiresAt)
		h.executed(t, h.Sales1, fresh)
	})
}

func TestStaleTellsWhatTheCardShowed(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		p := h.propose(t, h.Sales1, h.AcmeRenewal, h.Won)
		h.move(t, h.AcmeRenewal, h.Proposal)
		v, err := h.confirm(h.Sales1, p)
		fresh, since := stale(t, v, err)
		require.Len(t, since, 1)
		require.Equal(t, "stageId", since[0].Field)
		require.JSONEq(t, `"`+h.New.ID+`"`, string(since[0].Before))
		require.JSONEq(t, `"`+h.Proposal.ID+`"`, string(since[0].After))
		require.Contains(t, string(fresh.Changes), `"beforeDisplay":"Proposal"`, "a diff from where the deal is now")
	})
}

// A fresh card shows of each field what it was, is now and would become.
func TestTheFreshProposalComparesThreeWays(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		p := h.propose(t, h.Sales1, h.AcmeRenewal, h.Won)
		h.move(t, h.AcmeRenewal, h.Proposal)
		v, err := h.confirm(h.Sales1, p)
		fresh, _ := stale(t, v, err)
		want := models.Change{
			Field: "stageId", Label: "Stage", Was: h.New.ID, Before: h.Proposal.ID, After: h.Won.ID,
			WasDisplay: "New", BeforeDisplay: "Proposal", AfterDisplay: "Won",
		}
		require.Equal(t, []models.Change{want}, h.get(t, fresh).Changes, "as it is read later, too")

		h.move(t, h.AcmeRenewal, h.New)
		v, err = h.confirm(h.Sales1, fresh)
		fresh, _ = stale(t, v, err)
		require.Equal(t, "Proposal", h.get(t, fresh).Changes[0].WasDisplay, "what the latest card showed")

		require.Empty(t, h.get(t, p).Changes[0].WasDisplay)
		h.executed(t, h.Sales1, fresh)
	})
}

func TestTheFreshProposalIsTheSameOnEveryRepeat(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		p := h.propose(t, h.Sales1, h.AcmeRenewal, h.Won)
		h.rename(t, h.AcmeRenewal, "Changed")
		v, err := h.confirm(h.Sales1, p)
		fresh, since := stale(t, v, err)
		for range 3 {
			h.Clock.Advance(time.Minute)
			v, err = h.confirm(h.Sales1, p)
			again, sinceAgain := stale(t, v, err)
			require.Equal(t, fresh.ID, again.ID)
			require.Equal(t, since, sinceAgain)
		}
		h.executed(t, h.Sales1, fresh)
		v, err = h.confirm(h.Sales1, p)
		again, _ := stale(t, v, err)
		require.Equal(t, fresh.ID, again.ID)
		require.Equal(t, models.ProposalExecuted, again.Status, "as it is now")
		require.Equal(t, int64(2), h.hooked.Load())
	})
}

func TestTheFreshProposalComesFromWhereTheOldOneDid(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		actor := h.Sales1.As(models.ViaAssistant)
		actor.Model = "openai/test"
		draft := h.draft(t, actor, h.AcmeRenewal, h.Won)
		draft.Reason = "They signed."
		p, err := h.Create(t.Context(), actor, draft, proposals.Origin{Tool: tool, TurnID: "turn-1", CallID: "call-1", Channel: models.ViaWeb})
		require.NoError(t, err)
		h.rename(t, h.AcmeRenewal, "Changed")
		v, err := h.confirm(h.Sales1, p)
		fresh, _ := stale(t, v, err)
		require.Equal(t, []any{p.Tool, p.TurnID, p.CallID, p.Channel, p.Via, p.Model, p.Reason}, []any{fresh.Tool, fresh.TurnID, fresh.CallID, fresh.Channel, fresh.Via, fresh.Model, fresh.Reason})
	})
}

// What a model proposes in a conversation with text of somebody else says so, on the fresh card as on the stale one; what a
// person typed does not.
func TestTheFreshProposalKeepsTheWarningOfOutsideText(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		conversation := models.Conversation{ID: models.NewID(), UserID: h.Sales1.UserID, Channel: models.ViaWeb, CreatedAt: h.Clock.Now(), UpdatedAt: h.Clock.Now()}
		mail := models.Ref{Type: models.TypeActivity, ID: models.NewID(), Name: "Re: offer"}
		h.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.InsertConversation(t.Context(), &conversation))
			require.NoError(t, tx.MarkOutside(t.Context(), conversation.ID, models.ToJSON(mail)))
		})
		for via, deal := range map[models.Via]models.Deal{models.ViaAssistant: h.AcmeRenewal, models.ViaCommand: h.AcmeExpansion} {
			actor := h.Sales1.As(via)
			p, err := h.Create(t.Context(), actor, h.draft(t, actor, deal, h.Won), proposals.Origin{Tool: tool, ConversationID: conversation.ID})
			require.NoError(t, err)
			h.rename(t, deal, "Changed")
			v, err := h.confirm(h.Sales1, p)
			fresh, _ := stale(t, v, err)
			var warnings []string
			require.NoError(t, fresh.Warnings.Into(&warnings))
			warned := slices.Contains(warnings, proposals.OutsideWarning("en", mail))
			require.Equal(t, via == models.ViaAssistant, warned, via)
		}
	})
}

func TestStaleWithoutAFreshProposal(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		p := h.propose(t, h.Sales1, h.AcmeRenewal, h.Proposal)
		h.move(t, h.AcmeRenewal, h.Proposal)
		v, err := h.confirm(h.Sales1, p)
		fresh, since := stale(t, v, err)
		require.Nil(t, fresh, "it is already as was asked")
		require.Len(t, since, 1)
		require.NotContains(t, apperr.As(err).Message, "fresh")

		p = h.propose(t, h.Sales1, h.AcmeExpansion, h.Won)
		require.NoError(t, h.deals.Delete(t.Context(), h.Admin, h.AcmeExpansion.ID, 1))
		v, err = h.confirm(h.Sales1, p)
		fresh, since = stale(t, v, err)
		require.Nil(t, fresh, "the record is gone")
		require.Equal(t, "deleted", since[0].Field)
	})
}

// APR-07: an old card that is clicked again never takes the place of a change that waits by now.
func TestAPR07AnOldCardLeavesANewerChangeAlone(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		old := h.propose(t, h.Sales1, h.AcmeRenewal, h.Proposal)
		h.move(t, h.AcmeRenewal, h.Proposal)
		v, err := h.confirm(h.Sales1, old)
		fresh, _ := stale(t, v, err)
		require.Nil(t, fresh)

		h.move(t, h.AcmeRenewal, h.New)
		newer := h.propose(t, h.Sales1, h.AcmeRenewal, h.Won)
		v, err = h.confirm(h.Sales1, old)
		fresh, _ = stale(t, v, err)
		require.Nil(t, fresh)
		require.Equal(t, models.ProposalPending, h.status(t, newer))

		_, err = h.cancel(h.Sales1, newer)
		require.NoError(t, err)
		v, err = h.confirm(h.Sales1, old)
		fresh, _ = stale(t, v, err)
		require.NotNil(t, fresh, "where nothing waits the change is offered anew")
	})
}

func TestCancelOfAStaleOneMakesNothing(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		p := h.propose(t, h.Sales1, h.AcmeRenewal, h.Proposal)
		h.move(t, h.AcmeRenewal, h.Proposal)
		v, err := h.confirm(h.Sales1, p)
		stale(t, v, err)
		h.move(t, h.AcmeRenewal, h.New)
		v, err = h.cancel(h.Sales1, p)
		require.Equal(t, apperr.Conflict, refused(t, v, err, proposals.CodeStale).Kind)
		list, err := h.List(t.Context(), h.Sales1, models.ProposalPending, store.Page{Limit: 5})
		require.NoError(t, err)
		require.Empty(t, list.Items)
	})
}
