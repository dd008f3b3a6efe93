package agent

import (
	"encoding/json"

	"countersign/audit"
	"countersign/conversations"
	"countersign/llm"
	"countersign/models"
	"countersign/tools"
)

// historyBudget bounds what of a conversation the model is shown, in bytes of text and JSON. It is cut between
// turns only.
const historyBudget = 48_000

// exchange is a turn as the model reads it. It ends with the stored message of number last.
type exchange struct {
	messages []llm.Message
	last     int64
}

// exchanges are the turns of stored messages, in their order, but for those that a summary stands for. What came of a
// proposal is told in the place of its call's result. A model that is not sighted gets them without personal data; only
// the person's own words stay.
func exchanges(stored []models.Message, summary *models.ConversationSummary, proposals made, sighted bool) []exchange {
	var turns []exchange
	for _, m := range stored {
		if summary != nil && m.Seq <= summary.UpToSeq {
			continue
		}
		switch {
		case m.Role == models.RoleUser:
			turns = append(turns, exchange{[]llm.Message{{Role: llm.RoleUser, Text: asked(m)}}, m.Seq})
		case len(turns) > 0:
			t := &turns[len(turns)-1]
			t.messages, t.last = append(t.messages, replayed(m, proposals, sighted)...), m.Seq
		}
	}
	return turns
}

// history makes the messages for the model from those of a thread, repaired where something was interrupted: first the
// summary of what is older, then the latest turns that have room. The last message is the one that is being answered.
// outgrown is the number of the message up to which the thread should be summarised next, zero while everything has room.
func history(thread *conversations.Thread, proposals made, sighted bool) (messages []llm.Message, outgrown int64) {
	turns, opening := exchanges(thread.Messages, thread.Summary, proposals, sighted), recalled(thread.Summary, sighted)
	room := historyBudget - size(opening)
	return llm.Repair(append(opening, within(turns, room)...)), outgrowing(turns, room)
}

// replayed is a stored reply: its calls with their results, then its text.
func replayed(m models.Message, proposals made, sighted bool) []llm.Message {
	var calls []models.MadeCall
	if err := m.ToolCalls.Into(&calls); err != nil {
		calls = nil
	}
	var messages []llm.Message
	if len(calls) > 0 {
		said := llm.Message{Role: llm.RoleAssistant}
		for _, call := range calls {
			said.Calls = append(said.Calls, llm.ToolCall{ID: call.CallID, Name: call.Name, Arguments: arguments(call, sighted)})
		}
		messages = append(messages, said)
		for _, call := range calls {
			messages = append(messages, llm.Message{Role: llm.RoleTool, CallID: call.CallID, Text: storedResult(call.ToolCall, proposals)})
		}
	}
	switch {
	case m.Content != "":
		messages = append(messages, llm.Message{Role: llm.RoleAssistant, Text: m.Content})
	case m.Status != models.MessageRunning && len(calls) == 0:
		messages = append(messages, llm.Message{Role: llm.RoleAssistant, Text: "(interrupted)"})
	}
	if !sighted {
		forgetPersonal(messages)
	}
	return messages
}

// arguments are those of a stored call as the model reads them again: exactly what ran, because a model copies what it
// finds. One that is not sighted wrote them itself or had them from the person, unless it was sighted at the time.
func arguments(call models.MadeCall, sighted bool) string {
	args := call.Made
	if args == "" {
		args = string(call.Args)
	}
	if sighted || call.Made != "" && !call.Sighted {
		return args
	}
	return string(audit.MaskResult(models.JSON(args)))
}

// storedResult is the result of a stored call; one that was never told was interrupted.
func storedResult(call models.ToolCall, proposals made) string {
	if text := decided(call, proposals); text != "" {
		return text
	}
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

// decided is what came of the proposal that a stored call made; empty while it waits, and for any other call.
func decided(call models.ToolCall, proposals made) string {
	var result struct {
		ProposalID string `json:"proposalId"`
	}
	if call.Status != models.CallProposed || call.Result.Into(&result) != nil {
		return ""
	}
	p := proposals.byID(result.ProposalID)
	if p == nil || p.Status == models.ProposalPending {
		return ""
	}
	s, err := standingOf(p)
	if err != nil {
		return ""
	}
	return string(models.ToJSON(s))
}

// within keeps the latest turns that fit a budget, the last one always.
func within(turns []exchange, budget int) []llm.Message {
	first := len(turns)
	for first > 0 {
		budget -= size(turns[first-1].messages)
		if budget < 0 && first < len(turns) {
			break
		}
		first--
	}
	var messages []llm.Message
	for _, turn := range turns[first:] {
		messages = append(messages, turn.messages...)
	}
	return messages
}

// outgrowing is where turns that do not fit a budget are cut: after the oldest that fill half of it, so that what is left
// can grow for a while. Turns that are over do not change, so neither does the place while the summary is being made.
// The last turn is never cut off.
func outgrowing(turns []exchange, budget int) (upToSeq int64) {
	total, older := 0, 0
	for i, turn := range turns {
		if total += size(turn.messages); older < budget/2 && i < len(turns)-1 {
			older, upToSeq = total, turn.last
		}
	}
	if total <= budget {
		return 0
	}
	return upToSeq
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
