package crm_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/crm"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// amount is a number as quotations store it, times 10⁴.
func amount(t *testing.T, text string) int64 {
	t.Helper()
	n, err := models.ParseE4(text)
	require.NoError(t, err)
	return n
}

// pallets is a line of some pallets, which cost HK$1.2345 each and carry 5 % tax.
func (w *world) pallets(n int64) crm.QuotationLine {
	return crm.QuotationLine{ProductID: &w.Pallet.ID, QuantityE4: n * 10_000}
}

func freeLine(name string, price int64) crm.QuotationLine {
	return crm.QuotationLine{Name: name, QuantityE4: 10_000, PriceE4: &price}
}

func TestCreateQuotation(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		valid := models.Date("2026-04-30")
		var made *store.QuotationView
		entry := w.allowed(t, rbac.QuotationCreate, "", func() (err error) {
			made, err = w.quotations.Create(t.Context(), w.Sales1, crm.QuotationInput{
				DealID: &w.AcmeRenewal.ID, ContactID: &w.Amy.ID, ValidUntil: &valid, Notes: " Ex works\u0000 ",
				Discount: models.Discount{DiscountRateE4: amount(t, "10")},
				Items:    []crm.QuotationLine{w.pallets(1000), freeLine(" Delivery  送貨 ", amount(t, "500"))},
			})
			return err
		})
		require.Equal(t, made.ID, entry.TargetID)
		require.Equal(t, models.Quotation{
			Record: made.Record, Number: "Q-2026-0006", Revision: 1, Status: models.QuotationDraft, CompanyID: w.Acme.ID, ContactID: &w.Amy.ID,
			DealID: &w.AcmeRenewal.ID, OwnerID: w.Sales1.UserID, ValidUntil: &valid, Currency: "HKD", Notes: "Ex works",
			Discount:        models.Discount{DiscountRateE4: amount(t, "10")},
			QuotationTotals: models.QuotationTotals{SubtotalMinor: 1734_50, DiscountMinor: 173_45, TaxMinor: 55_55, TotalMinor: 1616_60},
			Items: []models.QuotationItem{{
				QuotationID: made.ID, Position: 1, ProductID: &w.Pallet.ID, SKU: "PL-1", Name: "Pallet", Unit: "piece", QuantityE4: amount(t, "1000"),
				PriceE4: amount(t, "1.2345"), TaxRateE4: amount(t, "5"), NetMinor: 1234_50, TaxMinor: 55_55,
			}, {
				QuotationID: made.ID, Position: 2, Name: "Delivery 送貨", QuantityE4: amount(t, "1"), PriceE4: amount(t, "500"), NetMinor: 500_00,
			}},
		}, made.Quotation)
		require.Equal(t, []string{w.Acme.Name, w.Amy.Name, w.AcmeRenewal.Title, "Sam Sales"},
			[]string{made.CompanyName, made.ContactName, made.DealTitle, made.OwnerName})
		require.Equal(t, made, must(w.quotations.Get(t.Context(), w.Sales1, made.ID))(t))
		require.Equal(t, []string{
			"companyId", "contactId", "dealId", "discount", "items", "notes", "number", "ownerId", "revision", "status", "total", "validUntil",
		}, w.changed(t, models.TypeQuotation, made.ID, 1))

		w.exec(t, "UPDATE products SET name = 'Other', price_e4 = 99 WHERE id = $1", w.Pallet.ID)
		require.Equal(t, made.Items, must(w.quotations.Get(t.Context(), w.Sales1, made.ID))(t).Items, "a snapshot")
	})
}

func TestQuotationRefusesWrongValues(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		one, some, day := amount(t, "1"), models.Some[string], models.Date("2026-02-30")
		line := func(change func(*crm.QuotationLine)) crm.QuotationInput {
			l := w.pallets(1)
			change(&l)
			return crm.QuotationInput{CompanyID: &w.Acme.ID, Items: []crm.QuotationLine{l}}
		}
		acme := func(in crm.QuotationInput) crm.QuotationInput { in.CompanyID = &w.Acme.ID; return in }
		tooMany := slices.Repeat([]crm.QuotationLine{w.pallets(1)}, 101)
		for name, c := range map[string]struct {
			path  string
			in    crm.QuotationInput
			patch *crm.QuotationPatch // of the same mistake in items, unless given
		}{
			"no company":         {"companyId", crm.QuotationInput{}, &crm.QuotationPatch{CompanyID: null[string]()}},
			"unseen company":     {"companyId", crm.QuotationInput{CompanyID: &w.Globex.ID}, &crm.QuotationPatch{CompanyID: some(w.Globex.ID)}},
			"unseen deal":        {"dealId", acme(crm.QuotationInput{DealID: &w.GlobexPilot.ID}), &crm.QuotationPatch{DealID: some(w.GlobexPilot.ID)}},
			"deal of another":    {"dealId", crm.QuotationInput{CompanyID: &w.Ferry.ID, DealID: &w.AcmeRenewal.ID}, &crm.QuotationPatch{CompanyID: some(w.Ferry.ID)}},
			"unseen contact":     {"contactId", acme(crm.QuotationInput{ContactID: &w.Hana.ID}), &crm.QuotationPatch{ContactID: some(w.Hana.ID)}},
			"colleague":          {"ownerId", acme(crm.QuotationInput{OwnerID: w.Sales2.UserID}), &crm.QuotationPatch{OwnerID: some(w.Sales2.UserID)}},
			"currency":           {"currency", acme(crm.QuotationInput{Currency: "XXX"}), &crm.QuotationPatch{Currency: some("hkd"), Items: models.Some([]crm.QuotationLine{})}},
			"prices stay":        {"currency", acme(crm.QuotationInput{Currency: "?"}), &crm.QuotationPatch{Currency: some("USD")}},
			"day":                {"validUntil", acme(crm.QuotationInput{ValidUntil: &day}), &crm.QuotationPatch{ValidUntil: models.Some(day)}},
			"both discounts":     {"discountAmount", acme(crm.QuotationInput{Discount: models.Discount{DiscountRateE4: 1, DiscountFixedE4: 1}}), &crm.QuotationPatch{Discount: models.Some(models.Discount{DiscountRateE4: 1, DiscountFixedE4: 1})}},
			"more than all off":  {"discountPercent", acme(crm.QuotationInput{Discount: models.Discount{DiscountRateE4: amount(t, "100.0001")}}), &crm.QuotationPatch{Discount: models.Some(models.Discount{DiscountRateE4: -1})}},
			"discount too large": {"discountAmount", acme(crm.QuotationInput{Discount: models.Discount{DiscountFixedE4: one}}), &crm.QuotationPatch{Discount: models.Some(models.Discount{DiscountFixedE4: amount(t, "500000.01")})}},
			"unknown status":     {"companyId", crm.QuotationInput{}, &crm.QuotationPatch{CompanyID: null[string](), Status: models.Some(models.QuotationSent)}},
			"too many lines":     {"items", acme(crm.QuotationInput{Items: tooMany}), nil},
			"no product":         {"items[0].productId", line(func(l *crm.QuotationLine) { l.ProductID = ptr(models.NewID()) }), nil},
			"retired product":    {"items[0].productId", line(func(l *crm.QuotationLine) { l.ProductID = &w.Retired.ID }), nil},
			"neither name":       {"items[0].name", line(func(l *crm.QuotationLine) { l.ProductID, l.Name = nil, "\u200b" }), nil},
			"no price":           {"items[0].unitPrice", line(func(l *crm.QuotationLine) { l.ProductID, l.Name = nil, "x" }), nil},
			"negative price":     {"items[0].unitPrice", line(func(l *crm.QuotationLine) { l.PriceE4 = ptr(int64(-1)) }), nil},
			"no quantity":        {"items[0].quantity", line(func(l *crm.QuotationLine) { l.QuantityE4 = 0 }), nil},
			"tax":                {"items[0].taxPercent", line(func(l *crm.QuotationLine) { l.TaxRateE4 = ptr(amount(t, "101")) }), nil},
			"line discount":      {"items[0].discountAmount", line(func(l *crm.QuotationLine) { l.DiscountFixedE4 = -1 }), nil},
		} {
			err := w.nothing(t, apperr.Invalid, func() error { _, err := w.quotations.Create(t.Context(), w.Sales1, c.in); return err })
			require.Equal(t, c.path, wrongField(t, err), name)
			if c.patch == nil {
				c.patch = &crm.QuotationPatch{Items: models.Some(c.in.Items)}
			}
			err = w.nothing(t, apperr.Invalid, func() error {
				_, err := w.quotations.Update(t.Context(), w.Sales1, w.QuoteAcme.ID, 1, *c.patch)
				return err
			})
			if name != "deal of another" {
				require.Equal(t, c.path, wrongField(t, err), name)
			}
		}
		usd := crm.QuotationInput{CompanyID: &w.Acme.ID, Currency: "USD", Items: []crm.QuotationLine{w.pallets(1)}}
		_, err := w.quotations.Create(t.Context(), w.Sales1, usd)
		require.Equal(t, "items[0].unitPrice", wrongField(t, err), "the product's price is in HKD")
		usd.Items[0].PriceE4 = &one
		require.Equal(t, "USD", must(w.quotations.Create(t.Context(), w.Sales1, usd))(t).Currency)
	})
}

// SEC-44: absent leaves, null clears; the amounts follow.
func TestPatchQuotation(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		id := w.QuoteAcme.ID
		patch := func(version int64, p crm.QuotationPatch) *store.QuotationView {
			return must(w.quotations.Update(t.Context(), w.Sales1, id, version, p))(t)
		}
		before := must(w.quotations.Get(t.Context(), w.Sales1, id))(t)
		require.Equal(t, before, patch(1, crm.QuotationPatch{Notes: models.Some(""), OwnerID: models.Some(w.Sales1.UserID)}), "nothing changed, so nothing was written")
		noted := patch(1, crm.QuotationPatch{Notes: models.Some("Net 30")})
		want := before.Quotation
		want.Record, want.Notes = noted.Record, "Net 30"
		require.Equal(t, want, noted.Quotation)

		w.exec(t, "UPDATE products SET price_e4 = 1, active = FALSE WHERE id = $1", w.Crane.ID)
		lines := []crm.QuotationLine{freeLine("Survey", amount(t, "1000")), {ProductID: &w.Crane.ID, QuantityE4: amount(t, "1")}}
		changed := patch(2, crm.QuotationPatch{Items: models.Some(lines), Discount: models.Some(models.Discount{DiscountFixedE4: amount(t, "1000")})})
		require.Equal(t, []string{"discount", "items", "total"}, w.changed(t, models.TypeQuotation, id, 3))
		require.Equal(t, []string{"Survey", w.Crane.Name}, []string{changed.Items[0].Name, changed.Items[1].Name})
		require.Equal(t, models.QuotationTotals{SubtotalMinor: 251_000_00, DiscountMinor: 1000_00, TotalMinor: 250_000_00}, changed.QuotationTotals, "the price of the first snapshot")
		plain := patch(3, crm.QuotationPatch{Discount: null[models.Discount](), ContactID: null[string](), DealID: null[string](), Notes: null[string]()})
		require.Equal(t, int64(251_000_00), plain.TotalMinor)
		require.Nil(t, plain.ContactID)
		require.Equal(t, []string{"", "", ""}, []string{plain.ContactName, plain.DealTitle, plain.Notes})
		dollars := patch(4, crm.QuotationPatch{Currency: models.Some("USD"), Items: models.Some([]crm.QuotationLine{freeLine("Survey", amount(t, "10"))})})
		require.Equal(t, models.Money{Minor: 10_00, Currency: "USD"}, dollars.Money(dollars.TotalMinor))
		require.Empty(t, patch(5, crm.QuotationPatch{Items: models.Some([]crm.QuotationLine{})}).Items)
	})
}

// A draft can be given up as long as it is one; what was sent goes to the bin only by those who manage others' too.
func TestDeleteQuotation(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		sent := w.sent(t, w.Sales1, w.QuoteAcme.ID)
		w.refused(t, rbac.QuotationDelete, sent.ID, func() error { return w.quotations.Delete(t.Context(), w.Sales1, sent.ID, sent.Version) })
		w.allowed(t, rbac.QuotationDelete, sent.ID, func() error { return w.quotations.Delete(t.Context(), w.Manager, sent.ID, sent.Version) })
		next := must(w.quotations.Create(t.Context(), w.Sales1, crm.QuotationInput{CompanyID: &w.Acme.ID}))(t)
		require.Equal(t, "Q-2026-0006", next.Number, "no number is given out again")
	})
}
