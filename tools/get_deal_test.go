package tools_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/models"
)

func TestGetDeal(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		for _, name := range []string{d.AcmeRenewal.ID, "D-1001", `"Acme renewal"`, "renewal", "ACME RENEWAL"} {
			got, o := done[row](t, d, d.Sales1, "/deal "+name)
			require.Equal(t, d.AcmeRenewal.ID, got.ID, name)
			require.Equal(t, "Acme renewal · New · HK$120,000.00", o.Summary)
			require.Equal(t, []models.Ref{
				{Type: models.TypeDeal, ID: d.AcmeRenewal.ID, Name: "Acme renewal"},
				{Type: models.TypeCompany, ID: d.Acme.ID, Name: d.Acme.Name},
			}, o.Refs)
		}
		_, o := done[row](t, d, d.Sales1, "/get_deal renewal")
		require.Equal(t, "Acme renewal\n- Company: Acme Trading Limited\n- Product: Harbour crane\n- Pipeline: Selling\n- Stage: New\n"+
			"- Amount: HK$120,000.00\n- Expected close: 2026-06-30\n- Owner: Sam Sales", o.Text)
		require.JSONEq(t, `{"id":"`+d.AcmeRenewal.ID+`","title":"Acme renewal","externalId":"D-1001","company":"Acme Trading Limited",
			"product":"Harbour crane","pipeline":"Selling","stage":"New","kind":"OPEN","amount":{"amount":"120000.00","currency":"HKD"},
			"expectedCloseDate":"2026-06-30","owner":"Sam Sales"}`, string(o.Result))

		_, o = done[row](t, d, chinese(d.Sales2), "/deal 試用")
		require.Contains(t, o.Text, "- 階段：Proposal")
		_, o = done[row](t, d, d.Sales1, "/deal expansion")
		require.Contains(t, o.Text, "- Amount: no amount")
		_, o = done[row](t, d, d.Manager2, "/deal audit")
		require.Contains(t, o.Text, "- Closed: 2026-03-01\n- Lost reason: Price")
		require.Len(t, o.Refs, 1)

		_, o = done[row](t, d, d.Sales1, "/deal Acme")
		require.Len(t, o.Refs, 2, "on a read the best of several is taken")
	})
}

func TestGetDealRefuses(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.unseen(t, d.Sales1, "/deal %s", d.HarbourRollout.ID)
		d.unseen(t, d.Sales1, "/deal %s", d.GlobexPilot.ID)
		missed := fails(t, d.say(t, d.Sales1, `/deal "Acme renewel"`), "not_found")
		require.Equal(t, "Acme renewal", missed.Candidates[0].Name)
		require.True(t, missed.Retry)
		fails(t, d.say(t, d.Sales1, "/deal"), "invalid")
		fails(t, d.call(t, d.Sales1, "get_deal", `{"deal": ["x"]}`), "invalid")
		fails(t, d.say(t, d.clerk(t, d.Sales2), "/deal pilot"), "forbidden")
	})
}
