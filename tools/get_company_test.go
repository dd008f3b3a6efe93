package tools_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/models"
	"countersign/tools"
)

type company struct {
	ID, Name, Phone, Notes string
	NotesCutFrom           int
	OtherNames             []string
	Subsidiaries           []row
}

func TestGetCompany(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		for _, name := range []string{
			d.Acme.ID, strings.ToUpper(d.Acme.ID), `"Acme Trading Limited"`, "acme", "艾克美", "艾克美貿易有限公司", "ＡＣＭＥ",
		} {
			got, o := done[company](t, d, d.Sales1, "/company "+name)
			require.Equal(t, d.Acme.ID, got.ID, name)
			require.Equal(t, "+85221234567", got.Phone)
			require.Equal(t, "Acme Trading Limited", o.Summary)
			require.Equal(t, models.Ref{Type: models.TypeCompany, ID: d.Acme.ID, Name: d.Acme.Name}, o.Refs[0])
		}
		_, o := done[company](t, d, d.Sales1, "/get_company Acme")
		require.Equal(t, "Acme Trading Limited\n- Other name: 艾克美貿易有限公司\n- Status: Active\n- Phone: +85221234567\n- Owner: Sam Sales", o.Text)
		_, o = done[company](t, d, chinese(d.Sales1), "/company Acme")
		require.Contains(t, o.Text, "\n- 狀態：活躍")

		d.unseen(t, d.Sales1, "/company %s", d.Harbour.ID)
		require.NotContains(t, d.say(t, d.Sales1, "/company Harbor").Text, "Harbour")
		fails(t, d.say(t, d.Sales1, "/company"), "invalid")
		require.Contains(t, fails(t, d.say(t, d.Sales1, `/company " "`), "invalid").Message, "No name or ID was given")
		fails(t, d.say(t, d.Disabled, "/company Acme"), "forbidden")
		fails(t, d.say(t, d.clerk(t, d.Sales2), "/company Globex"), "forbidden")
	})
}

func TestGetCompanyHidesPersonalData(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		o := d.say(t, d.Viewer, "/company Acme")
		require.Equal(t, "••••••67", decoded[company](t, o).Phone)
		require.NotContains(t, string(o.Result)+o.Text, "2123")
	})
}

func TestGetCompanyWithSubsidiariesAndLongNotes(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.exec(t, "UPDATE companies SET parent_id = $1", d.Ferry.ID)
		d.exec(t, "UPDATE companies SET parent_id = NULL, notes = $1 WHERE id = $2", strings.Repeat("船", 20_000), d.Ferry.ID)
		got, o := done[company](t, d, d.Sales1, "/company Ferry")
		require.Len(t, got.Subsidiaries, 1, "those that one sees")
		require.Equal(t, "Acme Trading Limited", got.Subsidiaries[0].Name)
		require.Contains(t, o.Text, "- Subsidiary: Acme Trading Limited")
		require.Len(t, o.Refs, 2)
		require.Equal(t, strings.Repeat("船", tools.MaxNotes)+"…", got.Notes)
		require.Equal(t, 20_000, got.NotesCutFrom)
	})
}
