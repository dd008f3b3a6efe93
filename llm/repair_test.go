package llm_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"countersign/llm"
)

// HIS-01, HIS-07, SEC-81: whatever a history has become, what is sent is a sequence that every dialect accepts.
func TestRepairGivesAValidSequence(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		messages := rapid.SliceOfN(rapid.Custom(anyMessage), 0, 12).Draw(rt, "messages")
		before, err := json.Marshal(messages)
		require.NoError(rt, err)
		repaired := llm.Repair(messages)
		requireValid(rt, repaired)
		require.Equal(rt, repaired, llm.Repair(repaired), "of a valid sequence nothing changes")
		after, err := json.Marshal(messages)
		require.NoError(rt, err)
		require.Equal(rt, string(before), string(after), "what was given stays as it is")
		for _, m := range messages {
			if m.Role == llm.RoleUser && strings.TrimSpace(m.Text) != "" {
				require.Contains(rt, wordsOf(repaired, llm.RoleUser), m.Text, "no word of the user is lost")
			}
		}
	})
}

// Any prefix of a valid sequence, as a crash leaves it, is made valid again.
func TestHIS01RepairOfEveryPrefix(t *testing.T) {
	t.Parallel()
	whole := []llm.Message{
		{Role: llm.RoleUser, Text: "How is Acme?"},
		{Role: llm.RoleAssistant, Calls: []llm.ToolCall{{ID: "a", Name: "get_company", Arguments: `{"company":"Acme"}`}, {ID: "b", Name: "list_deals", Arguments: `{}`}}},
		{Role: llm.RoleTool, CallID: "a", Text: "{}"},
		{Role: llm.RoleTool, CallID: "b", Text: "[]"},
		{Role: llm.RoleAssistant, Text: "Well."},
		{Role: llm.RoleUser, Text: "And Globex?"},
		{Role: llm.RoleAssistant, Text: "Also well."},
	}
	require.Equal(t, whole, llm.Repair(whole))
	for i := range whole {
		next := append(append([]llm.Message{}, whole[:i]...), llm.Message{Role: llm.RoleUser, Text: "hi"})
		repaired := llm.Repair(next)
		requireValid(t, repaired)
		require.Contains(t, repaired[len(repaired)-1].Text, "hi")
	}
}

func TestRepairKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 65)
	repaired := llm.Repair([]llm.Message{
		{Role: llm.RoleAssistant, Text: "Nobody asked."},
		{Role: llm.RoleUser, Text: "One"},
		{Role: llm.RoleUser, Text: "Two"},
		{Role: llm.RoleAssistant, Text: "Let me see.", Calls: []llm.ToolCall{
			{ID: "same", Name: "x", Arguments: "not json"}, {ID: "same", Name: "y", Arguments: `{"a":1}`}, {ID: long, Name: "z", Arguments: `null`},
		}},
		{Role: llm.RoleTool, CallID: "other", Text: "orphan"},
		{Role: llm.RoleTool, CallID: long, Text: "of z"},
		{Role: llm.RoleTool, CallID: "same", Text: "of x"},
		{Role: llm.RoleTool, CallID: "same", Text: "again"},
		{Role: llm.RoleAssistant},
		{Role: llm.RoleAssistant, Text: "So"},
		{Role: llm.RoleAssistant, Text: "it is.", Replay: json.RawMessage(`{"k":1}`)},
	})
	require.Equal(t, []llm.Message{
		{Role: llm.RoleUser, Text: "One\n\nTwo"},
		{Role: llm.RoleAssistant, Text: "Let me see.", Calls: []llm.ToolCall{
			{ID: "same", Name: "x", Arguments: "{}"}, {ID: "call00002", Name: "y", Arguments: `{"a":1}`}, {ID: "call00003", Name: "z", Arguments: "{}"},
		}},
		{Role: llm.RoleTool, CallID: "same", Text: "of x"},
		{Role: llm.RoleTool, CallID: "call00002", Text: "of x"},
		{Role: llm.RoleTool, CallID: "call00003", Text: "of z"},
		{Role: llm.RoleAssistant, Text: "So\n\nit is.", Replay: json.RawMessage(`{"k":1}`)},
	}, repaired)
	require.Empty(t, llm.Repair([]llm.Message{{Role: llm.RoleAssistant, Text: "alone"}, {Role: llm.RoleTool, CallID: "a"}}))
}

func anyMessage(t *rapid.T) llm.Message {
	ids := rapid.SampledFrom([]string{"", "a", "b", "call00001", strings.Repeat("i", 70)})
	text := rapid.SampledFrom([]string{"", " ", "words", "more\nwords"})
	m := llm.Message{Role: rapid.SampledFrom([]llm.Role{llm.RoleUser, llm.RoleAssistant, llm.RoleTool, "odd"}).Draw(t, "role"), Text: text.Draw(t, "text")}
	switch m.Role {
	case llm.RoleTool:
		m.CallID = ids.Draw(t, "result of")
	case llm.RoleAssistant:
		for range rapid.IntRange(0, 3).Draw(t, "calls") {
			arguments := rapid.SampledFrom([]string{"", "{}", `{"a":"b"}`, `{"a":`, `[1]`, "null", `"text"`}).Draw(t, "arguments")
			m.Calls = append(m.Calls, llm.ToolCall{ID: ids.Draw(t, "id"), Name: "tool", Arguments: arguments})
		}
	}
	return m
}

func wordsOf(messages []llm.Message, role llm.Role) string {
	var b strings.Builder
	for _, m := range messages {
		if m.Role == role {
			b.WriteString(m.Text + "\n\n")
		}
	}
	return b.String()
}

// requireValid states what the dialects demand of a sequence.
func requireValid(t require.TestingT, messages []llm.Message) {
	seen := map[string]bool{}
	var owed []string
	for i, m := range messages {
		if i == 0 {
			require.Equal(t, llm.RoleUser, m.Role, "the user begins")
		} else if m.Role != llm.RoleTool {
			require.NotEqual(t, messages[i-1].Role, m.Role, "nobody speaks twice in a row")
		}
		if m.Role == llm.RoleTool {
			require.NotEmpty(t, owed, "a result without a call")
			require.Equal(t, owed[0], m.CallID, "results come in the order of the calls")
			owed = owed[1:]
			require.NotEmpty(t, strings.TrimSpace(m.Text))
			continue
		}
		require.Empty(t, owed, "a call without its result")
		require.False(t, strings.TrimSpace(m.Text) == "" && len(m.Calls) == 0, "an empty message")
		for _, call := range m.Calls {
			require.NotEmpty(t, call.ID)
			require.LessOrEqual(t, len(call.ID), 64)
			require.False(t, seen[call.ID], "an id of two calls")
			seen[call.ID] = true
			var object map[string]any
			require.NoError(t, json.Unmarshal([]byte(call.Arguments), &object))
			require.NotNil(t, object)
			owed = append(owed, call.ID)
		}
	}
	require.Empty(t, owed, "the last calls have no results")
}
