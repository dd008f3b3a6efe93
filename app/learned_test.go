package app_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/config"
	"countersign/llm/llmtest"
)

// What an endpoint teaches of its requests is taken up at once, counts for all later turns, and is forgotten with the
// model that it was learned of.
func TestAnEndpointTeachesItsRequests(t *testing.T) {
	t.Parallel()
	refusal := llmtest.Refuse(http.StatusBadRequest, `{"error":{"message":"Unsupported parameter: 'stream_options'","param":"stream_options","type":"invalid_request_error"}}`)
	endpoint := llmtest.NewEndpoint(refusal)
	for range 3 {
		endpoint.Add(llmtest.Say("Well.").Reply())
	}
	base := llmtest.Start(t, endpoint)
	r := serve(t, config.Config{Addr: "127.0.0.1:0", DataDir: t.TempDir(), Demo: true, AllowPrivateEndpoints: true})
	t.Cleanup(func() { require.NoError(t, r.stop()) })
	r.signIn(t, "admin")
	use := func(model string) string {
		status, answer := r.do(t, http.MethodPut, "/api/ai/config", `{"provider":"openai","endpointUrl":"`+strings.TrimSuffix(base, "/v1")+`","model":"`+model+`"}`)
		require.Equal(t, http.StatusOK, status, answer)
		return answer
	}
	saved := use("first")
	require.Contains(t, saved, `"endpointUrl":"`+base+`"`)
	require.Contains(t, saved, `"endpointHint":"added_version"`, "what was changed of the address is told")

	ask := func() {
		status, answer := r.do(t, http.MethodPost, "/api/chat", `{"message":"What is new in the pipeline?"}`)
		require.Equal(t, http.StatusOK, status)
		require.Contains(t, answer, "Well.")
		require.NotContains(t, answer, "event: notice", "nobody waits for it")
	}
	started := time.Now()
	ask()
	require.Less(t, time.Since(started), 2*time.Second, "the first wait of a retry")
	ask()
	use("second")
	ask()

	told := []bool{}
	for _, request := range endpoint.Requests() {
		told = append(told, strings.Contains(string(request.Raw), "stream_options"))
	}
	require.Equal(t, []bool{true, false, false, true}, told)
	_, record := r.do(t, http.MethodGet, "/api/audit?action=ai-config:learn", "")
	require.Contains(t, record, "stream_options")
}
