package models_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/models"
)

func TestQuotationStatuses(t *testing.T) {
	t.Parallel()
	next := map[models.QuotationStatus][]models.QuotationStatus{
		models.QuotationDraft: {models.QuotationSent},
		models.QuotationSent:  {models.QuotationAccepted, models.QuotationRejected, models.QuotationExpired},
	}
	for _, s := range models.QuotationStatuses() {
		require.True(t, s.Valid())
		require.Equal(t, next[s], s.Next(), s)
	}
	require.False(t, models.QuotationStatus("VOID").Valid())
}

// The number alone means one revision at a time.
func TestQuotationNames(t *testing.T) {
	t.Parallel()
	at := time.Now()
	number := models.QuotationNumber(2026, 7)
	require.Equal(t, "Q-2026-0007", number)
	require.Equal(t, "Q-2026-12345", models.QuotationNumber(2026, 12_345), "wider after 9999")
	first := models.Quotation{Number: number, Revision: 1, Status: models.QuotationSent}
	second := models.Quotation{Number: number, Revision: 2, Status: models.QuotationDraft}
	require.Equal(t, []string{"Q-2026-0007", "Q-2026-0007-R1"}, first.Names())
	require.Equal(t, []string{"Q-2026-0007-R2"}, second.Names())
	require.Equal(t, []string{"Q-2026-0007", "Q-2026-0007-R2"}, []string{first.Label(), second.Label()})
	second.Status, first.SupersededAt = models.QuotationSent, &at
	require.Equal(t, []string{"Q-2026-0007-R1"}, first.Names())
	require.Equal(t, []string{"Q-2026-0007-R2", "Q-2026-0007"}, second.Names())
}

func TestQuotationItemText(t *testing.T) {
	t.Parallel()
	item := models.QuotationItem{SKU: "PL-1", Name: "Pallet", Unit: "piece", QuantityE4: 25_000, PriceE4: 12_345}
	require.Equal(t, "2.5 piece × PL-1 Pallet @ HK$1.2345", item.Text("HKD"))
	item.DiscountRateE4, item.TaxRateE4 = 10_0000, 5_0000
	require.Equal(t, "2.5 piece × PL-1 Pallet @ HK$1.2345 (−10%) +5%", item.Text("HKD"))
	item = models.QuotationItem{Name: "Delivery", QuantityE4: 10_000, PriceE4: 500_0000, Discount: models.Discount{DiscountFixedE4: 50_0000}}
	require.Equal(t, "1 × Delivery @ JP¥500 (−JP¥50)", item.Text("JPY"))
}

func TestDiscountShare(t *testing.T) {
	t.Parallel()
	item := func(d models.Discount) models.QuotationItem {
		return models.QuotationItem{QuantityE4: 10_0000, PriceE4: 1_2345, Discount: d}
	}
	percent := func(e4 int64) models.Discount { return models.Discount{DiscountRateE4: e4} }
	fixed := func(e4 int64) models.Discount { return models.Discount{DiscountFixedE4: e4} }
	for name, c := range map[string]struct {
		own   models.Discount
		items []models.QuotationItem
		want  int64
	}{
		"nothing to take it off":      {percent(50_0000), nil, 0},
		"none":                        {percent(0), []models.QuotationItem{item(percent(0))}, 0},
		"its own":                     {percent(20_0000), []models.QuotationItem{item(percent(0))}, 20_0000},
		"its own, fixed":              {fixed(2_4690), []models.QuotationItem{item(percent(0))}, 20_0000},
		"one of two items":            {percent(0), []models.QuotationItem{item(percent(20_0000)), item(percent(0))}, 10_0000},
		"an item's, fixed":            {percent(0), []models.QuotationItem{item(fixed(2_4690))}, 20_0000},
		"both, one after the other":   {percent(10_0000), []models.QuotationItem{item(percent(10_0000))}, 19_0000},
		"the last digit rounded up":   {fixed(1), []models.QuotationItem{item(percent(0))}, 9},
		"everything, with no rest":    {percent(50_0000), []models.QuotationItem{item(percent(100_0000))}, 100_0000},
		"free items have no discount": {percent(50_0000), []models.QuotationItem{{QuantityE4: 1_0000}}, 0},
	} {
		q := models.Quotation{Currency: "HKD", Discount: c.own, Items: c.items}
		require.Equal(t, c.want, q.DiscountShareE4(), name)
	}
}

func TestParseE4(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"0": 0, "12.5": 12_5000, "1,234.5678": 1234_5678, "-1": -1_0000, "1e3": 1000_0000, "1.50000": 1_5000, "100000000000": 1_000_000_000_000_000} {
		got, err := models.ParseE4(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "x", "1.23456", "1.234,5", "100000000001", "1e99", "NaN", "12,5", "½"} {
		_, err := models.ParseE4(text)
		require.Error(t, err, text)
	}
	require.Equal(t, []string{"12.5", "0", "-1"}, []string{models.FormatE4(12_5000), models.FormatE4(0), models.FormatE4(-1_0000)})
	require.Equal(t, []string{"1.2345", "1.50", "3"}, []string{models.Price(1_2345, "HKD"), models.Price(1_5000, "HKD"), models.Price(3_0000, "JPY")})
	require.Equal(t, "HK$1,234.50", models.PriceText(1234_5000, "HKD"))
}
