package anthropic_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/llm"
	"countersign/llm/anthropic"
	"countersign/llm/llmtest"
)

func TestModels(t *testing.T) {
	t.Parallel()
	var asked string
	base := llmtest.Start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.RequestURI() + " " + r.Header.Get("X-Api-Key") + " " + r.Header.Get("Anthropic-Version")
		_, _ = w.Write([]byte(`{"data":[{"id":"claude-b","type":"model"},{"id":"claude-a"}],"has_more":false}`))
	}))
	endpoint, err := anthropic.NormalizeEndpoint(base + "?tenant=1")
	require.NoError(t, err)
	model := anthropic.New(anthropic.Options{BaseURL: endpoint.URL, Key: "sk-ant-test", Model: "x", Client: llm.NewHTTPClient(nil)})
	names, err := model.Models(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"claude-b", "claude-a"}, names)
	require.Equal(t, "/v1/models?limit=1000&tenant=1 sk-ant-test 2023-06-01", asked)
}
