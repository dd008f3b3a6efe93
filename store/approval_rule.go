package store

import (
	"context"
	"time"

	"countersign/apperr"
	"countersign/models"
)

// widestRights orders rules by how much the role that must approve may do.
const widestRights = "(SELECT COALESCE(SUM(CASE scope WHEN 'all' THEN 3 WHEN 'team' THEN 2 ELSE 1 END), 0)" +
	" FROM role_permissions WHERE role_slug = approval_rules.approver_role) DESC, approval_rules.created_at, approval_rules.id"

// ApprovalRules are all rules, those first whose approvers have the widest rights: the first that applies asks them.
func (r *Reader) ApprovalRules(ctx context.Context) ([]models.ApprovalRule, error) {
	var rows []models.ApprovalRule
	err := r.q.WithContext(ctx).Order(widestRights).Find(&rows).Error
	return rows, translate(err)
}

// ApprovalRulesFor are the rules that concern a tool in the hands of a person, by the role that they have now, in the order
// of [Reader.ApprovalRules].
func (r *Reader) ApprovalRulesFor(ctx context.Context, tool, userID string) ([]models.ApprovalRule, error) {
	var rows []models.ApprovalRule
	err := r.q.WithContext(ctx).Where("tool IN ('', ?) AND role IN ('', (SELECT role FROM users WHERE id = ?))", tool, userID).
		Order(widestRights).Find(&rows).Error
	return rows, translate(err)
}

// ApprovalRulesFor is that of [Reader]. Where the transaction has seen that there are no rules at all, it asks nothing.
func (tx *Tx) ApprovalRulesFor(ctx context.Context, tool, userID string) ([]models.ApprovalRule, error) {
	s, err := tx.subject(ctx, userID)
	if err != nil || s.UserID != "" && !s.Ruled {
		return nil, err
	}
	return tx.Reader.ApprovalRulesFor(ctx, tool, userID)
}

// ApprovalRule returns a rule.
func (r *Reader) ApprovalRule(ctx context.Context, id string) (*models.ApprovalRule, error) {
	var rule models.ApprovalRule
	return &rule, notFound(translate(r.q.WithContext(ctx).Where("id = ?", id).Take(&rule).Error), "approval rule")
}

// InsertApprovalRule adds a rule.
func (tx *Tx) InsertApprovalRule(ctx context.Context, rule *models.ApprovalRule) error {
	return translate(tx.q.WithContext(ctx).Create(rule).Error)
}

// UpdateApprovalRule replaces a rule whose version is still the one before that of rule; Stale otherwise.
func (tx *Tx) UpdateApprovalRule(ctx context.Context, rule *models.ApprovalRule) error {
	q := tx.q.WithContext(ctx).Model(rule).Where("version = ?", rule.Version-1).Select("*").Omit("id", "created_at").UpdateColumns(rule)
	return sameVersion(q.RowsAffected, q.Error)
}

// DeleteApprovalRule removes a rule at a version; Stale when it has changed.
func (tx *Tx) DeleteApprovalRule(ctx context.Context, id string, version int64) error {
	q := tx.q.WithContext(ctx).Where("id = ? AND version = ?", id, version).Delete(&models.ApprovalRule{})
	return sameVersion(q.RowsAffected, q.Error)
}

// ErrRuleChanged refuses a write of a rule at another version than the one that was seen.
var ErrRuleChanged = apperr.New(apperr.Stale, "STALE", "Somebody changed this rule in the meantime. Look at it again, then repeat your change.")

func sameVersion(rows int64, err error) error {
	if err == nil && rows != 1 {
		return ErrRuleChanged
	}
	return translate(err)
}

// Roles are all roles by name.
func (r *Reader) Roles(ctx context.Context) ([]models.Role, error) {
	var roles []models.Role
	err := r.q.WithContext(ctx).Order("name, slug").Find(&roles).Error
	return roles, translate(err)
}

// RecordAmount is the amount of a deal or the total of a quotation, in the bin or not; nil for one without and for other
// records. Approval rules compare it.
func (r *Reader) RecordAmount(ctx context.Context, t models.RecordType, id string) (*models.Money, error) {
	q := r.q.WithContext(ctx).Where("id = ?", id)
	switch t {
	case models.TypeDeal:
		deal, err := firstOf[models.Deal](q.Select("amount_minor", "currency"))
		if err != nil || deal == nil {
			return nil, err
		}
		return deal.Amount(), nil
	case models.TypeQuotation:
		quotation, err := firstOf[models.Quotation](q.Select("total_minor", "currency"))
		if err != nil || quotation == nil {
			return nil, err
		}
		total := quotation.Money(quotation.TotalMinor)
		return &total, nil
	default:
		return nil, nil
	}
}

// QuotationDiscount is [models.Quotation.DiscountShareE4] of a quotation, in the bin or not. Approval rules compare it.
func (r *Reader) QuotationDiscount(ctx context.Context, id string) (shareE4 int64, err error) {
	quotation, err := firstOf[models.Quotation](r.q.WithContext(ctx).Where("id = ?", id))
	if err != nil || quotation == nil {
		return 0, err
	}
	err = r.fillItems(ctx, quotation)
	return quotation.DiscountShareE4(), err
}

// UnapprovedChanges are the changes of a field of a record that a person has made since a moment with nobody's approval.
func (r *Reader) UnapprovedChanges(ctx context.Context, userID string, t models.RecordType, id, field string, since time.Time) ([]models.FieldChange, error) {
	var changes []models.FieldChange
	err := r.q.WithContext(ctx).Where("record_type = ? AND record_id = ? AND field = ?", t, id, field).
		Where("actor_user_id = ? AND approver_id IS NULL AND at > ?", userID, since).Order("id").Find(&changes).Error
	return changes, translate(err)
}

// CountUnapproved counts the records that a person has changed since a moment by a tool's proposals with nobody's approval.
func (r *Reader) CountUnapproved(ctx context.Context, userID, tool string, since time.Time) (int64, error) {
	var done []models.Proposal
	err := r.q.WithContext(ctx).Select("items", "outcome").
		Where("requested_by = ? AND tool = ? AND status = ?", userID, tool, models.ProposalExecuted).
		Where("approver_role = '' AND decided_at > ?", since).Find(&done).Error
	if err != nil {
		return 0, translate(err)
	}
	n := int64(0)
	for _, p := range done {
		records, err := p.Changed()
		if err != nil {
			return 0, err
		}
		n += int64(records)
	}
	return n, nil
}
