package models

import (
	"encoding/json"
	"time"

	"github.com/shopspring/decimal"
)

// FinishStopped is the Finish of a call that a person ended. The other ends are those of package llm.
const FinishStopped = "stopped"

// ModelCall is one attempt to call a model, as the ledger keeps it. Round counts from 1; a summary and a check are made
// beside a turn, in no round of it. Tokens that nobody counted are nil, which is not zero; Estimated says that they were
// counted by the characters. CachedTokens are among PromptTokens. CostE6 and Currency are both nil when the cost is
// unknown, and never change. Finish is why a complete answer ended, ErrorKind and ErrorCode how another one failed.
type ModelCall struct {
	ID               string `gorm:"primaryKey"`
	Purpose          CallPurpose
	TurnID           string
	ConversationID   string
	UserID           string
	Role             string
	Channel          Via
	Provider         string
	Model            string
	Round            int
	Attempt          int
	StartedAt        time.Time
	FirstTokenMS     *int64 `gorm:"column:first_token_ms"`
	DurationMS       int64  `gorm:"column:duration_ms"`
	PromptTokens     *int64
	CompletionTokens *int64
	CachedTokens     *int64
	Estimated        bool
	Finish           string
	ErrorKind        string
	ErrorCode        string
	PriceID          *string
	CostE6           *int64 `gorm:"column:cost_e6"`
	Currency         *string
}

// CallPurpose is what a call of a model is for.
type CallPurpose string

// The purposes of calls.
const (
	PurposeAnswer  CallPurpose = "answer"
	PurposeSummary CallPurpose = "summary"
	// PurposeCheck asks whether a model that failed answers again.
	PurposeCheck CallPurpose = "check"
)

// Counted reports whether it is known, if only by estimate, how many tokens the call took.
func (c ModelCall) Counted() bool { return c.PromptTokens != nil && c.CompletionTokens != nil }

// Cost is what the call cost, or nil when that is unknown.
func (c ModelCall) Cost() *Cost {
	if c.CostE6 == nil || c.Currency == nil {
		return nil
	}
	return &Cost{E6: *c.CostE6, Currency: *c.Currency}
}

// UsageMonth is the sum of a user's calls of one month, role and currency, kept with every call. Currency is empty
// for calls whose cost is unknown.
type UsageMonth struct {
	Month            Month  `gorm:"primaryKey"`
	UserID           string `gorm:"primaryKey"`
	Role             string `gorm:"primaryKey"`
	Currency         string `gorm:"primaryKey"`
	Calls            int64
	PromptTokens     int64
	CompletionTokens int64
	CostE6           int64 `gorm:"column:cost_e6"`
}

// ToolRun is one call of a tool, as usage is reported. Tool is a name of the registry; calls of tools that do not exist
// have no row.
type ToolRun struct {
	ID         string `gorm:"primaryKey"`
	Tool       string
	UserID     string
	Channel    Via
	Status     ToolCallStatus
	StartedAt  time.Time
	DurationMS int64 `gorm:"column:duration_ms"`
}

// Cost is an exact amount in millionths of a currency's main unit: a call of a model costs fractions of a cent.
type Cost struct {
	E6       int64
	Currency string
}

// Amount is the amount as a plain decimal with at least the minor digits of the currency, such as "0.0042".
func (c Cost) Amount() string { return exactAmount(decimal.New(c.E6, -6), c.Currency) }

// String is the amount as a person in Hong Kong writes it, such as "US$0.0042".
func (c Cost) String() string { return written(c.Amount(), c.Currency) }

// MarshalJSON writes {"amount": "0.0042", "currency": "USD"}.
func (c Cost) MarshalJSON() ([]byte, error) {
	return json.Marshal(moneyJSON{Amount: c.Amount(), Currency: c.Currency})
}
