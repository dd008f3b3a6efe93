package tools_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/models"
)

func TestListQuotations(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.move(t, d.Manager, d.QuoteFerry.ID, models.QuotationSent)
		for _, c := range []struct {
			actor   models.Actor
			command string
			want    []string
		}{
			{d.Sales1, `/list_quotations`, []string{"Q-2026-0001"}},
			{d.Manager, `/list_quotations`, []string{"Q-2026-0003", "Q-2026-0002", "Q-2026-0001"}},
			{d.Manager, `/list_quotations status=sent`, []string{"Q-2026-0003"}},
			{d.Viewer, `/list_quotations company=海港`, []string{"Q-2026-0005", "Q-2026-0004"}},
			{d.Viewer, `/list_quotations owner="Siu Ming 小明"`, []string{"Q-2026-0002"}},
			{d.Viewer, `/list_quotations deal=D-1001 contact=amy@acme.test`, []string{}},
			{d.Sales1, `/list_quotations deal=D-1001 contact=amy`, []string{"Q-2026-0001"}},
			{d.Sales1, `/list_quotations owner=me status=SENT`, []string{}},
		} {
			if c.actor == d.Viewer && len(c.want) == 0 {
				fails(t, d.say(t, c.actor, c.command), "not_found")
				continue
			}
			found, o := done[struct {
				Total int64
				Items []struct{ Number string }
			}](t, d, c.actor, c.command)
			numbers := []string{}
			for _, i := range found.Items {
				numbers = append(numbers, i.Number)
			}
			require.Equal(t, c.want, numbers, c.command)
			require.Equal(t, int64(len(c.want)), found.Total)
			require.Len(t, o.Refs, len(c.want))
		}
		_, o := done[any](t, d, d.Manager, `/list_quotations status=SENT`)
		require.Equal(t, "1 quotation\n- Q-2026-0003 · Kowloon Ferry · Sent · HK$750,000.00 · Mei Manager", o.Text)
		fails(t, d.say(t, d.Sales1, `/list_quotations status=LATE`), "invalid")
	})
}
