package models

import "time"

// ActivityKind says what an entry of the timeline records.
type ActivityKind string

// The activity kinds. People log the first five, the product itself the last two.
const (
	ActivityCall      ActivityKind = "CALL"
	ActivityMeeting   ActivityKind = "MEETING"
	ActivityEmail     ActivityKind = "EMAIL"
	ActivityNote      ActivityKind = "NOTE"
	ActivityWhatsApp  ActivityKind = "WHATSAPP"
	ActivitySystem    ActivityKind = "SYSTEM"
	ActivityAssistant ActivityKind = "ASSISTANT"
)

// Loggable reports whether a person may log an activity of this kind.
func (k ActivityKind) Loggable() bool {
	switch k {
	case ActivityCall, ActivityMeeting, ActivityEmail, ActivityNote, ActivityWhatsApp:
		return true
	}
	return false
}

// Activity is an entry of the timeline of a company, a deal, a quotation or several of them. At is when it took place.
type Activity struct {
	Record
	Kind        ActivityKind
	Subject     string
	Body        string
	At          time.Time
	CompanyID   *string
	DealID      *string
	QuotationID *string
	OwnerID     string
}
