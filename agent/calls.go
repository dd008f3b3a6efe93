package agent

import (
	"context"
	"encoding/json"
	"sync"

	"countersign/i18n"
	"countersign/llm"
	"countersign/models"
	"countersign/tools"
)

// callAll runs the calls of one round: look-ups side by side, the rest one after the other. Starts and ends are
// told in the order of the calls.
func (c *chat) callAll(ctx context.Context, calls []llm.ToolCall) ([]tools.Outcome, error) {
	outcomes := make([]tools.Outcome, len(calls))
	ids := make([]string, len(calls))
	read := c.outside // what the model had read when it made these calls
	var reads sync.WaitGroup
	defer reads.Wait()
	for i, call := range calls {
		ids[i] = models.NewID()
		if err := c.begin(ctx, ids[i], call.Name, []byte(call.Arguments)); err != nil {
			return nil, err
		}
		c.made++
		if refused, ok := c.refuse(call); ok {
			outcomes[i] = refused
		} else if c.service.Executor.Effect(call.Name) == tools.Read {
			reads.Go(func() { outcomes[i] = c.execute(ctx, ids[i], call, read) })
		}
	}
	reads.Wait()
	for i, call := range calls {
		if outcomes[i].Status == "" {
			outcomes[i] = c.execute(ctx, ids[i], call, read)
		}
		if err := c.finishCall(ctx, ids[i], call.Name, []byte(call.Arguments), outcomes[i]); err != nil {
			return nil, err
		}
	}
	return outcomes, nil
}

func (c *chat) execute(ctx context.Context, id string, call llm.ToolCall, outside *models.Ref) tools.Outcome {
	return c.service.Executor.Call(ctx, c.actor, tools.Call{
		ID: id, Name: call.Name, Args: json.RawMessage(call.Arguments),
		ConversationID: c.ConversationID, TurnID: c.ID, Channel: c.turn.request.Channel,
		Outside: outside,
	})
}

// refuse answers calls that must not run: what the model did not finish saying, and too many of them.
func (c *chat) refuse(call llm.ToolCall) (tools.Outcome, bool) {
	var key string
	switch {
	case call.Invalid == llm.UnknownTool:
		key = "chat.unknown_tool"
	case call.Invalid != "":
		key = "chat.broken_call"
	case c.made > maxCalls:
		key = "chat.too_many_calls"
	default:
		return tools.Outcome{}, false
	}
	message := i18n.T(c.actor.Lang, key)
	return tools.Outcome{
		Status: models.CallFailed, Summary: message, Text: message,
		Error: &tools.CallError{Kind: "invalid", Message: message, Retry: key != "chat.too_many_calls"},
	}, true
}

// result is what the model sees of a call.
type result struct {
	OK      bool             `json:"ok"`
	Status  string           `json:"status,omitempty"`
	Note    string           `json:"note,omitempty"`
	Summary string           `json:"summary,omitempty"`
	Data    models.JSON      `json:"data,omitempty"`
	Records []models.Ref     `json:"records,omitempty"`
	Error   *tools.CallError `json:"error,omitempty"`
}

// waitingNote keeps the model from calling a waiting change done.
const waitingNote = "Nothing has changed yet. A card with this change is shown to the user, who decides. Never say that it is done."

// maxResults bounds, in bytes, what the model is given of the results of one turn.
const maxResults = 80_000

// leftOutNote stands for the data of a result for which there is no more room.
const leftOutNote = "The results of this turn have become too long, so of this one only the summary is given. " +
	"Ask for less, by a filter or a smaller limit, or answer from what you have and say what you could not read."

// resultText is resultText as long as there is room in the turn, and after that without the data.
func (c *chat) resultText(o tools.Outcome) string {
	text := resultText(o)
	if c.read+len(text) > maxResults && len(o.Result) > 0 && o.Status == models.CallOK {
		text = string(models.ToJSON(result{OK: true, Summary: o.Summary, Note: leftOutNote}))
	}
	c.read += len(text)
	return text
}

// resultText is the JSON that the model reads as a call's result. What records hold is data, and is marked so.
func resultText(o tools.Outcome) string {
	r := result{OK: o.Error == nil, Summary: o.Summary, Data: o.Result, Records: o.Refs, Error: o.Error}
	if o.Status == models.CallProposed {
		r.Status, r.Note = "pending", waitingNote
	}
	if o.Error != nil {
		r.Summary = ""
	}
	return string(models.ToJSON(r))
}
