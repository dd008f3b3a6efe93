package tools_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/crm"
	"countersign/models"
	"countersign/tools"
)

func items(t testing.TB, p *models.Proposal) (list []models.Item) {
	t.Helper()
	require.NoError(t, p.Items.Into(&list))
	return list
}

func names(list []models.Item) (names []string) {
	for _, item := range list {
		names = append(names, item.Target.Name)
	}
	return names
}

// many are n more deals of Sales1, in the first stage.
func (d *desk) many(t testing.TB, n int) {
	t.Helper()
	inputs := make([]crm.DealInput, n)
	for i := range inputs {
		inputs[i] = crm.DealInput{Title: fmt.Sprintf("Shipment %02d", i), StageID: d.New.ID}
	}
	require.NoError(t, d.deals.CreateMany(t.Context(), d.Sales1, inputs))
}

func TestBulkUpdateDealsProposes(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		before := d.writes(t)
		o := d.call(t, d.Sales1, "bulk_update_deals", `{"deals":["D-1001","Acme expansion","Acme renewal"],"new_stage":"Won","new_expected_close_date":"2027-01-31","reason":"They  signed."}`)
		p := proposed(t, o)
		require.Equal(t, before, d.writes(t), "nothing changes before a person confirms")
		require.Equal(t, "Proposed: 2 deals · Stage → Won; Expected close → 31 January 2027. Nothing changes until you confirm.", o.Summary)
		require.Equal(t, []models.Ref{{Type: models.TypeDeal, ID: d.AcmeRenewal.ID, Name: "Acme renewal"}, {Type: models.TypeDeal, ID: d.AcmeExpansion.ID, Name: "Acme expansion"}}, o.Refs)
		require.Equal(t, []any{"2 deals", int64(0), "They signed."}, []any{p.TargetName, p.TargetVersion, p.Reason})
		require.Equal(t, `{"deals":["`+d.AcmeRenewal.ID+`","`+d.AcmeExpansion.ID+`"],"new_expected_close_date":"2027-01-31","new_stage":"`+d.Won.ID+`"}`, string(p.Args), "ids in place of names, each once")
		require.Empty(t, changes(t, p))
		rows := items(t, p)
		require.Equal(t, []string{"Acme renewal", "Acme expansion"}, names(rows))
		for _, row := range rows {
			require.Equal(t, int64(1), row.Version)
			require.Len(t, row.Changes, 2)
		}
		require.Contains(t, rows[0].Changes, models.Change{
			Field: "stageId", Label: "Stage", Before: d.New.ID, After: d.Won.ID, BeforeDisplay: "New", AfterDisplay: "Won",
		})
		require.Equal(t, []string{"2 deals will be closed as of the moment you confirm."}, warnings(t, p))
		require.NotContains(t, string(o.Result), p.Digest)
		require.Equal(t, []string{"Acme renewal", "Acme expansion"}, decoded[struct{ Records []string }](t, o).Records)
	})
}

func TestBulkUpdateDealsByFilter(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		p := proposed(t, d.say(t, d.Manager, `/bulk_update_deals text=acme owner=sam new_owner=小明`))
		require.Equal(t, []string{"Acme expansion", "Acme renewal"}, names(items(t, p)))
		require.Equal(t, "Siu Ming 小明", items(t, p)[0].Changes[0].AfterDisplay)
		same := proposed(t, d.say(t, d.Manager, `/bulk_update_deals deals="Acme renewal,Acme expansion" new_owner=小明`))
		require.NotEqual(t, p.ID, same.ID)
		require.Equal(t, p.TargetID, same.TargetID, "the same deals, whatever their order: one card of them waits")

		p = proposed(t, d.say(t, chinese(d.Sales1), `/bulk_update_deals text=acme new_stage=Proposal`))
		require.Equal(t, []string{"Acme renewal"}, names(items(t, p)))
		require.Equal(t, []string{"以下商機沒有任何改動，因此不包括在內：Acme expansion。"}, warnings(t, p))
		require.Equal(t, "1 個商機", p.TargetName)

		d.many(t, 25)
		require.Len(t, items(t, proposed(t, d.say(t, d.Sales1, `/bulk_update_deals text=shipment new_stage=Won`))), 25)
	})
}

func TestBulkUpdateDealsRefuses(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		e := fails(t, d.say(t, d.Sales1, `/bulk_update_deals deals="Acme,D-1001,zzz" new_stage=Won`), "ambiguous")
		require.Len(t, e.Candidates, 2)
		require.Contains(t, e.Message, `2 deals match "Acme"`)
		require.Contains(t, e.Message, "zzz", "all that is unclear is told at once")

		d.unseen(t, d.Sales1, `/bulk_update_deals deals=%s new_stage=Won`, d.HarbourRollout.ID)

		d.many(t, 26)
		before := d.writes(t)
		list := ""
		for i := range 26 {
			list += fmt.Sprintf(",Shipment %02d", i)
		}
		for _, which := range []string{"text=shipment", `deals="` + list[1:] + `"`} {
			e = fails(t, d.say(t, d.Sales1, `/bulk_update_deals new_stage=Won `+which), "invalid")
			require.Contains(t, e.Message, "These are 26 deals. The assistant changes at most 25 at once.")
			require.Contains(t, e.Message, "/deals")
		}
		for command, want := range map[string]string{
			`/bulk_update_deals new_stage=Won`:                                 "Say which deals",
			`/bulk_update_deals deals=D-1001 stage=New new_stage=Won`:          "Do one of the two",
			`/bulk_update_deals deals=D-1001`:                                  "Say what the deals should become",
			`/bulk_update_deals deals=D-1001 lost_reason=Price`:                "Say what the deals should become",
			`/bulk_update_deals deals=D-1001 new_stage=Won lost_reason=Price`:  "Only a lost deal has a lost reason.",
			`/bulk_update_deals deals=D-1001 new_stage=New`:                    "Nothing of these deals would change.",
			`/bulk_update_deals deals=D-1001 new_expected_close_date=tomorrow`: "2026-01-31",
			`/bulk_update_deals deals=D-1001 new_owner=suki`:                   "You cannot give",
		} {
			require.Contains(t, fails(t, d.say(t, d.Sales1, command), "invalid").Message, want, command)
		}
		require.Contains(t, fails(t, d.say(t, d.Manager, `/bulk_update_deals deals="Acme renewal,fleet" new_stage=Won`), "invalid").Message, "one pipeline at a time")
		fails(t, d.say(t, d.Sales1, `/bulk_update_deals text=nonesuch new_stage=Won`), "not_found")

		require.Contains(t, fails(t, d.say(t, d.Viewer, `/bulk_update_deals deals=D-1001 new_stage=Won`), "forbidden").Message, `"deal:bulk"`)
		d.exec(t, "DELETE FROM role_permissions WHERE role_slug = 'sales' AND permission = 'deal:update'")
		d.exec(t, "UPDATE policy_state SET version = version + 1")
		require.Contains(t, fails(t, d.say(t, d.Sales1, `/bulk_update_deals deals=D-1001 new_stage=Won`), "forbidden").Message, `"deal:update"`)
		require.Equal(t, before, d.writes(t))
		require.Equal(t, tools.Sensitive, d.executor.Effect("bulk_update_deals"))
	})
}
