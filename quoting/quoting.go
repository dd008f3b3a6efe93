package quoting

import (
	"fmt"

	"github.com/shopspring/decimal"

	"countersign/apperr"
	"countersign/models"
)

// scale is what quantities, prices and rates are stored times.
const scale = 4

// Calculate fills in the amounts of a quotation and its items. All rounding is half away from zero to the minor units of
// the currency, per item, and what is rounded is then summed:
//
//  1. an item's net is its quantity × price less its own discount, rounded once;
//  2. the subtotal is the sum of the nets;
//  3. the quotation's discount is taken off the subtotal, and spread over the items in proportion to their nets so
//     that its shares add up to it;
//  4. an item's tax is its rate of what that leaves of its net;
//  5. the total is the subtotal less the discount, and the taxes.
//
// The error is Invalid, with the path of the value that cannot be.
func Calculate(q *models.Quotation) error {
	nets := make([]int64, len(q.Items))
	totals := models.QuotationTotals{}
	for i, item := range q.Items {
		path := fmt.Sprintf("items[%d]", i)
		net, err := discounted(scaled(item.QuantityE4).Mul(scaled(item.PriceE4)), item.Discount, q.Currency, path)
		if err != nil {
			return err
		}
		nets[i] = net
		totals.SubtotalMinor += net
	}
	net, err := discounted(q.Money(totals.SubtotalMinor).Decimal(), q.Discount, q.Currency, "")
	if err != nil {
		return err
	}
	totals.DiscountMinor = totals.SubtotalMinor - net
	shares := spread(totals.DiscountMinor, nets)
	for i := range q.Items {
		taxable := q.Money(nets[i] - shares[i]).Decimal()
		tax, err := round(taxable.Mul(rate(q.Items[i].TaxRateE4)), q.Currency, fmt.Sprintf("items[%d].taxPercent", i))
		if err != nil {
			return err
		}
		q.Items[i].NetMinor, q.Items[i].TaxMinor = nets[i], tax
		totals.TaxMinor += tax
	}
	total := q.Money(totals.NetMinor() + totals.TaxMinor)
	if totals.TotalMinor, err = round(total.Decimal(), q.Currency, "items"); err != nil {
		return err
	}
	q.QuotationTotals = totals
	return nil
}

// discounted is an exact amount less a discount, in minor units. path is of what the discount is on; empty for the
// quotation itself.
func discounted(amount decimal.Decimal, d models.Discount, currency, path string) (int64, error) {
	if d.DiscountFixedE4 == 0 {
		return round(amount.Sub(amount.Mul(rate(d.DiscountRateE4))), currency, field(path, "quantity"))
	}
	gross, err := round(amount, currency, field(path, "quantity"))
	if err != nil {
		return 0, err
	}
	fixed, err := round(scaled(d.DiscountFixedE4), currency, field(path, "discountAmount"))
	if err != nil {
		return 0, err
	}
	if fixed > gross {
		return 0, apperr.InvalidField(field(path, "discountAmount"), "The discount is more than the amount that it is on. Lower it.")
	}
	return gross - fixed, nil
}

// field is the path of a field of an item, or of the quotation itself.
func field(path, name string) string {
	switch {
	case path != "":
		return path + "." + name
	case name == "quantity":
		return "items"
	default:
		return name
	}
}

// round gives an exact amount in minor units. path is of what made it.
func round(amount decimal.Decimal, currency, path string) (int64, error) {
	money, err := models.NewMoney(amount, currency)
	if err != nil {
		return 0, apperr.InvalidField(path, "This makes an amount that cannot be: "+err.Error()+".")
	}
	return money.Minor, nil
}

// spread shares an amount out in proportion to weights, which add up to at least as much. Each share is cut to whole
// minor units; those that are left over go to the shares that lost most, the first of equals first. No share is more than its weight.
func spread(amount int64, weights []int64) []int64 {
	shares, lost := make([]int64, len(weights)), make([]decimal.Decimal, len(weights))
	sum := decimal.Zero
	for _, w := range weights {
		sum = sum.Add(decimal.NewFromInt(w))
	}
	if amount == 0 {
		return shares
	}
	left := amount
	for i, w := range weights {
		whole, rest := decimal.NewFromInt(amount).Mul(decimal.NewFromInt(w)).QuoRem(sum, 0)
		shares[i], lost[i] = whole.IntPart(), rest
		left -= shares[i]
	}
	for ; left > 0; left-- {
		most := 0
		for i := range lost {
			if lost[i].GreaterThan(lost[most]) {
				most = i
			}
		}
		shares[most]++
		lost[most] = decimal.Zero
	}
	return shares
}

func scaled(e4 int64) decimal.Decimal { return decimal.New(e4, -scale) }

// rate is a rate in percent as a factor.
func rate(e4 int64) decimal.Decimal { return decimal.New(e4, -scale-2) }
