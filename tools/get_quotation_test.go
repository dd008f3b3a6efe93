package tools_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/models"
)

func TestGetQuotation(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		for _, text := range []string{"Q-2026-0001", "q-2026-0001", d.QuoteAcme.ID, "2026-0001"} {
			_, o := done[any](t, d, d.Sales1, `/quote `+text)
			require.Equal(t, "Q-2026-0001 · Draft · Acme Trading Limited · HK$500,000.00\n- 2 unit × CR-100 Harbour crane @ HK$250,000.00 = HK$500,000.00\n"+
				"- Company: Acme Trading Limited\n- Contact: Amy Fong 方詠詩\n- Deal: Acme renewal\n- Subtotal: HK$500,000.00\n- Tax: HK$0.00\n- Total: HK$500,000.00\n- Status: Draft\n- Owner: Sam Sales", o.Text)
			require.Len(t, o.Refs, 4)
			require.Equal(t, models.Ref{Type: models.TypeQuotation, ID: d.QuoteAcme.ID, Name: "Q-2026-0001"}, o.Refs[0])
		}
		o := d.say(t, chinese(d.Viewer), `/quote Q-2026-0002`)
		require.Contains(t, o.Text, "Q-2026-0002 · 草稿 · Globex Corporation")
		d.unseen(t, d.Sales1, `/quote %s`, d.QuoteHarbour.ID)
		fails(t, d.say(t, d.Sales1, `/quote Q-2026-0004`), "not_found")
	})
}
