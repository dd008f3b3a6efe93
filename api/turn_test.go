package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/apitest"
)

func TestTurns(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		admin := s.As(t, s.Admin)
		admin.Post("/api/ai/prices", `{"provider":"openai","model":"m","input":"2.5","output":"10"}`).Want(http.StatusCreated)
		spend(t, s, s.Sales1, "m", 1000, 100)
		spend(t, s, s.Sales2, "other", 10, 1)

		list := admin.Get("/api/turns?model=openai/m").Want(http.StatusOK)
		require.Equal(t, 1, total(list.JSON()))
		line := list.JSON().Items()[0]
		require.Equal(t, []any{s.Sales1.UserID, "running", "openai/m"}, []any{line["userId"], line["status"], line["model"]})
		require.Equal(t, []any{map[string]any{"amount": "0.0035", "currency": "USD"}}, line["costs"])
		require.NotContains(t, list.Text, `"message"`, "the list tells nothing of what was said")
		require.Equal(t, 2, total(admin.Get("/api/turns?status=running").JSON()))
		require.Zero(t, total(admin.Get("/api/turns?userId="+s.Viewer.UserID).JSON()))
		admin.Get("/api/turns?status=odd").Want(http.StatusUnprocessableEntity)

		path := "/api/turns/" + line["id"].(string)
		turn := admin.Get(path).Want(http.StatusOK).JSON()
		require.Equal(t, "Hi", turn["message"])
		require.EqualValues(t, 1000, turn.At("modelCalls", 0, "promptTokens"))
		require.Equal(t, "0.0035", turn.At("modelCalls", 0, "cost", "amount"))
		require.Nil(t, turn.At("modelCalls", 0, "request"), "nothing was kept of it")
		require.Equal(t, 1, total(admin.Get("/api/audit?action=turn:inspect").JSON()))

		for _, client := range []*apitest.Client{s.As(t, s.Sales1), s.As(t, s.Manager)} {
			require.Equal(t, "audit:read", client.Get(path).Refused(http.StatusForbidden, "FORBIDDEN")["permission"])
			client.Get("/api/turns").Refused(http.StatusForbidden, "FORBIDDEN")
		}
	})
}
