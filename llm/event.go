package llm

import "encoding/json"

// Event is a TextDelta, TextReset, ToolCall, Usage or Done.
type Event interface{ isEvent() }

// TextDelta is the next piece of the answer.
type TextDelta struct{ Text string }

// TextReset withdraws all text so far: it turned out to be the model's thinking.
type TextReset struct{}

// ToolCall is one complete call of a finished message.
type ToolCall struct {
	// ID is unique within the message, at most 64 characters, and the provider's own where that is usable.
	ID   string
	Name string
	// Arguments is the text of a JSON object. It is not yet checked against the tool's schema.
	Arguments string
	// Repaired says that the arguments were readable only after rubbish was taken off. A write among such
	// calls needs a person's confirmation whatever the rules say.
	Repaired bool
	// Invalid, when not empty, says why the call must not run. The model needs it as the call's result.
	Invalid InvalidCall
	// Replay is what the provider wants back with the call. It means nothing to anyone else.
	Replay json.RawMessage
}

// InvalidCall is the reason for which a call must not run.
type InvalidCall string

// The reasons.
const (
	UnknownTool InvalidCall = "unknown_tool"
	InvalidJSON InvalidCall = "invalid_json"
	NotAnObject InvalidCall = "not_object"
	CutShort    InvalidCall = "truncated"
)

// Usage is what the answer cost in tokens. It comes at most once, before Done or before a failure.
// An answer without Usage was not counted by the provider; that is not the same as zero.
type Usage struct {
	// InputTokens includes CachedTokens and CacheWriteTokens: it is the size of the context.
	InputTokens int
	// OutputTokens includes the tokens of thinking.
	OutputTokens int
	// CachedTokens were read from the provider's prompt cache, CacheWriteTokens were put there.
	CachedTokens, CacheWriteTokens int
}

// Finish is why an answer ended.
type Finish string

// The ends of an answer.
const (
	FinishStop      Finish = "stop"
	FinishToolCalls Finish = "tool_calls"
	// FinishLength is an answer cut by a token limit. Its calls are Invalid.
	FinishLength Finish = "length"
	// FinishContentFilter is an answer that the provider's filter ended. Its calls are Invalid.
	FinishContentFilter Finish = "content_filter"
	// FinishRefusal is the model's own refusal, with its words in Done.Refusal. Its calls are Invalid.
	FinishRefusal Finish = "refusal"
	// FinishPause is an answer that the provider wants to go on with in another request, while tools of its own
	// run. As none is ever asked for, it is to be treated as a failure. Its calls are Invalid.
	FinishPause Finish = "pause"
)

// Done ends a complete answer.
type Done struct {
	Finish Finish
	// ContextFull says that FinishLength came of the model's window, not of the limit on the answer.
	ContextFull bool
	Refusal     string
	// Reasoning is what the model thought. It is for the record that admins read, never part of the answer.
	Reasoning string
	// UnclosedThinking says that the answer began as thinking that never ended, and was taken for the answer.
	UnclosedThinking bool
	// Whole says that the answer came in one piece although a stream was asked for.
	Whole bool
	// Replay is what the provider wants back with this message while the turn goes on.
	Replay json.RawMessage
}

func (TextDelta) isEvent() {}
func (TextReset) isEvent() {}
func (ToolCall) isEvent()  {}
func (Usage) isEvent()     {}
func (Done) isEvent()      {}
