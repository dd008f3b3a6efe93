package tools_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/models"
)

func TestSearchCompanies(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.exec(t, "UPDATE companies SET parent_id = $1 WHERE id = $2", d.Ferry.ID, d.Acme.ID)
		for _, c := range []struct {
			name    string
			actor   models.Actor
			command string
			want    []string
		}{
			{"own and shared", d.Sales1, `/search_companies`, []string{"Kowloon Ferry", "Acme Trading Limited"}},
			{"of the team", d.Manager, `/search_companies`, []string{"Kowloon Ferry", "Globex Corporation", "Acme Trading Limited"}},
			{"all", d.Viewer, `/search_companies`, []string{"Kowloon Ferry", "Harbour Foods 海港食品", "Globex Corporation", "Acme Trading Limited"}},
			{"by a Chinese name", d.Sales3, `/search_companies 海港`, []string{"Harbour Foods 海港食品"}},
			{"by status", d.Viewer, `/search_companies status=lead`, []string{"Globex Corporation"}},
			{"by owner", d.Admin, `/search_companies owner="Siu Ming 小明"`, []string{"Globex Corporation"}},
			{"by owner's e-mail", d.Admin, `/search_companies owner=sales3@example.test`, []string{"Harbour Foods 海港食品"}},
			{"mine", d.Sales1, `/search_companies owner=me`, []string{"Acme Trading Limited"}},
			{"of a parent by name", d.Sales1, `/search_companies parent=九龍渡輪`, []string{"Acme Trading Limited"}},
			{"of a parent by id", d.Sales1, `/search_companies parent=` + d.Ferry.ID, []string{"Acme Trading Limited"}},
			{"out of scope", d.Sales1, `/search_companies Harbour`, []string{}},
		} {
			t.Run(c.name, func(t *testing.T) {
				found, o := done[list](t, d, c.actor, c.command)
				require.Equal(t, c.want, found.names())
				require.Equal(t, int64(len(c.want)), found.Total)
				require.Len(t, o.Refs, len(c.want))
			})
		}
	})
}

func TestSearchCompaniesAnswers(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		found, o := done[list](t, d, d.Viewer, `/search_companies limit=2`)
		require.Equal(t, 2, found.Shown)
		require.Equal(t, int64(4), found.Total)
		require.Equal(t, "4 companies, 2 shown\n- Kowloon Ferry\n- Harbour Foods 海港食品 · Suki Sales", o.Text)

		_, o = done[list](t, d, chinese(d.Viewer), `/search_companies limit=2`)
		require.Equal(t, "4 間公司，顯示 2 項", o.Summary)

		masked, _ := done[list](t, d, d.Viewer, `/search_companies Acme`)
		require.Equal(t, "••••••67", masked.Items[0].Phone)
		own, _ := done[list](t, d, d.Sales1, `/search_companies Acme`)
		require.Equal(t, "+85221234567", own.Items[0].Phone)
	})
}

func TestSearchCompaniesRefuses(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		fails(t, d.call(t, d.Sales1, "search_companies", `{"limit": 51}`), "invalid")
		fails(t, d.say(t, d.Sales1, `/search_companies status=huge`), "invalid")
		fails(t, d.say(t, d.Sales1, `/search_companies owner=nobody`), "not_found")
		fails(t, d.say(t, d.Disabled, `/search_companies`), "forbidden")
		fails(t, d.say(t, d.clerk(t, d.Sales2), `/search_companies`), "forbidden")
		d.unseen(t, d.Sales1, `/search_companies parent=%s`, d.Harbour.ID)
	})
}
