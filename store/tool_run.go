package store

import (
	"context"
	"fmt"
	"time"

	"countersign/models"
	"countersign/rbac"
)

// AddToolRun appends a call of a tool.
func (tx *Tx) AddToolRun(ctx context.Context, run *models.ToolRun) error {
	return insert(ctx, tx, run)
}

// ToolUsageRow is the use of one tool. Errors are the calls that failed, were refused or were stopped; DurationMS is the
// time of all calls together.
type ToolUsageRow struct {
	Tool                                 string
	Calls, Errors, Proposals, DurationMS int64
}

// ToolUsage sums up the calls of tools that began in [from, to), in the order of the tools' names.
func (r *Reader) ToolUsage(ctx context.Context, g rbac.Grant, from, to time.Time) ([]ToolUsageRow, error) {
	if err := g.For(rbac.UsageRead); err != nil {
		return nil, err
	}
	ended := func(as ...models.ToolCallStatus) string {
		list := ""
		for _, status := range as {
			list += fmt.Sprintf(", '%s'", status)
		}
		return wholeSum("CASE WHEN status IN (" + list[2:] + ") THEN 1 ELSE 0 END")
	}
	var rows []ToolUsageRow
	q := r.q.WithContext(ctx).Model(&models.ToolRun{}).Where("started_at >= ? AND started_at < ?", from, to)
	err := where(q, ownedBy(g, "tool_runs.user_id")).
		Select("tool, COUNT(*) AS calls, " + ended(models.CallFailed, models.CallDenied, models.CallStopped) + " AS errors, " +
			ended(models.CallProposed) + " AS proposals, " + wholeSum("duration_ms") + " AS duration_ms").
		Group("tool").Order("tool").Scan(&rows).Error
	return rows, translate(err)
}
