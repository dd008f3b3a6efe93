package proposals

import (
	"time"

	"countersign/models"
)

// View is a proposal as people and clients see it. Its target has no id when the proposal is to create it, or is about the
// several records of Items.
type View struct {
	ID             string                `json:"id"`
	Status         models.ProposalStatus `json:"status" enum:"pending,executed,failed,cancelled,expired,stale,superseded"`
	Tool           string                `json:"tool"`
	Title          string                `json:"title"`
	Target         models.Ref            `json:"target"`
	Changes        []models.Change       `json:"changes"`
	Items          []ItemView            `json:"items,omitempty"`
	Warnings       []string              `json:"warnings"`
	Reason         string                `json:"reason"`
	Digest         string                `json:"digest"`
	RequestedBy    string                `json:"requestedBy"`
	RequesterName  string                `json:"requesterName"`
	Approval       *Approval             `json:"approval,omitempty" doc:"Who has to approve it, where a rule demands that of a second person."`
	ConversationID *string               `json:"conversationId,omitempty"`
	Channel        models.Via            `json:"channel"`
	CreatedAt      time.Time             `json:"createdAt"`
	ExpiresAt      time.Time             `json:"expiresAt"`
	DecidedBy      *string               `json:"decidedBy,omitempty"`
	DeciderName    string                `json:"deciderName,omitempty"`
	DecidedAt      *time.Time            `json:"decidedAt,omitempty"`
	DecisionReason string                `json:"decisionReason,omitempty"`
	Outcome        *models.Outcome       `json:"outcome,omitempty"`
	ChangedSince   []FieldSince          `json:"changedSince,omitempty"`
	FreshID        *string               `json:"freshId,omitempty"`
	Undo           *UndoOffer            `json:"undo,omitempty"`
	UndoesID       *string               `json:"undoesId,omitempty"`
	UndoneByID     *string               `json:"undoneById,omitempty"`
	// Editable is there while the proposal is pending. Edited says that Changes are what its person has made of
	// ProposedChanges.
	Editable        []Editable      `json:"editable,omitempty"`
	Edited          bool            `json:"edited,omitempty"`
	ProposedChanges []models.Change `json:"proposedChanges,omitempty"`
}

// UndoOffer says until when an executed proposal can be undone.
type UndoOffer struct {
	Until time.Time `json:"until"`
}

// Approval is what a proposal needs of a second person: somebody of a role, or from a moment on of either of two, who
// could make the change themself. Reason is a sentence in the language of the requester.
type Approval struct {
	Role           string     `json:"role"`
	Reason         string     `json:"reason"`
	EscalationRole string     `json:"escalationRole,omitempty"`
	EscalatesAt    *time.Time `json:"escalatesAt,omitempty"`
}

// ViewOf shows a stored proposal. The error means that its row is damaged.
func ViewOf(p *models.Proposal) (View, error) {
	v := View{
		ID: p.ID, Status: p.Status, Tool: p.Tool, Title: p.Title,
		Target:  models.Ref{Type: p.TargetType, ID: p.TargetID, Name: p.TargetName},
		Changes: []models.Change{}, Warnings: []string{}, Reason: p.Reason, Digest: p.Digest, RequestedBy: p.RequestedBy, RequesterName: p.RequesterName,
		ConversationID: p.ConversationID, Channel: p.Channel, CreatedAt: p.CreatedAt, ExpiresAt: p.ExpiresAt,
		DecidedBy: p.DecidedBy, DeciderName: p.DeciderName, DecidedAt: p.DecidedAt, DecisionReason: p.DecisionReason, FreshID: p.FreshID, UndoesID: p.UndoesID, UndoneByID: p.UndoneByID,
	}
	if p.UndoUntil != nil {
		v.Undo = &UndoOffer{Until: *p.UndoUntil}
	}
	if p.Creates() || p.Several() {
		v.Target.ID = ""
	}
	if a := p.Approval; a.Needed() {
		v.Approval = &Approval{Role: a.ApproverRole, Reason: a.ApprovalReason, EscalationRole: a.EscalationRole, EscalatesAt: a.EscalatesAt}
	}
	var err error
	if v.Items, err = itemViews(p); err != nil {
		return View{}, err
	}
	if v.Edited = p.EditedArgs != nil; v.Edited {
		if err := p.Changes.Into(&v.ProposedChanges); err != nil {
			return View{}, err
		}
	}
	var editable models.JSON
	if p.Status == models.ProposalPending && !p.Approval.Needed() {
		editable = p.Editable
	}
	for _, part := range []struct {
		stored models.JSON
		into   any
	}{
		{p.Final().Changes, &v.Changes},
		{editable, &v.Editable},
		{p.Warnings, &v.Warnings},
		{p.Outcome, &v.Outcome},
		{p.ChangedSince, &v.ChangedSince},
	} {
		if err := part.stored.Into(part.into); err != nil {
			return View{}, err
		}
	}
	if v.Outcome != nil {
		v.Outcome.Items = nil // each stands with its item
	}
	return v, nil
}
