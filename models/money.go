package models

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"
)

// DefaultCurrency is the currency of amounts given without one.
const DefaultCurrency = "HKD"

// minorDigits are the decimal places of the currencies that the product accepts (ISO 4217).
var minorDigits = map[string]int32{
	"AED": 2, "AUD": 2, "BHD": 3, "CAD": 2, "CHF": 2, "CNY": 2, "DKK": 2, "EUR": 2, "GBP": 2, "HKD": 2,
	"IDR": 2, "INR": 2, "JPY": 0, "KRW": 0, "KWD": 3, "MOP": 2, "MYR": 2, "NOK": 2, "NZD": 2, "PHP": 2,
	"SAR": 2, "SEK": 2, "SGD": 2, "THB": 2, "TWD": 2, "USD": 2, "VND": 0, "ZAR": 2,
}

// maxMinor bounds an amount, at a hundred billion dollars, so that sums over 900,000 of the largest stay within int64.
const maxMinor = 10_000_000_000_000

// maxDigits bounds the digits that are looked at, on either side of the decimal point.
const maxDigits = 40

// Money is an exact amount: a whole number of the currency's minor units. It is never a float.
type Money struct {
	Minor    int64
	Currency string
}

// NewMoney rounds a decimal half away from zero to the minor units of the currency. An empty currency
// is [DefaultCurrency]. The error is a sentence for a person.
func NewMoney(amount decimal.Decimal, currency string) (Money, error) {
	if currency == "" {
		currency = DefaultCurrency
	}
	currency = strings.ToUpper(currency)
	digits, ok := minorDigits[currency]
	if !ok {
		return Money{}, fmt.Errorf("%q is not a currency this system knows; use a code such as HKD or USD", currency)
	}
	if amount.NumDigits()+int(amount.Exponent()) > maxDigits || amount.Exponent() < -maxDigits {
		return Money{}, errors.New("the amount is too large, or too exact")
	}
	minor := amount.Shift(digits).Round(0)
	if minor.Abs().GreaterThan(decimal.NewFromInt(maxMinor)) {
		return Money{}, fmt.Errorf("the amount %s is too large", amount)
	}
	return Money{Minor: minor.IntPart(), Currency: currency}, nil
}

// amountForm is a decimal, its thousands separated by commas or not. "1.234,50" and "12,50" are refused:
// read without their commas they would become other amounts.
var amountForm = regexp.MustCompile(`^[+-]?((\d{1,3}(,\d{3})+|\d+)(\.\d*)?|\.\d+)([eE][+-]?\d{1,2})?$`)

// KnownCurrency reports whether amounts in a currency are accepted.
func KnownCurrency(code string) bool {
	_, ok := minorDigits[code]
	return ok
}

// ParseMoney reads a decimal such as "1234.5", with or without thousands separators.
func ParseMoney(amount, currency string) (Money, error) {
	text := strings.TrimSpace(amount)
	if len(text) > maxDigits || !amountForm.MatchString(text) {
		return Money{}, fmt.Errorf("%.40q is not an amount; write it like 1234.50", amount)
	}
	d, err := decimal.NewFromString(strings.ReplaceAll(text, ",", ""))
	if err != nil {
		return Money{}, fmt.Errorf("%.40q is not an amount; write it like 1234.50", amount)
	}
	return NewMoney(d, currency)
}

// Decimal is the amount in the currency's main unit.
func (m Money) Decimal() decimal.Decimal {
	return decimal.New(m.Minor, -minorDigits[m.Currency])
}

// Amount is the amount as a plain decimal with all minor digits, such as "1234.50".
func (m Money) Amount() string { return m.Decimal().StringFixed(minorDigits[m.Currency]) }

// String is the amount as a person in Hong Kong writes it, such as "HK$1,234.50".
func (m Money) String() string { return written(m.Amount(), m.Currency) }

// exactAmount is an amount finer than the currency's minor unit as a plain decimal, with at least the minor digits.
func exactAmount(exact decimal.Decimal, currency string) string {
	_, fraction, _ := strings.Cut(exact.String(), ".")
	return exact.StringFixed(max(int32(len(fraction)), minorDigits[currency]))
}

// written is a plain decimal with the sign of its currency and thousands apart.
func written(digits, currency string) string {
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	if fraction != "" {
		fraction = "." + fraction
	}
	return sign + currencySign(currency) + groupThousands(whole) + fraction
}

func currencySign(code string) string {
	switch code {
	case "HKD":
		return "HK$"
	case "USD":
		return "US$"
	case "CNY":
		return "CN¥"
	case "JPY":
		return "JP¥"
	case "EUR":
		return "€"
	case "GBP":
		return "£"
	default:
		return code + " "
	}
}

// Thousands writes a whole number that is not negative with its thousands apart.
func Thousands(n int64) string { return groupThousands(strconv.FormatInt(n, 10)) }

func groupThousands(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

type moneyJSON struct {
	Amount   string `json:"amount"`
	Currency string `json:"currency"`
}

// MarshalJSON writes {"amount": "1234.50", "currency": "HKD"}.
func (m Money) MarshalJSON() ([]byte, error) {
	return json.Marshal(moneyJSON{Amount: m.Amount(), Currency: m.Currency})
}

// UnmarshalJSON reads the form that MarshalJSON writes.
func (m *Money) UnmarshalJSON(b []byte) error {
	var raw moneyJSON
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	parsed, err := ParseMoney(raw.Amount, raw.Currency)
	if err != nil {
		return err
	}
	*m = parsed
	return nil
}
