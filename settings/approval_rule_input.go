package settings

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"countersign/apperr"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

const (
	defaultRuleHours = 24
	maxRuleHours     = 7 * 24
	maxRuleCount     = 10_000
)

// RuleInput is an approval rule as a person writes it. Threshold is an amount such as 500000.00, a discount in percent such
// as 20, or a number of records, by Metric; hours are whole.
type RuleInput struct {
	Tool                string            `json:"tool"`
	Role                string            `json:"role"`
	Metric              models.RuleMetric `json:"metric"`
	Threshold           string            `json:"threshold"`
	Currency            string            `json:"currency"`
	Effect              models.RuleEffect `json:"effect"`
	ApproverRole        string            `json:"approverRole"`
	ExpiresAfterHours   int               `json:"expiresAfterHours"`
	EscalationRole      string            `json:"escalationRole"`
	EscalatesAfterHours int               `json:"escalatesAfterHours"`
}

// InputOf is a stored rule as a person writes it.
func InputOf(r *models.ApprovalRule) RuleInput {
	return RuleInput{
		Tool: r.Tool, Role: r.Role, Metric: r.Metric, Threshold: thresholdText(r), Currency: r.Currency, Effect: r.Effect, ApproverRole: r.ApproverRole,
		ExpiresAfterHours: r.ExpiresAfter, EscalationRole: r.EscalationRole, EscalatesAfterHours: r.EscalatesAfter,
	}
}

// thresholdText is a rule's threshold as a plain decimal; empty for a rule without a condition.
func thresholdText(r *models.ApprovalRule) string {
	switch r.Metric {
	case models.RuleAmount:
		return models.Money{Minor: r.Threshold, Currency: r.Currency}.Amount()
	case models.RuleDiscount:
		return decimal.New(r.Threshold, -2).String()
	case models.RuleCount:
		return strconv.FormatInt(r.Threshold, 10)
	default:
		return ""
	}
}

// set checks all fields of an input at once and puts them into a rule.
func (s *ApprovalRules) set(ctx context.Context, tx *store.Tx, actor models.Actor, rule *models.ApprovalRule, in RuleInput, now time.Time) error {
	check, err := s.check(ctx, tx.Reader)
	if err != nil {
		return err
	}
	check.scope(in)
	rule.Threshold, rule.Currency = check.condition(in)
	if in.Effect == models.RuleApprove {
		check.approval(&in)
	} else {
		check.confirmation(in)
	}
	rule.Tool, rule.Role, rule.Metric, rule.Effect, rule.ApproverRole = in.Tool, in.Role, in.Metric, in.Effect, in.ApproverRole
	rule.ExpiresAfter, rule.EscalationRole, rule.EscalatesAfter = in.ExpiresAfterHours, in.EscalationRole, in.EscalatesAfterHours
	rule.UpdatedAt, rule.UpdatedBy = now, actor.UserID
	return apperr.InvalidFields(check.wrong)
}

// ruleCheck collects what is wrong with a rule.
type ruleCheck struct {
	tools []RuledTool
	roles []models.Role
	held  []rbac.Row
	wrong []apperr.FieldError
}

// check knows the roles and rights of now.
func (s *ApprovalRules) check(ctx context.Context, r *store.Reader) (ruleCheck, error) {
	roles, err := r.Roles(ctx)
	if err != nil {
		return ruleCheck{}, err
	}
	policy, err := r.Policy(ctx)
	return ruleCheck{tools: s.tools, roles: roles, held: policy.Rows}, err
}

// approves are the tools whose changes a role may approve.
func (c *ruleCheck) approves(role string) []string {
	names := []string{}
	for _, t := range c.tools {
		if c.able(role, t.Name) {
			names = append(names, t.Name)
		}
	}
	return names
}

func (c *ruleCheck) note(bad bool, path, message string) {
	if bad {
		c.wrong = append(c.wrong, apperr.FieldError{Path: path, Message: message})
	}
}

func (c *ruleCheck) known(role string) bool {
	return slices.ContainsFunc(c.roles, func(r models.Role) bool { return r.Slug == role })
}

// able reports whether a role holds the rights that some change by a tool needs, or by any tool when tool is empty.
func (c *ruleCheck) able(role, tool string) bool {
	return slices.ContainsFunc(c.tools, func(t RuledTool) bool {
		return (tool == "" || t.Name == tool) && slices.ContainsFunc(t.Rights, func(set []rbac.Permission) bool { return c.holds(role, set) })
	})
}

func (c *ruleCheck) holds(role string, set []rbac.Permission) bool {
	return !slices.ContainsFunc(set, func(p rbac.Permission) bool {
		return !slices.ContainsFunc(c.held, func(h rbac.Row) bool { return h.Role == role && h.Permission == string(p) })
	})
}

// approver checks a role that is to approve; missing is what to say when there is no such role. A tool that does not
// exist is refused elsewhere.
func (c *ruleCheck) approver(path, role, tool, missing string) {
	c.note(!c.known(role), path, missing)
	exists := tool == "" || slices.ContainsFunc(c.tools, func(t RuledTool) bool { return t.Name == tool })
	c.note(c.known(role) && exists && !c.able(role, tool), path,
		"Nobody with this role could approve, because it lacks the rights that the change needs. Choose a role that may make the change itself.")
}

func (c *ruleCheck) scope(in RuleInput) {
	tool := slices.IndexFunc(c.tools, func(t RuledTool) bool { return t.Name == in.Tool })
	c.note(in.Tool != "" && tool < 0, "tool", "Choose a tool that changes something, or all of them.")
	c.note(in.Role != "" && !c.known(in.Role), "role", "There is no such role.")
	c.note(in.Effect != models.RuleConfirm && in.Effect != models.RuleApprove, "effect", "A rule asks first, or asks a second person.")
	c.note(in.Effect == models.RuleConfirm && tool >= 0 && !c.tools[tool].RunsAtOnce, "effect",
		"This tool asks first already. Let a second person approve it, or choose a tool that runs at once.")
}

// condition reads what is compared, and with what.
func (c *ruleCheck) condition(in RuleInput) (threshold int64, currency string) {
	var err error
	switch in.Metric {
	case "":
		c.note(in.Threshold != "", "threshold", "Say what the limit is compared with: the amount, the discount or the number of records.")
	case models.RuleAmount:
		var limit models.Money
		limit, err = models.ParseMoney(in.Threshold, in.Currency)
		c.note(err != nil || limit.Minor < 0, "threshold", "Give the limit as an amount such as 500000.00, with a currency such as HKD.")
		return limit.Minor, limit.Currency
	case models.RuleDiscount:
		threshold, err = percent(in.Threshold)
		c.note(err != nil || threshold < 0 || threshold > 100_00, "threshold", "Give the limit in percent, from 0 to 100, such as 20 or 12.5.")
	case models.RuleCount:
		threshold, err = strconv.ParseInt(in.Threshold, 10, 64)
		c.note(err != nil || threshold < 1 || threshold > maxRuleCount, "threshold", "Give the limit as a whole number of records, from 1 to 10,000.")
	default:
		c.note(true, "metric", "A limit is on the amount, the discount or the number of records.")
	}
	c.note(in.Currency != "", "currency", "Only a limit on the amount has a currency.")
	return threshold, ""
}

// percent reads a percentage with at most two decimal places as hundredths.
func percent(text string) (int64, error) {
	d, err := decimal.NewFromString(text)
	if err != nil || len(text) > 10 || !d.Shift(2).IsInteger() {
		return 0, strconv.ErrSyntax
	}
	return d.Shift(2).IntPart(), nil
}

// approval checks who must approve and how long that may take, which has a default.
func (c *ruleCheck) approval(in *RuleInput) {
	if in.ExpiresAfterHours == 0 {
		in.ExpiresAfterHours = defaultRuleHours
	}
	c.approver("approverRole", in.ApproverRole, in.Tool, "Choose the role that must approve.")
	c.note(in.ExpiresAfterHours < 1 || in.ExpiresAfterHours > maxRuleHours, "expiresAfterHours", "A change waits for its approval from 1 hour to 168 hours (7 days).")
	if in.EscalationRole == "" {
		c.note(in.EscalatesAfterHours != 0, "escalationRole", "Choose the role that may approve as well after that time.")
		return
	}
	c.note(in.EscalationRole == in.ApproverRole, "escalationRole", "Choose another role than the one that is asked first.")
	if in.EscalationRole != in.ApproverRole {
		c.approver("escalationRole", in.EscalationRole, in.Tool, "There is no such role.")
	}
	c.note(in.EscalatesAfterHours < 1 || in.EscalatesAfterHours >= in.ExpiresAfterHours, "escalatesAfterHours",
		"The other role is asked after at least 1 hour, and before the time to approve is over.")
}

// confirmation refuses what only an approval has. Such a rule has no condition: what a tool would do is known only once
// it proposes.
func (c *ruleCheck) confirmation(in RuleInput) {
	c.note(in.Metric != "", "metric", "A tool asks first always or never. Only the approval of a second person can depend on a limit.")
	c.note(in.ApproverRole != "" || in.EscalationRole != "" || in.ExpiresAfterHours != 0 || in.EscalatesAfterHours != 0, "approverRole",
		"A rule that only asks first has nobody who approves.")
}
