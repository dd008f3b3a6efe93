package llm_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/llm"
	"countersign/llm/llmtest"
)

func TestAdaptationsAddUp(t *testing.T) {
	t.Parallel()
	var learned llm.Adaptation
	add := func(a llm.Adaptation) bool {
		sum, changed := learned.With(a)
		learned = sum
		return changed
	}
	require.True(t, add(llm.Adaptation{Drop: []string{"temperature"}}))
	require.False(t, add(llm.Adaptation{Drop: []string{"temperature"}}), "what was learned is not learned again")
	require.True(t, add(llm.Adaptation{Rename: map[string]string{"max_tokens": "max_completion_tokens"}}))
	require.Equal(t, "max_completion_tokens", learned.Name("max_tokens"))
	require.True(t, add(llm.Adaptation{Rename: map[string]string{"max_completion_tokens": "max_tokens"}}), "the later one goes before")
	require.Equal(t, []string{"max_tokens", "max_tokens"}, []string{learned.Name("max_tokens"), learned.Name("max_completion_tokens")})
	require.True(t, add(llm.Adaptation{Set: map[string]any{"system_role": "user"}}))

	stored, err := json.Marshal(learned)
	require.NoError(t, err)
	var again llm.Adaptation
	require.NoError(t, json.Unmarshal(stored, &again))
	require.Equal(t, learned, again)
	require.False(t, learned.Drops("tools"))
}

// What was learned of an endpoint shapes every request to it.
func TestLearnedRequests(t *testing.T) {
	t.Parallel()
	temperature := 0.5
	request := llm.Request{
		System: "Be brief.", MaxTokens: 50, Temperature: &temperature,
		Tools: []llm.Tool{{Name: "find", Schema: json.RawMessage(`{"type":"object"}`)}},
		Messages: []llm.Message{
			{Role: llm.RoleUser, Text: "Hi"},
			{Role: llm.RoleAssistant, Calls: []llm.ToolCall{{ID: "call_of_another_provider", Name: "find", Arguments: "{}"}}},
			{Role: llm.RoleTool, CallID: "call_of_another_provider", Text: "Ada"},
		},
	}
	eachDialect(t, func(t *testing.T, d dialect) {
		endpoint := llmtest.Script(llmtest.Say("Hi"), llmtest.Say("Hi"), llmtest.Say("Hi"))
		base := llmtest.Start(t, endpoint)
		send := func(learned llm.Adaptation) map[string]any {
			require.NoError(t, llmtest.Collect(t, d.model(t, base, func(o *llm.Options) { o.Learned = learned }), request).Err)
			requests := endpoint.Requests()
			var body map[string]any
			require.NoError(t, json.Unmarshal(requests[len(requests)-1].Raw, &body))
			return body
		}
		require.Contains(t, send(llm.Adaptation{}), "temperature")
		body := send(llm.Adaptation{
			Drop:   []string{"temperature", "cache_control"},
			Rename: map[string]string{"max_tokens": "max_completion_tokens"},
			Set:    map[string]any{"system_role": "user", "tool_call_ids": "alnum9", "strip_thinking": true},
		})
		require.NotContains(t, body, "temperature")
		text, err := json.Marshal(body)
		require.NoError(t, err)
		require.NotContains(t, string(text), "cache_control")
		bounded := send(llm.Adaptation{Drop: []string{"max_tokens"}})
		if d.name == "anthropic" {
			require.EqualValues(t, 4096, bounded["max_tokens"], "the dialect demands a bound")
		} else {
			require.NotContains(t, bounded, "max_tokens")
		}
		if d.name == "openai" {
			require.EqualValues(t, 50, body["max_completion_tokens"])
			messages := endpoint.Requests()[1].Messages
			require.Equal(t, "Be brief.\n\nHi", messages[0].Content)
			require.Regexp(t, `^[0-9A-V]{9}$`, messages[1].ToolCalls[0].ID)
			require.Equal(t, messages[1].ToolCalls[0].ID, messages[2].ToolCallID)
		}
	})
}
