package tools_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/crm"
	"countersign/models"
	"countersign/tools"
)

func TestUpdateCompanyProposes(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		before := d.writes(t)
		notes := strings.Repeat("長 note\\n", 600)
		o := d.call(t, d.Sales1, "update_company", `{"company":"艾克美貿易有限公司","name":"Acme Group","industry":"Trade","status":"CHURNED","website":"acme.example","phone":"2123 4567",
			"address":"Central","parent":"ferry","tags":["vip","harbour"],"notes":"`+notes+`","reason":"New card."}`)
		p := proposed(t, o)
		require.Equal(t, before, d.writes(t), "nothing changes before a person confirms")
		require.Equal(t, []any{"update_company", "Change company", d.Acme.ID, int64(1), "New card."}, []any{p.Tool, p.Title, p.TargetID, p.TargetVersion, p.Reason})
		require.Contains(t, string(p.Args), `"parent":"`+d.Ferry.ID+`"`)
		whole := strings.TrimSpace(strings.ReplaceAll(notes, `\n`, "\n"))
		require.Equal(t, []string{
			"Name: Acme Trading Limited → Acme Group", "Industry: (empty) → Trade", "Status: Active → Churned", "Website: (empty) → acme.example",
			"Phone: +85221234567 → 2123 4567", "Address: (empty) → Central", "Parent company: (empty) → Kowloon Ferry", "Tags: (empty) → vip, harbour",
			"Notes: (empty) → " + whole,
		}, shown(t, p), "every field, and long texts whole")
		require.Less(t, len(o.Summary), 1500, "the sentence about it is short")
		require.Less(t, len(o.Result), 3000)
		require.Equal(t, p.ID, decoded[struct{ ProposalID string }](t, o).ProposalID)

		_, err := d.decide(t, d.Sales1, p)
		require.NoError(t, err)
		company, err := d.companies.Get(t.Context(), d.Sales1, d.Acme.ID)
		require.NoError(t, err)
		require.Equal(t, []any{"Acme Group", models.CompanyChurned, "2123 4567", whole, models.Strings{"vip", "harbour"}, int64(2)},
			[]any{company.Name, company.Status, company.Phone, company.Notes, company.Tags, company.Version})
	})
}

func TestUpdateCompanyClears(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		_, err := d.companies.Update(t.Context(), d.Sales1, d.Acme.ID, 1, crm.CompanyPatch{
			Industry: models.Some("Trade"), ParentID: models.Some(d.Ferry.ID), Tags: models.Some([]string{"a", "b"}), Notes: models.Some("n"),
		})
		require.NoError(t, err)
		p := proposed(t, d.say(t, chinese(d.Sales1), `/update_company acme clear=industry,phone,parent,tags,notes,website`))
		require.Equal(t, []string{
			"行業: Trade → （空白）", "電話: +85221234567 → （空白）", "母公司: Kowloon Ferry → （空白）", "標籤: a、b → （空白）", "備註: n → （空白）",
		}, shown(t, p))
		p = proposed(t, d.say(t, chinese(d.Sales1), `/update_company acme status=inactive`))
		require.Equal(t, []string{"狀態: 活躍客戶 → 非活躍"}, shown(t, p))
		fails(t, d.say(t, d.Sales1, `/update_company acme clear=name`), "invalid")
		fails(t, d.say(t, d.Sales1, `/update_company acme clear=status`), "invalid")
		fails(t, d.say(t, d.Sales1, `/update_company acme tags=x clear=tags`), "invalid")
	})
}

// SEC-16: who does not see a number neither learns it from a card nor saves the mask of it.
func TestUpdateCompanyNeverTakesAMask(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.exec(t, "DELETE FROM role_permissions WHERE role_slug = 'sales' AND permission = 'contact:pii'")
		d.exec(t, "UPDATE policy_state SET version = version + 1")
		for _, mask := range []string{"••••••67", "+852••••4567", "******67", "2123 **67"} {
			for _, also := range []string{"", " industry=Trade"} {
				e := fails(t, d.say(t, d.Sales1, `/update_company acme phone="`+mask+`"`+also), "invalid")
				require.Contains(t, e.Message, "hidden")
			}
		}
		o := d.say(t, d.Sales1, `/update_company acme phone="2999 8877"`)
		p := proposed(t, o)
		require.Equal(t, []string{"Phone: ••••••67 → 2999 8877"}, shown(t, p))
		require.NotContains(t, string(o.Result)+string(p.Changes)+string(p.Args), d.Acme.Phone)
		o = d.say(t, d.Sales1, `/update_company acme industry=Trade`)
		require.Equal(t, []string{"Industry: (empty) → Trade"}, shown(t, proposed(t, o)))

		_, err := d.companies.Update(t.Context(), d.Admin, d.Acme.ID, 1, crm.CompanyPatch{Phone: models.Some("+85255556666")})
		require.NoError(t, err)
		p = proposed(t, d.say(t, d.Sales1, `/update_company acme phone="2999 8877"`))
		_, err = d.companies.Update(t.Context(), d.Admin, d.Acme.ID, 2, crm.CompanyPatch{Phone: models.Some("+85277778888")})
		require.NoError(t, err)
		_, err = d.decide(t, d.Sales1, p)
		e := apperrOf(t, err)
		require.Contains(t, string(e.Extra["changedSince"].(models.JSON)), `"phone"`)
		require.NotContains(t, string(e.Extra["changedSince"].(models.JSON)), "8888", "that it changed is told, not to what")
		require.NotContains(t, string(e.Extra["fresh"].(*models.Proposal).Changes), "7777")
		require.NotContains(t, string(d.last(t, "tool:update_company").Detail), "8877", "nor is a number in the record of calls")
	})
}

func TestUpdateCompanyRefuses(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		e := fails(t, d.say(t, d.Manager, `/update_company company=o industry=Trade`), "ambiguous")
		require.Greater(t, len(e.Candidates), 1)
		e = fails(t, d.say(t, d.Manager, `/update_company company=acme parent=o`), "ambiguous")
		require.Greater(t, len(e.Candidates), 1)
		require.Equal(t, `Nothing of "Acme Trading Limited" would change. Say which field should become what.`, fails(t, d.say(t, d.Sales1, `/update_company acme`), "invalid").Message)
		fails(t, d.say(t, d.Sales1, `/update_company acme status=ACTIVE clear=notes`), "invalid")
		for _, wrong := range []string{
			`status=GONE`, `website=javascript:alert`, `parent=acme`, `notes=` + strings.Repeat("x", 5001), `tags=` + strings.Repeat("a,", 21), `owner=me`, "name=\"\u200b\"",
		} {
			fails(t, d.say(t, d.Sales1, `/update_company company=acme `+wrong), "invalid")
		}
		d.unseen(t, d.Sales1, `/update_company company=%s industry=Trade`, d.Harbour.ID)
		d.unseen(t, d.Sales1, `/update_company acme parent=%s`, d.Harbour.ID)
		e = fails(t, d.say(t, d.Sales1, `/update_company ferry industry=Boats`), "forbidden")
		require.Contains(t, e.Message, `"company:update"`)
		fails(t, d.say(t, d.Viewer, `/update_company acme industry=Trade`), "forbidden")
		require.Zero(t, d.count(t, "SELECT COUNT(*) FROM proposals"))
	})
}

// A card may hold texts that are longer than what a model may get of a call.
func TestLIM06UpdateCompanyOfLongNotes(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		old := strings.Repeat("舊", 20_000)
		_, err := d.companies.Update(t.Context(), d.Sales1, d.Acme.ID, 1, crm.CompanyPatch{Notes: models.Some(old)})
		require.NoError(t, err)
		o := d.say(t, d.Sales1, `/update_company acme notes=new`)
		require.Equal(t, []string{"Notes: " + old + " → new"}, shown(t, proposed(t, o)))
		require.Less(t, len(o.Result), tools.MaxResultBytes)
		require.Equal(t, "pending", decoded[struct{ Status string }](t, o).Status)
	})
}
