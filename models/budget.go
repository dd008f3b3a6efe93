package models

import (
	"strconv"
	"time"
)

// BudgetScope says whose use a budget bounds.
type BudgetScope string

// The scopes. BudgetUser without a subject bounds every user alone who has no budget of their own.
const (
	BudgetInstallation BudgetScope = "installation"
	BudgetRole         BudgetScope = "role"
	BudgetUser         BudgetScope = "user"
)

// BudgetUnit says what a budget counts.
type BudgetUnit string

// The units.
const (
	BudgetTokens BudgetUnit = "tokens"
	BudgetCost   BudgetUnit = "cost"
)

// Budget bounds what the calls of a calendar month may take. Subject is the slug of a role or the id of a user.
// Amount is a number of tokens, or millionths of Currency, which tokens leave empty.
type Budget struct {
	ID        string `gorm:"primaryKey"`
	Scope     BudgetScope
	Subject   string
	Unit      BudgetUnit
	Amount    int64
	Currency  string
	UpdatedAt time.Time `gorm:"autoUpdateTime:false"`
	UpdatedBy string
}

// Text is a number of what the budget counts, as a plain decimal: tokens, or an amount of its currency.
func (b Budget) Text(n int64) string {
	if b.Unit == BudgetCost {
		return Cost{E6: n, Currency: b.Currency}.Amount()
	}
	return strconv.FormatInt(n, 10)
}

// Reservation is what a call under way may take. It ends with the call, and counts no more once it has expired.
type Reservation struct {
	ID        string `gorm:"primaryKey"`
	UserID    string
	Role      string
	Tokens    int64
	CostE6    int64 `gorm:"column:cost_e6"`
	Currency  string
	ExpiresAt time.Time
}

// TableName implements GORM's Tabler.
func (Reservation) TableName() string { return "budget_reservations" }

// Month is a calendar month in [Zone], written 2006-01.
type Month string

const monthForm = "2006-01"

// MonthOf is the month of a moment.
func MonthOf(t time.Time) Month { return Month(t.In(Zone()).Format(monthForm)) }

// Start is the moment at which the month begins.
func (m Month) Start() time.Time {
	t, err := time.ParseInLocation(monthForm, string(m), Zone())
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// End is the moment at which the next month begins.
func (m Month) End() time.Time { return m.Start().In(Zone()).AddDate(0, 1, 0).UTC() }
