package llm_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/llm"
	"countersign/llm/llmtest"
)

// canned is a connection that answers with a body.
type canned string

func (c canned) RoundTrip(req *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, req.Body)
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(c))), Request: req}, nil
}

// FuzzOpenAIAnswer and FuzzAnthropicAnswer hold for every body: it ends in Done or in a failure with a kind,
// arguments are objects, ids are unique, and no call may run unless the body says that the message was finished.
func FuzzOpenAIAnswer(f *testing.F) {
	fuzzAnswer(f, dialects[0], "finish_reason", "[DONE]")
}

func FuzzAnthropicAnswer(f *testing.F) {
	fuzzAnswer(f, dialects[1], "stop_reason")
}

func fuzzAnswer(f *testing.F, d dialect, ends ...string) {
	f.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "streams", "*.sse"))
	require.NoError(f, err)
	for _, file := range files {
		if body, err := os.ReadFile(file); err == nil && len(body) < 4096 {
			f.Add(string(body))
		}
	}
	f.Fuzz(func(t *testing.T, body string) {
		model := d.model(t, "http://model.test/v1", func(o *llm.Options) { o.Client = &http.Client{Transport: canned(body)} })
		o := llmtest.Collect(t, model, llmtest.Offer())
		require.NotEqual(t, o.Done == nil, o.Err == nil)
		finished := strings.HasPrefix(strings.TrimSpace(body), "{")
		for _, end := range ends {
			finished = finished || strings.Contains(body, end)
		}
		for _, call := range o.Calls {
			var object map[string]any
			require.NoError(t, json.Unmarshal([]byte(call.Arguments), &object))
			require.True(t, finished)
		}
		if o.Done == nil {
			require.NotEmpty(t, o.Failure(t).Kind)
			require.Empty(t, o.Calls)
		} else {
			require.NotEqual(t, llm.Finish(""), o.Done.Finish)
		}
	})
}
