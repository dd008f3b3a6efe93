package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"countersign/models"
	"countersign/rbac"
)

// OutcomesBy is what the outcomes of proposals are grouped by.
type OutcomesBy string

// The groupings. Months are those of the organisation's time zone, in which a proposal was made.
const (
	OutcomesByTool    OutcomesBy = "tool"
	OutcomesByUser    OutcomesBy = "user"
	OutcomesByChannel OutcomesBy = "channel"
	OutcomesByMonth   OutcomesBy = "month"
)

// key is the expression of a grouping.
func (by OutcomesBy) key(d dialect) string {
	switch by {
	case OutcomesByTool:
		return "proposals.tool"
	case OutcomesByUser:
		return "proposals.requested_by"
	case OutcomesByChannel:
		return "proposals.channel"
	case OutcomesByMonth:
		return d.month("proposals.created_at")
	default:
		return "'total'"
	}
}

// OutcomeRow is what came of the proposals of one group.
type OutcomeRow struct {
	Key, Name string
	models.ProposalCounts
}

// Outcomes counts what has come, until now, of the proposals made in [from, to), in the order of the keys. An undo is
// counted with what it takes back, as no proposal of its own.
func (r *Reader) Outcomes(ctx context.Context, g rbac.Grant, by OutcomesBy, from, to, now time.Time) ([]OutcomeRow, error) {
	if err := g.For(rbac.UsageRead); err != nil {
		return nil, err
	}
	key := by.key(r.dialect)
	name := key
	if by == OutcomesByUser {
		name = "users.name"
	}
	columns := key + " AS key, MAX(" + name + ") AS name, COUNT(*) AS made"
	for _, count := range []struct{ column, when string }{
		{"pending", "status = 'pending' AND expires_at > @now"},
		{"decided", "decided_at IS NOT NULL"},
		{"executed", "status = 'executed'"},
		{"edited", "status = 'executed' AND edited_args IS NOT NULL"},
		{"undone", "undone_by_id IS NOT NULL"},
		{"cancelled", "status = 'cancelled'"},
		{"explained", "status = 'cancelled' AND decision_reason <> ''"},
		{"stale", "status = 'stale'"},
		{"failed", "status = 'failed'"},
		{"expired", "status = 'expired' OR (status = 'pending' AND expires_at <= @now)"},
		{"superseded", "status = 'superseded'"},
	} {
		columns += ", " + wholeSum("CASE WHEN "+count.when+" THEN 1 ELSE 0 END") + " AS " + count.column
	}
	var rows []OutcomeRow
	err := r.proposed(ctx, g, from, to).Joins("JOIN users ON users.id = proposals.requested_by").
		Select(columns, map[string]any{"now": now}).Group("key").Order("key").Scan(&rows).Error
	return rows, translate(err)
}

// DecisionTimes are the whole seconds from a proposal to its decision, in the groups that have one. An unknown grouping is one over all.
func (r *Reader) DecisionTimes(ctx context.Context, g rbac.Grant, by OutcomesBy, from, to time.Time) ([]Quantiles, error) {
	if err := g.For(rbac.UsageRead); err != nil {
		return nil, err
	}
	seconds := r.dialect.unix("decided_at") + " - " + r.dialect.unix("proposals.created_at")
	return r.quantiles(ctx, r.proposed(ctx, g, from, to).Where("decided_at IS NOT NULL"), by.key(r.dialect), seconds)
}

// proposed narrows to the proposals of a period within a grant.
func (r *Reader) proposed(ctx context.Context, g rbac.Grant, from, to time.Time) *gorm.DB {
	q := r.q.WithContext(ctx).Model(&models.Proposal{}).
		Where("proposals.created_at >= ? AND proposals.created_at < ? AND undoes_id IS NULL", from, to)
	return where(q, ownedBy(g, "proposals.requested_by"))
}
