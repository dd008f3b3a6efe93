package tools_test

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"countersign/audit"
	"countersign/crm"
	"countersign/i18n"
	"countersign/models"
	"countersign/tools"
)

func TestDisplaysOfChanges(t *testing.T) {
	t.Parallel()
	id, day, none := "0190ffff-ffff-7fff-8fff-ffffffffffff", models.Date("2026-12-31"), (*string)(nil)
	plain := func(name string, before, after any) crm.Difference {
		return crm.Difference{Field: audit.Field{Name: name, Before: before, After: after}}
	}
	refers := func(name string, before, after any, beforeName, afterName string) crm.Difference {
		d := plain(name, before, after)
		d.Refers, d.BeforeName, d.AfterName = true, beforeName, afterName
		return d
	}
	for _, c := range []struct {
		difference       crm.Difference
		english, chinese string
	}{
		{plain("title", "Old", "New"), "Title: Old → New", "名稱: Old → New"},
		{plain("industry", nil, "Trade"), "Industry: (empty) → Trade", "行業: （空白） → Trade"},
		{plain("notes", "a\nb", nil), "Notes: a\nb → (empty)", "備註: a\nb → （空白）"},
		{plain("status", "LEAD", "CHURNED"), "Status: Lead → Churned", "狀態: 潛在客戶 → 已流失"},
		{plain("tags", models.Strings{"a", "b"}, nil), "Tags: a, b → (empty)", "標籤: a、b → （空白）"},
		{plain("amount", (*models.Money)(nil), &models.Money{Minor: 123_450, Currency: "HKD"}), "Amount: (empty) → HK$1,234.50", "金額: （空白） → HK$1,234.50"},
		{plain("expectedCloseDate", &day, (*models.Date)(nil)), "Expected close: 31 December 2026 → (empty)", "預計成交日: 2026年12月31日 → （空白）"},
		{refers("companyId", none, &id, "", "Acme"), "Company: (empty) → Acme", "公司: （空白） → Acme"},
		{refers("parentId", &id, none, "", ""), "Parent company: (a record you cannot see) → (empty)", "母公司: （你無權查看的記錄） → （空白）"},
		{refers("ownerId", id, &id, "Sam", "小明"), "Owner: Sam → 小明", "負責人: Sam → 小明"},
	} {
		for lang, want := range map[string]string{"en": c.english, "zh-HK": c.chinese} {
			got := tools.ChangesOf(lang, []crm.Difference{c.difference})[0]
			require.Equal(t, want, got.Label+": "+got.BeforeDisplay+" → "+got.AfterDisplay)
			require.Equal(t, []any{c.difference.Before, c.difference.After, c.difference.Name}, []any{got.Before, got.After, got.Field})
		}
	}
}

// Every field that a tool can change has a label: one without would show the key of a missing text.
func TestEveryFieldOfACardHasALabel(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.exec(t, "UPDATE companies SET parent_id = $1, owner_id = NULL, industry = 'x', website = 'x', address = 'x', notes = 'x' WHERE id = $2", d.Ferry.ID, d.Acme.ID)
		for _, command := range []string{
			`/update_deal renewal title=x clear=amount,expected_close_date,company,product`,
			`/update_company acme name=x status=LEAD tags=x clear=industry,website,phone,address,notes,parent`,
			`/update_contact amy name=x clear=company,job_title,email,phone,language`, `/reassign_owner type=contact record=amy owner=me`,
			`/update_deal_stage audit stage=Due`, `/reassign_owner type=deal record=renewal owner=me`, `/reassign_owner type=company record=acme owner=me`,
		} {
			for _, actor := range []models.Actor{d.Admin, chinese(d.Admin)} {
				for _, c := range changes(t, proposed(t, d.say(t, actor, command))) {
					require.NotContains(t, c.Label, "field.", c.Field)
					require.NotRegexp(t, `value\.|company_status\.|0190|[0-9a-f]{8}-`, c.BeforeDisplay+c.AfterDisplay, c.Field)
				}
				d.Clock.Advance(time.Hour)
			}
		}
	})
}

// A field has one name, whether the server or the page says it: both stand on one screen.
func TestFieldsHaveTheNamesOfThePage(t *testing.T) {
	t.Parallel()
	for _, lang := range []string{"en", "zh-HK"} {
		file, err := os.ReadFile("../frontend/src/i18n/" + lang + ".json")
		require.NoError(t, err)
		var page struct {
			HistoryField map[string]string `json:"historyField"`
		}
		require.NoError(t, json.Unmarshal(file, &page))
		for field, label := range tools.FieldLabels() {
			if name, ok := page.HistoryField[field]; ok {
				assert.Equal(t, name, i18n.T(lang, "field."+label), "%s in %s", field, lang)
			}
		}
	}
}
