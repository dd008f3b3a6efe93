package tools_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/models"
	"countersign/tools"
)

func proposed(t testing.TB, o tools.Outcome) *models.Proposal {
	t.Helper()
	require.Equal(t, models.CallProposed, o.Status, o.Summary)
	require.NotNil(t, o.Proposal)
	require.Nil(t, o.Error)
	return o.Proposal
}

func changes(t testing.TB, p *models.Proposal) (list []models.Change) {
	t.Helper()
	require.NoError(t, p.Changes.Into(&list))
	return list
}

func warnings(t testing.TB, p *models.Proposal) (list []string) {
	t.Helper()
	require.NoError(t, p.Warnings.Into(&list))
	return list
}

func TestUpdateDealStageProposes(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		before := d.writes(t)
		o := d.call(t, d.Sales1, "update_deal_stage", `{"deal":"D-1001","stage":"贏單","reason":"They  signed."}`)
		p := proposed(t, o)
		require.Equal(t, before, d.writes(t), "nothing changes before a person confirms")
		require.Equal(t, "Proposed: Acme renewal · Stage: New → Won. Nothing changes until you confirm.", o.Summary)
		require.Equal(t, tools.Finish, o.After)
		require.Equal(t, []models.Ref{{Type: models.TypeDeal, ID: d.AcmeRenewal.ID, Name: "Acme renewal"}}, o.Refs)

		require.Equal(t, models.ProposalPending, p.Status)
		require.Equal(t, "update_deal_stage", p.Tool)
		require.Equal(t, "Change stage", p.Title)
		require.Equal(t, `{"deal":"`+d.AcmeRenewal.ID+`","stage":"`+d.Won.ID+`"}`, string(p.Args))
		require.Equal(t, int64(1), p.TargetVersion)
		require.Equal(t, "They signed.", p.Reason)
		require.Equal(t, models.ViaAssistant, p.Via)
		require.Equal(t, []models.Change{{
			Field: "stageId", Label: "Stage", Before: d.New.ID, After: d.Won.ID, BeforeDisplay: "New", AfterDisplay: "Won",
		}}, changes(t, p))
		require.Equal(t, []string{"The deal will be closed as of the moment you confirm."}, warnings(t, p))

		result := decoded[struct{ Status, ProposalID string }](t, o)
		require.Equal(t, "pending", result.Status)
		require.Equal(t, p.ID, result.ProposalID)
		require.NotContains(t, string(o.Result), p.Digest, "a model never sees what a confirm takes")
	})
}

func TestUpdateDealStageByNameOrID(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		first := proposed(t, d.say(t, d.Sales1, `/update_deal_stage deal="Acme renewal" stage=Won`))
		for _, command := range []string{
			`/update_deal_stage renewal stage=won`,
			`/update_deal_stage deal=` + d.AcmeRenewal.ID + ` stage=` + d.Won.ID,
			`/update_deal_stage deal=D-1001 stage=贏單`,
			`/update_deal_stage deal=「Acme renewal」 stage=“won”`,
		} {
			require.Equal(t, first.ID, proposed(t, d.say(t, d.Sales1, command)).ID, command)
		}
		p := proposed(t, d.say(t, chinese(d.Manager), `/update_deal_stage fleet stage=待續約`))
		require.Equal(t, d.Due.ID, changes(t, p)[0].After, "a stage of the deal's own pipeline")
		require.Equal(t, "階段", changes(t, p)[0].Label)
		require.Equal(t, "Proposal", changes(t, p)[0].BeforeDisplay)
		p = proposed(t, d.say(t, d.Manager, `/update_deal_stage fleet stage=Lost lost_reason=Price`))
		require.Equal(t, d.Lost2.ID, changes(t, p)[0].After)
	})
}

func TestUpdateDealStageWithAReasonForTheLoss(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		p := proposed(t, d.say(t, d.Sales1, `/update_deal_stage renewal stage=Lost`))
		require.Contains(t, warnings(t, p), "No reason for the loss was given.")

		p = proposed(t, d.say(t, d.Sales1, `/update_deal_stage renewal stage=Lost lost_reason="Price too high"`))
		require.Equal(t, models.Change{
			Field: "lostReason", Label: "Lost reason", Before: nil, After: "Price too high", BeforeDisplay: "(empty)", AfterDisplay: "Price too high",
		}, changes(t, p)[1])
		require.Len(t, warnings(t, p), 1)

		p = proposed(t, d.say(t, d.Manager2, `/update_deal_stage audit stage=Due`))
		require.Equal(t, "(empty)", changes(t, p)[1].AfterDisplay, "the old reason goes, and the card says so")
		require.Equal(t, []string{"The deal will be open again and lose its closing date."}, warnings(t, p))

		e := fails(t, d.say(t, d.Sales1, `/update_deal_stage renewal stage=Won lost_reason=Price`), "invalid")
		require.Contains(t, e.Message, "Only a lost deal has a lost reason.")
	})
}

func TestUpdateDealStageRefuses(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		e := fails(t, d.say(t, d.Sales1, `/update_deal_stage Acme stage=Won`), "ambiguous")
		require.Len(t, e.Candidates, 2)
		require.Contains(t, e.Message, `2 deals match "Acme"`)

		require.Equal(t, `"Acme renewal" is in the stage "New" already.`, fails(t, d.say(t, d.Sales1, `/update_deal_stage renewal stage=New`), "invalid").Message)
		require.Equal(t, "「Acme renewal」已在「New」階段。", fails(t, d.say(t, chinese(d.Sales1), `/update_deal_stage renewal stage=新商機`), "invalid").Message)
		fails(t, d.say(t, d.Sales1, `/update_deal_stage renewal stage=Due`), "not_found")
		fails(t, d.say(t, d.Sales1, `/update_deal_stage renewal stage=`+d.Due.ID), "not_found")
		fails(t, d.say(t, d.Sales1, `/update_deal_stage renewal`), "invalid")
		fails(t, d.say(t, d.Sales1, `/update_deal_stage renewal stage=""`), "invalid")
		fails(t, d.say(t, d.Sales1, `/update_deal_stage deal="" stage=Won`), "invalid")
		fails(t, d.say(t, d.Sales1, `/update_deal_stage renewal stage=Won reason=`+strings.Repeat("因", 301)), "invalid")
		d.unseen(t, d.Sales1, `/update_deal_stage deal=%s stage=Won`, d.HarbourRollout.ID)
		d.unseen(t, d.Sales1, `/update_deal_stage deal=%s stage=Won`, d.GlobexPilot.ID)

		e = fails(t, d.say(t, d.Viewer, `/update_deal_stage renewal stage=Won`), "forbidden")
		require.Contains(t, e.Message, `"deal:update"`)
		fails(t, d.say(t, d.Disabled, `/update_deal_stage renewal stage=Won`), "forbidden")
		require.Zero(t, d.count(t, "SELECT COUNT(*) FROM proposals"))
	})
}

func TestUpdateDealStageOfADealThatOneOnlyReads(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.exec(t, "UPDATE role_permissions SET scope = 'all' WHERE role_slug = 'sales' AND permission = 'deal:read'")
		d.exec(t, "UPDATE policy_state SET version = version + 1")
		e := fails(t, d.say(t, d.Sales1, `/update_deal_stage pilot stage=Won`), "forbidden")
		require.Contains(t, e.Message, `"deal:update"`)
		require.Equal(t, d.GlobexPilot.ID, d.last(t, "deal:update").TargetID)
	})
}
