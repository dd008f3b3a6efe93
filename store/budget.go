package store

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"countersign/models"
)

// Budgets are all budgets, in a fixed order.
func (r *Reader) Budgets(ctx context.Context) ([]models.Budget, error) {
	return find[models.Budget](ctx, r, "SELECT * FROM budgets ORDER BY scope, subject, unit")
}

// Budget returns a budget.
func (r *Reader) Budget(ctx context.Context, id string) (*models.Budget, error) {
	var b models.Budget
	return &b, notFound(translate(r.q.WithContext(ctx).Where("id = ?", id).Take(&b).Error), "budget")
}

// PutBudget adds a budget, or replaces the one of the same scope, subject and unit, whose id stays.
func (tx *Tx) PutBudget(ctx context.Context, b *models.Budget) error {
	return translate(tx.q.WithContext(ctx).Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "scope"}, {Name: "subject"}, {Name: "unit"}},
		DoUpdates: clause.AssignmentColumns([]string{"amount", "currency", "updated_at", "updated_by"}),
	}).Create(b).Error)
}

// DeleteBudget removes a budget.
func (tx *Tx) DeleteBudget(ctx context.Context, id string) error {
	return mustMatch(tx.q.WithContext(ctx).Where("id = ?", id).Delete(&models.Budget{}), "budget")
}

// Spent is how much of a budget the ended calls of a month have taken, and how much those under way may still
// take. Of a budget that is for each user alone, it is that of the user named.
func (r *Reader) Spent(ctx context.Context, b models.Budget, userID string, month models.Month, now time.Time) (spent, reserved int64, err error) {
	ended := boundBy(r.q.WithContext(ctx).Model(&models.UsageMonth{}), b, userID).Where("month = ?", month)
	running := boundBy(r.q.WithContext(ctx).Model(&models.Reservation{}), b, userID).Where("expires_at > ?", now)
	taken, held := "prompt_tokens + completion_tokens", "tokens"
	if b.Unit == models.BudgetCost {
		taken, held = "cost_e6", "cost_e6"
		ended, running = ended.Where("currency = ?", b.Currency), running.Where("currency = ?", b.Currency)
	}
	if err := ended.Select(wholeSum(taken)).Scan(&spent).Error; err != nil {
		return 0, 0, translate(err)
	}
	err = translate(running.Select(wholeSum(held)).Scan(&reserved).Error)
	return spent, reserved, err
}

// boundBy narrows to the rows whose use a budget bounds.
func boundBy(q *gorm.DB, b models.Budget, userID string) *gorm.DB {
	switch {
	case b.Scope == models.BudgetRole:
		return q.Where("role = ?", b.Subject)
	case b.Scope == models.BudgetUser && b.Subject != "":
		return q.Where("user_id = ?", b.Subject)
	case b.Scope == models.BudgetUser:
		return q.Where("user_id = ?", userID)
	}
	return q
}

// wholeSum adds an expression up as a whole number, in both dialects, 0 over no rows.
func wholeSum(expression string) string {
	return "CAST(COALESCE(SUM(" + expression + "), 0) AS BIGINT)"
}

// LockBudgets waits until no other transaction checks budgets, and keeps others from it until this one ends: two
// calls never both take what is left.
func (tx *Tx) LockBudgets(ctx context.Context) error {
	if tx.dialect != dialectPostgres {
		return nil // there is one writer
	}
	return translate(tx.q.WithContext(ctx).Exec("SELECT pg_advisory_xact_lock(?)", budgetLock).Error)
}

// budgetLock is the key of the advisory lock of LockBudgets.
const budgetLock = 0x6275646765 // "budge"

// InsertReservation holds what a call may take, and drops what dead processes have left.
func (tx *Tx) InsertReservation(ctx context.Context, r *models.Reservation, now time.Time) error {
	if err := tx.q.WithContext(ctx).Where("expires_at <= ?", now).Delete(&models.Reservation{}).Error; err != nil {
		return translate(err)
	}
	return translate(tx.q.WithContext(ctx).Create(r).Error)
}

// DeleteReservation gives back what a call held. One that is gone is no error.
func (tx *Tx) DeleteReservation(ctx context.Context, id string) error {
	return translate(tx.q.WithContext(ctx).Where("id = ?", id).Delete(&models.Reservation{}).Error)
}
