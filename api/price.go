package api

import (
	"context"
	"time"

	"countersign/models"
	"countersign/rbac"
	"countersign/settings"
)

// ModelPrice is what a million tokens of a model cost, in decimals, from StartsAt until the next price of the model.
type ModelPrice struct {
	ID       string    `json:"id"`
	Provider string    `json:"provider"`
	Model    string    `json:"model"`
	StartsAt time.Time `json:"startsAt"`
	Input    string    `json:"input"`
	Output   string    `json:"output"`
	Cached   string    `json:"cached"`
	Currency string    `json:"currency"`
}

// ModelPriceInput is a new price.
type ModelPriceInput struct {
	Provider string     `json:"provider" enum:"openai,anthropic"`
	Model    string     `json:"model"`
	StartsAt *time.Time `json:"startsAt,omitempty" doc:"Now or later; now if left out. Past costs do not change."`
	Input    string     `json:"input" doc:"Of a million tokens, such as 2.50."`
	Output   string     `json:"output"`
	Cached   string     `json:"cached,omitempty" doc:"As input if left out."`
	Currency string     `json:"currency,omitempty" doc:"USD if left out."`
}

// Budget bounds what the calls of a calendar month in Hong Kong may take.
type Budget struct {
	ID       string `json:"id"`
	Scope    string `json:"scope" enum:"installation,role,user"`
	Subject  string `json:"subject" doc:"A role or a user's id. Empty for a user means every user alone who has no budget of their own."`
	Name     string `json:"name"`
	Unit     string `json:"unit" enum:"tokens,cost"`
	Amount   string `json:"amount"`
	Currency string `json:"currency,omitempty"`
	Used     string `json:"used,omitempty" doc:"What this month has taken so far; missing for every user alone."`
}

// BudgetInput sets the budget of a scope, subject and unit.
type BudgetInput struct {
	Scope    string `json:"scope" enum:"installation,role,user"`
	Subject  string `json:"subject,omitempty"`
	Unit     string `json:"unit" enum:"tokens,cost"`
	Amount   string `json:"amount" doc:"A whole number of tokens, or an amount such as 25.00."`
	Currency string `json:"currency,omitempty" doc:"USD if left out; for cost only."`
}

func (s *server) priceRoutes() {
	handle(s, get("/api/ai/prices", "listPrices", "What models cost").needs(rbac.AIConfigRead).plain(), s.listPrices)
	handle(s, post("/api/ai/prices", "addPrice", "Add a price, from now or later on").needs(rbac.AIConfigUpdate).creates().plain(), s.addPrice)
	handle(s, del("/api/ai/prices/{id}", "deletePrice", "Remove one that has not started").needs(rbac.AIConfigUpdate).empty(), s.deletePrice)
	handle(s, get("/api/ai/budgets", "listBudgets", "The budgets of a month as they stand").needs(rbac.AIConfigRead).plain(), s.listBudgets)
	handle(s, put("/api/ai/budgets", "putBudget", "Set a budget").needs(rbac.AIConfigUpdate).plain(), s.putBudget)
	handle(s, del("/api/ai/budgets/{id}", "deleteBudget", "Remove one").needs(rbac.AIConfigUpdate).empty(), s.deleteBudget)
}

func (s *server) listPrices(ctx context.Context, actor models.Actor, _ *struct{}) (*one[Page[ModelPrice]], error) {
	prices, err := s.Prices.List(ctx, actor)
	return allOf(prices, err, modelPriceOf)
}

func (s *server) addPrice(ctx context.Context, actor models.Actor, in *one[ModelPriceInput]) (*one[ModelPrice], error) {
	b := in.Body
	price, err := s.Prices.Add(ctx, actor, settings.PriceInput{
		Provider: b.Provider, Model: b.Model, Input: b.Input, Output: b.Output, Cached: b.Cached, Currency: b.Currency, StartsAt: b.StartsAt,
	})
	if err != nil {
		return nil, err
	}
	return answer(modelPriceOf(price), nil)
}

func (s *server) deletePrice(ctx context.Context, actor models.Actor, in *ByID) (*none, error) {
	return &none{}, s.Prices.Delete(ctx, actor, in.id())
}

func (s *server) listBudgets(ctx context.Context, actor models.Actor, _ *struct{}) (*one[Page[Budget]], error) {
	budgets, err := s.Budgets.List(ctx, actor)
	return allOf(budgets, err, budgetOf)
}

// putBudget answers with all budgets: one of another amount may have taken the place of an old one.
func (s *server) putBudget(ctx context.Context, actor models.Actor, in *one[BudgetInput]) (*one[Page[Budget]], error) {
	b := in.Body
	err := s.Budgets.Put(ctx, actor, settings.BudgetInput{
		Scope: models.BudgetScope(b.Scope), Subject: b.Subject, Unit: models.BudgetUnit(b.Unit), Amount: b.Amount, Currency: b.Currency,
	})
	if err != nil {
		return nil, err
	}
	return s.listBudgets(ctx, actor, nil)
}

func (s *server) deleteBudget(ctx context.Context, actor models.Actor, in *ByID) (*none, error) {
	return &none{}, s.Budgets.Delete(ctx, actor, in.id())
}

func modelPriceOf(p *models.ModelPrice) ModelPrice {
	decimal := func(e6 int64) string { return models.Cost{E6: e6, Currency: p.Currency}.Amount() }
	return ModelPrice{
		ID: p.ID, Provider: p.Provider, Model: p.Model, StartsAt: p.StartsAt, Currency: p.Currency,
		Input: decimal(p.InputE6), Output: decimal(p.OutputE6), Cached: decimal(p.CachedE6),
	}
}

func budgetOf(b *settings.BudgetStanding) Budget {
	out := Budget{
		ID: b.ID, Scope: string(b.Scope), Subject: b.Subject, Name: b.Name, Unit: string(b.Unit), Currency: b.Currency, Amount: b.Text(b.Amount),
	}
	if b.Used != nil {
		out.Used = b.Text(*b.Used)
	}
	return out
}
