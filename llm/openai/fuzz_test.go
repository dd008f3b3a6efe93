package openai_test

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
	"countersign/llm/openai"
)

// canned is a connection that answers with a body.
type canned string

func (c canned) RoundTrip(req *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, req.Body)
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(c))), Request: req}, nil
}

// FuzzAnswer holds for every body: it ends in Done or in a failure with a kind, arguments are objects, ids are
// unique, and no call may run unless the body says that the message was finished.
func FuzzAnswer(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("..", "testdata", "streams", "*.sse"))
	require.NoError(f, err)
	for _, file := range files {
		if body, err := os.ReadFile(file); err == nil && len(body) < 4096 {
			f.Add(string(body))
		}
	}
	f.Fuzz(func(t *testing.T, body string) {
		model := newModel("http://model.test/v1", func(o *openai.Options) { o.Client = &http.Client{Transport: canned(body)} })
		o := stream(t, model, offer())
		require.NotEqual(t, o.done == nil, o.err == nil)
		finished := strings.Contains(body, "finish_reason") || strings.Contains(body, "[DONE]") || strings.HasPrefix(strings.TrimSpace(body), "{")
		for _, call := range o.calls {
			var object map[string]any
			require.NoError(t, json.Unmarshal([]byte(call.Arguments), &object))
			require.True(t, finished)
		}
		if o.done == nil {
			require.NotEmpty(t, o.failure(t).Kind)
			require.Empty(t, o.calls)
		} else {
			require.NotEqual(t, llm.Finish(""), o.done.Finish)
		}
	})
}
