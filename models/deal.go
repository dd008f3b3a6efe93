package models

import "time"

// Deal is a chance to sell. AmountMinor and Currency are both set or both nil: the amount may be unknown.
type Deal struct {
	Record
	ExternalID        *string
	Title             string
	CompanyID         *string
	ProductID         *string
	PipelineID        string
	StageID           string
	AmountMinor       *int64
	Currency          *string
	OpenedAt          *time.Time
	ExpectedCloseDate *Date
	ClosedAt          *time.Time
	OwnerID           string
	LostReason        string
}

// Amount is the deal's amount, nil while it is unknown.
func (d Deal) Amount() *Money {
	if d.AmountMinor == nil || d.Currency == nil {
		return nil
	}
	return &Money{Minor: *d.AmountMinor, Currency: *d.Currency}
}

// SetAmount sets or, with nil, clears the amount.
func (d *Deal) SetAmount(m *Money) {
	d.AmountMinor, d.Currency = nil, nil
	if m != nil {
		minor, currency := m.Minor, m.Currency
		d.AmountMinor, d.Currency = &minor, &currency
	}
}

// Names are the names that the deal is found by: its title and its external id.
func (d Deal) Names() []string {
	if d.ExternalID == nil {
		return []string{d.Title}
	}
	return []string{d.Title, *d.ExternalID}
}
