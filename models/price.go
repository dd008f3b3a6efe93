package models

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/shopspring/decimal"
)

// ModelPrice is what a provider takes for a million tokens of a model, in millionths of the currency, from StartsAt
// until the next price of the same model.
type ModelPrice struct {
	ID        string `gorm:"primaryKey"`
	Provider  string
	Model     string
	StartsAt  time.Time
	InputE6   int64 `gorm:"column:input_e6"`
	OutputE6  int64 `gorm:"column:output_e6"`
	CachedE6  int64 `gorm:"column:cached_e6"`
	Currency  string
	CreatedAt time.Time
	CreatedBy string
}

// Cost is what a number of tokens costs, rounded half away from zero once; cached ones are among prompt. It is nil
// when that is more than can be counted.
func (p ModelPrice) Cost(prompt, completion, cached int64) *Cost {
	part := func(tokens, priceE6 int64) decimal.Decimal {
		return decimal.NewFromInt(tokens).Mul(decimal.New(priceE6, -6))
	}
	e6 := part(prompt-cached, p.InputE6).Add(part(cached, p.CachedE6)).Add(part(completion, p.OutputE6)).Round(0)
	if e6.IsNegative() || e6.GreaterThan(decimal.NewFromInt(math.MaxInt64/1_000_000)) {
		return nil
	}
	return &Cost{E6: e6.IntPart(), Currency: p.Currency}
}

// maxE6 bounds a price or a budget, at a billion of the currency.
const maxE6 = 1_000_000_000 * 1_000_000

// ParseE6 reads a decimal that is not negative as millionths: "2.5" is 2500000. The error is a sentence for a person.
func ParseE6(amount string) (int64, error) {
	if len(amount) > maxDigits || !amountForm.MatchString(amount) {
		return 0, fmt.Errorf("%.40q is not an amount; write it like 2.50", amount)
	}
	d, err := decimal.NewFromString(amount)
	if err != nil {
		return 0, fmt.Errorf("%.40q is not an amount; write it like 2.50", amount)
	}
	e6 := d.Shift(6)
	switch {
	case e6.IsNegative() || e6.GreaterThan(decimal.NewFromInt(maxE6)):
		return 0, errors.New("the amount must lie between 0 and 1,000,000,000")
	case !e6.IsInteger():
		return 0, errors.New("the amount may have at most six decimal places")
	}
	return e6.IntPart(), nil
}
