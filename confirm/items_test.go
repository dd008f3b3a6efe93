package confirm_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/confirm"
	"countersign/crm"
	"countersign/models"
	"countersign/proposals"
	"countersign/store"
)

// bulk are n deals of the manager's team, and a card that moves them all to the next stage.
func (o *office) bulk(t *testing.T, n int) (*models.Proposal, []models.Ref) {
	t.Helper()
	refs := make([]models.Ref, n)
	for i := range refs {
		deal, err := o.deals.Create(t.Context(), o.Sales1, crm.DealInput{Title: fmt.Sprintf("Shipment %02d", i), StageID: o.New.ID})
		require.NoError(t, err)
		refs[i] = models.Ref{Type: models.TypeDeal, ID: deal.ID, Name: deal.Title}
	}
	p := o.ask(t, o.Manager, `/bulk_update_deals text=shipment new_stage=Proposal`)
	parts, err := p.Parts()
	require.NoError(t, err)
	for i, part := range parts {
		require.Equal(t, refs[i], part.Target())
	}
	return p, refs
}

// choose confirms a card with the records that are kept.
func (o *office) choose(t *testing.T, p *models.Proposal, items []string) (*proposals.Verdict, error) {
	t.Helper()
	return o.ConfirmChoice(t.Context(), o.Manager, p.ID, p.Digest, confirm.Choice{Items: items})
}

func ids(refs ...models.Ref) []string {
	list := make([]string, len(refs))
	for i, ref := range refs {
		list[i] = ref.ID
	}
	return list
}

// statuses are what came of each record of a card.
func (o *office) statuses(t *testing.T, p *models.Proposal) (list []models.ItemStatus) {
	t.Helper()
	for _, item := range o.stored(t, p).Items {
		list = append(list, item.Status)
	}
	return list
}

func (o *office) versions(t *testing.T, refs []models.Ref) (list []int64) {
	t.Helper()
	for _, ref := range refs {
		list = append(list, o.version(t, ref))
	}
	return list
}

// Each record is done, left out, or not done for a reason of its own, and all of that is told.
func TestItemsAreDoneEachForItself(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		p, refs := o.bulk(t, 5)
		o.touch(t, refs[1])
		o.raw("UPDATE deals SET owner_id = $1 WHERE id = $2", o.Sales3.UserID, refs[2].ID)
		v, err := o.choose(t, p, ids(refs[0], refs[1], refs[2], refs[4]))
		require.NoError(t, err)
		require.Equal(t, models.ProposalExecuted, v.Proposal.Status)
		require.Equal(t, []models.ItemStatus{models.ItemDone, models.ItemStale, models.ItemFailed, models.ItemSkipped, models.ItemDone}, o.statuses(t, p))
		require.Equal(t, []int64{2, 2, 1, 1, 2}, o.versions(t, refs))
		view := o.stored(t, p)
		require.Equal(t, []models.Ref{refs[0], refs[4]}, view.Outcome.Records)
		require.Equal(t, "FORBIDDEN", view.Items[2].Error.Code)
		require.Equal(t, []string{`Changed 2 of 5 records. "Shipment 01": It has changed in the meantime, so it was left as it is. ` +
			`"Shipment 02": You no longer have the right to make this change. "Shipment 03" was left out.`}, o.told(t, o.Manager, p))
		require.Contains(t, view.Outcome.NoUndo, "not undone at once")
		require.Nil(t, view.Undo)

		again, err := o.choose(t, p, ids(refs[3]))
		require.NoError(t, err)
		require.True(t, again.Repeated, "what was left out is not done later")
		require.Equal(t, []int64{2, 2, 1, 1, 2}, o.versions(t, refs))

		history := crm.NewHistory(o.DB, o.Gate, o.Clock.Now)
		for _, i := range []int{0, 4} {
			changes, err := history.Of(t.Context(), o.Manager, models.TypeDeal, refs[i].ID)
			require.NoError(t, err)
			require.Equal(t, []any{"stageId", p.ID}, []any{changes[0].Field, *changes[0].ProposalID})
		}
		require.Contains(t, string(o.decision(t, p).Detail), `"status":"skipped"`)
	})
}

// decision is the audit entry of a confirmation.
func (o *office) decision(t *testing.T, p *models.Proposal) (found models.AuditEntry) {
	t.Helper()
	o.InTx(t, func(tx *store.Tx) {
		entries, err := tx.UnsealedAudit(t.Context(), 1000)
		require.NoError(t, err)
		for _, e := range entries {
			if e.Action == "proposal:confirm" && e.TargetID == p.TargetID {
				found = e
			}
		}
	})
	return found
}

// When nothing can be done, the card ends as one about a single record.
func TestItemsOfWhichNoneCanBeDone(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		p, refs := o.bulk(t, 3)
		o.touch(t, refs[0])
		o.touch(t, refs[1])
		_, err := o.choose(t, p, ids(refs[0], refs[1]))
		require.True(t, apperr.HasCode(err, proposals.CodeStale), "%v", err)
		require.Equal(t, []int64{2, 2, 1}, o.versions(t, refs))
		require.Len(t, o.stored(t, p).ChangedSince, 2)
		require.Equal(t, refs[0].ID, o.stored(t, p).ChangedSince[0].Record.ID)
		fresh := apperr.As(err).Extra["fresh"].(*models.Proposal)
		require.Equal(t, string(p.Args), string(fresh.Args))
		_, err = o.choose(t, fresh, nil)
		require.NoError(t, err)
		require.Equal(t, []int64{3, 3, 2}, o.versions(t, refs))

		o.raw("UPDATE deals SET stage_id = $1 WHERE title LIKE 'Shipment%'", o.New.ID)
		p = o.ask(t, o.Manager, `/bulk_update_deals text=shipment new_stage=Proposal`)
		o.raw("UPDATE deals SET version = version + 1 WHERE id = $1", refs[0].ID)
		o.raw("UPDATE users SET role = 'viewer' WHERE id = $1", o.Manager.UserID)
		_, err = o.choose(t, p, nil)
		require.True(t, apperr.Is(err, apperr.Forbidden), "%v", err)
		require.Equal(t, models.ProposalFailed, o.stored(t, p).Status)
		require.Equal(t, []models.ItemStatus{models.ItemFailed, models.ItemFailed, models.ItemFailed}, o.statuses(t, p))
		require.Equal(t, []int64{4, 3, 2}, o.versions(t, refs))
	})
}

func TestBAT02ItemsThatAreNotTheCards(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		p, refs := o.bulk(t, 2)
		for _, items := range [][]string{{}, {o.AcmeRenewal.ID}, {refs[0].ID, "x"}, {p.ID}, {""}} {
			_, err := o.choose(t, p, items)
			require.True(t, apperr.Is(err, apperr.Invalid), "%v: %v", items, err)
			require.Equal(t, "items", apperr.As(err).Fields[0].Path)
		}
		_, err := o.ConfirmChoice(t.Context(), o.Manager, p.ID, p.Digest, confirm.Choice{Edits: map[string]any{"new_stage": "Won"}})
		require.True(t, apperr.Is(err, apperr.Invalid), "%v", err)
		single := o.ask(t, o.Manager, toProposal)
		_, err = o.choose(t, single, []string{o.AcmeRenewal.ID})
		require.True(t, apperr.Is(err, apperr.Invalid), "%v", err)
		for _, card := range []*models.Proposal{p, single} {
			require.Equal(t, models.ProposalPending, o.stored(t, card).Status)
		}
		require.Equal(t, []int64{1, 1}, o.versions(t, refs))

		o.raw("UPDATE proposals SET items = REPLACE(items, $1, $2) WHERE id = $3", refs[0].ID, o.AcmeRenewal.ID, p.ID)
		_, err = o.choose(t, p, nil)
		require.True(t, apperr.HasCode(err, proposals.CodeDigestMismatch), "%v", err)
	})
}

// However many choices are confirmed at once, one of them is carried out, and all hear of that one.
func TestFiftyChoicesAtOnceAreOne(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		p, refs := o.bulk(t, 4)
		verdicts, errs := make([]*proposals.Verdict, 50), make([]error, 50)
		var clicks sync.WaitGroup
		for i := range verdicts {
			clicks.Go(func() { verdicts[i], errs[i] = o.choose(t, p, ids(refs[i%4], refs[(i+1)%4])) })
		}
		clicks.Wait()
		first := 0
		for i, v := range verdicts {
			require.NoError(t, errs[i])
			if !v.Repeated {
				first++
			}
			require.JSONEq(t, string(verdicts[0].Proposal.Outcome), string(v.Proposal.Outcome))
		}
		require.Equal(t, 1, first)
		changed := 0
		for i, status := range o.statuses(t, p) {
			want := int64(1)
			if status == models.ItemDone {
				want, changed = 2, changed+1
			}
			require.Equal(t, want, o.version(t, refs[i]))
		}
		require.Equal(t, 2, changed)
		require.Len(t, o.told(t, o.Manager, p), 1)
	})
}

// Two cards about the same deals, in another order and confirmed at once, do not wait for each other for ever.
func TestCardsOfTheSameDealsAtOnce(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		p, refs := o.bulk(t, 6)
		other := o.ask(t, o.Admin, `/bulk_update_deals deals="Shipment 05,Shipment 04,Shipment 03,Shipment 02,Shipment 01,Shipment 00" new_stage=Won`)
		var clicks sync.WaitGroup
		var errs [2]error
		clicks.Go(func() { _, errs[0] = o.choose(t, p, nil) })
		clicks.Go(func() { _, errs[1] = o.Confirm(t.Context(), o.Admin, other.ID, other.Digest) })
		clicks.Wait()
		stale := 0
		for _, err := range errs {
			if err != nil {
				require.True(t, apperr.HasCode(err, proposals.CodeStale), "%v", err)
				stale++
			}
		}
		require.Equal(t, 1, stale, "the second finds all of them changed")
		require.Equal(t, []int64{2, 2, 2, 2, 2, 2}, o.versions(t, refs))
	})
}

// The reason that a card of lost deals asks for is given once and counts for all that are kept.
func TestTheReasonOfALossIsGivenForAll(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		_, refs := o.bulk(t, 3)
		p := o.ask(t, o.Manager, `/bulk_update_deals text=shipment new_stage=Lost`)
		view := o.stored(t, p)
		require.Equal(t, []string{"3 deals will be closed as of the moment you confirm.", "No reason for the loss was given."}, view.Warnings)
		require.Equal(t, []proposals.Editable{{Arg: "lost_reason", Field: "lostReason", Label: "Lost reason", Type: "text", Value: ""}}, view.Editable)
		give := func(reason string, items ...string) (*proposals.Verdict, error) {
			return o.ConfirmChoice(t.Context(), o.Manager, p.ID, p.Digest, confirm.Choice{Edits: map[string]any{"lost_reason": reason}, Items: items})
		}
		for _, bad := range []string{"", strings.Repeat("x", 5000)} {
			_, err := give(bad, refs[0].ID)
			require.True(t, apperr.Is(err, apperr.Invalid), "%v", err)
		}
		v, err := give("Too dear", ids(refs[0], refs[2])...)
		require.NoError(t, err)
		require.Equal(t, models.ProposalExecuted, v.Proposal.Status)
		for i, want := range []string{"Too dear", "", "Too dear"} {
			deal, err := o.deals.Get(t.Context(), o.Manager, refs[i].ID)
			require.NoError(t, err)
			require.Equal(t, want, deal.LostReason)
		}
		view = o.stored(t, p)
		require.True(t, view.Edited)
		require.Len(t, view.Changes, 1)
		require.Equal(t, []any{"lostReason", "Too dear"}, []any{view.Changes[0].Field, view.Changes[0].After})
	})
}
