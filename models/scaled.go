package models

import (
	"fmt"
	"strings"

	"github.com/shopspring/decimal"
)

// maxE4 bounds what is stored times 10⁴, at a hundred billion.
const maxE4 = 1_000_000_000_000_000

// ParseE4 reads a decimal such as "1234.5", with or without thousands separators, that is stored times 10⁴. The error is
// a sentence for a person: more than four decimal places would be lost.
func ParseE4(text string) (int64, error) {
	text = strings.TrimSpace(text)
	if len(text) > maxDigits || !amountForm.MatchString(text) {
		return 0, fmt.Errorf("%.40q is not a number; write it like 12.5", text)
	}
	d, err := decimal.NewFromString(strings.ReplaceAll(text, ",", ""))
	if err != nil {
		return 0, fmt.Errorf("%.40q is not a number; write it like 12.5", text)
	}
	scaled := d.Shift(4)
	switch {
	case scaled.NumDigits()+int(scaled.Exponent()) > maxDigits || scaled.Abs().GreaterThan(decimal.NewFromInt(maxE4)):
		return 0, fmt.Errorf("%s is too large", text)
	case !scaled.IsInteger():
		return 0, fmt.Errorf("%s has more than four decimal places", text)
	}
	return scaled.IntPart(), nil
}

// FormatE4 is a number that is stored times 10⁴ as a plain decimal without needless zeros, such as "12.5".
func FormatE4(e4 int64) string { return decimal.New(e4, -4).String() }

// Price is a price that is stored times 10⁴ as a plain decimal, with at least the minor digits of its currency.
func Price(e4 int64, currency string) string { return exactAmount(decimal.New(e4, -4), currency) }

// PriceText is a price that is stored times 10⁴ as a person in Hong Kong writes it, such as "HK$1.2345".
func PriceText(e4 int64, currency string) string { return written(Price(e4, currency), currency) }
