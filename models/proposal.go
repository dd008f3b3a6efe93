package models

import "time"

// ProposalStatus is a state of the confirmation state machine. Nothing leaves a final state.
type ProposalStatus string

// The proposal statuses; all but pending are final.
const (
	ProposalPending    ProposalStatus = "pending"
	ProposalExecuted   ProposalStatus = "executed"
	ProposalFailed     ProposalStatus = "failed"
	ProposalCancelled  ProposalStatus = "cancelled"
	ProposalExpired    ProposalStatus = "expired"
	ProposalStale      ProposalStatus = "stale"
	ProposalSuperseded ProposalStatus = "superseded"
)

// Proposal is a change that waits for, or has had, a person's decision. Args are the frozen canonical
// arguments that a confirm executes, byte for byte; Digest binds them to this proposal, its target
// and the change that was shown. TargetVersion is 0 while the target is only to be created; its TargetID is then no
// record's. Channel is where it was asked for, Via what asked. Changes, Warnings, Outcome and ChangedSince are JSON.
// UndoUntil is until when an executed one can be undone, nil when it cannot. UndoesID is the executed proposal that this
// one takes back, UndoneByID the executed one that has taken this one back. Editable are the arguments that may still be
// given other values; EditedArgs and EditedChanges are what a person has put in place of Args and Changes.
type Proposal struct {
	ID             string `gorm:"primaryKey"`
	Status         ProposalStatus
	Tool           string
	Title          string
	TargetType     RecordType
	TargetID       string
	TargetName     string
	TargetVersion  int64
	Args           JSON
	Digest         string
	Changes        JSON
	Warnings       JSON
	Reason         string
	RequestedBy    string
	RequesterName  string
	ConversationID *string
	TurnID         *string
	CallID         string
	Channel        Via
	Via            Via
	Model          string
	Client         string
	CreatedAt      time.Time
	ExpiresAt      time.Time
	DecidedBy      *string
	DeciderName    string
	DecidedAt      *time.Time
	DecisionReason string
	Outcome        JSON
	ChangedSince   JSON
	FreshID        *string
	UndoUntil      *time.Time
	UndoesID       *string
	UndoneByID     *string
	Editable       JSON
	EditedArgs     JSON
	EditedChanges  JSON
	Approval
}

// Creates reports whether the proposal makes its target.
func (p *Proposal) Creates() bool { return p.TargetVersion == 0 }

// Final is the proposal with what a person has put in place of what was proposed.
func (p *Proposal) Final() *Proposal {
	final := *p
	if p.EditedArgs != nil {
		final.Args, final.Changes = p.EditedArgs, p.EditedChanges
	}
	return &final
}

// Change is one row of a diff as shown on a card. Before and After are the raw values, the displays
// what a person reads. Was and WasDisplay are what the stale card showed as before, on the one that took its place.
type Change struct {
	Field         string `json:"field"`
	Label         string `json:"label"`
	Before        any    `json:"before"`
	After         any    `json:"after"`
	BeforeDisplay string `json:"beforeDisplay"`
	AfterDisplay  string `json:"afterDisplay"`
	Was           any    `json:"was,omitempty"`
	WasDisplay    string `json:"wasDisplay,omitempty"`
}

// Target is the record that the proposal is about.
func (p *Proposal) Target() Ref { return Ref{Type: p.TargetType, ID: p.TargetID, Name: p.TargetName} }

// Outcome is what came of a decided proposal. NoUndo says in a sentence why it cannot be undone; empty when it can.
// Delivery is how far the e-mail has come that it sends, and Email the rest about that; both are empty without one.
type Outcome struct {
	Summary  string          `json:"summary"`
	Records  []Ref           `json:"records"`
	NoUndo   string          `json:"noUndo,omitempty"`
	Error    *OutcomeFailure `json:"error,omitempty"`
	Delivery DeliveryStatus  `json:"delivery,omitempty" enum:"queued,sending,sent,failed,unknown"`
	Email    *OutcomeEmail   `json:"email,omitempty"`
}

// OutcomeEmail is an e-mail of an outcome: the id of its delivery, to whom as the person may see it, when it got where it
// is, and what the person should know or do about that, empty for nothing.
type OutcomeEmail struct {
	ID      string    `json:"id"`
	To      string    `json:"to"`
	At      time.Time `json:"at"`
	Message string    `json:"message"`
}

// OutcomeFailure says in a sentence why an execution failed.
type OutcomeFailure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}
