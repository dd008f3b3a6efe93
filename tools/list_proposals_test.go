package tools_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/models"
	"countersign/proposals"
	"countersign/settings"
	"countersign/tools"
)

type proposalList struct {
	Shown, Total int
	Items        []struct {
		ID, Status, Tool, Title, Outcome string
		Target                           models.Ref
		Changes                          []struct{ Label, Before, After string }
		ExpiresAt, DecidedAt             *string
	}
}

func TestListProposals(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		first := proposed(t, d.say(t, d.Sales1, `/update_deal_stage renewal stage=Won`))
		d.Clock.Advance(proposals.TTL)
		second := proposed(t, d.say(t, d.Sales1, `/update_deal expansion amount=500`))
		proposed(t, d.say(t, d.Sales2, `/update_deal_stage pilot stage=Won`))

		for command, want := range map[string][]string{
			`/list_proposals`: {second.ID, first.ID}, `/list_proposals pending`: {second.ID}, `/list_proposals status=EXPIRED`: {first.ID},
			`/list_proposals status=executed`: {},
		} {
			found, o := done[proposalList](t, d, d.Sales1, command)
			got := []string{}
			for _, item := range found.Items {
				got = append(got, item.ID)
			}
			require.Equal(t, want, got, command)
			require.Equal(t, len(want), found.Total)
			require.Len(t, o.Refs, len(want))
			require.Equal(t, tools.Finish, o.After)
			for _, p := range []*models.Proposal{first, second} {
				require.NotContains(t, string(o.Result), p.Digest, "a model never sees what a confirm takes")
			}
		}
		found, o := done[proposalList](t, d, d.Sales1, `/list_proposals`)
		require.Equal(t, "2 proposals\n- Waiting · Change deal · Acme expansion · Amount: (empty) → HK$500.00\n- Expired · Change stage · Acme renewal · Stage: New → Won", o.Text)
		require.NotNil(t, found.Items[0].ExpiresAt)
		require.Nil(t, found.Items[1].ExpiresAt)
		require.Equal(t, d.AcmeRenewal.ID, found.Items[1].Target.ID)
		require.Equal(t, []struct{ Label, Before, After string }{{"Stage", "New", "Won"}}, found.Items[1].Changes)
		_, o = done[proposalList](t, d, chinese(d.Sales1), `/list_proposals limit=1`)
		require.Contains(t, o.Text, "2 項建議，顯示 1 項\n- 等待確認 · ")
	})
}

// What somebody else asked for, and the actor may approve, says whose it is. It counts as text from outside.
func TestListProposalsOfOthers(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		rules := settings.NewApprovalRules(d.DB, d.Gate, d.Clock.Now, d.registry.Ruled())
		_, err := rules.Create(t.Context(), d.Admin, settings.RuleInput{Effect: models.RuleApprove, ApproverRole: "manager"})
		require.NoError(t, err)
		o := d.say(t, d.Sales1, `/update_deal_stage renewal stage=Won`)
		require.Contains(t, string(o.Result), `"needsApproval":"This needs the approval`, "the model knows that its user cannot confirm")
		require.Contains(t, o.Text, proposed(t, o).ApprovalReason)
		_, o = done[proposalList](t, d, d.Manager, `/list_proposals pending`)
		require.Contains(t, o.Text, "Stage: New → Won · Sam Sales · This needs the approval of somebody with the role Manager: a rule asks for it every time.")
		require.Equal(t, d.AcmeRenewal.ID, o.Outside.ID)
		_, o = done[proposalList](t, d, d.Sales1, `/list_proposals pending`)
		require.NotContains(t, o.Text, "Sam Sales")
		require.Nil(t, o.Outside)
	})
}

func TestListProposalsTellsWhatCameOfThem(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		p := proposed(t, d.say(t, d.Sales1, `/update_deal_stage renewal stage=Won`))
		_, err := d.decide(t, d.Sales1, p)
		require.NoError(t, err)
		failed := proposed(t, d.say(t, d.Sales1, `/update_deal_stage expansion stage=Won`))
		d.exec(t, "UPDATE users SET role = 'viewer' WHERE id = $1", d.Sales1.UserID)
		_, err = d.decide(t, d.Sales1, failed)
		require.Error(t, err)

		found, o := done[proposalList](t, d, d.Sales1, `/list_proposals`)
		require.Equal(t, []string{"failed", "executed"}, []string{found.Items[0].Status, found.Items[1].Status})
		require.Contains(t, found.Items[0].Outcome, "deal:update")
		require.Equal(t, `"Acme renewal" is now in the stage "Won".`, found.Items[1].Outcome)
		require.NotNil(t, found.Items[1].DecidedAt)
		require.Contains(t, o.Text, "- Done · Change stage · Acme renewal")
		others, _ := done[proposalList](t, d, d.Admin, `/list_proposals`)
		require.Empty(t, others.Items, "only one's own")
		fails(t, d.say(t, d.Sales1, `/list_proposals status=open`), "invalid")
	})
}
