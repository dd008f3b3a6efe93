package api_test

import (
	"encoding/csv"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/apitest"
)

func TestOutcomesAsReportAndTable(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		sales, admin := s.As(t, s.Sales1), s.As(t, s.Admin)
		declined := sales.Propose(winRenewal)
		sales.Post(cancelPath(declined), `{"reason":"Not yet."}`).Want(http.StatusOK)
		sales.Post(cancelPath(sales.Propose(winRenewal)), `{}`).Want(http.StatusOK)
		accepted := sales.Propose(winRenewal)
		sales.Post(confirmPath(accepted), confirmation(accepted)).Want(http.StatusOK)

		report := admin.With("Accept-Language", "zh-HK").Get("/api/ai/usage/outcomes").Want(http.StatusOK).JSON()
		require.Equal(t, []any{"tool", "all", "update_deal_stage"}, []any{report["by"], report["scope"], report.At("lines", 0, "key")})
		require.NotEqual(t, "update_deal_stage", report.At("lines", 0, "name"), "as the person knows it")
		total := func(name string) any { return report.At("total", name) }
		require.Equal(t, []any{3.0, 3.0, 1.0, 2.0, 1.0}, []any{total("made"), total("decided"), total("executed"), total("cancelled"), total("explained")})
		require.InDelta(t, 1.0/3, total("acceptRate"), 1e-9)
		require.InDelta(t, 2.0/3, total("rejectRate"), 1e-9)
		require.Equal(t, []any{0.0, 0.0}, []any{total("editRate"), total("staleRate")})

		require.Empty(t, s.As(t, s.Sales3).Get("/api/ai/usage/outcomes").Want(http.StatusOK).JSON().At("lines"))
		admin.Get("/api/ai/usage/outcomes?by=mood").Want(http.StatusUnprocessableEntity)
		admin.Get("/api/ai/usage/outcomes.csv?to=2026-02-30").Want(http.StatusUnprocessableEntity)

		answer := admin.Get("/api/ai/usage/outcomes.csv?by=channel").Want(http.StatusOK)
		require.Contains(t, answer.Header.Get("Content-Disposition"), "proposals-channel-")
		rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(answer.Text, "\uFEFF"))).ReadAll()
		require.NoError(t, err)
		require.Len(t, rows, 2)
		require.Equal(t, []string{"channel", "name", "made"}, rows[0][:3])
		require.Equal(t, []string{"web", "web", "3", "0", "3", "1", "0", "0", "2", "1", "0", "0", "0", "0", "0.3333", "0.0000", "0.6667", "0.0000"}, rows[1][:18])
		require.Equal(t, []string{"accept_rate", "edit_rate", "reject_rate", "stale_rate"}, rows[0][14:18])
	})
}
