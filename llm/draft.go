package llm

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// Draft is a message in the making, apart from its calls. A dialect puts in what it reads of the wire; End
// decides what the message was.
type Draft struct {
	// Whole says that the message comes as one document.
	Whole bool

	prose     *Prose
	forbidden bool
	usage     Usage
	counted   bool
	finish    Finish
	window    bool
	failure   *Error
	spoke     bool
	refusal   strings.Builder
}

// NewDraft begins a message that answers req.
func NewDraft(req Request) *Draft {
	return &Draft{prose: NewProse(req.ToolNames()), forbidden: req.ToolChoice == ToolsForbidden}
}

// Say takes the next piece of the text and gives what can be shown.
func (d *Draft) Say(text string) []Event {
	visible, reset := d.prose.Write(text)
	return d.show(visible, reset)
}

func (d *Draft) show(visible string, reset bool) []Event {
	var events []Event
	if reset {
		d.spoke = false
		events = append(events, TextReset{})
	}
	if visible != "" {
		d.spoke = true
		events = append(events, TextDelta{Text: visible})
	}
	return events
}

// Think says that the model's thinking arrives apart from its text.
func (d *Draft) Think() { d.prose.Thought() }

// Refuse takes the next piece of the model's refusal.
func (d *Draft) Refuse(words string) { d.refusal.WriteString(words) }

// Count takes the usage so far. The last one counts.
func (d *Draft) Count(u Usage) { d.usage, d.counted = u, true }

// Usage gives what was counted.
func (d *Draft) Usage() []Event {
	if !d.counted {
		return nil
	}
	return []Event{d.usage}
}

// contextFull is the reason of a message that filled the model's window.
const contextFull = "model_context_window_exceeded"

// finishes are the reasons, of all dialects, that are not simply an end.
var finishes = map[string]Finish{
	"length": FinishLength, "max_tokens": FinishLength, "model_length": FinishLength, contextFull: FinishLength,
	"content_filter": FinishContentFilter, "safety": FinishContentFilter, "sensitive": FinishContentFilter,
	"recitation": FinishContentFilter, "blocklist": FinishContentFilter, "prohibited_content": FinishContentFilter,
	"spii": FinishContentFilter, "guardrail_intervened": FinishContentFilter, "content_filtered": FinishContentFilter,
	"refusal": FinishRefusal, "pause_turn": FinishPause,
}

// failures are the reasons of servers that gave up.
var failures = map[string]*Error{
	"error": Fail(Unavailable, ""), "network_error": Fail(Unavailable, ""), "abort": Fail(Unavailable, ""),
	"insufficient_system_resource": Fail(Unavailable, ""), "malformed_function_call": Fail(Malformed, CodeBadToolCall),
}

// noReason are the ways in which servers say that a message goes on.
var noReason = []string{"", "null", "none"}

// Stop takes the reason for the end; empty is none. The first one counts, unless a later one says that the
// message was cut.
func (d *Draft) Stop(reason string) {
	reason = strings.ToLower(reason)
	cut, known := finishes[reason]
	failure := failures[reason]
	switch {
	case slices.Contains(noReason, reason):
	case failure != nil:
		d.failure = cmp.Or(d.failure, failure)
	case known:
		d.finish, d.window = cut, reason == contextFull
	case d.finish == "" && d.failure == nil:
		d.finish = FinishStop
	}
}

// Stopped reports whether the message has ended.
func (d *Draft) Stopped() bool { return d.finish != "" }

// Parts are what a dialect has put together besides the text.
type Parts struct {
	Calls     []ToolCall
	Reasoning string
	Replay    json.RawMessage
}

// End decides what the message was. complete says that it ended as messages should.
func (d *Draft) End(complete bool, parts Parts) ([]Event, error) {
	if d.failure != nil && d.finish == "" {
		failure := *d.failure
		return d.Usage(), &failure
	}
	if !complete && d.finish == "" {
		return d.Usage(), Fail(CutStream, "")
	}
	calls := d.judge(parts.Calls)
	prose := d.prose.Close(d.finish != FinishLength && len(calls) == 0)
	events := d.show(prose.Rest, false)
	if len(calls) == 0 {
		if err := d.nothing(prose.Leak, parts.Reasoning); err != nil {
			return append(events, d.Usage()...), err
		}
	}
	for _, call := range calls {
		events = append(events, call)
	}
	events = append(events, d.Usage()...)
	return append(events, d.done(prose, parts, len(calls) > 0)), nil
}

// judge gives the calls. Those of a message that was cut or refused are all invalid: the one that looks
// complete may have been going on.
func (d *Draft) judge(calls []ToolCall) []ToolCall {
	if d.refusal.Len() > 0 {
		d.finish = FinishRefusal
	}
	if d.forbidden {
		return nil
	}
	if d.wasCut() {
		for i := range calls {
			calls[i].Arguments, calls[i].Invalid = "{}", CutShort
		}
	}
	return calls
}

func (d *Draft) wasCut() bool { return d.finish != "" && d.finish != FinishStop }

// nothing is the failure of a message without calls that says nothing, or that leaked its calls as text.
func (d *Draft) nothing(leak, reasoning string) error {
	if leak == "" && !d.spoke {
		leak = ThoughtLeak(reasoning)
	}
	if leak != "" {
		err := Fail(Malformed, CodeLeakedMarkup)
		err.Leak = leak
		return err
	}
	if !d.spoke && !d.wasCut() {
		return Fail(Malformed, CodeEmptyResponse)
	}
	return nil
}

func (d *Draft) done(prose ProseEnd, parts Parts, called bool) Done {
	done := Done{
		Finish: d.finish, ContextFull: d.window, Refusal: d.refusal.String(), Replay: parts.Replay,
		Reasoning: parts.Reasoning + prose.Reasoning, UnclosedThinking: prose.UnclosedThinking, Whole: d.Whole,
	}
	switch {
	case called && !d.wasCut():
		done.Finish = FinishToolCalls
	case d.finish == "":
		done.Finish = FinishStop
	}
	return done
}
