package agent

import (
	"context"

	"countersign/models"
	"countersign/proposals"
	"countersign/tools"
)

// show emits a call's start, runs it, stores it, and only then emits its end, the proposal it made, the
// records it named and its text.
func (t *turn) show(ctx context.Context, id, name string, args any, run func() tools.Outcome) error {
	label := t.service.Executor.Label(t.actor.Lang, name)
	if err := t.out.emit(ctx, "tool_start", toolStartEvent{Type: "tool_start", CallID: id, Name: name, Label: label, Args: args}); err != nil {
		return err
	}
	outcome := run()
	t.keep(models.ToolCall{
		CallID: id, Name: name, Label: label, Args: models.ToJSON(args), Status: outcome.Status, Summary: outcome.Summary,
		Result: outcome.Result, Error: errorJSON(outcome.Error), MS: outcome.Duration.Milliseconds(),
	}, outcome)
	// What has happened is stored and told, also when the turn was stopped meanwhile.
	ctx, cancel := aside(ctx)
	defer cancel()
	if err := t.service.Conversations.SaveReply(ctx, &t.reply); err != nil {
		return err
	}
	err := t.out.emit(ctx, "tool_end", toolEndEvent{
		Type: "tool_end", CallID: id, Name: name, Status: outcome.Status, Summary: outcome.Summary,
		Result: outcome.Result, Error: outcome.Error, MS: outcome.Duration.Milliseconds(),
	})
	if err != nil {
		return err
	}
	if err := t.showProposal(ctx, outcome.Proposal); err != nil {
		return err
	}
	if len(outcome.Refs) > 0 {
		if err := t.out.emit(ctx, "records", recordsEvent{Type: "records", Refs: outcome.Refs}); err != nil {
			return err
		}
	}
	return t.out.emit(ctx, "token", tokenEvent{Type: "token", Delta: outcome.Text})
}

func (t *turn) showProposal(ctx context.Context, p *models.Proposal) error {
	if p == nil {
		return nil
	}
	view, err := proposals.ViewOf(p)
	if err != nil {
		return err
	}
	return t.out.emit(ctx, "proposal", proposalEvent{Type: "proposal", Proposal: view})
}

// say adds text to the reply.
func (t *turn) say(ctx context.Context, text string) error {
	t.text.WriteString(text)
	return t.out.emit(ctx, "token", tokenEvent{Type: "token", Delta: text})
}

// keep adds a call and its text to the reply.
func (t *turn) keep(call models.ToolCall, outcome tools.Outcome) {
	t.calls = append(t.calls, call)
	t.refs = append(t.refs, outcome.Refs...)
	t.text.WriteString(outcome.Text)
	t.fill()
}

// fill writes what the turn has gathered into its reply.
func (t *turn) fill() {
	t.reply.Content = t.text.String()
	t.reply.ToolCalls = models.ToJSON(append([]models.ToolCall{}, t.calls...))
	t.reply.Refs = models.ToJSON(append([]models.Ref{}, t.refs...))
}

func errorJSON(e *tools.CallError) models.JSON {
	if e == nil {
		return nil
	}
	return models.ToJSON(e)
}
