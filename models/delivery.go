package models

import "time"

// DeliveryStatus says how far an e-mail has come on its way.
type DeliveryStatus string

// The statuses of deliveries. Queued and sending ones are still on their way. Of an unknown one nobody knows whether it
// has arrived: it is never sent again.
const (
	DeliveryQueued  DeliveryStatus = "queued"
	DeliverySending DeliveryStatus = "sending"
	DeliverySent    DeliveryStatus = "sent"
	DeliveryFailed  DeliveryStatus = "failed"
	DeliveryUnknown DeliveryStatus = "unknown"
)

// DeliveryProblem is why a delivery is where it is.
type DeliveryProblem string

// The problems of deliveries; the empty one is none.
const (
	// ProblemBusy: the mail server could not be reached or put it off.
	ProblemBusy DeliveryProblem = "busy"
	// ProblemRefused: the mail server does not take it.
	ProblemRefused DeliveryProblem = "refused"
	// ProblemCut: the connection ended before the mail server said whether it took it.
	ProblemCut DeliveryProblem = "cut"
	// ProblemInterrupted: whoever sent it stopped while doing so.
	ProblemInterrupted DeliveryProblem = "interrupted"
	// ProblemLate: nobody could send it for a day.
	ProblemLate DeliveryProblem = "late"
)

// Delivery is an e-mail with a quotation that a confirmed proposal sends, as it was shown on the card: Subject and Body in
// BodyLang. MessageID, without brackets, is the same at every attempt. Lang is the language of RequestedBy, the person of
// the proposal. MarkedBy is who said of an unknown one that it has arrived.
type Delivery struct {
	ID          string `gorm:"primaryKey"`
	ProposalID  string
	QuotationID string
	RequestedBy string
	Lang        string
	Recipient   string
	ReplyTo     string
	Subject     string
	Body        string
	BodyLang    string
	MessageID   string
	Status      DeliveryStatus
	Problem     DeliveryProblem
	Attempts    int64
	CreatedAt   time.Time
	UpdatedAt   time.Time
	SentAt      *time.Time
	MarkedBy    *string
}
