package conversations

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"countersign/apperr"
	"countersign/audit"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// WarnPercent is how much of a budget is used when people are first told.
const WarnPercent = 80

// reservationTTL is after how long a reservation counts as left behind by a dead process. No turn lasts as long.
const reservationTTL = 5 * time.Minute

// maxTokens bounds what is believed of a provider's count of one call.
const maxTokens = 1_000_000_000

// Ledger keeps account of the calls to models: what each has taken, what that has cost, and whether a budget has
// room for one more.
type Ledger struct {
	runner store.Runner
	gate   *audit.Gate
	now    func() time.Time
}

// NewLedger returns a Ledger.
func NewLedger(runner store.Runner, gate *audit.Gate, now func() time.Time) *Ledger {
	return &Ledger{runner: runner, gate: gate, now: now}
}

// Intent is a model call that is about to be made, and what it may take, by estimate.
type Intent struct {
	// Purpose is an answer unless it says otherwise.
	Purpose          models.CallPurpose
	Turn             models.Turn
	Channel          models.Via
	Provider, Model  string
	Round, Attempt   int
	PromptTokens     int64
	CompletionTokens int64
}

// OpenCall is a model call under way. Whoever makes the call fills Call in and settles it, however it ends.
type OpenCall struct {
	Call models.ModelCall
	// Texts are what was said, for those who inspect turns; nil keeps none.
	Texts *models.CallTexts
	// Nearly are budgets of which WarnPercent or more is used.
	Nearly []Standing

	price *models.ModelPrice
	held  bool
}

// Standing is how far a budget is used, calls under way included, and when it starts anew.
type Standing struct {
	models.Budget
	Used   int64
	Resets time.Time
}

// OverBudget is the error of a call for which a budget has no room.
type OverBudget struct{ Standing }

// Error implements error.
func (o *OverBudget) Error() string {
	return fmt.Sprintf("conversations: the %s budget in %s has no room", o.Scope, o.Unit)
}

// Reserve opens the account of a call in the name of the turn's user, and holds what the call may take of every
// budget that bounds it, so that calls at the same time never take the same rest. Errors: *OverBudget when one has
// no room, Unauthenticated when the user is no longer active.
func (l *Ledger) Reserve(ctx context.Context, i Intent) (*OpenCall, error) {
	o := l.open(i)
	budgets, err := l.prepare(ctx, o)
	if err != nil || len(budgets) == 0 {
		return o, err
	}
	return o, l.runner.InTx(ctx, func(tx *store.Tx) error { return l.hold(ctx, tx, o, i, budgets) })
}

// Room refuses as Reserve would, and holds nothing.
func (l *Ledger) Room(ctx context.Context, i Intent) error {
	o := l.open(i)
	budgets, err := l.prepare(ctx, o)
	if err != nil || len(budgets) == 0 {
		return err
	}
	return l.runner.View(ctx, func(r *store.Reader) error { return l.fit(ctx, r, o, i.reservation(o), budgets) })
}

func (l *Ledger) open(i Intent) *OpenCall {
	return &OpenCall{Call: models.ModelCall{
		ID: models.NewID(), Purpose: cmp.Or(i.Purpose, models.PurposeAnswer), TurnID: i.Turn.ID, ConversationID: i.Turn.ConversationID, UserID: i.Turn.UserID, Channel: i.Channel,
		Provider: i.Provider, Model: i.Model, Round: i.Round, Attempt: i.Attempt, StartedAt: l.now(),
	}}
}

// prepare reads the user's role and the model's price as they are now, and gives the budgets that bound the call.
func (l *Ledger) prepare(ctx context.Context, o *OpenCall) (bounding []models.Budget, err error) {
	err = l.runner.View(ctx, func(r *store.Reader) error {
		user, found, err := r.Subject(ctx, o.Call.UserID)
		if err != nil {
			return err
		}
		if !found || user.Disabled {
			return apperr.New(apperr.Unauthenticated, "ACCOUNT_DISABLED", "This account is not active. Ask an administrator.")
		}
		o.Call.Role = user.Role
		if o.price, err = r.ModelPriceAt(ctx, o.Call.Provider, o.Call.Model, o.Call.StartedAt); err != nil {
			return err
		}
		budgets, err := r.Budgets(ctx)
		bounding = boundingOf(budgets, user.Role, user.UserID)
		return err
	})
	return bounding, err
}

// boundingOf are the budgets that bound a user of a role. A user's own budget takes the place of the general one.
func boundingOf(budgets []models.Budget, role, userID string) []models.Budget {
	var bounding []models.Budget
	own := map[models.BudgetUnit]bool{}
	for _, b := range budgets {
		own[b.Unit] = own[b.Unit] || b.Scope == models.BudgetUser && b.Subject == userID
	}
	for _, b := range budgets {
		general := b.Scope == models.BudgetUser && b.Subject == "" && !own[b.Unit]
		if general || b.Scope == models.BudgetInstallation ||
			b.Scope == models.BudgetRole && b.Subject == role || b.Scope == models.BudgetUser && b.Subject == userID {
			bounding = append(bounding, b)
		}
	}
	return bounding
}

// hold reserves what a call may take, or says which budget has no room for it.
func (l *Ledger) hold(ctx context.Context, tx *store.Tx, o *OpenCall, i Intent, budgets []models.Budget) error {
	if err := tx.LockBudgets(ctx); err != nil {
		return err
	}
	held := i.reservation(o)
	if err := l.fit(ctx, tx.Reader, o, held, budgets); err != nil {
		return err
	}
	o.held = true
	return tx.InsertReservation(ctx, &held, o.Call.StartedAt)
}

// reservation is what the call may take, by estimate.
func (i Intent) reservation(o *OpenCall) models.Reservation {
	held := models.Reservation{
		ID: o.Call.ID, UserID: o.Call.UserID, Role: o.Call.Role, Tokens: i.PromptTokens + i.CompletionTokens,
		ExpiresAt: o.Call.StartedAt.Add(reservationTTL),
	}
	if o.price != nil {
		if cost := o.price.Cost(i.PromptTokens, i.CompletionTokens, 0); cost != nil {
			held.CostE6, held.Currency = cost.E6, cost.Currency
		}
	}
	return held
}

// fit says which budget has no room for what a call may take, and notes those that are nearly used up.
func (l *Ledger) fit(ctx context.Context, r *store.Reader, o *OpenCall, held models.Reservation, budgets []models.Budget) error {
	for _, b := range budgets {
		standing, err := l.standing(ctx, r, b, o.Call.UserID)
		if err != nil {
			return err
		}
		switch {
		case standing.Used >= b.Amount || standing.Used+wanted(held, b) > b.Amount:
			return &OverBudget{standing}
		case standing.Used*100 >= b.Amount*WarnPercent:
			o.Nearly = append(o.Nearly, standing)
		}
	}
	return nil
}

// wanted is what a reservation takes of a budget.
func wanted(r models.Reservation, b models.Budget) int64 {
	switch {
	case b.Unit == models.BudgetTokens:
		return r.Tokens
	case r.Currency == b.Currency:
		return r.CostE6
	}
	return 0
}

func (l *Ledger) standing(ctx context.Context, r *store.Reader, b models.Budget, userID string) (Standing, error) {
	now := l.now()
	month := models.MonthOf(now)
	spent, reserved, err := r.Spent(ctx, b, userID, month, now)
	return Standing{Budget: b, Used: spent + reserved, Resets: month.End()}, err
}

// Settle writes an ended call into the ledger, with its cost by the price at its start, and gives back what it held.
func (l *Ledger) Settle(ctx context.Context, o *OpenCall) error {
	c := &o.Call
	believe(c)
	if o.price != nil && c.Counted() {
		cached := int64(0)
		if c.CachedTokens != nil {
			cached = *c.CachedTokens
		}
		if cost := o.price.Cost(*c.PromptTokens, *c.CompletionTokens, cached); cost != nil {
			c.PriceID, c.CostE6, c.Currency = &o.price.ID, &cost.E6, &cost.Currency
		}
	}
	return l.runner.InTx(ctx, func(tx *store.Tx) error {
		if err := l.add(ctx, tx, o); err != nil || !o.held {
			return err
		}
		return tx.DeleteReservation(ctx, c.ID)
	})
}

func (l *Ledger) add(ctx context.Context, tx *store.Tx, o *OpenCall) error {
	if err := tx.AddModelCall(ctx, &o.Call); err != nil || o.Texts == nil {
		return err
	}
	return tx.AddModelCallText(ctx, &models.ModelCallText{
		CallID: o.Call.ID, Request: models.ToJSON(o.Texts.Request), Answer: models.ToJSON(o.Texts.Answer), CreatedAt: l.now(),
	})
}

// believe drops counts that cannot be: what a provider says is not always so, and sums must stay sums.
func believe(c *models.ModelCall) {
	for _, n := range []**int64{&c.PromptTokens, &c.CompletionTokens, &c.CachedTokens} {
		if *n != nil && (**n < 0 || **n > maxTokens) {
			*n = nil
		}
	}
	if !c.Counted() {
		c.PromptTokens, c.CompletionTokens, c.CachedTokens = nil, nil, nil
	} else if c.CachedTokens != nil && *c.CachedTokens > *c.PromptTokens {
		c.CachedTokens = c.PromptTokens
	}
}

// Spent is how many tokens a conversation has taken, cached ones left out, as far as that is known. The caller has opened it for its owner.
func (l *Ledger) Spent(ctx context.Context, conversationID string) (tokens int64, err error) {
	err = l.runner.View(ctx, func(r *store.Reader) error {
		tokens, err = r.ConversationTokens(ctx, conversationID)
		return err
	})
	return tokens, err
}

// ShowsCost reports whether an actor may see what answers cost: those who may read the model's configuration, and
// everybody where it says so.
func (l *Ledger) ShowsCost(ctx context.Context, actor models.Actor) (shows bool, err error) {
	grant, err := l.gate.Try(ctx, actor, rbac.AIConfigRead)
	if err != nil || grant.Scope() != rbac.ScopeNone {
		return err == nil, err
	}
	err = l.runner.View(ctx, func(r *store.Reader) error {
		config, err := r.AIConfig(ctx)
		shows = config != nil && config.ShowCost
		return err
	})
	return shows, err
}
