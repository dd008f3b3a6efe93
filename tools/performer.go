package tools

import (
	"context"

	"countersign/apperr"
	"countersign/audit"
	"countersign/models"
	"countersign/proposals"
	"countersign/rbac"
	"countersign/store"
)

// Performer carries out what was proposed. It is the other half of the tools that propose, and only package
// confirm holds one.
type Performer struct {
	registry *Registry
	gate     *audit.Gate
}

var _ proposals.Performer = (*Performer)(nil)

// NewPerformer returns a Performer of a registry's tools.
func NewPerformer(registry *Registry, gate *audit.Gate) *Performer {
	return &Performer{registry: registry, gate: gate}
}

// Prepare implements proposals.Performer.
func (p *Performer) Prepare(ctx context.Context, actor models.Actor, name string, args models.JSON) (proposals.Draft, error) {
	tool, err := p.proposing(name)
	if err != nil {
		return proposals.Draft{}, err
	}
	checked, err := tool.schema.check(actor.Lang, []byte(args))
	if err != nil {
		return proposals.Draft{}, err
	}
	return p.registry.draft(ctx, actor, tool, checked)
}

// Authorize implements proposals.Performer: the right to do such a thing and the right to change the target, where
// there is one already.
func (p *Performer) Authorize(ctx context.Context, tx *store.Tx, actor models.Actor, name string, target models.Ref) (standing store.Standing, err error) {
	tool, err := p.proposing(name)
	if err != nil {
		return standing, err
	}
	gate := p.gate.With(tx)
	var update rbac.Grant
	for _, p := range tool.rights(target.Type) {
		if update, err = gate.Authorize(ctx, actor, p); err != nil {
			return standing, err
		}
	}
	if len(tool.propose.update) == 0 {
		return standing, nil
	}
	standing, err = tx.Standing(ctx, update, target.Type, target.ID)
	if err != nil || standing.Covered {
		return standing, err
	}
	return standing, gate.Refuse(ctx, actor, target, apperr.Missing(string(update.Permission())))
}

// Execute implements proposals.Performer.
func (p *Performer) Execute(ctx context.Context, tx *store.Tx, actor models.Actor, proposal *models.Proposal) (models.Outcome, error) {
	tool, err := p.proposing(proposal.Tool)
	if err != nil {
		return models.Outcome{}, err
	}
	outcome, err := tool.propose.execute(ctx, tx, actor, proposal)
	if err != nil || outcome.NoUndo != "" {
		return outcome, err
	}
	if _, err := tool.inverse(actor.Lang, proposal); err != nil {
		outcome.NoUndo = apperr.As(err).Message
	}
	return outcome, nil
}

// Edit implements proposals.Performer.
func (p *Performer) Edit(ctx context.Context, actor models.Actor, proposal *models.Proposal, edits map[string]any) (proposals.Draft, error) {
	tool, err := p.proposing(proposal.Tool)
	if err != nil {
		return proposals.Draft{}, err
	}
	args, err := tool.edited(actor.Lang, proposal, edits)
	if err != nil {
		return proposals.Draft{}, err
	}
	return p.Prepare(ctx, actor, proposal.Tool, args)
}

// Inverse implements proposals.Performer.
func (p *Performer) Inverse(actor models.Actor, proposal *models.Proposal) (models.JSON, error) {
	tool, err := p.proposing(proposal.Tool)
	if err != nil {
		return nil, err
	}
	return tool.inverse(actor.Lang, proposal)
}

func (p *Performer) proposing(name string) (*Tool, error) {
	tool := p.registry.named(name)
	if tool == nil || tool.propose == nil {
		return nil, apperr.New(apperr.Unavailable, "TOOL_GONE", "This kind of change is no longer offered. Ask for it again.")
	}
	return tool, nil
}
