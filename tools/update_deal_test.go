package tools_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/models"
)

// shown is a card's changes as "label: before → after".
func shown(t testing.TB, p *models.Proposal) (list []string) {
	t.Helper()
	for _, c := range changes(t, p) {
		list = append(list, c.Label+": "+c.BeforeDisplay+" → "+c.AfterDisplay)
	}
	return list
}

func TestUpdateDealProposes(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		before := d.writes(t)
		o := d.call(t, d.Sales1, "update_deal", `{"deal":"D-1001","title":" Acme  renewal 2027","amount":"1,500","currency":"usd","expected_close_date":"2026-12-31","company":"九龍渡輪","product":"PL-1","reason":"They asked."}`)
		p := proposed(t, o)
		require.Equal(t, before, d.writes(t), "nothing changes before a person confirms")
		require.Equal(t, []any{"update_deal", "Change deal", int64(1), "They asked."}, []any{p.Tool, p.Title, p.TargetVersion, p.Reason})
		require.JSONEq(t, `{"deal":"`+d.AcmeRenewal.ID+`","title":" Acme  renewal 2027","amount":"1,500","currency":"usd","expected_close_date":"2026-12-31",
			"company":"`+d.Ferry.ID+`","product":"`+d.Pallet.ID+`"}`, string(p.Args))
		require.Equal(t, []string{
			"Title: Acme renewal → Acme renewal 2027", "Company: Acme Trading Limited → Kowloon Ferry", "Product: Harbour crane → Pallet",
			"Amount: HK$120,000.00 → US$1,500.00", "Expected close: 30 June 2026 → 31 December 2026",
		}, shown(t, p))
		require.Equal(t, models.Change{
			Field: "companyId", Label: "Company", Before: d.Acme.ID, After: d.Ferry.ID, BeforeDisplay: "Acme Trading Limited", AfterDisplay: "Kowloon Ferry",
		}, changes(t, p)[1])
		require.Empty(t, warnings(t, p))
		require.Equal(t, []models.Ref{{Type: models.TypeDeal, ID: d.AcmeRenewal.ID, Name: "Acme renewal"}}, o.Refs)
		require.Contains(t, o.Summary, "Proposed: Acme renewal · Title: Acme renewal → Acme renewal 2027; Company: ")
		require.NotContains(t, string(o.Result), p.Digest)

		p = proposed(t, d.say(t, chinese(d.Sales1), `/update_deal renewal amount=5`))
		require.Equal(t, []string{"金額: HK$120,000.00 → HK$5.00"}, shown(t, p))
		require.Equal(t, "更改商機資料", p.Title)
	})
}

func TestUpdateDealClears(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		p := proposed(t, d.say(t, d.Sales1, `/update_deal renewal clear=amount,expected_close_date,company,product`))
		require.Equal(t, []string{
			"Company: Acme Trading Limited → (empty)", "Product: Harbour crane → (empty)",
			"Amount: HK$120,000.00 → (empty)", "Expected close: 30 June 2026 → (empty)",
		}, shown(t, p))
		_, err := d.decide(t, d.Sales1, p)
		require.NoError(t, err)
		deal, err := d.deals.Get(t.Context(), d.Sales1, d.AcmeRenewal.ID)
		require.NoError(t, err)
		require.Equal(t, []any{(*string)(nil), (*string)(nil), (*models.Money)(nil), (*models.Date)(nil), "Acme renewal"},
			[]any{deal.CompanyID, deal.ProductID, deal.Amount(), deal.ExpectedCloseDate, deal.Title})

		fails(t, d.say(t, d.Sales1, `/update_deal renewal clear=title`), "invalid")
		e := fails(t, d.say(t, d.Sales1, `/update_deal renewal amount=5 clear=amount`), "invalid")
		require.Equal(t, `The argument "amount" is given a value and listed in clear. Do one of the two.`, e.Message)
	})
}

// An amount without a currency keeps the deal's own, and what the card shows is what is frozen.
func TestUpdateDealKeepsTheCurrency(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.exec(t, "UPDATE deals SET currency = 'JPY', amount_minor = 900 WHERE id = $1", d.AcmeRenewal.ID)
		p := proposed(t, d.say(t, d.Sales1, `/update_deal renewal amount=1000`))
		require.Equal(t, []string{"Amount: JP¥900 → JP¥1,000"}, shown(t, p))
		require.Contains(t, string(p.Args), `"currency":"JPY"`)
		p = proposed(t, d.say(t, d.Sales1, `/update_deal expansion amount=1000`))
		require.Contains(t, string(p.Args), `"currency":"HKD"`)
		require.Equal(t, []string{"Amount: (empty) → HK$1,000.00"}, shown(t, p))
	})
}

func TestUpdateDealOfACompanyThatOneDoesNotSee(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.exec(t, "UPDATE companies SET owner_id = $1 WHERE id = $2", d.Sales3.UserID, d.Acme.ID)
		p := proposed(t, d.say(t, d.Sales1, `/update_deal renewal company=ferry`))
		require.Equal(t, []string{"Company: (a record you cannot see) → Kowloon Ferry"}, shown(t, p))
	})
}

func TestUpdateDealRefuses(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		e := fails(t, d.say(t, d.Sales1, `/update_deal Acme amount=5`), "ambiguous")
		require.Len(t, e.Candidates, 2)
		require.Len(t, fails(t, d.say(t, d.Sales1, `/update_deal renewal product=-1`), "ambiguous").Candidates, 3)
		require.Greater(t, len(fails(t, d.say(t, d.Manager, `/update_deal renewal company=o`), "ambiguous").Candidates), 1)
		fails(t, d.say(t, d.Sales1, `/update_deal renewal product=100%`), "not_found")

		require.Equal(t, `Nothing of "Acme renewal" would change. Say which field should become what.`, fails(t, d.say(t, d.Sales1, `/update_deal renewal`), "invalid").Message)
		require.Equal(t, `「Acme renewal」不會有任何變更，請說明要更改哪一項。`,
			fails(t, d.say(t, chinese(d.Sales1), `/update_deal renewal amount=120000.00 title="Acme renewal" company=Acme`), "invalid").Message)
		fails(t, d.say(t, d.Sales1, `/update_deal expansion clear=amount`), "invalid")
		require.Equal(t, "Give the amount together with its currency.", fails(t, d.say(t, d.Sales1, `/update_deal renewal currency=USD`), "invalid").Message)
		for _, wrong := range []string{
			`amount=plenty`, `amount=1.234,50`, `amount=-5`, `amount=5 currency=BTC`, `amount=5 currency=HKDX`, `amount=99999999999999`,
			`expected_close_date=tomorrow`, `expected_close_date=2026-02-30`, `title=` + strings.Repeat("長", 301), "title=\"\u200b\"", `stage=Won`, `owner=me`,
		} {
			fails(t, d.say(t, d.Sales1, `/update_deal renewal `+wrong), "invalid")
		}
		require.Equal(t, `The argument "amount" must be an amount written like 1234.50, with a currency such as HKD.`,
			fails(t, d.say(t, d.Sales1, `/update_deal renewal amount=1.234,50`), "invalid").Message)
		d.unseen(t, d.Sales1, `/update_deal deal=%s amount=5`, d.HarbourRollout.ID)
		d.unseen(t, d.Sales1, `/update_deal renewal company=%s`, d.Harbour.ID)
		fails(t, d.say(t, d.Viewer, `/update_deal renewal amount=5`), "forbidden")
		require.Zero(t, d.count(t, "SELECT COUNT(*) FROM proposals"))
	})
}
