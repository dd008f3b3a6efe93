package tools_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/models"
	"countersign/tools"
)

func TestDeleteRecordAnswersWithALink(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		before := d.writes(t)
		for _, actor := range []models.Actor{d.Sales1, d.Manager, d.Admin, d.Viewer} {
			for _, record := range []string{"D-1001", `"Acme renewal"`, d.AcmeRenewal.ID} {
				o := d.say(t, actor, `/delete_record type=deal record=`+record)
				require.Equal(t, models.CallOK, o.Status, o.Summary)
				require.Equal(t, tools.Finish, o.After)
				require.Equal(t, `The assistant does not delete. You can delete "Acme renewal" on its page: /deals/`+d.AcmeRenewal.ID, o.Text)
				require.Equal(t, []models.Ref{{Type: models.TypeDeal, ID: d.AcmeRenewal.ID, Name: "Acme renewal"}}, o.Refs)
				got := decoded[struct {
					Deleted *bool
					Link    string
				}](t, o)
				require.False(t, *got.Deleted)
				require.Equal(t, "/deals/"+d.AcmeRenewal.ID, got.Link)
				require.Nil(t, o.Proposal)
			}
		}
		o := d.say(t, chinese(d.Sales1), `/delete_record 艾克美 type=Company`)
		require.Equal(t, "助理不會刪除記錄。你可以在「Acme Trading Limited」的頁面自行刪除：/companies/"+d.Acme.ID, o.Text)

		require.Equal(t, before, d.writes(t))
		require.Zero(t, d.count(t, "SELECT COUNT(*) FROM proposals"))
		require.Zero(t, d.count(t, "SELECT (SELECT COUNT(*) FROM deals WHERE deleted_at IS NOT NULL) + (SELECT COUNT(*) FROM companies WHERE deleted_at IS NOT NULL)"))
	})
}

func TestDeleteRecordRefuses(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		require.Len(t, fails(t, d.say(t, d.Sales1, `/delete_record type=deal record=Acme`), "ambiguous").Candidates, 2, "what to delete is never guessed")
		d.unseen(t, d.Sales1, `/delete_record type=deal record=%s`, d.HarbourRollout.ID)
		d.unseen(t, d.Sales1, `/delete_record type=company record=%s`, d.Harbour.ID)
		fails(t, d.say(t, d.Sales1, `/delete_record type=user record=me`), "invalid")
		fails(t, d.say(t, d.Sales1, `/delete_record type=deal`), "invalid")
		fails(t, d.say(t, d.Sales1, `/delete_record Acme`), "invalid")
		fails(t, d.say(t, d.clerk(t, d.Sales2), `/delete_record type=deal record=pilot`), "forbidden")
	})
}
