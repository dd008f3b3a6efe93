package models

import "time"

// RuleEffect says what an approval rule asks for.
type RuleEffect string

// The effects. RuleConfirm lets a tool that would run at once propose instead; RuleApprove lets nobody but a second
// person of the approver role confirm.
const (
	RuleConfirm RuleEffect = "confirm"
	RuleApprove RuleEffect = "approve"
)

// RuleMetric is what of a change a threshold is compared with; empty for a rule without a condition.
type RuleMetric string

// The metrics: an amount in minor units, a discount in hundredths of a percent, a number of records.
const (
	RuleAmount   RuleMetric = "amount"
	RuleDiscount RuleMetric = "discount"
	RuleCount    RuleMetric = "count"
)

// ApprovalRule tightens what the tools ask for. It concerns one tool, or with an empty Tool all that change something,
// and one role of the requester, or with an empty Role everybody. ExpiresAfter and EscalatesAfter are hours from the
// proposal on; the latter is 0 without an EscalationRole, whose members may approve from then on as well.
type ApprovalRule struct {
	ID             string `gorm:"primaryKey"`
	Tool           string
	Role           string
	Metric         RuleMetric
	Threshold      int64
	Currency       string
	Effect         RuleEffect
	ApproverRole   string
	ExpiresAfter   int
	EscalationRole string
	EscalatesAfter int
	Version        int64
	CreatedAt      time.Time
	UpdatedAt      time.Time
	UpdatedBy      string
}

// Approval is what a proposal needs beside its requester's wish; the zero Approval is none. ApprovalReason says why, in
// the language of the requester. From EscalatesAt on, EscalationRole may approve as well.
type Approval struct {
	ApprovalRuleID string
	ApproverRole   string
	ApprovalReason string
	EscalationRole string
	EscalatesAt    *time.Time
}

// Needed reports whether somebody has to approve.
func (a Approval) Needed() bool { return a.ApproverRole != "" }

// SameAs reports whether two approvals ask the same people by the same rule.
func (a Approval) SameAs(b Approval) bool {
	return a.ApprovalRuleID == b.ApprovalRuleID && a.ApproverRole == b.ApproverRole && a.EscalationRole == b.EscalationRole
}

// By reports whether a role may give the approval at a moment.
func (a Approval) By(role string, now time.Time) bool {
	if !a.Needed() || role == "" {
		return false
	}
	return role == a.ApproverRole || role == a.EscalationRole && a.EscalatesAt != nil && !a.EscalatesAt.After(now)
}
