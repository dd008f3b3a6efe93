package openai

import (
	"encoding/json"
	"strings"

	"countersign/llm"
)

// answer is one message in the making. Its end mark, [DONE], is known to the reader of streams.
type answer struct {
	*llm.Draft
	calls    *assembler
	newID    func() string
	sawDelta bool
	thoughts thoughts
}

func newAnswer(req llm.Request, newID func() string) *answer {
	return &answer{Draft: llm.NewDraft(req), calls: newAssembler(req.ToolNames()), newID: newID}
}

// Add implements llm.Answer.
func (a *answer) Add(_, payload string) ([]llm.Event, error) {
	var c chunk
	err := llm.UnmarshalLoosely([]byte(payload), &c)
	switch {
	case c.failed():
		return nil, llm.ErrRefused
	case err != nil:
		return nil, llm.ErrUnreadable
	}
	return a.add(c), nil
}

// AddWhole implements llm.Answer.
func (a *answer) AddWhole(document []byte) ([]llm.Event, error) {
	var c chunk
	_ = llm.UnmarshalLoosely(document, &c) // what does not fit is looked at below
	switch {
	case c.failed():
		return nil, llm.ErrRefused
	case c.Choices == nil:
		return nil, llm.ErrUnreadable
	}
	a.Whole = true
	return a.add(c), nil
}

// End implements llm.Answer.
func (a *answer) End(complete bool) ([]llm.Event, error) {
	return a.Draft.End(complete, llm.Parts{
		Calls:     llm.FinishCalls(a.calls.calls(), a.calls.tools, a.newID),
		Reasoning: a.thoughts.text(), Replay: a.thoughts.replay(),
	})
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
		a.Stop(string(choice.FinishReason))
	}
	for _, count := range counts {
		if tokens, ok := count.tokens(); ok {
			a.Count(tokens)
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
		a.Think()
	}
	a.Refuse(string(d.Refusal))
	for _, f := range d.ToolCalls {
		a.calls.add(f)
	}
	if d.FunctionCall != nil {
		a.calls.add(fragment{Function: *d.FunctionCall})
	}
	return a.Say(said)
}

// thoughts collects reasoning under the name that the server gives it, to send it back under the same.
type thoughts struct {
	content, plain, parts strings.Builder
	details               []json.RawMessage
}

// add reports whether there was any. A server that fills several fields says the same in each.
func (t *thoughts) add(d *delta, fromParts string) bool {
	t.content.WriteString(string(d.ReasoningContent))
	if d.ReasoningContent == "" {
		t.plain.WriteString(string(d.Reasoning))
	}
	if d.ReasoningContent == "" && d.Reasoning == "" {
		for _, detail := range d.ReasoningDetails {
			_, thought := contentOf(detail)
			fromParts += thought
		}
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
