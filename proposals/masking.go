package proposals

import (
	"context"

	"countersign/apperr"
	"countersign/audit"
	"countersign/models"
	"countersign/rbac"
)

// shown is a proposal as an actor may see it. In one that somebody else asked for, personal data is hidden from an
// approver whose right to such data reaches less far than the one to change the target.
func (s *Service) shown(ctx context.Context, actor models.Actor, p *models.Proposal) (*models.Proposal, error) {
	if p.RequestedBy == actor.UserID {
		return p, nil
	}
	theirs := *p
	theirs.UndoUntil = nil // Undoing is the requester's.
	ctx = rbac.AtOnce(ctx)
	personal, err := s.gate.Try(ctx, actor, rbac.ContactPII)
	if err != nil {
		return nil, err
	}
	change, err := s.gate.Try(ctx, actor, rbac.Permission(string(p.TargetType)+":update"))
	if err != nil {
		return nil, err
	}
	if personal.Scope() != rbac.ScopeNone && personal.Scope() >= change.Scope() {
		return &theirs, nil
	}
	return masked(theirs)
}

// masked hides the personal data of a proposal.
func masked(hidden models.Proposal) (*models.Proposal, error) {
	var changes []models.Change
	if err := hidden.Changes.Into(&changes); err != nil {
		return nil, err
	}
	for i, c := range changes {
		if audit.IsPersonal(c.Field) {
			changes[i] = models.Change{Field: c.Field, Label: c.Label, Before: audit.Hidden, After: audit.Hidden, BeforeDisplay: audit.Hidden, AfterDisplay: audit.Hidden}
		}
	}
	hidden.Changes = audit.MaskResult(models.ToJSON(changes))
	for _, document := range []*models.JSON{&hidden.Items, &hidden.Warnings, &hidden.Outcome, &hidden.ChangedSince} {
		*document = audit.MaskResult(*document)
	}
	for _, text := range []*string{&hidden.Title, &hidden.TargetName, &hidden.Reason, &hidden.DecisionReason, &hidden.ApprovalReason} {
		*text = audit.MaskText(*text)
	}
	return &hidden, nil
}

// shownError is the answer to a decision with its proposals as the actor may see them.
func (s *Service) shownError(ctx context.Context, actor models.Actor, refusal error) error {
	ctx = rbac.AtOnce(ctx)
	e := apperr.As(refusal)
	for name, extra := range e.Extra {
		p, ok := extra.(*models.Proposal)
		if !ok {
			continue
		}
		theirs, err := s.shown(ctx, actor, p)
		if err != nil {
			return err
		}
		e = e.WithExtra(name, theirs)
	}
	return e
}
