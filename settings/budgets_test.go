package settings_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/models"
	"countersign/settings"
)

func (s *system) prices() *settings.Prices { return settings.NewPrices(s.DB, s.Gate, s.Clock.Now) }

func (s *system) budgets() *settings.Budgets { return settings.NewBudgets(s.DB, s.Gate, s.Clock.Now) }

func price(input, output, cached string) settings.PriceInput {
	return settings.PriceInput{Provider: settings.ProviderOpenAI, Model: " gpt-x ", Input: input, Output: output, Cached: cached}
}

func TestPrices(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		now, next := s.Clock.Now(), s.Clock.Now().Add(time.Hour)
		first, err := s.prices().Add(t.Context(), s.Admin, price("2.5", "10", ""))
		require.NoError(t, err)
		require.Equal(t, models.ModelPrice{
			ID: first.ID, Provider: "openai", Model: "gpt-x", StartsAt: now, InputE6: 2_500_000, OutputE6: 10_000_000, CachedE6: 2_500_000,
			Currency: "USD", CreatedAt: now, CreatedBy: s.Admin.UserID,
		}, *first)
		require.Equal(t, "ai-price:create", s.last(t).Action)
		in := price("0.000001", "0", "0")
		in.StartsAt, in.Currency = &next, "HKD"
		second, err := s.prices().Add(t.Context(), s.Admin, in)
		require.NoError(t, err)
		_, err = s.prices().Add(t.Context(), s.Admin, in)
		require.True(t, apperr.Is(err, apperr.Conflict))
		list, err := s.prices().List(t.Context(), s.Admin)
		require.NoError(t, err)
		require.Equal(t, []models.ModelPrice{*second, *first}, list)

		require.True(t, apperr.Is(s.prices().Delete(t.Context(), s.Admin, first.ID), apperr.NotFound), "it has started")
		require.NoError(t, s.prices().Delete(t.Context(), s.Admin, second.ID))
		require.Equal(t, "ai-price:delete", s.last(t).Action)
	})
}

func TestPricesThatAreRefused(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		past := s.Clock.Now().Add(-time.Second)
		in := settings.PriceInput{Provider: "acme", Model: " ", Input: "-1", Output: "1,5", Cached: "0.0000001", Currency: "XYZ", StartsAt: &past}
		_, err := s.prices().Add(t.Context(), s.Admin, in)
		require.Equal(t, []string{"provider", "model", "currency", "startsAt", "input", "output", "cached"}, paths(err))
	})
}

func TestBudgets(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		for _, in := range []settings.BudgetInput{
			{Scope: models.BudgetInstallation, Unit: models.BudgetCost, Amount: "25.50"},
			{Scope: models.BudgetRole, Subject: "sales", Unit: models.BudgetTokens, Amount: "1000000"},
			{Scope: models.BudgetUser, Unit: models.BudgetTokens, Amount: "7"},
			{Scope: models.BudgetUser, Unit: models.BudgetTokens, Amount: "5000"},
			{Scope: models.BudgetUser, Subject: s.Sales1.UserID, Unit: models.BudgetCost, Amount: "1", Currency: "HKD"},
		} {
			require.NoError(t, s.budgets().Put(t.Context(), s.Admin, in))
			require.Equal(t, "ai-budget:update", s.last(t).Action)
		}
		list, err := s.budgets().List(t.Context(), s.Admin)
		require.NoError(t, err)
		require.Len(t, list, 4, "the same budget was replaced")
		require.Equal(t, int64(25_500_000), list[0].Amount)
		require.Equal(t, "USD", list[0].Currency)
		require.Zero(t, *list[0].Used)
		require.Equal(t, int64(5000), list[2].Amount)
		require.Nil(t, list[2].Used, "it is for each user alone")
		require.Equal(t, "Sam Sales", list[3].Name)
		require.NoError(t, s.budgets().Delete(t.Context(), s.Admin, list[3].ID))
		require.Equal(t, "ai-budget:delete", s.last(t).Action)
		require.True(t, apperr.Is(s.budgets().Delete(t.Context(), s.Admin, list[3].ID), apperr.NotFound))
	})
}

func TestBudgetsThatAreRefused(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		for _, c := range []struct {
			in   settings.BudgetInput
			path string
		}{
			{settings.BudgetInput{Scope: models.BudgetRole, Unit: models.BudgetTokens, Amount: "1"}, "subject"},
			{settings.BudgetInput{Scope: models.BudgetRole, Subject: "kings", Unit: models.BudgetTokens, Amount: "1"}, "subject"},
			{settings.BudgetInput{Scope: models.BudgetUser, Subject: models.NewID(), Unit: models.BudgetTokens, Amount: "1"}, "subject"},
			{settings.BudgetInput{Scope: models.BudgetInstallation, Subject: "sales", Unit: models.BudgetTokens, Amount: "1"}, "subject"},
			{settings.BudgetInput{Scope: models.BudgetInstallation, Unit: models.BudgetTokens, Amount: "0"}, "amount"},
			{settings.BudgetInput{Scope: models.BudgetInstallation, Unit: models.BudgetTokens, Amount: "1.5"}, "amount"},
			{settings.BudgetInput{Scope: models.BudgetInstallation, Unit: models.BudgetCost, Amount: "-1"}, "amount"},
			{settings.BudgetInput{Scope: models.BudgetInstallation, Unit: models.BudgetTokens, Amount: "1", Currency: "USD"}, "currency"},
			{settings.BudgetInput{Scope: models.BudgetInstallation, Unit: models.BudgetCost, Amount: "1", Currency: "XYZ"}, "currency"},
			{settings.BudgetInput{Scope: "team", Unit: models.BudgetTokens, Amount: "1"}, "scope"},
			{settings.BudgetInput{Scope: models.BudgetInstallation, Unit: "calls", Amount: "1"}, "unit"},
		} {
			err := s.budgets().Put(t.Context(), s.Admin, c.in)
			require.Equal(t, []string{c.path}, paths(err), "%+v", c.in)
		}
		require.Empty(t, s.entries(t), "nothing was written")
	})
}

// Every method of prices and budgets asks for its right.
func TestPricesAndBudgetsAreForAdministrators(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		prices, budgets := s.prices(), s.budgets()
		for name, call := range map[string]func(models.Actor) error{
			"ai-config:read prices":    func(a models.Actor) error { _, err := prices.List(t.Context(), a); return err },
			"ai-config:update add":     func(a models.Actor) error { _, err := prices.Add(t.Context(), a, price("1", "1", "")); return err },
			"ai-config:update delete":  func(a models.Actor) error { return prices.Delete(t.Context(), a, models.NewID()) },
			"ai-config:read budgets":   func(a models.Actor) error { _, err := budgets.List(t.Context(), a); return err },
			"ai-config:update put":     func(a models.Actor) error { return budgets.Put(t.Context(), a, settings.BudgetInput{}) },
			"ai-config:update removal": func(a models.Actor) error { return budgets.Delete(t.Context(), a, models.NewID()) },
		} {
			require.True(t, apperr.Is(call(models.Actor{}), apperr.Unauthenticated), name)
			for _, actor := range []models.Actor{s.Manager, s.Sales1, s.Viewer} {
				require.True(t, apperr.Is(call(actor), apperr.Forbidden), name)
			}
		}
	})
}
