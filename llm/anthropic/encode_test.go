package anthropic_test

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
		Tools: []llm.Tool{
			{Name: "list", Schema: json.RawMessage(`{"type":"object"}`)},
			{Name: "find", Description: "Finds.", Schema: json.RawMessage(`{"type":"object","properties":{"q":{"type":"string","enum":["<a>"]}},"required":["q"]}`)},
		},
		Messages: []llm.Message{
			{Role: llm.RoleUser, Text: "Find Ada"},
			{Role: llm.RoleUser, Text: "and Bo"},
			{
				Role: llm.RoleAssistant, Text: "Looking.", Replay: json.RawMessage(`{"thinking":[{"type":"thinking","thinking":"Hm","signature":"x"}]}`),
				Calls: []llm.ToolCall{{ID: "a", Name: "find", Arguments: `{"q":"Ada"}`}, {ID: "b", Name: "list", Arguments: ""}},
			},
			{Role: llm.RoleTool, CallID: "a", Text: "Ada Park"},
			{Role: llm.RoleTool, CallID: "b", Text: ""},
			{Role: llm.RoleUser, Text: "Now answer."},
			{Role: llm.RoleAssistant, Text: " \n"},
			{Role: llm.RoleUser, Text: "多謝"},
		},
	}
	got := sent(t, request)
	require.Equal(t, "/v1/messages", got.Path)
	require.Equal(t, "text/event-stream", got.Header.Get("Accept"))
	require.Equal(t, "2023-06-01", got.Header.Get("Anthropic-Version"))
	require.JSONEq(t, `{
		"model": "test-model", "stream": true, "max_tokens": 900, "temperature": 0.2, "tool_choice": {"type": "none"},
		"system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
		"tools": [
			{"name": "list", "input_schema": {"type": "object"}},
			{"name": "find", "description": "Finds.", "cache_control": {"type": "ephemeral"},
				"input_schema": {"type": "object", "properties": {"q": {"type": "string", "enum": ["<a>"]}}, "required": ["q"]}}],
		"messages": [
			{"role": "user", "content": [{"type": "text", "text": "Find Ada"}, {"type": "text", "text": "and Bo"}]},
			{"role": "assistant", "content": [
				{"type": "text", "text": "Looking."},
				{"type": "tool_use", "id": "a", "name": "find", "input": {"q": "Ada"}},
				{"type": "tool_use", "id": "b", "name": "list", "input": {}},
				{"type": "thinking", "thinking": "Hm", "signature": "x"}]},
			{"role": "user", "content": [
				{"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "Ada Park"}]},
				{"type": "tool_result", "tool_use_id": "b"},
				{"type": "text", "text": "Now answer."}, {"type": "text", "text": "多謝"}]}
		]}`, string(got.Raw))
}

func TestPlainRequest(t *testing.T) {
	t.Parallel()
	request := llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Text: "Hi"}}, ToolChoice: llm.ToolsForbidden}
	got := sent(t, request, func(o *llm.Options) { o.BaseURL += "/?api-version=preview&x=1" })
	require.JSONEq(t, `{"model": "test-model", "stream": true, "max_tokens": 4096,
		"messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}]}`, string(got.Raw), "nothing that was not asked for")
	require.Equal(t, "/v1/messages?api-version=preview&x=1", got.Path, "the query of the address stays")
	got = sent(t, request, func(o *llm.Options) { o.BaseURL += "/anthropic" })
	require.Equal(t, "/anthropic/v1/messages", got.Path)
}

func TestResultsStandFirst(t *testing.T) {
	t.Parallel()
	got := sent(t, llm.Request{Messages: []llm.Message{
		{Role: llm.RoleUser, Text: "Hi"},
		{Role: llm.RoleAssistant, Calls: []llm.ToolCall{{ID: "a", Name: "find", Arguments: "{}"}, {ID: "b", Name: "find", Arguments: "{}"}}},
		{Role: llm.RoleUser, Text: "Quick!"},
		{Role: llm.RoleTool, CallID: "a", Text: "1"},
		{Role: llm.RoleTool, CallID: "b", Text: "2"},
	}})
	var roles []string
	for _, message := range got.Messages {
		roles = append(roles, message.Role+" "+message.ToolCallID)
	}
	require.Equal(t, []string{"user ", "assistant ", "tool a", "tool b", "user "}, roles)
}

// TestHistoryWithoutTools: calls in the history need tools in the request, and none of them may be called.
func TestHistoryWithoutTools(t *testing.T) {
	t.Parallel()
	got := sent(t, llm.Request{Messages: []llm.Message{
		{Role: llm.RoleUser, Text: "Hi"},
		{Role: llm.RoleAssistant, Calls: []llm.ToolCall{{ID: "a", Name: "find", Arguments: "{}"}, {ID: "b", Name: "find", Arguments: "{}"}}},
		{Role: llm.RoleTool, CallID: "a", Text: "1"},
		{Role: llm.RoleTool, CallID: "b", Text: "2"},
	}})
	require.Equal(t, []string{"find"}, got.Offers())
	require.Equal(t, "none", got.ToolChoice)
}

// TestForeignHistory: calls that another provider made keep their results, in ids that this dialect takes.
func TestForeignHistory(t *testing.T) {
	t.Parallel()
	turn := func(id, arguments string) []llm.Message {
		return []llm.Message{
			{Role: llm.RoleUser, Text: "Hi"},
			{Role: llm.RoleAssistant, Replay: json.RawMessage(`{"reasoning_content":"Hm"}`), Calls: []llm.ToolCall{{ID: id, Name: "find", Arguments: arguments}}},
			{Role: llm.RoleTool, CallID: id, Text: "found"},
		}
	}
	var messages []llm.Message
	for _, id := range []string{"functions.find:0", "functions.find:0", "call_1", "call_1", ""} {
		messages = append(messages, turn(id, `{"q":1}`)...)
	}
	messages = append(messages, turn("broken", `{"q":`)...)
	got := sent(t, llm.Request{Messages: messages})
	seen := map[string]bool{}
	for i, message := range got.Messages {
		for _, call := range message.ToolCalls {
			require.Regexp(t, `^[a-zA-Z0-9_-]{1,64}$`, call.ID)
			require.False(t, seen[call.ID], "ids are unique")
			seen[call.ID] = true
			require.Equal(t, call.ID, got.Messages[i+1].ToolCallID)
			require.True(t, json.Valid([]byte(call.Function.Arguments)))
		}
	}
	require.True(t, seen["call_1"], "a usable id stays")
	require.Len(t, seen, 6)
	require.NotContains(t, string(got.Raw), "reasoning_content")
	require.Equal(t, got.Raw, sent(t, llm.Request{Messages: messages}).Raw, "the same in every request, for the cache")
}
