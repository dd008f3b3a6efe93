package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/crm"
	"countersign/models"
	"countersign/tools"
)

func TestListDeals(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		const renewal, expansion, pilot, fleet, rollout, audit = "Acme renewal", "Acme expansion", "Globex pilot 試用", "Ferry fleet", "Harbour rollout", "Harbour audit"
		for _, c := range []struct {
			name    string
			actor   models.Actor
			command string
			want    []string
		}{
			{"latest first", d.Admin, `/list_deals`, []string{audit, rollout, fleet, pilot, expansion, renewal}},
			{"own", d.Sales1, `/list_deals`, []string{expansion, renewal}},
			{"of the team", d.Manager, `/list_deals`, []string{fleet, pilot, expansion, renewal}},
			{"by a part of the title", d.Admin, `/list_deals 試用`, []string{pilot}},
			{"open by amount", d.Admin, `/list_deals status=open sort=amount`, []string{fleet, renewal, pilot, expansion}},
			{"by title", d.Admin, `/list_deals sort=title`, []string{expansion, renewal, fleet, pilot, audit, rollout}},
			{"soonest due", d.Sales1, `/list_deals sort=due`, []string{renewal, expansion}},
			{"won", d.Admin, `/list_deals status=WON`, []string{rollout}},
			{"in a pipeline", d.Admin, `/list_deals pipeline=renewals`, []string{audit, fleet}},
			{"in a stage of every pipeline", d.Admin, `/list_deals stage=報價`, []string{fleet, pilot, expansion}},
			{"in a stage of one pipeline", d.Admin, `/list_deals stage=Proposal pipeline=` + d.Selling.ID, []string{pilot, expansion}},
			{"in a stage by id", d.Admin, `/list_deals stage=` + d.Lost2.ID, []string{audit}},
			{"mine", d.Manager, `/list_deals owner=me`, []string{fleet}},
			{"of a person by name", d.Manager, `/list_deals owner=小明`, []string{pilot}},
			{"of a team", d.Admin, `/list_deals team=beta`, []string{audit, rollout}},
			{"of a company", d.Admin, `/list_deals company=艾克美貿易有限公司`, []string{expansion, renewal}},
			{"of a product by SKU", d.Admin, `/list_deals product=CR-100`, []string{renewal}},
			{"closed on a day in Hong Kong", d.Admin, `/list_deals closed_from=2026-03-01 closed_to=2026-03-01`, []string{audit, rollout}},
			{"closed before", d.Admin, `/list_deals closed_to=2026-02-28`, []string{}},
			{"due within", d.Admin, `/list_deals due_from=2026-06-30 due_to=2026-06-30`, []string{renewal}},
			{"due later", d.Admin, `/list_deals due_from=2026-07-01`, []string{}},
		} {
			t.Run(c.name, func(t *testing.T) {
				found, o := done[list](t, d, c.actor, c.command)
				require.Equal(t, c.want, found.names())
				require.Equal(t, int64(len(c.want)), found.Total)
				require.Len(t, o.Refs, len(c.want))
				require.Equal(t, tools.Finish, o.After)
			})
		}
	})
}

func TestListDealsAnswers(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		found, o := done[list](t, d, d.Admin, `/list_deals sort=amount limit=1`)
		require.Equal(t, 1, found.Shown)
		require.Equal(t, "6 deals, 1 shown\n- Ferry fleet · Kowloon Ferry · Proposal · HK$300,000.00 · Mei Manager", o.Text)
		_, o = done[list](t, d, chinese(d.Admin), `/list_deals limit=1`)
		require.Equal(t, "6 個商機，顯示 1 項", o.Summary)
		_, o = done[list](t, d, d.Manager2, `/list_deals audit`)
		require.Equal(t, "1 deal\n- Harbour audit · Lost · HK$1,000.00 · Max Manager", o.Text)
	})
}

func TestListDealsCutsALongResult(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		for i := range 50 {
			_, err := d.deals.Create(t.Context(), d.Admin, crm.DealInput{Title: fmt.Sprintf("%02d %s", i, strings.Repeat("長", 290))})
			require.NoError(t, err)
		}
		found, o := done[list](t, d, d.Admin, `/list_deals limit=50`)
		require.LessOrEqual(t, len(o.Result), tools.MaxResultBytes)
		require.Greater(t, found.Shown, 10)
		require.Less(t, found.Shown, 50)
		require.Len(t, found.Items, found.Shown)
		require.Equal(t, int64(56), found.Total)
		require.Equal(t, "56 deals, 50 shown", o.Summary, "the person's list is whole")
	})
}

func TestListDealsRefuses(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		for _, command := range []string{
			`/list_deals status=sold`, `/list_deals sort=colour`, `/list_deals limit=51`, `/list_deals limit=-1`,
			`/list_deals closed_from=yesterday`, `/list_deals closed_to=2026-02-30`, `/list_deals due_from=1`, `/list_deals due_to=31/01/2026`,
		} {
			fails(t, d.say(t, d.Sales1, command), "invalid")
		}
		require.Equal(t, "參數「due_to」必須是日期，例如 2026-01-31。", fails(t, d.say(t, chinese(d.Sales1), `/list_deals due_to=today`), "invalid").Message)
		for _, command := range []string{`/list_deals stage=Nowhere`, `/list_deals pipeline=Nowhere`, `/list_deals team=Gamma`, `/list_deals owner=nobody@example.test`} {
			fails(t, d.say(t, d.Sales1, command), "not_found")
		}
		d.unseen(t, d.Sales1, `/list_deals company=%s`, d.Harbour.ID)
		fails(t, d.say(t, d.clerk(t, d.Sales2), `/list_deals`), "forbidden")
	})
}
