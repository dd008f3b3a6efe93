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
// record's. Lang is the language in which it was asked for, and in which its
// requester is told what became of it. Channel is where it was asked for, Via what asked. Changes, Warnings, Outcome and ChangedSince are JSON.
// UndoUntil is until when an executed one can be undone, nil when it cannot. UndoesID is the executed proposal that this
// one takes back, UndoneByID the executed one that has taken this one back. Editable are the arguments that may still be
// given other values; EditedArgs and EditedChanges are what a person has put in place of Args and Changes. Items are the
// records of a change of several, nil for one of a single record: its TargetID is then no record's, and Changes are empty.
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
	Lang           string
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
	Items          JSON
	Approval
}

// Creates reports whether the proposal makes its target.
func (p *Proposal) Creates() bool { return p.TargetVersion == 0 && !p.Several() }

// Several reports whether the proposal changes several records.
func (p *Proposal) Several() bool { return p.Items != nil }

// Of is the proposal as if it were about one of its items alone.
func (p *Proposal) Of(item Item) *Proposal {
	one := *p
	one.TargetType, one.TargetID, one.TargetName, one.TargetVersion = item.Target.Type, item.Target.ID, item.Target.Name, item.Version
	one.Changes, one.Items = ToJSON(item.Changes), nil
	return &one
}

// Parts are the proposal itself or, when it changes several records, one for each of them. The error means that its row
// is damaged.
func (p *Proposal) Parts() ([]*Proposal, error) {
	if !p.Several() {
		return []*Proposal{p}, nil
	}
	var items []Item
	if err := p.Items.Into(&items); err != nil {
		return nil, err
	}
	parts := make([]*Proposal, len(items))
	for i, item := range items {
		parts[i] = p.Of(item)
	}
	return parts, nil
}

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

// Changed is how many records an executed proposal has changed. The error means that its row is damaged.
func (p *Proposal) Changed() (n int, err error) {
	if !p.Several() {
		return 1, nil
	}
	var outcome Outcome
	if err := p.Outcome.Into(&outcome); err != nil {
		return 0, err
	}
	return len(outcome.Records), nil
}

// Item is one record of a change of several: the version of it that was shown, and what would change of it.
type Item struct {
	Target  Ref      `json:"target"`
	Version int64    `json:"version"`
	Changes []Change `json:"changes"`
}

// ItemStatus says what came of an item.
type ItemStatus string

// The item statuses. A skipped one was left out by the person, a stale one had changed since it was shown.
const (
	ItemDone    ItemStatus = "done"
	ItemStale   ItemStatus = "stale"
	ItemFailed  ItemStatus = "failed"
	ItemSkipped ItemStatus = "skipped"
)

// ItemResult is what came of the item whose record has ID. Error says in a sentence why it was not done.
type ItemResult struct {
	ID     string          `json:"id"`
	Status ItemStatus      `json:"status"`
	Error  *OutcomeFailure `json:"error,omitempty"`
}

// Target is the record that the proposal is about.
func (p *Proposal) Target() Ref { return Ref{Type: p.TargetType, ID: p.TargetID, Name: p.TargetName} }

// Outcome is what came of a decided proposal, and of each of its items in their order. NoUndo says in a sentence why it cannot be undone; empty when it can.
// Delivery is how far the e-mail has come that it sends, and Email the rest about that; both are empty without one.
type Outcome struct {
	Summary  string          `json:"summary"`
	Records  []Ref           `json:"records"`
	NoUndo   string          `json:"noUndo,omitempty"`
	Error    *OutcomeFailure `json:"error,omitempty"`
	Delivery DeliveryStatus  `json:"delivery,omitempty" enum:"queued,sending,sent,failed,unknown"`
	Email    *OutcomeEmail   `json:"email,omitempty"`
	Items    []ItemResult    `json:"items,omitempty"`
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
