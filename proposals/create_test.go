package proposals_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/proposals"
	"countersign/store"
)

func TestCreateStoresWhatIsShown(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		actor := h.Sales1.As(models.ViaAssistant)
		actor.Model, actor.Client = "openai/test", "client"
		draft := h.draft(t, actor, h.AcmeRenewal, h.Won)
		draft.Reason = "They\n signed\x00."
		p, err := h.Create(t.Context(), actor, draft, proposals.Origin{Tool: tool, Channel: models.ViaWeb, TurnID: "turn-1", CallID: "call_0"})
		require.NoError(t, err)

		stored, err := h.Get(t.Context(), h.Sales1, p.ID)
		require.NoError(t, err)
		require.Equal(t, shown(t, p), shown(t, stored), "what Create gives is what is stored")
		require.Equal(t, p, stored)
		require.Equal(t, models.ProposalPending, stored.Status)
		require.Equal(t, h.Sales1.UserID, stored.RequestedBy)
		require.Equal(t, "They signed.", stored.Reason)
		require.Equal(t, h.Clock.Now().Add(15*time.Minute), stored.ExpiresAt)
		require.Regexp(t, `^[0-9a-f]{64}$`, stored.Digest)
		require.Equal(t, "openai/test", stored.Model)
		require.Nil(t, stored.ConversationID)
		require.Equal(t, "turn-1", *stored.TurnID)

		entries := h.entries(t, "proposal:create", h.AcmeRenewal.ID)
		require.Len(t, entries, 1)
		require.Equal(t, models.DecisionProposed, entries[0].Decision)
		require.Contains(t, string(entries[0].Detail), p.Digest)
	})
}

func TestCreateRefusesArgumentsThatHaveNoCanonicalForm(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		draft := h.draft(t, h.Sales1, h.AcmeRenewal, h.Won)
		draft.Args = models.JSON(`{"deal":"a","deal":"b"}`)
		_, err := h.Create(t.Context(), h.Sales1, draft, proposals.Origin{Tool: tool})
		require.Error(t, err)
	})
}

func TestCON02TheSameOpenChangeIsTheSameProposal(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		first := h.propose(t, h.Sales1, h.AcmeRenewal, h.Won)
		h.Clock.Advance(time.Minute)
		for range 5 {
			require.Equal(t, first, h.propose(t, h.Sales1, h.AcmeRenewal, h.Won))
		}
		require.NotEqual(t, first.ID, h.propose(t, h.Manager, h.AcmeRenewal, h.Won).ID, "another person's is another one")
		require.NotEqual(t, first.ID, h.propose(t, h.Sales1, h.AcmeExpansion, h.Won).ID, "of another record")
		require.Equal(t, models.ProposalPending, h.status(t, first))
	})
}

func TestCON01ANewerChangeTakesThePlace(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.exec(t, "INSERT INTO conversations (id, user_id, channel, title, created_at, updated_at) VALUES ('c1', $1, 'web', 't', $2, $2)", h.Sales1.UserID, h.Clock.Now())
		draft := h.draft(t, h.Sales1, h.AcmeRenewal, h.Won)
		first, err := h.Create(t.Context(), h.Sales1, draft, proposals.Origin{Tool: tool, ConversationID: "c1"})
		require.NoError(t, err)
		second := h.propose(t, h.Sales1, h.AcmeRenewal, h.Lost)
		require.Equal(t, models.ProposalSuperseded, h.status(t, first), "in whichever conversation")
		require.Len(t, h.entries(t, "proposal:supersede", h.AcmeRenewal.ID), 1)

		v, err := h.confirm(h.Sales1, first)
		refused(t, v, err, proposals.CodeSuperseded)
		v, err = h.cancel(h.Sales1, first)
		refused(t, v, err, proposals.CodeSuperseded)
		h.executed(t, h.Sales1, second)
	})
}

func TestANewVersionIsANewProposal(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		first := h.propose(t, h.Sales1, h.AcmeRenewal, h.Won)
		h.rename(t, h.AcmeRenewal, "Acme renewal 2")
		second := h.propose(t, h.Sales1, h.AcmeRenewal, h.Won)
		require.NotEqual(t, first.ID, second.ID)
		require.Equal(t, int64(2), second.TargetVersion)
		require.Equal(t, models.ProposalSuperseded, h.status(t, first))
	})
}

func TestAPR22AnOldApprovalAuthorisesNothingNew(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		first := h.propose(t, h.Sales1, h.AcmeRenewal, h.Proposal)
		h.executed(t, h.Sales1, first)
		h.move(t, h.AcmeRenewal, h.New)
		second := h.propose(t, h.Sales1, h.AcmeRenewal, h.Proposal)
		require.NotEqual(t, first.ID, second.ID)
		require.Equal(t, models.ProposalPending, second.Status)

		before := h.effects(t, h.AcmeRenewal)
		v, err := h.confirm(h.Sales1, first)
		require.NoError(t, err)
		require.True(t, v.Repeated)
		require.Equal(t, before, h.effects(t, h.AcmeRenewal))
		require.Equal(t, models.ProposalPending, h.status(t, second))
	})
}

func TestAPR03ACallIDIsNoApproval(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		a, b := h.propose(t, h.Sales1, h.AcmeRenewal, h.Won), h.propose(t, h.Sales1, h.AcmeExpansion, h.Won)
		require.Equal(t, a.CallID, b.CallID)
		h.executed(t, h.Sales1, a)
		require.Equal(t, models.ProposalPending, h.status(t, b))
		v, err := h.decide(h.Sales1, proposals.Decision{ProposalID: b.ID, Digest: a.Digest, Confirm: true}, h.performer)
		refused(t, v, err, proposals.CodeDigestMismatch)
	})
}

func TestGetIsForTheRequester(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		p := h.propose(t, h.Sales1, h.AcmeRenewal, h.Won)
		for _, other := range []models.Actor{h.Sales2, h.Manager, h.Admin, {}} {
			_, err := h.Get(t.Context(), other, p.ID)
			require.True(t, apperr.Is(err, apperr.NotFound))
		}
	})
}

func TestLists(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		over := h.propose(t, h.Sales1, h.AcmeRenewal, h.Won)
		h.Clock.Advance(proposals.TTL - time.Second)
		executed := h.propose(t, h.Sales1, h.AcmeExpansion, h.Won)
		h.executed(t, h.Sales1, executed)
		h.Clock.Advance(time.Second)
		h.exec(t, "UPDATE deals SET owner_id = $1 WHERE id = $2", h.Sales1.UserID, h.GlobexPilot.ID)
		pending := h.propose(t, h.Sales1, h.GlobexPilot, h.Won)
		h.propose(t, h.Manager, h.FerryFleet, h.Won2)

		for status, want := range map[models.ProposalStatus][]string{
			"":                       {pending.ID, executed.ID, over.ID},
			models.ProposalPending:   {pending.ID},
			models.ProposalExecuted:  {executed.ID},
			models.ProposalExpired:   {over.ID},
			models.ProposalCancelled: {},
			"nonsense":               {},
		} {
			list, err := h.List(t.Context(), h.Sales1, status, store.Page{Limit: 10})
			require.NoError(t, err)
			ids := []string{}
			for _, p := range list.Items {
				ids = append(ids, p.ID)
				require.True(t, status == "" || p.Status == status)
			}
			require.Equal(t, want, ids, status)
			require.Equal(t, int64(len(want)), list.Total)
		}
		require.Equal(t, models.ProposalPending, h.status(t, over), "not written yet")
		got, err := h.Get(t.Context(), h.Sales1, over.ID)
		require.NoError(t, err)
		require.Equal(t, models.ProposalExpired, got.Status)
	})
}

func TestOfConversation(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.exec(t, "INSERT INTO conversations (id, user_id, channel, title, created_at, updated_at) VALUES ('c1', $1, 'web', 't', $2, $2)", h.Sales1.UserID, h.Clock.Now())
		var ids []string
		for _, deal := range []models.Deal{h.AcmeRenewal, h.AcmeExpansion} {
			p, err := h.Create(t.Context(), h.Sales1, h.draft(t, h.Sales1, deal, h.Won), proposals.Origin{Tool: tool, ConversationID: "c1"})
			require.NoError(t, err)
			ids = append(ids, p.ID)
		}
		h.Clock.Advance(proposals.TTL)
		list, err := h.OfConversation(t.Context(), h.Sales1, "c1")
		require.NoError(t, err)
		require.Len(t, list, 2)
		for i, p := range list {
			require.Equal(t, ids[i], p.ID)
			require.Equal(t, models.ProposalExpired, p.Status)
		}
		list, err = h.OfConversation(t.Context(), h.Sales2, "c1")
		require.NoError(t, err)
		require.Empty(t, list)
	})
}

func TestAnExpiredOneMakesRoomBeforeItIsReaped(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		over := h.propose(t, h.Sales1, h.AcmeRenewal, h.Won)
		h.Clock.Advance(proposals.TTL)
		next := h.propose(t, h.Sales1, h.AcmeRenewal, h.Won)
		require.NotEqual(t, over.ID, next.ID)
		require.Equal(t, models.ProposalExpired, h.status(t, over))
		require.Len(t, h.entries(t, "proposal:expire", h.AcmeRenewal.ID), 1)
	})
}

// However many propose at once, one of one change is open, and nobody gets an error.
func TestProposalsAtOnce(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		replica := proposals.NewService(dbtest.Again(t, h.DB), h.Gate, h.Clock.Now)
		stages := []models.Stage{h.Proposal, h.Won, h.Lost}
		var drafts []proposals.Draft
		for _, s := range stages {
			drafts = append(drafts, h.draft(t, h.Sales1, h.AcmeRenewal, s))
		}
		errs := make([]error, 12)
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() {
				service := []*proposals.Service{h.Service, replica}[i%2]
				_, errs[i] = service.Create(t.Context(), h.Sales1, drafts[i%len(drafts)], proposals.Origin{Tool: tool, CallID: fmt.Sprint(i)})
			})
		}
		all.Wait()
		for _, err := range errs {
			require.NoError(t, err)
		}
		list, err := h.List(t.Context(), h.Sales1, models.ProposalPending, store.Page{Limit: 50})
		require.NoError(t, err)
		require.Len(t, list.Items, 1)
	})
}
