package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/apitest"
	"countersign/llm/llmtest"
)

// TestAIStatus: everybody who uses the assistant reads whether its model answers, and nothing of where it is.
func TestAIStatus(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		sales := s.As(t, s.Sales1)
		require.Equal(t, apitest.Object{"state": "none"}, sales.Get("/api/ai/status").Want(200).JSON())

		refused := llmtest.Refuse(http.StatusUnauthorized, `{"error":{"message":"secret words","type":"x"}}`)
		endpoint := llmtest.NewEndpoint(refused, refused)
		s.As(t, s.Admin).Do(http.MethodPut, "/api/ai/config", trial(llmtest.Start(t, endpoint), canaryKey)).Want(200)
		require.Equal(t, apitest.Object{"state": "ready"}, sales.Get("/api/ai/status").Want(200).JSON())

		sales.Post("/api/chat", map[string]any{"message": "How is Acme?"}).Want(200).Events()
		down := sales.Get("/api/ai/status").Want(200).JSON()
		require.Equal(t, "MODEL_UNAUTHORIZED", down["code"])
		require.Len(t, down, 4, "no word more than state, code, since and checkAfterSeconds: %v", down)

		searched := sales.Post("/api/chat", map[string]any{"message": "Acme", "search": true}).Want(200).Events()
		require.Equal(t, "MODEL_DOWN", searched[1].Data.Text("code"))
	})
}
