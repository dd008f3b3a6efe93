package quoting_test

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"countersign/apperr"
	"countersign/models"
	"countersign/quoting"
)

// e4 is a number as it is stored.
func e4(t *testing.T, text string) int64 {
	t.Helper()
	n, err := models.ParseE4(text)
	require.NoError(t, err)
	return n
}

// line is quantity × price with a tax rate in percent.
func line(t *testing.T, quantity, price, tax string) models.QuotationItem {
	t.Helper()
	return models.QuotationItem{QuantityE4: e4(t, quantity), PriceE4: e4(t, price), TaxRateE4: e4(t, tax)}
}

func percent(t *testing.T, text string) models.Discount {
	t.Helper()
	return models.Discount{DiscountRateE4: e4(t, text)}
}

func fixed(t *testing.T, text string) models.Discount {
	t.Helper()
	return models.Discount{DiscountFixedE4: e4(t, text)}
}

// less is an item with a discount.
func less(item models.QuotationItem, d models.Discount) models.QuotationItem {
	item.Discount = d
	return item
}

func TestCalculate(t *testing.T) {
	t.Parallel()
	type amounts struct{ nets, taxes, totals []string }
	for name, c := range map[string]struct {
		currency string
		discount models.Discount
		items    []models.QuotationItem
		want     amounts // totals are subtotal, discount, tax, total
	}{
		"nothing": {"HKD", models.Discount{}, nil, amounts{totals: []string{"0.00", "0.00", "0.00", "0.00"}}},
		"a tenth off": {
			"HKD", percent(t, "10"),
			[]models.QuotationItem{line(t, "3", "5482", "0")},
			amounts{[]string{"16446.00"}, []string{"0.00"}, []string{"16446.00", "1644.60", "0.00", "14801.40"}},
		},
		"the tenth on the line": {
			"HKD",
			models.Discount{},
			[]models.QuotationItem{less(line(t, "3", "5482", "0"), percent(t, "10"))},
			amounts{[]string{"14801.40"}, []string{"0.00"}, []string{"14801.40", "0.00", "0.00", "14801.40"}},
		},
		"a line is rounded once, not its unit price": {
			"HKD",
			models.Discount{},
			[]models.QuotationItem{less(line(t, "3", "0.115", "0"), percent(t, "10"))},
			amounts{[]string{"0.31"}, []string{"0.00"}, []string{"0.31", "0.00", "0.00", "0.31"}},
		},
		"half away from zero": {
			"HKD",
			models.Discount{},
			[]models.QuotationItem{line(t, "1", "0.125", "0"), line(t, "1", "0.135", "0")},
			amounts{[]string{"0.13", "0.14"}, []string{"0.00", "0.00"}, []string{"0.27", "0.00", "0.00", "0.27"}},
		},
		"tax per line, then summed": {
			"HKD",
			models.Discount{},
			[]models.QuotationItem{line(t, "1", "0.10", "5"), line(t, "1", "0.10", "5")},
			amounts{[]string{"0.10", "0.10"}, []string{"0.01", "0.01"}, []string{"0.20", "0.00", "0.02", "0.22"}},
		},
		"tax on what the discount leaves": {
			"HKD", fixed(t, "100"),
			[]models.QuotationItem{line(t, "1", "300", "10"), line(t, "1", "100", "0")},
			amounts{[]string{"300.00", "100.00"}, []string{"22.50", "0.00"}, []string{"400.00", "100.00", "22.50", "322.50"}},
		},
		"what is left of a discount goes to the first of equals": {
			"HKD", fixed(t, "0.01"),
			[]models.QuotationItem{line(t, "1", "1", "100"), line(t, "1", "1", "100"), line(t, "1", "1", "100")},
			amounts{[]string{"1.00", "1.00", "1.00"}, []string{"0.99", "1.00", "1.00"}, []string{"3.00", "0.01", "2.99", "5.98"}},
		},
		"all off a line, and off the whole": {
			"HKD", percent(t, "100"),
			[]models.QuotationItem{less(line(t, "2", "50", "8"), percent(t, "100")), line(t, "1", "9.99", "8")},
			amounts{[]string{"0.00", "9.99"}, []string{"0.00", "0.00"}, []string{"9.99", "9.99", "0.00", "0.00"}},
		},
		"a discount on nothing divides by nothing": {
			"HKD", percent(t, "10"),
			[]models.QuotationItem{line(t, "0", "50", "8"), line(t, "1", "0", "8")},
			amounts{[]string{"0.00", "0.00"}, []string{"0.00", "0.00"}, []string{"0.00", "0.00", "0.00", "0.00"}},
		},
		"a fixed discount on a line": {
			"HKD",
			models.Discount{},
			[]models.QuotationItem{less(line(t, "2.5", "10", "0"), fixed(t, "4.50"))},
			amounts{[]string{"20.50"}, []string{"0.00"}, []string{"20.50", "0.00", "0.00", "20.50"}},
		},
		"no minor units": {
			"JPY", percent(t, "3"),
			[]models.QuotationItem{line(t, "1.5", "333", "10")},
			amounts{[]string{"500"}, []string{"49"}, []string{"500", "15", "49", "534"}},
		},
		"three decimal places": {
			"KWD",
			models.Discount{},
			[]models.QuotationItem{line(t, "3", "0.3335", "5")},
			amounts{[]string{"1.001"}, []string{"0.050"}, []string{"1.001", "0.000", "0.050", "1.051"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := models.Quotation{Currency: c.currency, Discount: c.discount, Items: c.items}
			require.NoError(t, quoting.Calculate(&q))
			var got amounts
			for _, item := range q.Items {
				got.nets = append(got.nets, q.Money(item.NetMinor).Amount())
				got.taxes = append(got.taxes, q.Money(item.TaxMinor).Amount())
			}
			for _, minor := range []int64{q.SubtotalMinor, q.DiscountMinor, q.TaxMinor, q.TotalMinor} {
				got.totals = append(got.totals, q.Money(minor).Amount())
			}
			require.Equal(t, c.want, got)
		})
	}
}

func TestCalculateRefuses(t *testing.T) {
	t.Parallel()
	for path, q := range map[string]models.Quotation{
		"items[0].quantity":       {Currency: "HKD", Items: []models.QuotationItem{line(t, "100000000000", "100000000000", "0")}},
		"items[1].discountAmount": {Currency: "HKD", Items: []models.QuotationItem{line(t, "1", "5", "0"), less(line(t, "1", "5", "0"), fixed(t, "5.01"))}},
		"discountAmount":          {Currency: "HKD", Discount: fixed(t, "5.01"), Items: []models.QuotationItem{line(t, "1", "5", "0")}},
		"items":                   {Currency: "HKD", Items: []models.QuotationItem{line(t, "1", "90000000000", "0"), line(t, "1", "90000000000", "0")}},
	} {
		err := quoting.Calculate(&q)
		require.True(t, apperr.Is(err, apperr.Invalid), "%s: %v", path, err)
		require.Equal(t, path, apperr.As(err).Fields[0].Path)
		require.Zero(t, q.QuotationTotals, "nothing is half computed")
	}
}

// quotations draws quotations as people write them, in every number of minor digits.
var quotations = rapid.Custom(func(t *rapid.T) models.Quotation {
	q := models.Quotation{Currency: rapid.SampledFrom([]string{"HKD", "JPY", "KWD"}).Draw(t, "currency")}
	rate := rapid.Int64Range(0, 100_0000)
	for range rapid.IntRange(0, 12).Draw(t, "lines") {
		q.Items = append(q.Items, models.QuotationItem{
			QuantityE4: rapid.Int64Range(0, 5000_0000).Draw(t, "quantity"), PriceE4: rapid.Int64Range(0, 100_000_0000).Draw(t, "price"),
			Discount: models.Discount{DiscountRateE4: rate.Draw(t, "discount")}, TaxRateE4: rate.Draw(t, "tax"),
		})
	}
	q.DiscountRateE4 = rate.Draw(t, "discount")
	return q
})

// UX-115: the sums are those of the lines, to the cent, and no amount is negative or more than what it is taken from.
func TestAmountsAddUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		q := quotations.Draw(t, "quotation")
		require.NoError(t, quoting.Calculate(&q))
		var net, tax int64
		for _, item := range q.Items {
			require.GreaterOrEqual(t, item.NetMinor, int64(0))
			require.LessOrEqual(t, item.TaxMinor, item.NetMinor)
			require.LessOrEqual(t, apart(item, q.Currency), 0, "within half a minor unit of the exact amount")
			net, tax = net+item.NetMinor, tax+item.TaxMinor
		}
		require.Equal(t, net, q.SubtotalMinor)
		require.Equal(t, tax, q.TaxMinor)
		require.GreaterOrEqual(t, q.DiscountMinor, int64(0))
		require.LessOrEqual(t, q.DiscountMinor, q.SubtotalMinor)
		require.Equal(t, q.SubtotalMinor-q.DiscountMinor+q.TaxMinor, q.TotalMinor)
		again := q
		require.NoError(t, quoting.Calculate(&again))
		require.Equal(t, q, again, "computing what is computed changes nothing")
	})
}

// apart compares how far a line's net is from its exact amount with half a minor unit, in fractions.
func apart(item models.QuotationItem, currency string) int {
	minor := models.Money{Minor: 1, Currency: currency}.Decimal().Rat()
	exact := new(big.Rat).Mul(big.NewRat(item.QuantityE4, 10_000), big.NewRat(item.PriceE4, 10_000))
	exact.Mul(exact, big.NewRat(100_0000-item.DiscountRateE4, 100_0000))
	net := new(big.Rat).Mul(minor, new(big.Rat).SetInt64(item.NetMinor))
	off := new(big.Rat).Sub(exact, net)
	return off.Abs(off).Cmp(new(big.Rat).Mul(minor, big.NewRat(1, 2)))
}

// The order of the lines changes no sum but where the last minor units of a discount fall, and then the tax of these.
func TestOrderOfLines(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		q := quotations.Draw(t, "quotation")
		other := q
		other.Items = rapid.Permutation(q.Items).Draw(t, "order")
		require.NoError(t, quoting.Calculate(&q))
		require.NoError(t, quoting.Calculate(&other))
		require.Equal(t, []int64{q.SubtotalMinor, q.DiscountMinor, q.NetMinor()}, []int64{other.SubtotalMinor, other.DiscountMinor, other.NetMinor()})
		require.InDelta(t, q.TaxMinor, other.TaxMinor, float64(len(q.Items)))
	})
}

// A discount in percent and the same one as an amount give the same quotation.
func TestDiscountsAgree(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		q := quotations.Draw(t, "quotation")
		require.NoError(t, quoting.Calculate(&q))
		fixed := q
		fixed.Items = append([]models.QuotationItem(nil), q.Items...)
		amount, err := models.ParseE4(q.Money(q.DiscountMinor).Amount())
		require.NoError(t, err)
		fixed.Discount = models.Discount{DiscountFixedE4: amount}
		require.NoError(t, quoting.Calculate(&fixed))
		require.Equal(t, q.QuotationTotals, fixed.QuotationTotals)
		require.Equal(t, q.Items, fixed.Items)
	})
}
