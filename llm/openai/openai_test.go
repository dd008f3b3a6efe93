package openai_test

import (
	"encoding/json"
	"strings"
	"testing"

	"countersign/llm/llmtest"
	"countersign/llm/openai"
)

// newModel makes a model at an endpoint of llmtest.
func newModel(base string, change ...func(*openai.Options)) *openai.Model {
	return openai.New(llmtest.Options(base, change...))
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
