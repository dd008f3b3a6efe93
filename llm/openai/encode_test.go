package openai_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/llm"
	"countersign/llm/llmtest"
)

// sent gives the request that reaches the endpoint.
func sent(t *testing.T, request llm.Request, change ...func(*llm.Options)) llmtest.Request {
	t.Helper()
	endpoint := llmtest.Script(llmtest.Say("Hi"))
	require.NoError(t, llmtest.Collect(t, newModel(llmtest.Start(t, endpoint), change...), request).Err)
	return endpoint.Requests()[0]
}

func TestRequest(t *testing.T) {
	t.Parallel()
	temperature := 0.2
	request := llm.Request{
		System: "Be brief.", MaxTokens: 900, Temperature: &temperature, ToolChoice: llm.ToolsForbidden,
		Tools: []llm.Tool{{Name: "find", Description: "Finds.", Schema: json.RawMessage(`{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]}`)}},
		Messages: []llm.Message{
			{Role: llm.RoleUser, Text: "Find Ada"},
			{
				Role: llm.RoleAssistant, Replay: json.RawMessage(`{"reasoning_content":"Look."}`),
				Calls: []llm.ToolCall{{ID: "a", Name: "find", Arguments: `{"q":"Ada"}`, Replay: json.RawMessage(`{"extra_content":{"google":{"thought_signature":"c2ln"}}}`)}},
			},
			{Role: llm.RoleTool, CallID: "a", Text: "Ada Park"},
			{Role: llm.RoleAssistant, Text: "Here she is."},
			{Role: llm.RoleUser, Text: "多謝"},
		},
	}
	got := sent(t, request)
	require.Equal(t, "/v1/chat/completions", got.Path)
	require.Equal(t, "text/event-stream", got.Header.Get("Accept"))
	require.JSONEq(t, `{
		"model": "test-model", "stream": true, "stream_options": {"include_usage": true},
		"max_tokens": 900, "temperature": 0.2, "tool_choice": "none",
		"tools": [{"type": "function", "function": {"name": "find", "description": "Finds.",
			"parameters": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}}}],
		"messages": [
			{"role": "system", "content": "Be brief."},
			{"role": "user", "content": "Find Ada"},
			{"role": "assistant", "reasoning_content": "Look.", "tool_calls": [{"id": "a", "type": "function",
				"function": {"name": "find", "arguments": "{\"q\":\"Ada\"}"},
				"extra_content": {"google": {"thought_signature": "c2ln"}}}]},
			{"role": "tool", "tool_call_id": "a", "content": "Ada Park"},
			{"role": "assistant", "content": "Here she is."},
			{"role": "user", "content": "多謝"}
		]}`, string(got.Raw))
}

func TestPlainRequest(t *testing.T) {
	t.Parallel()
	request := llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Text: "Hi"}}, ToolChoice: llm.ToolsForbidden}
	got := sent(t, request, func(o *llm.Options) { o.BaseURL += "/?api-version=preview&x=1" })
	require.JSONEq(t, `{"model": "test-model", "stream": true, "stream_options": {"include_usage": true},
		"messages": [{"role": "user", "content": "Hi"}]}`, string(got.Raw), "nothing that was not asked for")
	require.Equal(t, "/v1/chat/completions?api-version=preview&x=1", got.Path, "the query of the address stays")
}

// TestReplayRoundTrip: what an answer hands out for replay is what the next request carries.
func TestReplayRoundTrip(t *testing.T) {
	t.Parallel()
	first := play(t, events(
		delta(`"reasoning":"Look.","reasoning_details":[{"type":"reasoning.text","text":"Look."}]`),
		calls(`{"index":0,"id":"a","function":{"name":"find","arguments":"{}"},"extra_content":{"sig":"x"}}`), finish("tool_calls"),
	))
	require.NotNil(t, first.Done)
	got := sent(t, llm.Request{Messages: []llm.Message{{Role: llm.RoleAssistant, Calls: first.Calls, Replay: first.Done.Replay}}})
	var body struct {
		Messages []json.RawMessage `json:"messages"`
	}
	require.NoError(t, json.Unmarshal(got.Raw, &body))
	require.JSONEq(t, `{"role":"assistant","reasoning":"Look.","reasoning_details":[{"type":"reasoning.text","text":"Look."}],
		"tool_calls":[{"id":"a","type":"function","function":{"name":"find","arguments":"{}"},"extra_content":{"sig":"x"}}]}`, string(body.Messages[0]))
}

func TestCallIDs(t *testing.T) {
	t.Parallel()
	long := "a123456789a123456789a123456789a123456789a123456789a123456789a123456789"
	o := play(t, events(calls(
		`{"index":0,"id":"functions.find:0","function":{"name":"find","arguments":"{}"}}`, `{"index":1,"id":"functions.find:0","function":{"name":"find"}}`,
		`{"index":2,"id":"","function":{"name":"find"}}`, `{"index":3,"id":"`+long+`","function":{"name":"find"}}`,
	), finish("tool_calls")))
	require.Len(t, o.Calls, 4)
	require.Equal(t, "functions.find:0", o.Calls[0].ID, "a usable id stays the provider's")
	for _, call := range o.Calls[1:] {
		require.Regexp(t, `^[A-Z0-9]{9}$`, call.ID)
	}
}

func TestUnreadableReplayOfACall(t *testing.T) {
	t.Parallel()
	request := llm.Request{Messages: []llm.Message{{Role: llm.RoleAssistant, Calls: []llm.ToolCall{{Replay: json.RawMessage(`7`)}}}}}
	require.Error(t, llmtest.Collect(t, newModel("http://127.0.0.1:1/v1"), request).Err)
}
