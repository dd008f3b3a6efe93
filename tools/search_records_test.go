package tools_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/models"
)

func TestSearchRecords(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		for _, c := range []struct {
			name    string
			actor   models.Actor
			command string
			want    []string
		}{
			{"a part of a name", d.Sales1, `/find acme`, []string{"Acme Trading Limited", "Acme expansion", "Acme renewal"}},
			{"one kind", d.Sales1, `/find Acme types=Company`, []string{"Acme Trading Limited"}},
			{"several kinds", d.Sales1, `/find Acme types="product, DEAL"`, []string{"Acme expansion", "Acme renewal"}},
			{"another name in Chinese", d.Sales1, `/find 艾克美`, []string{"Acme Trading Limited"}},
			{"a product", d.Viewer, `/find 起重機`, []string{"Harbour crane"}},
			{"a contact", d.Sales1, `/find 詠詩`, []string{"Amy Fong 方詠詩"}},
			{"a contact's id", d.Sales1, `/find ` + d.Amy.ID, []string{"Amy Fong 方詠詩"}},
			{"a contact out of scope", d.Sales1, `/find Hana`, []string{}},
			{"a person", d.Sales1, `/find 小明`, []string{"Siu Ming 小明"}},
			{"an external id", d.Sales1, `/find D-1001`, []string{"Acme renewal"}},
			{"an id", d.Sales1, `/find ` + d.AcmeRenewal.ID, []string{"Acme renewal"}},
			{"an id of another kind", d.Sales1, `/find ` + d.AcmeRenewal.ID + ` types=company`, []string{}},
			{"an id out of scope", d.Sales1, `/find ` + d.HarbourRollout.ID, []string{}},
			{"a name out of scope", d.Sales1, `/find Harbour types=company,deal`, []string{}},
			{"the same in scope", d.Sales3, `/find Harbour types=company,deal`, []string{"Harbour Foods 海港食品", "Harbour rollout"}},
			{"a shared company", d.Sales1, `/find 九龍渡輪`, []string{"Kowloon Ferry"}},
			{"wildcards are characters", d.Sales1, `/find %`, []string{}},
		} {
			t.Run(c.name, func(t *testing.T) {
				found, _ := done[list](t, d, c.actor, c.command)
				require.ElementsMatch(t, c.want, found.names())
				require.Equal(t, int64(len(c.want)), found.Total)
			})
		}
	})
}

func TestSearchRecordsSummaries(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		_, o := done[list](t, d, d.Sales1, `/find Acme limit=1 types=deal`)
		require.Equal(t, "2 records, 1 shown", o.Summary)
		require.Contains(t, o.Text, "2 records, 1 shown\n- Acme expansion · deal · Proposal")
		require.Len(t, o.Refs, 1)

		_, o = done[list](t, d, chinese(d.Sales1), `/find Acme types=company`)
		require.Equal(t, "1 項記錄\n- Acme Trading Limited · 公司 · Sam Sales", o.Text)
		require.Equal(t, []models.Ref{{Type: models.TypeCompany, ID: d.Acme.ID, Name: d.Acme.Name}}, o.Refs)

		_, o = done[list](t, d, d.Sales1, `/find Sam types=person`)
		require.Empty(t, o.Refs, "people have no page")
	})
}

func TestSearchRecordsRefuses(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		fails(t, d.say(t, d.Sales1, `/find`), "invalid")
		fails(t, d.say(t, d.Sales1, `/find "  "`), "invalid")
		fails(t, d.say(t, d.Sales1, `/find Acme types=planet`), "invalid")
		fails(t, d.say(t, d.Disabled, `/find Acme`), "forbidden")

		clerk := d.clerk(t, d.Sales2)
		for _, query := range []string{"Globex", d.Globex.ID} {
			found, _ := done[list](t, d, clerk, fmt.Sprintf(`/find %q`, query))
			require.Empty(t, found.Items, "without the right to read a kind there is none of it")
		}
	})
}
