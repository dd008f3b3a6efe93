package confirm_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/confirm"
	"countersign/crm"
	"countersign/models"
	"countersign/proposals"
	"countersign/settings"
)

// byAdmin lets an administrator approve cards of several deals by a metric.
func byAdmin(metric models.RuleMetric, threshold string) settings.RuleInput {
	in := settings.RuleInput{Tool: "bulk_update_deals", Metric: metric, Threshold: threshold, Effect: models.RuleApprove, ApproverRole: "admin"}
	if metric == models.RuleAmount {
		in.Currency = "HKD"
	}
	return in
}

// Every record of a card counts, and one that was left out does not count later.
func TestRecordsOfOneCardAreCounted(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.rule(t, byAdmin(models.RuleCount, "3"))
		p, refs := o.bulk(t, 4)
		require.Equal(t, "This needs the approval of somebody with the role Admin: with this, 4 records would be changed within 24 hours, more than 3.", p.ApprovalReason)
		v, err := o.ConfirmChoice(t.Context(), o.Admin, p.ID, p.Digest, confirm.Choice{Items: ids(refs[0])})
		require.NoError(t, err)
		require.Equal(t, models.ProposalExecuted, v.Proposal.Status)
		require.Equal(t, []int64{2, 1, 1, 1}, o.versions(t, refs), "an approver leaves out what they like")

		p = o.ask(t, o.Manager, `/bulk_update_deals text=shipment new_stage=Proposal`)
		require.False(t, p.Approval.Needed(), "three are left, and what was approved does not count")
		_, err = o.choose(t, p, ids(refs[1]))
		require.NoError(t, err)
		require.False(t, o.ask(t, o.Manager, `/bulk_update_deals text=shipment new_stage=Proposal`).Approval.Needed(), "one and two")
		require.True(t, o.ask(t, o.Manager, `/bulk_update_deals text=shipment new_expected_close_date=2027-01-31`).Approval.Needed(), "one and four")
	})
}

// Leaving records out makes no card easier: it is weighed as a whole, when it is made and at the click.
func TestLeavingOutDoesNotAvoidTheApproval(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		before, refs := o.bulk(t, 4)
		o.rule(t, byAdmin(models.RuleCount, "3"))
		for range 2 { // the rule came after the card; then the card asks for it
			_, err := o.choose(t, before, ids(refs[0]))
			require.True(t, apperr.HasCode(err, proposals.CodeNeedsApproval), "%v", err)
		}
		require.Equal(t, []int64{1, 1, 1, 1}, o.versions(t, refs))
		smaller := o.ask(t, o.Manager, `/bulk_update_deals deals=`+refs[0].ID+`,`+refs[1].ID+` new_stage=Proposal`)
		require.False(t, smaller.Approval.Needed(), "a smaller card is another one")
		o.approves(t, o.Manager, smaller)
		require.Equal(t, []int64{2, 2, 1, 1}, o.versions(t, refs))
	})
}

// An amount is that of each record, as on a card of its own, and not their sum; one that is above asks for the whole card.
func TestAmountsOfOneCardAreComparedEachForItself(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.rule(t, byAdmin(models.RuleAmount, "500000"))
		_, refs := o.bulk(t, 3)
		set := func(i int, amount int64) {
			deal, err := o.deals.Get(t.Context(), o.Admin, refs[i].ID)
			require.NoError(t, err)
			_, err = o.deals.Update(t.Context(), o.Admin, deal.ID, deal.Version, crm.DealPatch{
				Amount: models.Some(models.Money{Minor: amount, Currency: "HKD"}),
			})
			require.NoError(t, err)
		}
		for i := range refs {
			set(i, 500_000_00)
		}
		const later = `/bulk_update_deals text=shipment new_expected_close_date=2027-01-31`
		require.False(t, o.ask(t, o.Manager, later).Approval.Needed(), "1,500,000 in all")
		set(2, 500_000_01)
		p := o.ask(t, o.Manager, later)
		require.Contains(t, p.ApprovalReason, "HK$500,000.01, is above HK$500,000.00")
		_, err := o.choose(t, p, ids(refs[0], refs[1]))
		require.True(t, apperr.HasCode(err, proposals.CodeNeedsApproval), "%v", err)
		o.approves(t, o.Admin, p)

		o.rule(t, byAdmin(models.RuleDiscount, "0"))
		set(2, 1_00)
		require.False(t, o.ask(t, o.Manager, `/bulk_update_deals text=shipment new_expected_close_date=2027-02-28`).Approval.Needed(), "deals have no discount")
	})
}

// An amount that has risen since the card was made counts at the click.
func TestTheAmountOfTheClickCountsForEachRecord(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.rule(t, byAdmin(models.RuleAmount, "500000"))
		p, refs := o.bulk(t, 2)
		require.False(t, p.Approval.Needed())
		_, err := o.deals.Update(t.Context(), o.Admin, refs[1].ID, 1, crm.DealPatch{Amount: models.Some(models.Money{Minor: 600_000_00, Currency: "HKD"})})
		require.NoError(t, err)
		o.refuses(t, o.Manager, p, proposals.CodeNeedsApproval)
		v, err := o.Confirm(t.Context(), o.Admin, p.ID, p.Digest)
		require.NoError(t, err)
		require.Equal(t, models.ProposalExecuted, v.Proposal.Status)
		require.Equal(t, []models.ItemStatus{models.ItemDone, models.ItemStale}, o.statuses(t, p))
	})
}
