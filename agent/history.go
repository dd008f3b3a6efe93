package agent

import (
	"encoding/json"

	"countersign/llm"
	"countersign/models"
	"countersign/tools"
)

// historyBudget bounds what of a conversation the model is shown, in bytes of text and JSON. It is cut between
// turns only.
const historyBudget = 48_000

// history makes the messages for the model from the stored ones, in their order, repaired where something was
// interrupted. The last message is the one that is being answered.
func history(stored []models.Message) []llm.Message {
	var turns [][]llm.Message
	for _, m := range stored {
		switch {
		case m.Role == models.RoleUser:
			turns = append(turns, []llm.Message{{Role: llm.RoleUser, Text: asked(m)}})
		case len(turns) > 0:
			turns[len(turns)-1] = append(turns[len(turns)-1], replayed(m)...)
		}
	}
	return llm.Repair(within(turns, historyBudget))
}

// replayed is a stored reply: its calls with their results, then its text.
func replayed(m models.Message) []llm.Message {
	var calls []models.ToolCall
	if err := m.ToolCalls.Into(&calls); err != nil {
		calls = nil
	}
	var messages []llm.Message
	if len(calls) > 0 {
		said := llm.Message{Role: llm.RoleAssistant}
		for _, call := range calls {
			said.Calls = append(said.Calls, llm.ToolCall{ID: call.CallID, Name: call.Name, Arguments: string(call.Args)})
		}
		messages = append(messages, said)
		for _, call := range calls {
			messages = append(messages, llm.Message{Role: llm.RoleTool, CallID: call.CallID, Text: storedResult(call)})
		}
	}
	switch {
	case m.Content != "":
		messages = append(messages, llm.Message{Role: llm.RoleAssistant, Text: m.Content})
	case m.Status != models.MessageRunning && len(calls) == 0:
		messages = append(messages, llm.Message{Role: llm.RoleAssistant, Text: "(interrupted)"})
	}
	return messages
}

// storedResult is the result of a stored call; one that was never told was interrupted.
func storedResult(call models.ToolCall) string {
	r := result{OK: call.Status == models.CallOK || call.Status == models.CallProposed, Summary: call.Summary, Data: call.Result}
	if call.Status == models.CallProposed {
		r.Status, r.Note = "pending", waitingNote
	}
	if !r.OK {
		r.Summary, r.Data = "", nil
		r.Error = &tools.CallError{Kind: "unavailable", Message: "interrupted", Retry: true}
		var told tools.CallError
		if call.Error != nil && json.Unmarshal(call.Error, &told) == nil {
			r.Error = &told
		}
	}
	return string(models.ToJSON(r))
}

// within keeps the latest turns that fit a budget, the last one always.
func within(turns [][]llm.Message, budget int) []llm.Message {
	first := len(turns)
	for first > 0 {
		budget -= size(turns[first-1])
		if budget < 0 && first < len(turns) {
			break
		}
		first--
	}
	var messages []llm.Message
	for _, turn := range turns[first:] {
		messages = append(messages, turn...)
	}
	return messages
}

func size(messages []llm.Message) int {
	n := 0
	for _, m := range messages {
		n += len(m.Text)
		for _, call := range m.Calls {
			n += len(call.Name) + len(call.Arguments)
		}
	}
	return n
}
