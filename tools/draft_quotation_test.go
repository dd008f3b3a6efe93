package tools_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/models"
	"countersign/tools"
)

func TestDraftQuotation(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		_, o := done[any](t, d, d.Sales1, `/draft_quotation acme items="3 x CR-100, 10 x 卡板" discount_percent=10 valid_until=2026-04-30`)
		require.Equal(t, "Drafted Q-2026-0006 for Acme Trading Limited: HK$675,011.68.\n- 3 unit × CR-100 Harbour crane @ HK$250,000.00 = HK$750,000.00\n"+
			"- 10 piece × PL-1 Pallet @ HK$1.2345 +5% = HK$12.35\n- Company: Acme Trading Limited\n- Valid until: 2026-04-30\n"+
			"- Subtotal: HK$750,012.35\n- Discount: 10%\n- Tax: HK$0.56\n- Total: HK$675,011.68\n- Status: Draft\n- Owner: Sam Sales", o.Text)
		require.Equal(t, tools.Continue, o.After)
		o = d.call(t, chinese(d.Sales1), "draft_quotation", `{"deal":"D-1001","items":[{"name":"安裝","quantity":"1","unit_price":"1,500","discount_percent":"10"}],"notes":"14 日內付款"}`)
		require.Equal(t, models.CallOK, o.Status, o.Summary)
		require.Equal(t, "已為 Acme Trading Limited 草擬報價單 Q-2026-0007：HK$1,350.00。", o.Summary)
		v, err := d.quotations.Get(t.Context(), d.Sales1, o.Refs[0].ID)
		require.NoError(t, err)
		require.Equal(t, []any{models.QuotationDraft, d.AcmeRenewal.ID, "14 日內付款"}, []any{v.Status, *v.DealID, v.Notes})
	})
}

func TestDraftQuotationRefuses(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		before := d.writes(t)
		e := fails(t, d.say(t, d.Sales1, `/draft_quotation acme items="5 x HyperDrive 9000"`), "not_found")
		require.Contains(t, e.Message, "No product matches")
		fails(t, d.say(t, d.Sales1, `/draft_quotation acme items="1 x OLD-1"`), "invalid")
		fails(t, d.say(t, d.Sales1, `/draft_quotation items="1 x PL-1"`), "invalid")
		fails(t, d.say(t, d.Sales1, `/draft_quotation acme`), "invalid")
		e = fails(t, d.call(t, d.Sales1, "draft_quotation", `{"company":"acme","items":[{"product":"PL-1","quantity":"many"}]}`), "invalid")
		require.Contains(t, e.Message, "items.0.quantity")
		fails(t, d.call(t, d.Sales1, "draft_quotation", `{"company":"acme","items":[{"product":"PL-1"}]}`), "invalid")
		fails(t, d.call(t, d.Sales1, "draft_quotation", `{"company":"acme","items":[{"name":"x","quantity":"1"}]}`), "invalid")
		fails(t, d.say(t, d.Sales1, `/draft_quotation acme items="1 x PL-1" discount_percent=ten`), "invalid")
		fails(t, d.say(t, d.Sales1, `/draft_quotation acme items="1 x PL-1" valid_until=soon`), "invalid")
		d.unseen(t, d.Sales1, `/draft_quotation company=%s items="1 x PL-1"`, d.Harbour.ID)
		fails(t, d.say(t, d.Viewer, `/draft_quotation acme items="1 x PL-1"`), "forbidden")
		require.Equal(t, before, d.writes(t))
	})
}
