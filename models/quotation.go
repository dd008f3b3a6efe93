package models

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/shopspring/decimal"
)

// QuotationStatus says how far a quotation has come.
type QuotationStatus string

// The statuses of quotations. Only a draft can be edited.
const (
	QuotationDraft    QuotationStatus = "DRAFT"
	QuotationSent     QuotationStatus = "SENT"
	QuotationAccepted QuotationStatus = "ACCEPTED"
	QuotationRejected QuotationStatus = "REJECTED"
	QuotationExpired  QuotationStatus = "EXPIRED"
)

// QuotationStatuses are all statuses, in the order in which a quotation goes through them.
func QuotationStatuses() []QuotationStatus {
	return []QuotationStatus{QuotationDraft, QuotationSent, QuotationAccepted, QuotationRejected, QuotationExpired}
}

// Valid reports whether s is one of the statuses.
func (s QuotationStatus) Valid() bool { return slices.Contains(QuotationStatuses(), s) }

// Next are the statuses that may follow: a draft can be sent, and what was sent is answered or expires. After that a
// quotation goes on only as a new revision.
func (s QuotationStatus) Next() []QuotationStatus {
	switch s {
	case QuotationDraft:
		return []QuotationStatus{QuotationSent}
	case QuotationSent:
		return []QuotationStatus{QuotationAccepted, QuotationRejected, QuotationExpired}
	default:
		return nil
	}
}

// Discount takes a part off an amount: a rate in percent or a fixed amount in the main unit of the currency, both
// scaled by 10⁴. At most one of them is not zero.
type Discount struct {
	DiscountRateE4  int64 `gorm:"column:discount_rate_e4"`
	DiscountFixedE4 int64 `gorm:"column:discount_fixed_e4"`
}

// Text is the discount as a person reads it, such as "10%" or "HK$50.00"; empty for none.
func (d Discount) Text(currency string) string {
	switch {
	case d.DiscountRateE4 != 0:
		return FormatE4(d.DiscountRateE4) + "%"
	case d.DiscountFixedE4 != 0:
		return PriceText(d.DiscountFixedE4, currency)
	default:
		return ""
	}
}

// off is what the discount takes off an exact amount, before any rounding.
func (d Discount) off(amount decimal.Decimal) decimal.Decimal {
	return amount.Mul(decimal.New(d.DiscountRateE4, -6)).Add(decimal.New(d.DiscountFixedE4, -4))
}

// QuotationTotals are the amounts of a quotation in minor units of its currency; package quoting alone computes them.
type QuotationTotals struct {
	// SubtotalMinor is the sum of the items after their own discounts, DiscountMinor what the quotation's discount takes off.
	SubtotalMinor int64
	DiscountMinor int64
	TaxMinor      int64
	TotalMinor    int64
}

// Quotation is an offer to a company. All its revisions carry one Number; the first has Revision 1. Revising gives a
// new draft, and sending that supersedes the revisions before it. Items are in their order; lists come without them.
type Quotation struct {
	Record
	Number     string
	Revision   int64
	Status     QuotationStatus
	CompanyID  string
	ContactID  *string
	DealID     *string
	OwnerID    string
	ValidUntil *Date
	Currency   string
	Notes      string
	Discount
	QuotationTotals
	SentAt *time.Time
	// DecidedAt is when it was accepted or rejected, or expired.
	DecidedAt    *time.Time
	SupersededAt *time.Time
	Items        []QuotationItem `gorm:"-"`
}

// QuotationItem is a line of a quotation. SKU, Name, Unit, the price and the tax rate are a snapshot: later changes of
// the product do not reach it. A line without a product is free text. Quantity, price, and the rate in percent are
// scaled by 10⁴; NetMinor is after the line's discount, TaxMinor on what the quotation's discount leaves of that.
type QuotationItem struct {
	QuotationID string `gorm:"primaryKey"`
	Position    int    `gorm:"primaryKey"`
	ProductID   *string
	SKU         string `gorm:"column:sku"`
	Name        string
	Unit        string
	QuantityE4  int64 `gorm:"column:quantity_e4"`
	PriceE4     int64 `gorm:"column:price_e4"`
	Discount
	TaxRateE4 int64 `gorm:"column:tax_rate_e4"`
	NetMinor  int64
	TaxMinor  int64
}

// Text is the item in one line for history and cards, such as "2 piece × PL-1 Pallet @ HK$1.2345 (−10%)".
func (i QuotationItem) Text(currency string) string {
	text := FormatE4(i.QuantityE4) + " " + i.Unit + " × " + i.SKU + " " + i.Name + " @ " + PriceText(i.PriceE4, currency)
	if discount := i.Discount.Text(currency); discount != "" {
		text += " (−" + discount + ")"
	}
	if i.TaxRateE4 != 0 {
		text += " +" + FormatE4(i.TaxRateE4) + "%"
	}
	return CleanLine(text)
}

// QuotationNumber is the number of the n-th quotation of a year, such as Q-2026-0007.
func QuotationNumber(year int, n int64) string { return fmt.Sprintf("Q-%04d-%04d", year, n) }

// Label is what people call the quotation: its number, from the second revision on with that, as in Q-2026-0007-R2.
func (q Quotation) Label() string {
	if q.Revision == 1 {
		return q.Number
	}
	return q.revised()
}

func (q Quotation) revised() string { return q.Number + "-R" + strconv.FormatInt(q.Revision, 10) }

// Names are the names that the quotation is found by. The number alone means the revision that was sent last, or the
// first while none was.
func (q Quotation) Names() []string {
	switch {
	case q.SupersededAt != nil, q.Revision > 1 && q.Status == QuotationDraft:
		return []string{q.revised()}
	case q.Revision == 1:
		return []string{q.Number, q.revised()}
	default:
		return []string{q.revised(), q.Number}
	}
}

// DiscountShareE4 is what all discounts together, those of the items and then the quotation's own, take off the price of
// the items, in percent scaled by 10⁴. The amounts are not rounded, so that equal rates give exactly that rate; the last
// digit is rounded up, so that what is above a limit stays above it. It needs the items.
func (q Quotation) DiscountShareE4() int64 {
	price, net := decimal.Zero, decimal.Zero
	for _, i := range q.Items {
		gross := decimal.New(i.QuantityE4, -4).Mul(decimal.New(i.PriceE4, -4))
		price, net = price.Add(gross), net.Add(gross.Sub(i.off(gross)))
	}
	if price.IsZero() {
		return 0
	}
	off := price.Sub(net).Add(q.off(net))
	share, rest := off.Shift(6).QuoRem(price, 0)
	if rest.IsPositive() {
		return share.IntPart() + 1
	}
	return share.IntPart()
}

// Money is an amount in the quotation's currency.
func (q Quotation) Money(minor int64) Money { return Money{Minor: minor, Currency: q.Currency} }

// NetMinor is the amount before tax, after all discounts.
func (t QuotationTotals) NetMinor() int64 { return t.SubtotalMinor - t.DiscountMinor }
