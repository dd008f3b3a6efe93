package anthropic

import (
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"countersign/llm"
)

// answer is one message in the making.
type answer struct {
	*llm.Draft
	tools   []string
	newID   func() string
	blocks  []*block
	byIndex map[number]*block
	usage   usage
	// known says that something of this dialect was read.
	known bool
}

func newAnswer(req llm.Request, newID func() string) *answer {
	return &answer{Draft: llm.NewDraft(req), tools: req.ToolNames(), newID: newID, byIndex: map[number]*block{}}
}

// Add implements llm.Answer. The type stands in the payload; proxies leave it, or the name of the event, out.
func (a *answer) Add(name, payload string) ([]llm.Event, error) {
	var e event
	if llm.UnmarshalLoosely([]byte(payload), &e) != nil {
		return nil, llm.ErrUnreadable
	}
	kind := cmp.Or(string(e.Type), name)
	if kind == "error" || llm.IsFailure(e.Error) {
		return nil, llm.ErrRefused
	}
	known := true
	defer func() { a.known = a.known || known }()
	switch kind {
	case "message_start":
		a.count(e.Message.Usage)
	case "content_block_start":
		return a.begin(e.Index, e.ContentBlock), nil
	case "content_block_delta":
		return a.extend(e.Index, e.Delta), nil
	case "message_delta":
		a.count(e.Usage)
		a.Stop(string(e.Delta.StopReason))
	case "message_stop":
		return nil, io.EOF
	case "content_block_stop", "ping":
	default:
		known = false
	}
	return nil, nil
}

// AddWhole implements llm.Answer.
func (a *answer) AddWhole(document []byte) ([]llm.Event, error) {
	var m message
	_ = llm.UnmarshalLoosely(document, &m) // what does not fit is looked at below
	switch {
	case m.Type == "error", llm.IsFailure(m.Error):
		return nil, llm.ErrRefused
	case m.Content == nil:
		return nil, llm.ErrUnreadable
	}
	a.known, a.Whole = true, true
	var events []llm.Event
	for _, content := range m.Content {
		events = append(events, a.begin(nil, content)...)
	}
	a.count(m.Usage)
	a.Stop(string(m.StopReason))
	return events, nil
}

// End implements llm.Answer. A stream of this dialect is complete when it has said why it stopped, and not by
// its end mark: a proxy may send that after an answer that broke off.
func (a *answer) End(bool) ([]llm.Event, error) {
	if !a.known {
		return nil, llm.Fail(llm.Malformed, llm.CodeNotEventStream)
	}
	var calls []llm.RawCall
	for _, b := range a.blocks {
		if b.kind == kindToolUse {
			calls = append(calls, b.call())
		}
	}
	return a.Draft.End(a.Whole, llm.Parts{
		Calls: llm.FinishCalls(calls, a.tools, a.newID), Reasoning: a.reasoning(), Replay: a.replay(),
	})
}

func (a *answer) count(u usage) {
	a.usage.update(u)
	if a.usage != (usage{}) {
		a.Count(a.usage.tokens())
	}
}

// begin opens a block, whatever index it has: indexes start anywhere, have gaps, and come again.
func (a *answer) begin(index *number, begun json.RawMessage) []llm.Event {
	b, said := newBlock(begun)
	a.add(index, b)
	if b.kind != kindText {
		return nil
	}
	return a.Say(said)
}

func (a *answer) add(index *number, b *block) {
	a.blocks = append(a.blocks, b)
	if index != nil {
		a.byIndex[*index] = b
	}
	if b.isThought() {
		a.Think()
	}
}

// kindOf is the kind of block that a delta extends.
var kindOf = map[text]string{
	"text_delta": kindText, "input_json_delta": kindToolUse,
	"thinking_delta": kindThinking, "signature_delta": kindThinking,
}

// extend adds a delta to its block. One of a type that we do not know adds nothing; one without a type is what
// its block is.
func (a *answer) extend(index *number, d delta) []llm.Event {
	kind, known := kindOf[d.Type]
	if at := a.at(index); d.Type == "" && at != nil {
		kind, known = at.kind, true
	}
	if !known {
		return nil
	}
	b := a.route(index, kind)
	if b.kind != kind || !b.isRead() {
		return nil
	}
	b.input.WriteString(llm.LooseText(d.PartialJSON))
	b.thinking.WriteString(string(d.Thinking))
	b.signature.WriteString(string(d.Signature))
	return a.Say(string(d.Text))
}

// route finds the block of a delta: the one of its index, else the last one of its kind, else a new one. A
// block that is passed over keeps what is added to it.
func (a *answer) route(index *number, kind string) *block {
	if b := a.at(index); b != nil && (b.kind == kind || !b.isRead()) {
		return b
	}
	for _, b := range slices.Backward(a.blocks) {
		if b.kind == kind {
			return b
		}
	}
	b := &block{kind: kind, begun: json.RawMessage(`{"type":"` + kind + `"}`)}
	a.add(index, b)
	return b
}

// at is the last block that began with an index, or nil.
func (a *answer) at(index *number) *block {
	if index == nil {
		return nil
	}
	return a.byIndex[*index]
}

func (a *answer) reasoning() string {
	var out strings.Builder
	for _, b := range a.blocks {
		if b.isThought() {
			out.WriteString(b.thinking.String())
		}
	}
	return out.String()
}

// replay keeps the thinking, and where it stood among text and calls.
func (a *answer) replay() json.RawMessage {
	var r replay
	position, spoke := 0, false
	for _, b := range a.blocks {
		switch {
		case b.isThought():
			r.Thinking, r.At = append(r.Thinking, b.thought()), append(r.At, position)
		case b.kind == kindToolUse:
		case b.kind == kindText && !spoke:
			spoke = true
		default:
			continue
		}
		position++
	}
	if r.Thinking == nil {
		return nil
	}
	out, err := json.Marshal(r)
	if err != nil {
		return nil
	}
	return out
}
