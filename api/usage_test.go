package api_test

import (
	"encoding/csv"
	"net/http"
	"strings"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"countersign/conversations"
	"countersign/internal/apitest"
	"countersign/models"
)

// spend makes a call in the name of an actor.
func spend(t *testing.T, s *apitest.Server, actor models.Actor, model string, prompt, completion int64) {
	t.Helper()
	started, err := s.Services.Conversations.Start(t.Context(), actor, conversations.Opening{NewID: models.NewID(), Message: "Hi", Channel: models.ViaWeb})
	require.NoError(t, err)
	open, err := s.Services.Ledger.Reserve(t.Context(), conversations.Intent{
		Turn: started.Turn, Channel: models.ViaWeb, Provider: "openai", Model: model, Round: 1, Attempt: 1,
	})
	require.NoError(t, err)
	open.Call.PromptTokens, open.Call.CompletionTokens = &prompt, &completion
	require.NoError(t, s.Services.Ledger.Settle(t.Context(), open))
}

func TestUsage(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		admin, sales := s.As(t, s.Admin), s.As(t, s.Sales1)
		admin.Post("/api/ai/prices", `{"provider":"openai","model":"m","input":"2.5","output":"10"}`).Want(http.StatusCreated)
		spend(t, s, s.Sales1, "m", 1000, 100)
		spend(t, s, s.Sales2, "m", 2000, 0)
		spend(t, s, s.Sales3, "other", 50, 0)

		all := admin.Get("/api/ai/usage?by=model").Want(http.StatusOK).JSON()
		require.Equal(t, "all", all["scope"])
		require.Equal(t, []any{"openai/m", "openai/other"}, []any{all.At("lines", 0, "key"), all.At("lines", 1, "key")})
		require.Equal(t, []any{map[string]any{"amount": "0.0085", "currency": "USD"}}, all.At("total", "costs"))
		require.EqualValues(t, 1, all.At("total", "unpriced"))
		require.Nil(t, all.At("lines", 1, "costs"), "an unknown cost is not zero")
		require.EqualValues(t, 3050, all.At("ever", "promptTokens"))
		require.EqualValues(t, 100, all.At("month", "completionTokens"))

		own := sales.Get("/api/ai/usage").Want(http.StatusOK).JSON()
		require.Equal(t, "own", own["scope"])
		require.EqualValues(t, 1000, own.At("total", "promptTokens"))
		require.Equal(t, false, own["costShown"])
		require.NotContains(t, sales.Get("/api/ai/usage").Text, "USD")
		require.NotContains(t, sales.Get("/api/ai/usage.csv").Text, "USD")
		team := s.As(t, s.Manager).Get("/api/ai/usage").Want(http.StatusOK).JSON()
		require.EqualValues(t, 3000, team.At("total", "promptTokens"))
		admin.Get("/api/ai/usage?from=2026-02-30").Want(http.StatusUnprocessableEntity)
		admin.Get("/api/ai/usage?by=mood").Want(http.StatusUnprocessableEntity)
	})
}

func TestUsageAsATable(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		exec(t, s, "UPDATE users SET name = '=HYPERLINK(1)' WHERE id = $1", s.Sales1.UserID)
		admin := s.As(t, s.Admin)
		admin.Post("/api/ai/prices", `{"provider":"openai","model":"m","input":"2.5","output":"10"}`).Want(http.StatusCreated)
		spend(t, s, s.Sales1, "m", 1000, 100)
		spend(t, s, s.Sales2, "m", 2000, 7)
		answer := admin.Get("/api/ai/usage.csv?by=user").Want(http.StatusOK)
		require.Equal(t, "text/csv; charset=utf-8", answer.Header.Get("Content-Type"))
		require.Contains(t, answer.Header.Get("Content-Disposition"), "usage-user-")
		text, marked := strings.CutPrefix(answer.Text, "\uFEFF")
		require.True(t, marked)
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		require.NoError(t, err)
		require.Len(t, rows, 3)
		require.Equal(t, "'=HYPERLINK(1)", rows[2][1], "no cell is a formula")
		require.Equal(t, "cost_USD", rows[0][11])
		total := admin.Get("/api/ai/usage?by=user").JSON()
		sum := func(column int) string {
			n := decimal.Zero
			for _, row := range rows[1:] {
				n = n.Add(decimal.RequireFromString(row[column]))
			}
			return n.String()
		}
		require.Equal(t, []string{"3000", "107", "0.00857"}, []string{sum(4), sum(5), sum(11)})
		require.EqualValues(t, 3000, total.At("total", "promptTokens"))
		require.EqualValues(t, 107, total.At("total", "completionTokens"))
		require.Equal(t, "0.00857", total.At("total", "costs", 0, "amount"))
	})
}

func TestPricesAndBudgets(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		admin := s.As(t, s.Admin)
		price := admin.Post("/api/ai/prices", `{"provider":"openai","model":"m","input":"2.5","output":"10","cached":"1.25","currency":"HKD"}`).Want(http.StatusCreated).JSON()
		require.Equal(t, []any{"2.50", "10.00", "1.25", "HKD"}, []any{price["input"], price["output"], price["cached"], price["currency"]})
		require.Equal(t, 1, total(admin.Get("/api/ai/prices").JSON()))
		admin.Do(http.MethodDelete, "/api/ai/prices/"+price.Text("id"), nil).Want(http.StatusNotFound)
		admin.Post("/api/ai/prices", `{"provider":"openai","model":"m","input":"x","output":"10"}`).Want(http.StatusUnprocessableEntity)

		spend(t, s, s.Sales1, "m", 1000, 100)
		budgets := admin.Do(http.MethodPut, "/api/ai/budgets", `{"scope":"role","subject":"sales","unit":"tokens","amount":"5000"}`).Want(http.StatusOK).JSON()
		require.Equal(t, "1100", budgets.At("items", 0, "used"))
		require.Equal(t, "5000", budgets.At("items", 0, "amount"))
		admin.Do(http.MethodDelete, "/api/ai/budgets/"+budgets.At("items", 0, "id").(string), nil).Want(http.StatusNoContent)
		require.Zero(t, total(admin.Get("/api/ai/budgets").JSON()))
	})
}

// TestUsageByTool tells of each tool how often it was called, how that ended and how long it took.
func TestUsageByTool(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		sales, admin := s.As(t, s.Sales1), s.As(t, s.Admin)
		sales.Say("/list_pipelines")
		sales.Say("/list_pipelines")
		sales.Say(winRenewal)
		sales.Say(`/get_deal deal="no such deal"`)
		s.As(t, s.Sales3).Say("/list_pipelines")

		usage := admin.With("Accept-Language", "zh-HK").Get("/api/ai/usage?by=tool").Want(http.StatusOK).JSON()
		line := func(tool string) apitest.Object {
			for _, line := range usage.At("lines").([]any) {
				if line := apitest.Object(line.(map[string]any)); line.Text("key") == tool {
					return line
				}
			}
			return nil
		}
		pipelines, deal, stage := line("list_pipelines"), line("get_deal"), line("update_deal_stage")
		require.Equal(t, []any{3.0, 0.0, 0.0}, []any{pipelines["calls"], pipelines["errors"], pipelines["proposals"]})
		require.Equal(t, []any{1.0, 1.0, 0.0}, []any{deal["calls"], deal["errors"], deal["proposals"]})
		require.Equal(t, []any{1.0, 0.0, 1.0}, []any{stage["calls"], stage["errors"], stage["proposals"]})
		require.Contains(t, stage, "averageMs")
		require.NotEqual(t, "list_pipelines", pipelines.Text("name"), "as the person knows it")
		require.Equal(t, pipelines["key"], usage.At("lines", 0, "key"), "the most used one first")
		require.Equal(t, []any{5.0, 1.0, 1.0}, []any{usage.At("total", "calls"), usage.At("total", "errors"), usage.At("total", "proposals")})
		require.Zero(t, usage.At("month", "calls"), "those are calls of models")

		own := sales.Get("/api/ai/usage?by=tool").Want(http.StatusOK).JSON()
		require.EqualValues(t, 4, own.At("total", "calls"))
		rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(admin.Get("/api/ai/usage.csv?by=tool").Want(http.StatusOK).Text, "\uFEFF"))).ReadAll()
		require.NoError(t, err)
		require.Equal(t, []string{"tool", "name", "calls", "errors", "proposals", "average_ms"}, rows[0])
		require.Len(t, rows, 4)
	})
}
