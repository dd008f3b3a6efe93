package settings

import (
	"cmp"
	"context"
	"time"

	"countersign/apperr"
	"countersign/audit"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// DefaultPriceCurrency is the currency of prices given without one, which providers mostly ask.
const DefaultPriceCurrency = "USD"

// Prices is the one door to what models cost. A price counts from its start on; what was used before keeps the cost
// that it had. It is safe for concurrent use.
type Prices struct {
	runner store.Runner
	gate   *audit.Gate
	now    func() time.Time
}

// NewPrices returns the service.
func NewPrices(runner store.Runner, gate *audit.Gate, now func() time.Time) *Prices {
	return &Prices{runner: runner, gate: gate, now: now}
}

// PriceInput is a new price for a million tokens, in decimals. Without Cached, cached tokens cost what others do;
// without StartsAt it counts at once.
type PriceInput struct {
	Provider, Model, Input, Output, Cached, Currency string
	StartsAt                                         *time.Time
}

// List needs ai-config:read and gives all prices, model by model, the latest start first.
func (s *Prices) List(ctx context.Context, actor models.Actor) (prices []models.ModelPrice, err error) {
	if _, err := s.gate.Authorize(ctx, actor, rbac.AIConfigRead); err != nil {
		return nil, err
	}
	err = s.runner.View(ctx, func(r *store.Reader) error {
		prices, err = r.ModelPrices(ctx)
		return err
	})
	return prices, err
}

// Add needs ai-config:update. Errors: Invalid, also for a start in the past; Conflict for a second price of a model
// with the same start.
func (s *Prices) Add(ctx context.Context, actor models.Actor, in PriceInput) (*models.ModelPrice, error) {
	if _, err := s.gate.Authorize(ctx, actor, rbac.AIConfigUpdate); err != nil {
		return nil, err
	}
	price, err := s.read(in)
	if err != nil {
		return nil, err
	}
	price.CreatedBy = actor.UserID
	return price, s.runner.InTx(ctx, func(tx *store.Tx) error {
		if err := tx.InsertModelPrice(ctx, price); err != nil {
			return err
		}
		return s.record(ctx, tx, actor, "ai-price:create", price)
	})
}

// read checks all fields at once.
func (s *Prices) read(in PriceInput) (*models.ModelPrice, error) {
	now := stored(s.now())
	p := &models.ModelPrice{
		ID: models.NewID(), Provider: in.Provider, Model: models.CleanLine(in.Model), Currency: cmp.Or(in.Currency, DefaultPriceCurrency),
		StartsAt: now, CreatedAt: now,
	}
	if in.StartsAt != nil {
		p.StartsAt = stored(*in.StartsAt)
	}
	var wrong []apperr.FieldError
	note := func(bad bool, path, message string) {
		if bad {
			wrong = append(wrong, apperr.FieldError{Path: path, Message: message})
		}
	}
	note(p.Provider != ProviderOpenAI && p.Provider != ProviderAnthropic, "provider", `The provider is "openai" or "anthropic".`)
	note(p.Model == "" || len([]rune(p.Model)) > maxModelName, "model", "Give the model's name as the provider writes it.")
	note(!models.KnownCurrency(p.Currency), "currency", "Give a currency code such as USD or HKD.")
	note(p.StartsAt.Before(now), "startsAt", "A price starts now or later: past costs do not change.")
	for _, f := range []struct {
		path, text string
		into       *int64
	}{
		{"input", in.Input, &p.InputE6},
		{"output", in.Output, &p.OutputE6},
		{"cached", cmp.Or(in.Cached, in.Input), &p.CachedE6},
	} {
		e6, err := models.ParseE6(f.text)
		if *f.into = e6; err != nil {
			note(true, f.path, "Give the price of a million tokens as a decimal, such as 2.50.")
		}
	}
	return p, apperr.InvalidFields(wrong)
}

// Delete removes a price that has not started yet. It needs ai-config:update; NotFound for any other.
func (s *Prices) Delete(ctx context.Context, actor models.Actor, id string) error {
	if _, err := s.gate.Authorize(ctx, actor, rbac.AIConfigUpdate); err != nil {
		return err
	}
	return s.runner.InTx(ctx, func(tx *store.Tx) error {
		price, err := tx.ModelPrice(ctx, id)
		if err != nil {
			return err
		}
		if err := tx.DeleteFuturePrice(ctx, id, s.now()); err != nil {
			return err
		}
		return s.record(ctx, tx, actor, "ai-price:delete", price)
	})
}

func (s *Prices) record(ctx context.Context, tx *store.Tx, actor models.Actor, action string, p *models.ModelPrice) error {
	return audit.Write(ctx, tx, actor, s.now(), audit.Entry{
		Action: action, Decision: models.DecisionAllowed, Target: models.Ref{Type: models.TypeModelPrice, ID: p.ID},
		Detail: map[string]any{
			"model": p.Provider + "/" + p.Model, "startsAt": p.StartsAt, "currency": p.Currency,
			"input": models.Cost{E6: p.InputE6}.Amount(), "output": models.Cost{E6: p.OutputE6}.Amount(), "cached": models.Cost{E6: p.CachedE6}.Amount(),
		},
	})
}

// stored is a time as databases keep it.
func stored(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }
