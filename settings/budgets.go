package settings

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"countersign/apperr"
	"countersign/audit"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// maxBudgetTokens bounds a budget of tokens.
const maxBudgetTokens = 1_000_000_000_000

// Budgets is the one door to what may be used in a month. It is safe for concurrent use.
type Budgets struct {
	runner store.Runner
	gate   *audit.Gate
	now    func() time.Time
}

// NewBudgets returns the service.
func NewBudgets(runner store.Runner, gate *audit.Gate, now func() time.Time) *Budgets {
	return &Budgets{runner: runner, gate: gate, now: now}
}

// BudgetStanding is a budget, the name of the user it is for, and what this month's calls have used of it. Of one
// that is for each user alone, Used is nil.
type BudgetStanding struct {
	models.Budget
	Name string
	Used *int64
}

// BudgetInput sets the budget of a scope, subject and unit. Amount is a number of tokens or a decimal amount.
type BudgetInput struct {
	Scope                     models.BudgetScope
	Subject, Amount, Currency string
	Unit                      models.BudgetUnit
}

// List needs ai-config:read and gives all budgets as they stand.
func (s *Budgets) List(ctx context.Context, actor models.Actor) (list []BudgetStanding, err error) {
	if _, err := s.gate.Authorize(ctx, actor, rbac.AIConfigRead); err != nil {
		return nil, err
	}
	err = s.runner.View(ctx, func(r *store.Reader) error {
		budgets, err := r.Budgets(ctx)
		if err != nil {
			return err
		}
		for _, b := range budgets {
			standing, err := s.standing(ctx, r, b)
			if err != nil {
				return err
			}
			list = append(list, standing)
		}
		return nil
	})
	return list, err
}

func (s *Budgets) standing(ctx context.Context, r *store.Reader, b models.Budget) (BudgetStanding, error) {
	standing := BudgetStanding{Budget: b, Name: b.Subject}
	if b.Scope == models.BudgetUser {
		if b.Subject == "" {
			return standing, nil
		}
		name, err := nameOf(ctx, r, b.Subject)
		if err != nil {
			return standing, err
		}
		standing.Name = name
	}
	now := s.now()
	spent, _, err := r.Spent(ctx, b, b.Subject, models.MonthOf(now), now)
	standing.Used = &spent
	return standing, err
}

// Put needs ai-config:update and adds or replaces a budget, which counts from the next call on, with what this month
// has used already. Errors: Invalid, also for a user or role that does not exist.
func (s *Budgets) Put(ctx context.Context, actor models.Actor, in BudgetInput) error {
	if _, err := s.gate.Authorize(ctx, actor, rbac.AIConfigUpdate); err != nil {
		return err
	}
	budget, err := s.read(in)
	if err != nil {
		return err
	}
	budget.UpdatedBy = actor.UserID
	return s.runner.InTx(ctx, func(tx *store.Tx) error {
		if err := checkSubject(ctx, tx, budget); err != nil {
			return err
		}
		if err := tx.PutBudget(ctx, budget); err != nil {
			return err
		}
		return s.record(ctx, tx, actor, "ai-budget:update", budget)
	})
}

// read checks all fields at once.
func (s *Budgets) read(in BudgetInput) (*models.Budget, error) {
	b := &models.Budget{ID: models.NewID(), Scope: in.Scope, Subject: in.Subject, Unit: in.Unit, UpdatedAt: stored(s.now())}
	var wrong []apperr.FieldError
	note := func(bad bool, path, message string) {
		if bad {
			wrong = append(wrong, apperr.FieldError{Path: path, Message: message})
		}
	}
	note(b.Scope != models.BudgetInstallation && b.Scope != models.BudgetRole && b.Scope != models.BudgetUser, "scope",
		"A budget is for the installation, a role or a user.")
	note(b.Unit != models.BudgetTokens && b.Unit != models.BudgetCost, "unit", "A budget counts tokens or cost.")
	note(b.Scope == models.BudgetRole && b.Subject == "", "subject", "Choose the role.")
	note(b.Scope == models.BudgetInstallation && b.Subject != "", "subject", "A budget for the installation has no subject.")
	var err error
	if b.Unit == models.BudgetCost {
		b.Currency = cmp.Or(in.Currency, DefaultPriceCurrency)
		note(!models.KnownCurrency(b.Currency), "currency", "Give a currency code such as USD or HKD.")
		b.Amount, err = models.ParseE6(in.Amount)
	} else {
		note(in.Currency != "", "currency", "Tokens have no currency.")
		b.Amount, err = strconv.ParseInt(in.Amount, 10, 64)
	}
	note(err != nil || b.Amount <= 0 || b.Unit == models.BudgetTokens && b.Amount > maxBudgetTokens, "amount",
		"Give the limit: a whole number of tokens, or an amount such as 25.00.")
	return b, apperr.InvalidFields(wrong)
}

// checkSubject refuses a role or user that does not exist.
func checkSubject(ctx context.Context, tx *store.Tx, b *models.Budget) (err error) {
	switch {
	case b.Subject == "":
		return nil
	case b.Scope == models.BudgetRole:
		err = tx.LockRole(ctx, b.Subject)
	default:
		_, err = tx.UserByID(ctx, b.Subject)
	}
	if apperr.Is(err, apperr.NotFound) {
		return apperr.InvalidField("subject", "There is no such role or user.")
	}
	return err
}

// Delete removes a budget. It needs ai-config:update.
func (s *Budgets) Delete(ctx context.Context, actor models.Actor, id string) error {
	if _, err := s.gate.Authorize(ctx, actor, rbac.AIConfigUpdate); err != nil {
		return err
	}
	return s.runner.InTx(ctx, func(tx *store.Tx) error {
		budget, err := tx.Budget(ctx, id)
		if err != nil {
			return err
		}
		if err := tx.DeleteBudget(ctx, id); err != nil {
			return err
		}
		return s.record(ctx, tx, actor, "ai-budget:delete", budget)
	})
}

func (s *Budgets) record(ctx context.Context, tx *store.Tx, actor models.Actor, action string, b *models.Budget) error {
	return audit.Write(ctx, tx, actor, s.now(), audit.Entry{
		Action: action, Decision: models.DecisionAllowed, Target: models.Ref{Type: models.TypeBudget, ID: b.ID},
		Detail: map[string]any{"scope": b.Scope, "subject": b.Subject, "unit": b.Unit, "amount": b.Text(b.Amount), "currency": b.Currency},
	})
}
