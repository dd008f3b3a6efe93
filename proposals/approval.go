package proposals

import (
	"context"
	"time"

	"countersign/apperr"
	"countersign/i18n"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// CodeNeedsApproval is the code of a confirm by somebody who may not approve the change.
const CodeNeedsApproval = "NEEDS_APPROVAL"

// MustPropose reports whether a rule wants a tool that would run at once to propose for this actor.
func (s *Service) MustPropose(ctx context.Context, actor models.Actor, tool string) (must bool, err error) {
	err = s.runner.View(ctx, func(r *store.Reader) error {
		rules, err := r.ApprovalRulesFor(ctx, tool, actor.UserID)
		must = len(rules) > 0
		return err
	})
	return must, err
}

// weigh gives a new proposal the approval that the rules ask for, and the time that this takes.
func (s *Service) weigh(ctx context.Context, tx *store.Tx, p *models.Proposal, lang string) error {
	approval, expires, err := s.demanded(ctx, tx, p, lang)
	if approval.Needed() {
		p.Approval, p.ExpiresAt = approval, expires
	}
	return err
}

// demanded is the approval that the rules of now ask for, the zero Approval where they ask for none. Of several rules
// that apply, the one whose approvers have the widest rights is asked.
func (s *Service) demanded(ctx context.Context, tx *store.Tx, p *models.Proposal, lang string) (approval models.Approval, expires time.Time, err error) {
	rules, err := tx.ApprovalRulesFor(ctx, p.Tool, p.RequestedBy)
	if err != nil {
		return approval, expires, err
	}
	figures := weighing{reader: tx.Reader, proposal: p, since: s.now().Add(-window), lang: lang}
	for _, rule := range rules {
		if rule.Effect != models.RuleApprove {
			continue
		}
		why, applies, err := figures.weigh(ctx, rule)
		if err != nil {
			return approval, expires, err
		}
		if applies {
			return s.approval(ctx, tx.Reader, rule, why, lang)
		}
	}
	return approval, expires, nil
}

// approval is what a rule that applies asks for, and until when it waits.
func (s *Service) approval(ctx context.Context, r *store.Reader, rule models.ApprovalRule, why, lang string) (models.Approval, time.Time, error) {
	roles, err := r.Roles(ctx)
	if err != nil {
		return models.Approval{}, time.Time{}, err
	}
	now, name := s.now(), rule.ApproverRole
	for _, role := range roles {
		switch {
		case role.Slug != rule.ApproverRole:
		case role.IsSystem:
			name = i18n.T(lang, "role."+role.Slug)
		default:
			name = role.Name
		}
	}
	a := models.Approval{
		ApprovalRuleID: rule.ID, ApproverRole: rule.ApproverRole, EscalationRole: rule.EscalationRole,
		ApprovalReason: i18n.T(lang, "approval.needed", "role", name, "why", why),
	}
	if rule.EscalationRole != "" {
		at := now.Add(time.Duration(rule.EscalatesAfter) * time.Hour)
		a.EscalatesAt = &at
	}
	return a, now.Add(time.Duration(rule.ExpiresAfter) * time.Hour), nil
}

// with is the service inside a transaction.
func (s *Service) with(tx *store.Tx) *Service {
	return &Service{runner: tx, gate: s.gate.With(tx), now: s.now}
}

// party is everything under which an actor sees proposals. An actor without an active account sees what they asked for.
func (s *Service) party(ctx context.Context, actor models.Actor) (store.Party, error) {
	who := s.own(actor)
	var subject rbac.Subject
	err := s.runner.View(ctx, func(r *store.Reader) (err error) {
		subject, _, err = r.Subject(ctx, actor.UserID)
		return err
	})
	if err != nil || subject.Disabled || subject.Role == "" {
		return who, err
	}
	who.Role = subject.Role
	ctx = rbac.AtOnce(ctx)
	for _, p := range store.Reaching() {
		grant, err := s.gate.Try(ctx, actor, p)
		if err != nil {
			return who, err
		}
		if grant.Scope() != rbac.ScopeNone {
			who.Reach = append(who.Reach, grant)
		}
	}
	return who, nil
}

// own is an actor who sees only what they have asked for.
func (s *Service) own(actor models.Actor) store.Party {
	return store.Party{UserID: actor.UserID, Name: actor.Name, Now: s.now()}
}

// find looks for a proposal among the actor's own, then among those that they may approve.
func (s *Service) find(ctx context.Context, actor models.Actor, look func(store.Party) (*models.Proposal, error)) (*models.Proposal, error) {
	p, err := look(s.own(actor))
	if !apperr.Is(err, apperr.NotFound) {
		return p, err
	}
	who, err := s.party(ctx, actor)
	if err != nil {
		return nil, err
	}
	return look(who)
}

// approve answers whether the person may confirm by the rules and roles of now. What the rules ask for in addition is
// stored and refused for this time, also to somebody who could approve it: they have not seen it. What was asked for
// before stays, whatever the rules say now. Edits that would need an approval are refused, and the card stays as it is.
func (d *decision) approve(ctx context.Context, tx *store.Tx) error {
	p, edited := d.proposal, d.weighed()
	if d.approves() && len(d.Edits) > 0 {
		return apperr.New(apperr.Invalid, CodeNotEditable, "Approve the change as it was asked for, or decline it and say why.")
	}
	demanded, expires, err := d.service.demanded(ctx, tx, edited, d.requester.Lang)
	if err != nil {
		return err
	}
	if demanded.Needed() && !demanded.SameAs(p.Approval) {
		if edited != p {
			return apperr.New(apperr.Forbidden, CodeNeedsApproval, demanded.ApprovalReason)
		}
		return d.demand(ctx, tx, demanded, expires)
	}
	if !p.Approval.Needed() {
		return nil
	}
	subject, _, err := tx.Subject(ctx, d.actor.UserID)
	if err != nil {
		return err
	}
	if d.actor.UserID == p.RequestedBy || subject.Disabled || !p.Approval.By(subject.Role, d.now) {
		return needsApproval(p)
	}
	parts, err := p.Parts()
	if err != nil {
		return err
	}
	for _, part := range parts {
		if _, err := d.perform.Authorize(ctx, tx, d.actor, part.Tool, part.Target()); err != nil {
			return err
		}
	}
	return nil
}

// weighed is the proposal with the values with which it would be carried out.
func (d *decision) weighed() *models.Proposal {
	if len(d.Edits) == 0 || d.editErr != nil {
		return d.proposal
	}
	edited := *d.proposal
	edited.Changes = models.ToJSON(d.edited.Changes)
	return &edited
}

// demand stores what the rules ask for now, and refuses.
func (d *decision) demand(ctx context.Context, tx *store.Tx, demanded models.Approval, expires time.Time) error {
	p := d.proposal
	p.Approval = demanded
	if expires.After(p.ExpiresAt) {
		p.ExpiresAt = expires
	}
	if err := tx.DemandApproval(ctx, p); err != nil {
		return err
	}
	d.refusal = needsApproval(p)
	return d.service.record(ctx, tx, d.actor, p, "proposal:demand-approval", models.DecisionDenied, CodeNeedsApproval)
}

func needsApproval(p *models.Proposal) error {
	return apperr.New(apperr.Forbidden, CodeNeedsApproval, p.ApprovalReason).WithExtra("proposal", p)
}
