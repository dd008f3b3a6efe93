package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"countersign/figures"
	"countersign/i18n"
	"countersign/llm"
	"countersign/models"
)

// The codes of notices on what an answer says.
const (
	CodeUnverified   = "UNVERIFIED_FIGURES"
	CodeStillWaiting = "STILL_WAITING"
)

// correction asks the model to set figures right that have no source. The figures are its own words.
const correction = "These figures of your answer are in no result and no message of this conversation, and do not follow from any: %s. " +
	"Give the whole answer again: correct each of them from the results, or leave it out. Add nothing else, and say nothing about this request."

// checked holds the model's last words against what is known: figures without a source and changes that only wait
// are told, and records of earlier turns that it links are made known as such. It gives the answer that stands.
func (c *chat) checked(ctx context.Context, a answer) (answer, error) {
	if a.text == "" || len(a.calls) > 0 || a.done.Finish == llm.FinishPause || a.done.Finish == llm.FinishRefusal {
		return a, nil
	}
	found := c.untraced(a.text)
	if len(found) > 0 && !c.marks() {
		var err error
		if a, err = c.corrected(ctx, a, found); err != nil {
			return a, err
		}
		found = c.untraced(a.text)
	}
	if err := c.showLinked(ctx, a.text); err != nil {
		return a, err
	}
	if len(found) > 0 {
		if err := c.caution(ctx, c.unverified(a.text, found)); err != nil {
			return a, err
		}
	}
	return a, c.checkClaims(ctx, a.text)
}

// marks reports whether the person's channel can mark a figure where it stands.
func (c *chat) marks() bool {
	return c.turn.request.Channel == models.ViaWeb || c.turn.request.Channel == models.ViaCommand
}

// corrected lets the model say its answer once more, without tools. Where that fails, the answer stays.
func (c *chat) corrected(ctx context.Context, a answer, found []figures.Figure) (answer, error) {
	c.request.Messages = append(c.request.Messages,
		llm.Message{Role: llm.RoleAssistant, Text: a.text, Replay: a.done.Replay},
		llm.Message{Role: llm.RoleUser, Text: fmt.Sprintf(correction, listed(found))})
	c.request.ToolChoice = llm.ToolsForbidden
	before := c.text.Len() - len(a.text)
	if err := c.takeBack(ctx, before); err != nil {
		return a, err
	}
	better, _, err := c.attempt(ctx, 1)
	if err == nil && better.text != "" && len(better.calls) == 0 && better.done.Finish == llm.FinishStop {
		return better, nil
	}
	if ctx.Err() != nil {
		return a, ctx.Err()
	}
	if err := c.takeBack(ctx, before); err != nil {
		return a, err
	}
	return a, c.say(ctx, a.text)
}

// untraced are the figures of an answer that have no source in this conversation. What was looked up in earlier
// turns is read only where this turn does not explain them all.
func (c *chat) untraced(text string) []figures.Figure {
	text = models.CleanText(text)
	if len(figures.Find(text)) == 0 {
		return nil
	}
	sources := figures.NewSources(c.service.Now().In(models.Zone()))
	for _, m := range c.past {
		if m.Role == models.RoleUser || m.TurnID == nil {
			sources.Say(asked(m))
		}
	}
	addCalls(sources, c.calls)
	found := sources.Untraced(text)
	if len(found) == 0 {
		return nil
	}
	for _, m := range c.past {
		var calls []models.MadeCall
		if m.ToolCalls.Into(&calls) == nil {
			addCalls(sources, calls)
		}
	}
	return sources.Untraced(text)
}

// addCalls makes sources of what calls have returned, and of the dates that they asked about.
func addCalls(sources *figures.Sources, calls []models.MadeCall) {
	for _, call := range calls {
		if call.Status == models.CallOK || call.Status == models.CallProposed {
			sources.Period(call.Args)
		}
		sources.Say(call.Summary)
		sources.Return(call.Result)
		sources.Return(call.Error)
	}
}

// unverified is the notice about figures without a source, with their places in the reply.
func (c *chat) unverified(text string, found []figures.Figure) models.Notice {
	whole := c.text.String()
	start := utf8.RuneCountInString(models.CleanText(whole[:len(whole)-len(text)]))
	text = models.CleanText(text)
	n := models.Notice{Code: CodeUnverified, Text: i18n.T(c.actor.Lang, "notice.unverified_figures", "figures", listed(found))}
	for _, f := range found {
		from := start + utf8.RuneCountInString(text[:f.Start])
		n.Marks = append(n.Marks, models.Mark{Start: from, End: from + utf8.RuneCountInString(f.Text), Text: f.Text})
	}
	return n
}

// listed names figures, each once.
func listed(found []figures.Figure) string {
	var names []string
	for _, f := range found {
		if !slices.Contains(names, f.Text) {
			names = append(names, f.Text)
		}
	}
	return strings.Join(names, ", ")
}

// caution tells a notice on the answer. Where only text is sent, the text says it, too.
func (c *chat) caution(ctx context.Context, n models.Notice) error {
	if !c.marks() {
		if err := c.say(ctx, "\n\n⚠️ "+n.Text); err != nil {
			return err
		}
	}
	return c.tell(ctx, n)
}

// showLinked names the records of earlier turns that the answer links, so that these links lead somewhere. An id that
// no tool of this conversation has returned is never among them.
func (c *chat) showLinked(ctx context.Context, text string) error {
	var linked []models.Ref
	for _, m := range c.past {
		var refs []models.Ref
		if err := m.Refs.Into(&refs); err != nil {
			return err
		}
		for _, ref := range refs {
			known := slices.ContainsFunc(append(linked, c.refs...), func(r models.Ref) bool { return r.Type == ref.Type && r.ID == ref.ID })
			if !known && strings.Contains(text, "/"+ref.ID+")") {
				linked = append(linked, ref)
			}
		}
	}
	if len(linked) == 0 {
		return nil
	}
	c.refs = append(c.refs, linked...)
	return c.out.emit(ctx, "records", recordsEvent{Type: "records", Refs: linked})
}
