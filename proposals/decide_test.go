package proposals_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/crm"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/proposals"
	"countersign/store"
)

func TestBAT08ConfirmCarriesOutWhatWasShown(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		actor := h.Sales1.As(models.ViaAssistant)
		actor.Model = "openai/test"
		before := h.effects(t, h.AcmeRenewal)
		p := h.propose(t, actor, h.AcmeRenewal, h.Proposal)
		require.Equal(t, before, h.effects(t, h.AcmeRenewal))
		h.Clock.Advance(time.Minute)

		done := h.executed(t, h.Sales1, p)
		require.Equal(t, before.after(1), h.effects(t, h.AcmeRenewal))
		require.Equal(t, int64(1), h.hooked.Load())
		require.Equal(t, h.Sales1.UserID, *done.DecidedBy)
		require.Equal(t, h.Clock.Now(), *done.DecidedAt)
		outcome := outcomeOf(t, done)
		require.Equal(t, `"Acme renewal" is now in the stage "Proposal".`, outcome.Summary)
		require.Equal(t, []models.Ref{{Type: models.TypeDeal, ID: h.AcmeRenewal.ID, Name: "Acme renewal"}}, outcome.Records)
		require.Nil(t, outcome.Error)

		deal, err := h.deals.Get(t.Context(), h.Sales1, h.AcmeRenewal.ID)
		require.NoError(t, err)
		require.Equal(t, h.Proposal.ID, deal.StageID)

		var via, model, proposalID string
		row := h.raw.QueryRow("SELECT via, model, proposal_id FROM field_changes WHERE record_id = $1 AND field = 'stageId'", h.AcmeRenewal.ID)
		require.NoError(t, row.Scan(&via, &model, &proposalID))
		require.Equal(t, []string{"assistant", "openai/test", p.ID}, []string{via, model, proposalID}, "history says who, with what, and by which proposal")
		entries := h.entries(t, "proposal:confirm", h.AcmeRenewal.ID)
		require.Len(t, entries, 1)
		require.Equal(t, models.ViaWeb, entries[0].Via, "the click itself came from the web")
	})
}

func TestARepeatGivesTheStoredOutcome(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		p := h.propose(t, h.Sales1, h.AcmeRenewal, h.Proposal)
		done := h.executed(t, h.Sales1, p)
		before := h.effects(t, h.AcmeRenewal)
		for range 3 {
			h.Clock.Advance(proposals.TTL) // also long after
			v, err := h.confirm(h.Sales1, p)
			require.NoError(t, err)
			require.True(t, v.Repeated)
			require.Equal(t, shown(t, done), shown(t, v.Proposal), "byte for byte")
			h.rename(t, h.AcmeExpansion, "Something else meanwhile")
		}
		require.Equal(t, before, h.effects(t, h.AcmeRenewal))
		require.Equal(t, int64(1), h.hooked.Load())
	})
}

// BAT-07: nothing but the database is needed to go on after a restart.
func TestBAT07AnotherProcessConfirms(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		p := h.propose(t, h.Sales1, h.AcmeRenewal, h.Proposal)
		w := *h.World
		w.DB = dbtest.Again(t, h.DB)
		newHouse(t, &w).executed(t, h.Sales1, p)
		v, err := h.confirm(h.Sales1, p)
		require.NoError(t, err)
		require.True(t, v.Repeated)
	})
}

func TestCancel(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		before := h.effects(t, h.AcmeRenewal)
		p := h.propose(t, h.Sales1, h.AcmeRenewal, h.Proposal)
		v, err := h.decide(h.Sales1, proposals.Decision{ProposalID: p.ID, Reason: " not\nyet\x00 "}, h.performer)
		require.NoError(t, err)
		require.False(t, v.Repeated)
		require.Equal(t, models.ProposalCancelled, v.Proposal.Status)
		require.Equal(t, "not yet", v.Proposal.DecisionReason)
		require.Equal(t, before, h.effects(t, h.AcmeRenewal))
		require.Len(t, h.entries(t, "proposal:cancel", h.AcmeRenewal.ID), 1)

		again, err := h.cancel(h.Sales1, p)
		require.NoError(t, err)
		require.True(t, again.Repeated)
		require.Equal(t, shown(t, v.Proposal), shown(t, again.Proposal))
		require.Equal(t, int64(1), h.hooked.Load())

		confirmed, err := h.confirm(h.Sales1, p)
		refused(t, confirmed, err, proposals.CodeAlreadyCancelled)
		require.Equal(t, before, h.effects(t, h.AcmeRenewal))
		require.Equal(t, models.ProposalCancelled, h.status(t, p))
	})
}

func TestCancelThatComesTooLate(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		p := h.propose(t, h.Sales1, h.AcmeRenewal, h.Proposal)
		h.executed(t, h.Sales1, p)
		v, err := h.cancel(h.Sales1, p)
		refused(t, v, err, proposals.CodeAlreadyExecuted)
		require.Equal(t, models.ProposalExecuted, h.status(t, p))

		over := h.propose(t, h.Sales1, h.AcmeExpansion, h.Won)
		h.Clock.Advance(proposals.TTL)
		v, err = h.cancel(h.Sales1, over)
		refused(t, v, err, proposals.CodeExpired)
	})
}

func TestACancelWithTheWrongDigestIsRefused(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		p := h.propose(t, h.Sales1, h.AcmeRenewal, h.Proposal)
		v, err := h.decide(h.Sales1, proposals.Decision{ProposalID: p.ID, Digest: "x"}, h.performer)
		refused(t, v, err, proposals.CodeDigestMismatch)
		require.Equal(t, models.ProposalPending, h.status(t, p))
	})
}

// APR-01, APR-14: only what the server has stored for this very person can be decided.
func TestAPR14OnlyTheRequesterDecides(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		p := h.propose(t, h.Sales1, h.AcmeRenewal, h.Proposal)
		for i, other := range []models.Actor{h.Sales2, h.Manager, h.Admin, h.Viewer, {}, models.System("importer")} {
			for _, confirm := range []bool{true, false} {
				v, err := h.decide(other, proposals.Decision{ProposalID: p.ID, Digest: p.Digest, Confirm: confirm}, h.performer)
				e := refused(t, v, err, "NOT_FOUND")
				unknown, err := h.decide(other, proposals.Decision{ProposalID: models.NewID(), Digest: p.Digest, Confirm: confirm}, h.performer)
				require.Equal(t, refused(t, unknown, err, "NOT_FOUND").Message, e.Message)
			}
			entries := h.entries(t, "proposal:confirm", p.ID)
			require.Len(t, entries, i+1, "each attempt is on the record")
			require.Equal(t, models.DecisionDenied, entries[i].Decision)
			require.Equal(t, other.Name, entries[i].ActorName)
		}
		require.Equal(t, models.ProposalPending, h.status(t, p))
		require.Zero(t, h.hooked.Load())
	})
}

func TestAPR01InventedIDs(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.propose(t, h.Sales1, h.AcmeRenewal, h.Proposal)
		for _, id := range []string{"", "%", "' OR 1=1 --", strings.Repeat("x", 100_000), "\xff"} {
			v, err := h.decide(h.Sales1, proposals.Decision{ProposalID: id, Confirm: true}, h.performer)
			require.Nil(t, v)
			require.Contains(t, []apperr.Kind{apperr.NotFound, apperr.Invalid}, apperr.As(err).Kind, "%.20q: %v", id, err)
		}
	})
}

func TestTheDigestMustBeTheOneShown(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		p := h.propose(t, h.Sales1, h.AcmeRenewal, h.Proposal)
		before := h.effects(t, h.AcmeRenewal)
		for _, digest := range []string{"", " ", "x", strings.ToUpper(p.Digest), p.Digest + " ", p.Digest[:63], strings.Repeat("0", 64), p.ID} {
			v, err := h.decide(h.Sales1, proposals.Decision{ProposalID: p.ID, Digest: digest, Confirm: true}, h.performer)
			refused(t, v, err, proposals.CodeDigestMismatch)
		}
		require.Equal(t, before, h.effects(t, h.AcmeRenewal))
		require.Equal(t, models.ProposalPending, h.status(t, p))
		require.NotEmpty(t, h.entries(t, "proposal:confirm", p.ID))
	})
}

// APR-24: what is stored is checked again before it runs.
func TestAPR24ATamperedRowIsRefused(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		p := h.propose(t, h.Sales1, h.AcmeRenewal, h.Proposal)
		before := h.effects(t, h.AcmeRenewal)
		forged := models.ToJSON(map[string]string{"deal": h.AcmeRenewal.ID, "stage": h.Lost.ID})
		for column, value := range map[string]any{
			"args": string(forged), "changes": "[]", "warnings": `["none"]`, "title": "Rename", "target_name": "Another deal", "reason": "x",
			"tool": "delete_record", "target_type": "company", "target_id": h.AcmeExpansion.ID, "target_version": 9, "digest": strings.Repeat("0", 64),
		} {
			row := h.raw.QueryRow("SELECT "+column+" FROM proposals WHERE id = $1", p.ID)
			var was any
			require.NoError(t, row.Scan(&was))
			h.exec(t, "UPDATE proposals SET "+column+" = $1 WHERE id = $2", value, p.ID)
			v, err := h.confirm(h.Sales1, p)
			refused(t, v, err, proposals.CodeDigestMismatch)
			require.Equal(t, models.ProposalPending, h.status(t, p), column)
			h.exec(t, "UPDATE proposals SET "+column+" = $1 WHERE id = $2", was, p.ID)
		}
		p2 := *p
		p2.Args = forged
		digest, err := proposals.DigestOf(&p2)
		require.NoError(t, err)
		h.exec(t, "UPDATE proposals SET args = $1, digest = $2 WHERE id = $3", string(forged), digest, p.ID)
		v, err := h.confirm(h.Sales1, p)
		refused(t, v, err, proposals.CodeDigestMismatch)
		require.Equal(t, before, h.effects(t, h.AcmeRenewal))
	})
}

func TestAPR17Expired(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		p := h.propose(t, h.Sales1, h.AcmeRenewal, h.Proposal)
		before := h.effects(t, h.AcmeRenewal)
		h.Clock.Advance(proposals.TTL)
		v, err := h.confirm(h.Sales1, p)
		e := refused(t, v, err, proposals.CodeExpired)
		require.Equal(t, apperr.Gone, e.Kind)
		require.Equal(t, models.ProposalExpired, h.status(t, p), "written at once")
		v, err = h.confirm(h.Sales1, p)
		refused(t, v, err, proposals.CodeExpired)
		require.Equal(t, before, h.effects(t, h.AcmeRenewal))
		require.Len(t, h.entries(t, "proposal:expire", h.AcmeRenewal.ID), 1)
	})
}

func TestTheLastMomentCounts(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		p := h.propose(t, h.Sales1, h.AcmeRenewal, h.Proposal)
		h.Clock.Advance(proposals.TTL - time.Microsecond)
		h.executed(t, h.Sales1, p)
	})
}

// slow is a database whose transactions begin after a wait.
type slow struct {
	store.Runner
	wait func()
}

func (s slow) InTx(ctx context.Context, fn func(*store.Tx) error) error {
	s.wait()
	return s.Runner.InTx(ctx, fn)
}

func TestAPR16WaitingIsNoExtraTime(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		p := h.propose(t, h.Sales1, h.AcmeRenewal, h.Proposal)
		h.Service = proposals.NewService(slow{h.DB, func() { h.Clock.Advance(proposals.TTL) }}, h.Gate, h.Clock.Now)
		v, err := h.confirm(h.Sales1, p)
		refused(t, v, err, proposals.CodeExpired)
		require.Equal(t, models.ProposalExpired, h.status(t, p))
	})
}

func TestOrderOfChecks(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		wrong := strings.Repeat("0", 64)
		confirm := func(actor models.Actor, p *models.Proposal, digest string) string {
			v, err := h.decide(actor, proposals.Decision{ProposalID: p.ID, Digest: digest, Confirm: true}, h.performer)
			if err != nil {
				return apperr.As(err).Code
			}
			require.True(t, v.Repeated)
			return string(v.Proposal.Status)
		}
		executed := h.propose(t, h.Sales1, h.AcmeExpansion, h.Won)
		h.executed(t, h.Sales1, executed)
		p := h.propose(t, h.Sales1, h.AcmeRenewal, h.Proposal)
		h.rename(t, h.AcmeRenewal, "Changed")
		h.role(t, h.Sales1, "viewer")
		over := h.propose(t, h.Manager, h.FerryFleet, h.Won2)
		h.rename(t, h.FerryFleet, "Changed too")
		h.Clock.Advance(proposals.TTL - time.Minute)

		require.Equal(t, "NOT_FOUND", confirm(h.Sales2, executed, wrong), "requester before digest")
		require.Equal(t, proposals.CodeDigestMismatch, confirm(h.Sales1, executed, wrong), "digest before status")
		require.Equal(t, "FORBIDDEN", confirm(h.Sales1, p, p.Digest), "right before version")
		h.Clock.Advance(time.Minute)
		require.Equal(t, "executed", confirm(h.Sales1, executed, executed.Digest), "status before expiry and right")
		h.role(t, h.Manager, "viewer")
		require.Equal(t, proposals.CodeDigestMismatch, confirm(h.Manager, over, wrong), "digest before expiry")
		require.Equal(t, proposals.CodeExpired, confirm(h.Manager, over, over.Digest), "expiry before right and version")
	})
}

// APR-13: the right is asked for again, at the moment of execution.
func TestAPR13ARightLostSince(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		for name, lose := range map[string]func(){
			"another role":     func() { h.role(t, h.Sales1, "viewer") },
			"another's record": func() { h.reassign(t, h.AcmeRenewal, h.Sales3) },
		} {
			h.role(t, h.Sales1, "sales")
			h.exec(t, "UPDATE deals SET owner_id = $1 WHERE id = $2", h.Sales1.UserID, h.AcmeRenewal.ID)
			p := h.propose(t, h.Sales1, h.AcmeRenewal, h.Proposal)
			lose()
			before := h.effects(t, h.AcmeRenewal)
			v, err := h.confirm(h.Sales1, p)
			e := refused(t, v, err, "FORBIDDEN")
			require.Equal(t, "deal:update", e.Extra["permission"], name)
			require.Equal(t, models.ProposalFailed, h.status(t, p), name)
			require.Equal(t, before, h.effects(t, h.AcmeRenewal))
			entries := h.entries(t, "proposal:confirm", h.AcmeRenewal.ID)
			require.Equal(t, models.DecisionDenied, entries[len(entries)-1].Decision)

			h.role(t, h.Sales1, "sales")
			v, err = h.confirm(h.Sales1, p)
			require.NoError(t, err)
			require.True(t, v.Repeated)
			require.Equal(t, models.ProposalFailed, v.Proposal.Status, "it stays as it ended")
			require.Equal(t, "FORBIDDEN", outcomeOf(t, v.Proposal).Error.Code)
		}
	})
}

func (h *house) reassign(t tb, deal models.Deal, to models.Actor) {
	t.Helper()
	now, err := h.deals.Get(context.Background(), h.Admin, deal.ID)
	require.NoError(t, err)
	_, err = h.deals.Update(context.Background(), h.Admin, deal.ID, now.Version, crm.DealPatch{OwnerID: models.Some(to.UserID)})
	require.NoError(t, err)
}

func TestADisabledUserConfirmsNothing(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		p := h.propose(t, h.Sales1, h.AcmeRenewal, h.Proposal)
		h.exec(t, "UPDATE users SET disabled_at = $1 WHERE id = $2", h.Clock.Now(), h.Sales1.UserID)
		v, err := h.confirm(h.Sales1, p)
		require.Equal(t, apperr.Unauthenticated, refused(t, v, err, "ACCOUNT_DISABLED").Kind)
		require.Equal(t, models.ProposalFailed, h.status(t, p))
	})
}

func TestAToolThatIsGone(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		draft := h.draft(t, h.Sales1, h.AcmeRenewal, h.Proposal)
		for _, name := range []string{"update_quotation", "get_deal", "delete_record", "deal"} {
			p, err := h.Create(t.Context(), h.Sales1, draft, proposals.Origin{Tool: name})
			require.NoError(t, err)
			v, err := h.confirm(h.Sales1, p)
			require.NoError(t, err)
			require.Equal(t, models.ProposalFailed, v.Proposal.Status)
			require.Equal(t, "TOOL_GONE", outcomeOf(t, v.Proposal).Error.Code)
		}
	})
}
