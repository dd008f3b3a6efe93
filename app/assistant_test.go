package app_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/config"
	"countersign/llm/llmtest"
)

// TestPrivateEndpointsOnlyWhenAllowed: the whole product tests a connection to this machine, or never dials it.
func TestPrivateEndpointsOnlyWhenAllowed(t *testing.T) {
	t.Parallel()
	endpoint := llmtest.Script(llmtest.Say("OK").Costs(9, 1), llmtest.CallTool("connection_test", "{}"), llmtest.Say("It works."))
	url := llmtest.Start(t, endpoint)
	test := func(allowed bool) (int, string) {
		server := serve(t, config.Config{Addr: "127.0.0.1:0", DataDir: t.TempDir(), Demo: true, AllowPrivateEndpoints: allowed})
		defer func() { require.NoError(t, server.stop()) }()
		server.signIn(t, "admin")
		// Without its path, as people paste it: the version is added.
		body := `{"provider":"openai","endpointUrl":"` + strings.TrimSuffix(url, "/v1") + `","model":"m","apiKey":"sk-typed"}`
		return server.do(t, http.MethodPost, "/api/ai/config/test", body)
	}
	status, answer := test(false)
	require.Equal(t, http.StatusUnprocessableEntity, status)
	require.Contains(t, answer, "COUNTERSIGN_ALLOW_PRIVATE_ENDPOINTS")
	require.Empty(t, endpoint.Requests())

	status, answer = test(true)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, 7, strings.Count(answer, `"status":"ok"`), answer)
}
