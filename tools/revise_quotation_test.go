package tools_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/models"
)

func TestReviseQuotation(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		e := fails(t, d.say(t, d.Sales1, `/revise_quotation Q-2026-0001`), "conflict")
		require.Contains(t, e.Message, "still a draft")
		d.move(t, d.Sales1, d.QuoteAcme.ID, models.QuotationSent)
		_, o := done[any](t, d, d.Sales1, `/revise_quotation Q-2026-0001 discount_percent=5 valid_until=2026-05-31 notes="Last offer"`)
		require.Equal(t, "Drafted the revision Q-2026-0001-R2 for Acme Trading Limited: HK$475,000.00.", o.Summary)
		fails(t, d.say(t, d.Sales1, `/revise_quotation Q-2026-0001`), "conflict")
		d.unseen(t, d.Sales1, `/revise_quotation %s`, d.QuoteHarbour.ID)
		fails(t, d.say(t, d.Viewer, `/revise_quotation Q-2026-0001`), "forbidden")

		d.move(t, d.Sales2, d.QuoteGlobex.ID, models.QuotationSent)
		_, o = done[any](t, d, d.Sales2, `/revise_quotation Q-2026-0002 items="2 x PL-1"`)
		v, err := d.quotations.Get(t.Context(), d.Sales2, o.Refs[0].ID)
		require.NoError(t, err)
		require.Equal(t, []any{int64(2), models.QuotationDraft, "PL-1"}, []any{v.Revision, v.Status, v.Items[0].SKU})
	})
}
