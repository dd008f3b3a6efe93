package settings

import (
	"context"
	"time"

	"countersign/audit"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// RuledTool is a tool that changes something, so that a rule can be about it. RunsAtOnce says that it does so without a
// confirmation unless something demands one. Rights are sets of rights, one for each type of record that it changes:
// who approves such a change must hold all of a set.
type RuledTool struct {
	Name       string
	RunsAtOnce bool
	Rights     [][]rbac.Permission
}

// ApprovalRules is the one door to approval rules. It is safe for concurrent use.
type ApprovalRules struct {
	runner store.Runner
	gate   *audit.Gate
	now    func() time.Time
	tools  []RuledTool
}

// NewApprovalRules returns the service. tools are all that rules can be about.
func NewApprovalRules(runner store.Runner, gate *audit.Gate, now func() time.Time, tools []RuledTool) *ApprovalRules {
	return &ApprovalRules{runner: runner, gate: gate, now: now, tools: tools}
}

// RuleOptions are what a rule can be made of.
type RuleOptions struct {
	Tools []RuledTool
	Roles []RuledRole
}

// RuledRole is a role that a rule can name. Approves are the tools whose changes it may approve, since it could make them.
type RuledRole struct {
	models.Role
	Approves []string
}

// List needs approval-rule:read and gives all rules, those first whose approvers have the widest rights: of the rules
// that apply to a change, the first is asked.
func (s *ApprovalRules) List(ctx context.Context, actor models.Actor) (rules []models.ApprovalRule, err error) {
	if _, err := s.gate.Authorize(ctx, actor, rbac.ApprovalRuleRead); err != nil {
		return nil, err
	}
	err = s.runner.View(ctx, func(r *store.Reader) error {
		rules, err = r.ApprovalRules(ctx)
		return err
	})
	return rules, err
}

// Options needs approval-rule:read and gives the tools and roles that a rule can name.
func (s *ApprovalRules) Options(ctx context.Context, actor models.Actor) (options RuleOptions, err error) {
	if _, err := s.gate.Authorize(ctx, actor, rbac.ApprovalRuleRead); err != nil {
		return options, err
	}
	options.Tools = s.tools
	err = s.runner.View(ctx, func(r *store.Reader) error {
		check, err := s.check(ctx, r)
		for _, role := range check.roles {
			options.Roles = append(options.Roles, RuledRole{role, check.approves(role.Slug)})
		}
		return err
	})
	return options, err
}

// Create needs approval-rule:update and adds a rule, which counts from the next proposal and the next click on. Errors:
// Invalid, also for a rule that would ask for nothing more than there is.
func (s *ApprovalRules) Create(ctx context.Context, actor models.Actor, in RuleInput) (*models.ApprovalRule, error) {
	if _, err := s.gate.Authorize(ctx, actor, rbac.ApprovalRuleUpdate); err != nil {
		return nil, err
	}
	now := stored(s.now())
	rule := &models.ApprovalRule{ID: models.NewID(), Version: 1, CreatedAt: now}
	err := s.runner.InTx(ctx, func(tx *store.Tx) error {
		if err := s.set(ctx, tx, actor, rule, in, now); err != nil {
			return err
		}
		if err := tx.InsertApprovalRule(ctx, rule); err != nil {
			return err
		}
		return s.record(ctx, tx, actor, "approval-rule:create", rule)
	})
	return rule, err
}

// Update needs approval-rule:update and changes a rule at the version that the actor has seen. change gets the rule as
// it is and gives it as it shall be. What waits for an approval already goes on waiting for it. Errors: NotFound,
// Stale, and those of Create.
func (s *ApprovalRules) Update(ctx context.Context, actor models.Actor, id string, version int64, change func(RuleInput) RuleInput) (*models.ApprovalRule, error) {
	if _, err := s.gate.Authorize(ctx, actor, rbac.ApprovalRuleUpdate); err != nil {
		return nil, err
	}
	var rule *models.ApprovalRule
	err := s.runner.InTx(ctx, func(tx *store.Tx) (err error) {
		if rule, err = tx.ApprovalRule(ctx, id); err != nil {
			return err
		}
		if err := unchanged(rule, version); err != nil {
			return err
		}
		in := change(InputOf(rule))
		rule.Version++
		if err := s.set(ctx, tx, actor, rule, in, stored(s.now())); err != nil {
			return err
		}
		if err := tx.UpdateApprovalRule(ctx, rule); err != nil {
			return err
		}
		return s.record(ctx, tx, actor, "approval-rule:update", rule)
	})
	return rule, err
}

// Delete needs approval-rule:update and removes a rule at the version that the actor has seen. What waits for an
// approval by it goes on waiting. Errors: NotFound, Stale.
func (s *ApprovalRules) Delete(ctx context.Context, actor models.Actor, id string, version int64) error {
	if _, err := s.gate.Authorize(ctx, actor, rbac.ApprovalRuleUpdate); err != nil {
		return err
	}
	return s.runner.InTx(ctx, func(tx *store.Tx) error {
		rule, err := tx.ApprovalRule(ctx, id)
		if err != nil {
			return err
		}
		if err := unchanged(rule, version); err != nil {
			return err
		}
		if err := tx.DeleteApprovalRule(ctx, id, version); err != nil {
			return err
		}
		return s.record(ctx, tx, actor, "approval-rule:delete", rule)
	})
}

// unchanged answers Stale with the rule as it is, as the member "current", unless it has the version that was seen.
func unchanged(rule *models.ApprovalRule, seen int64) error {
	if rule.Version == seen {
		return nil
	}
	return store.ErrRuleChanged.WithExtra("current", rule)
}

func (s *ApprovalRules) record(ctx context.Context, tx *store.Tx, actor models.Actor, action string, rule *models.ApprovalRule) error {
	return audit.Write(ctx, tx, actor, s.now(), audit.Entry{
		Action: action, Decision: models.DecisionAllowed, Target: models.Ref{Type: models.TypeApprovalRule, ID: rule.ID}, Detail: InputOf(rule),
	})
}
