package anthropic

import (
	"encoding/json"

	"countersign/llm"
)

// The fields of an event take values of a wrong type as absent.
type (
	text   = llm.LooseString
	number = llm.LooseInt
)

// event is one payload of a stream.
type event struct {
	Type         text            `json:"type"`
	Index        *number         `json:"index"`
	Message      message         `json:"message"`
	ContentBlock json.RawMessage `json:"content_block"`
	Delta        delta           `json:"delta"`
	Usage        usage           `json:"usage"`
	Error        json.RawMessage `json:"error"`
}

// message is a whole message, or the beginning of one.
type message struct {
	Type       text              `json:"type"`
	Content    []json.RawMessage `json:"content"`
	StopReason text              `json:"stop_reason"`
	Usage      usage             `json:"usage"`
	Error      json.RawMessage   `json:"error"`
}

// blockFields are the fields of all kinds of content blocks.
type blockFields struct {
	Type     text            `json:"type"`
	Text     text            `json:"text"`
	Thinking text            `json:"thinking"`
	ID       text            `json:"id"`
	Name     text            `json:"name"`
	Input    json.RawMessage `json:"input"`
}

// delta is what is added to a block, or to the message.
type delta struct {
	Type        text            `json:"type"`
	Text        text            `json:"text"`
	PartialJSON json.RawMessage `json:"partial_json"`
	Thinking    text            `json:"thinking"`
	Signature   text            `json:"signature"`
	StopReason  text            `json:"stop_reason"`
}

// usage counts up to here. Input excludes what concerns the cache.
type usage struct {
	Input      number `json:"input_tokens"`
	Output     number `json:"output_tokens"`
	CacheRead  number `json:"cache_read_input_tokens"`
	CacheWrite number `json:"cache_creation_input_tokens"`
}

// update takes what a later count says. A zero keeps the number before.
func (u *usage) update(later usage) {
	for _, field := range []struct{ have, said *number }{
		{&u.Input, &later.Input},
		{&u.Output, &later.Output},
		{&u.CacheRead, &later.CacheRead},
		{&u.CacheWrite, &later.CacheWrite},
	} {
		if *field.said > 0 {
			*field.have = *field.said
		}
	}
}

func (u *usage) tokens() llm.Usage {
	return llm.Usage{
		InputTokens: int(u.Input + u.CacheRead + u.CacheWrite), OutputTokens: int(u.Output),
		CachedTokens: int(u.CacheRead), CacheWriteTokens: int(u.CacheWrite),
	}
}
