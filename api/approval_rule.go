package api

import (
	"context"
	"time"

	"countersign/models"
	"countersign/rbac"
	"countersign/settings"
)

// ApprovalRule tightens what tools ask for, for one tool and role or, where these are empty, for all.
type ApprovalRule struct {
	ID        string    `json:"id"`
	Version   int64     `json:"version"`
	UpdatedAt time.Time `json:"updatedAt"`
	settings.RuleInput
}

// ApprovalRuleInput is a new rule.
type ApprovalRuleInput struct {
	Tool                string `json:"tool,omitempty" maxLength:"100" doc:"Empty for all tools that change something."`
	Role                string `json:"role,omitempty" maxLength:"100" doc:"The role of who asks; empty for everybody."`
	Metric              string `json:"metric,omitempty" enum:",amount,discount,count" doc:"What the threshold is compared with; empty for no condition."`
	Threshold           string `json:"threshold,omitempty" maxLength:"50" doc:"The rule applies above it: an amount such as 500000.00, percent such as 20, or a number of records."`
	Currency            string `json:"currency,omitempty" maxLength:"3" doc:"Of an amount. Amounts in another currency are always above it."`
	Effect              string `json:"effect" enum:"confirm,approve" doc:"confirm: a tool that runs at once asks first. approve: a second person must approve."`
	ApproverRole        string `json:"approverRole,omitempty" maxLength:"100"`
	ExpiresAfterHours   int    `json:"expiresAfterHours,omitempty" doc:"How long a change waits for its approval, 24 if left out, at most 168."`
	EscalationRole      string `json:"escalationRole,omitempty" maxLength:"100" doc:"A role that may approve as well, from escalatesAfterHours on."`
	EscalatesAfterHours int    `json:"escalatesAfterHours,omitempty"`
}

// ApprovalRulePatch changes a rule. What is left out stays.
type ApprovalRulePatch struct {
	Version             int64            `json:"version,omitempty" minimum:"1"`
	Tool                Settable[string] `json:"tool,omitempty"`
	Role                Settable[string] `json:"role,omitempty"`
	Metric              Settable[string] `json:"metric,omitempty"`
	Threshold           Settable[string] `json:"threshold,omitempty"`
	Currency            Settable[string] `json:"currency,omitempty"`
	Effect              Settable[string] `json:"effect,omitempty"`
	ApproverRole        Settable[string] `json:"approverRole,omitempty"`
	ExpiresAfterHours   Settable[int]    `json:"expiresAfterHours,omitempty"`
	EscalationRole      Settable[string] `json:"escalationRole,omitempty"`
	EscalatesAfterHours Settable[int]    `json:"escalatesAfterHours,omitempty"`
}

// ApprovalRuleOptions are the tools and roles that a rule can name.
type ApprovalRuleOptions struct {
	Tools []RuledTool `json:"tools"`
	Roles []RuledRole `json:"roles"`
}

// RuledTool is a tool that changes something. RunsAtOnce says that it does so without asking.
type RuledTool struct {
	Name       string `json:"name"`
	Label      string `json:"label"`
	RunsAtOnce bool   `json:"runsAtOnce"`
}

// RuledRole is a role of people.
type RuledRole struct {
	Slug     string   `json:"slug"`
	Name     string   `json:"name"`
	Approves []string `json:"approves" doc:"The tools whose changes it may approve; of a rule about all tools one is enough."`
}

func (s *server) approvalRuleRoutes() {
	const path = "/api/approval-rules"
	handle(s, get(path, "listApprovalRules", "List approval rules, in the order in which they are asked").needs(rbac.ApprovalRuleRead), s.listApprovalRules)
	handle(s, get(path+"/options", "getApprovalRuleOptions", "The tools and roles that a rule can name").needs(rbac.ApprovalRuleRead), s.approvalRuleOptions)
	handle(s, post(path, "createApprovalRule", "Add a rule").needs(rbac.ApprovalRuleUpdate).creates().replays(), s.createApprovalRule)
	handle(s, patch(path+"/{id}", "updateApprovalRule", "Change one").needs(rbac.ApprovalRuleUpdate), s.updateApprovalRule)
	handle(s, del(path+"/{id}", "deleteApprovalRule", "Remove one").needs(rbac.ApprovalRuleUpdate).empty(), s.deleteApprovalRule)
}

func (s *server) listApprovalRules(ctx context.Context, actor models.Actor, _ *struct{}) (*one[Page[ApprovalRule]], error) {
	rules, err := s.ApprovalRules.List(ctx, actor)
	return allOf(rules, err, approvalRuleOf)
}

func (s *server) approvalRuleOptions(ctx context.Context, actor models.Actor, _ *struct{}) (*one[ApprovalRuleOptions], error) {
	options, err := s.ApprovalRules.Options(ctx, actor)
	if err != nil {
		return nil, err
	}
	return answer(ApprovalRuleOptions{
		Tools: shown(options.Tools, func(t *settings.RuledTool) RuledTool {
			return RuledTool{Name: t.Name, Label: s.Tools.Label(actor.Lang, t.Name), RunsAtOnce: t.RunsAtOnce}
		}),
		Roles: shown(options.Roles, func(r *settings.RuledRole) RuledRole {
			return RuledRole{Slug: r.Slug, Name: r.Name, Approves: r.Approves}
		}),
	}, nil)
}

func (s *server) createApprovalRule(ctx context.Context, actor models.Actor, in *one[ApprovalRuleInput]) (*one[ApprovalRule], error) {
	b := in.Body
	rule, err := s.ApprovalRules.Create(ctx, actor, settings.RuleInput{
		Tool: b.Tool, Role: b.Role, Metric: models.RuleMetric(b.Metric), Threshold: b.Threshold, Currency: b.Currency, Effect: models.RuleEffect(b.Effect),
		ApproverRole: b.ApproverRole, ExpiresAfterHours: b.ExpiresAfterHours, EscalationRole: b.EscalationRole, EscalatesAfterHours: b.EscalatesAfterHours,
	})
	return answer(shownOne(approvalRuleOf)(rule, err))
}

func (s *server) updateApprovalRule(ctx context.Context, actor models.Actor, in *patchOf[ApprovalRulePatch]) (*one[ApprovalRule], error) {
	version, err := in.version(in.Body.Version)
	if err != nil {
		return nil, err
	}
	rule, err := s.ApprovalRules.Update(ctx, actor, in.id(), version, in.Body.apply)
	return answer(shownOne(approvalRuleOf)(rule, err))
}

// apply gives a rule with what the patch sets.
func (p ApprovalRulePatch) apply(in settings.RuleInput) settings.RuleInput {
	in.Tool, in.Role, in.Threshold, in.Currency = p.Tool.Or(in.Tool), p.Role.Or(in.Role), p.Threshold.Or(in.Threshold), p.Currency.Or(in.Currency)
	in.Metric, in.Effect = models.RuleMetric(p.Metric.Or(string(in.Metric))), models.RuleEffect(p.Effect.Or(string(in.Effect)))
	in.ApproverRole, in.EscalationRole = p.ApproverRole.Or(in.ApproverRole), p.EscalationRole.Or(in.EscalationRole)
	in.ExpiresAfterHours, in.EscalatesAfterHours = p.ExpiresAfterHours.Or(in.ExpiresAfterHours), p.EscalatesAfterHours.Or(in.EscalatesAfterHours)
	return in
}

func (s *server) deleteApprovalRule(ctx context.Context, actor models.Actor, in *deletion) (*none, error) {
	version, err := in.version(in.Version)
	if err != nil {
		return nil, err
	}
	return &none{}, s.ApprovalRules.Delete(ctx, actor, in.id(), version)
}

func approvalRuleOf(r *models.ApprovalRule) ApprovalRule {
	return ApprovalRule{ID: r.ID, Version: r.Version, UpdatedAt: r.UpdatedAt, RuleInput: settings.InputOf(r)}
}
