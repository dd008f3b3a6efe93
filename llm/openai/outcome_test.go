package openai_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/llm"
	"countersign/llm/llmtest"
	"countersign/llm/openai"
)

// key is searched for in everything that comes out.
const key = "sk-test-canary-0123456789"

// newModel makes a model at an endpoint, with an idle time that a test can wait for.
func newModel(baseURL string, change ...func(*openai.Options)) *openai.Model {
	o := openai.Options{BaseURL: baseURL, Key: key, Model: "test-model", Client: llm.NewHTTPClient(nil), Limits: llm.DefaultLimits()}
	o.Limits.Idle, o.Limits.Tail = 2*time.Second, 100*time.Millisecond
	for _, c := range change {
		c(&o)
	}
	return openai.New(o)
}

// offer is a request that offers three tools.
func offer() llm.Request {
	schema := json.RawMessage(`{"type":"object","properties":{}}`)
	return llm.Request{
		Messages: []llm.Message{{Role: llm.RoleUser, Text: "Hi"}},
		Tools:    []llm.Tool{{Name: "find", Schema: schema}, {Name: "list", Schema: schema}, {Name: "note", Schema: schema}},
	}
}

// play streams one reply.
func play(t *testing.T, reply llmtest.Reply) *outcome {
	t.Helper()
	return stream(t, newModel(llmtest.Start(t, llmtest.NewEndpoint(reply))), offer())
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

// outcome is everything that came out of a stream.
type outcome struct {
	text  strings.Builder
	calls []llm.ToolCall
	usage *llm.Usage
	done  *llm.Done
	err   error
}

func (o *outcome) take(t *testing.T, event llm.Event, err error) {
	require.Nil(t, o.done, "nothing comes after Done")
	require.NoError(t, o.err, "nothing comes after a failure")
	o.err = err
	switch event := event.(type) {
	case llm.TextDelta:
		o.text.WriteString(event.Text)
	case llm.TextReset:
		o.text.Reset()
	case llm.ToolCall:
		require.True(t, json.Valid([]byte(event.Arguments)))
		require.False(t, slices.ContainsFunc(o.calls, func(c llm.ToolCall) bool { return c.ID == event.ID }), "ids are unique")
		o.calls = append(o.calls, event)
	case llm.Usage:
		require.Nil(t, o.usage, "usage comes once")
		o.usage = &event
	case llm.Done:
		o.done = &event
	}
}

func stream(t *testing.T, model llm.Model, request llm.Request) *outcome {
	t.Helper()
	o := &outcome{}
	for event, err := range model.Stream(t.Context(), request) {
		o.take(t, event, err)
	}
	return o
}

// failure is the error that ended the stream.
func (o *outcome) failure(t *testing.T) *llm.Error {
	t.Helper()
	var failure *llm.Error
	require.ErrorAs(t, o.err, &failure)
	require.Nil(t, o.done)
	return failure
}

// brief is the outcome in one line: the text, each call as name(arguments) with what is wrong, and the end.
func (o *outcome) brief() string {
	parts := []string{}
	if o.text.Len() > 0 {
		parts = append(parts, o.text.String())
	}
	for _, call := range o.calls {
		line := call.Name + "(" + call.Arguments + ")"
		if call.Repaired {
			line += " repaired"
		}
		if call.Invalid != "" {
			line += " " + string(call.Invalid)
		}
		parts = append(parts, line)
	}
	var failure *llm.Error
	switch {
	case o.done != nil:
		parts = append(parts, string(o.done.Finish))
	case errors.As(o.err, &failure):
		parts = append(parts, "ERROR "+strings.TrimSuffix(string(failure.Kind)+"/"+failure.Code, "/"))
	}
	return strings.Join(parts, " | ")
}
