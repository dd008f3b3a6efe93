package openai

import (
	"encoding/json"
	"strings"

	"countersign/llm"
)

// answer is one message in the making.
type answer struct {
	prose     *llm.Prose
	calls     *assembler
	forbidden bool
	usage     llm.Usage
	counted   bool
	finish    llm.Finish
	failed    bool
	sawDelta  bool
	sawText   bool
	// whole is an answer that is no stream.
	whole    bool
	refusal  strings.Builder
	thoughts thoughts
}

func newAnswer(req llm.Request, newID func() string) *answer {
	names := make([]string, len(req.Tools))
	for i, tool := range req.Tools {
		names[i] = tool.Name
	}
	return &answer{
		prose: llm.NewProse(names), calls: newAssembler(names, newID),
		forbidden: req.ToolChoice == llm.ToolsForbidden,
	}
}

// add takes a chunk and gives what can be shown of it. All choices count, whatever their index: one was
// asked for, and some servers count the index up.
func (a *answer) add(c chunk) []llm.Event {
	var events []llm.Event
	counts := []*usage{c.Usage}
	if c.Groq != nil {
		counts = append(counts, c.Groq.Usage)
	}
	for _, choice := range c.Choices {
		counts = append(counts, choice.Usage)
		events = append(events, a.addMessage(choice)...)
		a.addFinish(string(choice.FinishReason))
	}
	for _, count := range counts {
		if tokens, ok := count.tokens(); ok {
			a.usage, a.counted = tokens, true
		}
	}
	return events
}

// addMessage takes the delta. A message beside it is cumulative and ignored; without any delta it is the whole.
func (a *answer) addMessage(c choice) []llm.Event {
	d := c.Delta
	if d == nil && !a.sawDelta {
		d = c.Message
	}
	if d == nil {
		return nil
	}
	a.sawDelta = a.sawDelta || c.Delta != nil
	said, thought := contentOf(d.Content)
	if a.thoughts.add(d, thought) {
		a.prose.Thought()
	}
	a.refusal.WriteString(string(d.Refusal))
	for _, f := range d.ToolCalls {
		a.calls.add(f)
	}
	if d.FunctionCall != nil {
		a.calls.add(fragment{Function: *d.FunctionCall})
	}
	visible, reset := a.prose.Write(said)
	return a.show(visible, reset)
}

func (a *answer) show(visible string, reset bool) []llm.Event {
	var events []llm.Event
	if reset {
		a.sawText = false
		events = append(events, llm.TextReset{})
	}
	if visible != "" {
		a.sawText = true
		events = append(events, llm.TextDelta{Text: visible})
	}
	return events
}

// finishes are the reasons that are not simply an end.
var finishes = map[string]llm.Finish{
	"length": llm.FinishLength, "max_tokens": llm.FinishLength, "model_length": llm.FinishLength,
	"model_context_window_exceeded": llm.FinishLength,
	"content_filter":                llm.FinishContentFilter, "safety": llm.FinishContentFilter,
	"sensitive": llm.FinishContentFilter, "refusal": llm.FinishRefusal,
}

// addFinish keeps the first reason, unless a later one says that the message was cut.
func (a *answer) addFinish(reason string) {
	reason = strings.ToLower(reason)
	cut, known := finishes[reason]
	switch {
	case reason == "":
	case reason == "error" || reason == "network_error" || reason == "abort":
		a.failed = true
	case known:
		a.finish = cut
	case a.finish == "":
		a.finish = llm.FinishStop
	}
}

// end decides what the message was. complete says that the stream ended as streams should.
func (a *answer) end(complete bool) ([]llm.Event, error) {
	if a.failed && a.finish == "" {
		return a.count(), llm.Fail(llm.Unavailable, "")
	}
	if !complete && a.finish == "" {
		return a.count(), llm.Fail(llm.CutStream, "")
	}
	calls := a.takeCalls()
	prose := a.prose.Close(a.finish != llm.FinishLength && len(calls) == 0)
	events := a.show(prose.Rest, false)
	if len(calls) == 0 {
		if err := a.nothing(prose); err != nil {
			return append(events, a.count()...), err
		}
	}
	for _, call := range calls {
		events = append(events, call)
	}
	events = append(events, a.count()...)
	return append(events, a.done(prose, len(calls) > 0)), nil
}

// takeCalls gives the calls. Those of a message that was cut or refused are all invalid: the one that looks
// complete may have been going on.
func (a *answer) takeCalls() []llm.ToolCall {
	if a.refusal.Len() > 0 {
		a.finish = llm.FinishRefusal
	}
	if a.forbidden {
		return nil
	}
	calls := a.calls.calls()
	if a.wasCut() {
		for i := range calls {
			calls[i].Arguments, calls[i].Invalid = "{}", llm.CutShort
		}
	}
	return calls
}

func (a *answer) wasCut() bool { return a.finish != "" && a.finish != llm.FinishStop }

// nothing is the failure of a message without calls that says nothing, or that leaked its calls as text.
func (a *answer) nothing(prose llm.ProseEnd) error {
	leak := prose.Leak
	if leak == "" && !a.sawText {
		leak = llm.ThoughtLeak(a.thoughts.text())
	}
	if leak != "" {
		err := llm.Fail(llm.Malformed, llm.CodeLeakedMarkup)
		err.Leak = leak
		return err
	}
	if !a.sawText && !a.wasCut() {
		return llm.Fail(llm.Malformed, llm.CodeEmptyResponse)
	}
	return nil
}

func (a *answer) count() []llm.Event {
	if !a.counted {
		return nil
	}
	return []llm.Event{a.usage}
}

func (a *answer) done(prose llm.ProseEnd, called bool) llm.Done {
	done := llm.Done{
		Finish: a.finish, Refusal: a.refusal.String(), Replay: a.thoughts.replay(),
		Reasoning: a.thoughts.text() + prose.Reasoning, UnclosedThinking: prose.UnclosedThinking, Whole: a.whole,
	}
	switch {
	case called && !a.wasCut():
		done.Finish = llm.FinishToolCalls
	case a.finish == "":
		done.Finish = llm.FinishStop
	}
	return done
}

// thoughts collects reasoning under the name that the server gives it, to send it back under the same.
type thoughts struct {
	content, plain, parts strings.Builder
	details               []json.RawMessage
}

// add reports whether there was any. A server that fills both fields says the same twice.
func (t *thoughts) add(d *delta, fromParts string) bool {
	t.content.WriteString(string(d.ReasoningContent))
	if d.ReasoningContent == "" {
		t.plain.WriteString(string(d.Reasoning))
	}
	t.parts.WriteString(fromParts)
	t.details = append(t.details, d.ReasoningDetails...)
	return d.ReasoningContent != "" || d.Reasoning != "" || fromParts != ""
}

func (t *thoughts) text() string {
	return t.content.String() + t.plain.String() + t.parts.String()
}

func (t *thoughts) replay() json.RawMessage {
	fields := map[string]any{}
	if t.content.Len() > 0 {
		fields["reasoning_content"] = t.content.String()
	}
	if t.plain.Len() > 0 {
		fields["reasoning"] = t.plain.String()
	}
	if len(t.details) > 0 {
		fields["reasoning_details"] = t.details
	}
	if len(fields) == 0 {
		return nil
	}
	out, err := json.Marshal(fields)
	if err != nil {
		return nil
	}
	return out
}
