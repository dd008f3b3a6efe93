package agent

import (
	"context"

	"countersign/audit"
	"countersign/models"
	"countersign/proposals"
	"countersign/tools"
)

// begin tells that a call starts.
func (t *turn) begin(ctx context.Context, id, name string, args []byte) error {
	label := t.service.Executor.Label(t.actor.Lang, name)
	return t.out.emit(ctx, "tool_start", toolStartEvent{Type: "tool_start", CallID: id, Name: name, Label: label, Args: audit.Mask(args)})
}

// finishCall stores a call that has ended, and only then tells its end, the proposal it made and the records it
// named. What has happened is stored and told, also when the turn was stopped meanwhile.
func (t *turn) finishCall(ctx context.Context, id, name string, args []byte, outcome tools.Outcome) error {
	ctx, cancel := aside(ctx)
	defer cancel()
	if err := t.readOutside(ctx, outcome.Outside); err != nil {
		return err
	}
	t.keep(models.MadeCall{Made: string(args), Sighted: t.sighted, ToolCall: models.ToolCall{
		CallID: id, Name: name, Label: t.service.Executor.Label(t.actor.Lang, name), Args: models.ToJSON(audit.Mask(args)), Status: outcome.Status,
		Summary: outcome.Summary, Result: outcome.Result, Error: errorJSON(outcome.Error), MS: outcome.Duration.Milliseconds(),
	}}, outcome.Refs)
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
	if len(outcome.Refs) == 0 {
		return nil
	}
	return t.out.emit(ctx, "records", recordsEvent{Type: "records", Refs: outcome.Refs})
}

// readOutside remembers that text from outside has come into the conversation, before any of it is stored or read.
func (t *turn) readOutside(ctx context.Context, record *models.Ref) error {
	if record == nil || t.outside != nil {
		return nil
	}
	t.outside = record
	return t.service.Conversations.MarkOutside(ctx, t.ConversationID, *record)
}

// show runs one call that stands for itself, and shows it with its text.
func (t *turn) show(ctx context.Context, id, name string, args []byte, run func() tools.Outcome) error {
	if err := t.begin(ctx, id, name, args); err != nil {
		return err
	}
	outcome := run()
	if err := t.finishCall(ctx, id, name, args, outcome); err != nil {
		return err
	}
	ctx, cancel := aside(ctx)
	defer cancel()
	return t.say(ctx, outcome.Text)
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

// tell emits a notice and keeps it with the reply.
func (t *turn) tell(ctx context.Context, n models.Notice) error {
	t.notices = append(t.notices, n)
	return t.out.emit(ctx, "notice", noticeEvent{Type: "notice", Notice: n})
}

// keep adds a call and the records that it named to the reply.
func (t *turn) keep(call models.MadeCall, refs []models.Ref) {
	t.calls = append(t.calls, call)
	t.refs = append(t.refs, refs...)
	t.fill()
}

// fill writes what the turn has gathered into its reply.
func (t *turn) fill() {
	t.reply.Content = t.text.String()
	t.reply.ToolCalls = models.ToJSON(append([]models.MadeCall{}, t.calls...))
	t.reply.Refs = models.ToJSON(append([]models.Ref{}, t.refs...))
	t.reply.Notices = models.ToJSON(append([]models.Notice{}, t.notices...))
}

func errorJSON(e *tools.CallError) models.JSON {
	if e == nil {
		return nil
	}
	return models.ToJSON(e)
}
