package anthropic

import (
	"encoding/json"
	"strings"

	"countersign/llm"
)

// The kinds of blocks that are read. Others, such as those of tools that run at the provider, are passed over.
const (
	kindText     = "text"
	kindToolUse  = "tool_use"
	kindThinking = "thinking"
	kindRedacted = "redacted_thinking"
)

// block is a content block in the making.
type block struct {
	kind string
	// begun is the block as it began.
	begun    json.RawMessage
	id, name string
	// firstInput is the input that the block began with; what is added takes its place.
	firstInput          string
	input               strings.Builder
	thinking, signature strings.Builder
}

// newBlock reads the beginning of a block. What is no block has no kind.
func newBlock(begun json.RawMessage) (b *block, said string) {
	var fields blockFields
	_ = llm.UnmarshalLoosely(begun, &fields)
	b = &block{
		kind: string(fields.Type), begun: begun, id: string(fields.ID), name: string(fields.Name),
		firstInput: llm.LooseText(fields.Input),
	}
	b.thinking.WriteString(string(fields.Thinking))
	return b, string(fields.Text)
}

func (b *block) isRead() bool { return b.kind == kindText || b.kind == kindToolUse || b.isThought() }

func (b *block) isThought() bool { return b.kind == kindThinking || b.kind == kindRedacted }

// call is the call of a tool_use block, with its input as it came: nothing is closed, completed or replaced.
func (b *block) call() llm.RawCall {
	arguments := b.input.String()
	if strings.TrimSpace(arguments) == "" {
		arguments = b.firstInput
	}
	return llm.RawCall{ID: b.id, Name: b.name, Arguments: arguments}
}

// thought is a block of thinking as it is to be sent back: unchanged, because it is signed.
func (b *block) thought() json.RawMessage {
	fields := map[string]json.RawMessage{}
	if b.kind == kindRedacted || json.Unmarshal(b.begun, &fields) != nil {
		return b.begun
	}
	fields["thinking"] = quote(b.thinking.String())
	if b.signature.Len() > 0 {
		fields["signature"] = quote(b.signature.String())
	}
	out, err := json.Marshal(fields)
	if err != nil {
		return b.begun
	}
	return out
}

func quote(s string) json.RawMessage {
	out, _ := json.Marshal(s) //nolint:errchkjson // a text always encodes
	return out
}
