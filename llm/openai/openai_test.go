package openai_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"countersign/llm"
	"countersign/llm/llmtest"
	"countersign/llm/openai"
)

// newModel makes a model at an endpoint, with an idle time that a test can wait for.
func newModel(baseURL string, change ...func(*openai.Options)) *openai.Model {
	o := openai.Options{BaseURL: baseURL, Model: "test-model", Client: llm.NewHTTPClient(nil), Limits: llm.DefaultLimits()}
	o.Limits.Idle, o.Limits.Tail = 2*time.Second, 100*time.Millisecond
	for _, c := range change {
		c(&o)
	}
	return openai.New(o)
}

// play streams one reply.
func play(t *testing.T, reply llmtest.Reply) *llmtest.Outcome {
	t.Helper()
	return llmtest.Collect(t, newModel(llmtest.Start(t, llmtest.NewEndpoint(reply))), llmtest.Offer())
}

// events makes a reply of payloads, each an event of its own.
func events(payloads ...string) llmtest.Reply {
	return llmtest.Reply{Chunks: [][]byte{[]byte("data: " + strings.Join(payloads, "\n\ndata: ") + "\n\n")}}
}

// delta is a chunk with this delta.
func delta(fields string) string { return `{"choices":[{"index":0,"delta":{` + fields + `}}]}` }

// said is a chunk with this text.
func said(text string) string {
	content, _ := json.Marshal(text) //nolint:errchkjson // a text always encodes
	return delta(`"content":` + string(content))
}

// calls is a chunk with these fragments of calls.
func calls(fragments ...string) string {
	return delta(`"tool_calls":[` + strings.Join(fragments, ",") + `]`)
}

// finish is a chunk with this finish reason.
func finish(reason string) string {
	return `{"choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}`
}

const doneMark = "[DONE]"
