package openai

import (
	"encoding/json"
	"strings"

	"countersign/llm"
)

// The fields of a chunk take values of a wrong type as absent.
type (
	text   = llm.LooseString
	number = llm.LooseInt
)

// chunk is one payload of a stream, or a whole completion.
type chunk struct {
	Object   text            `json:"object"`
	Choices  []choice        `json:"choices"`
	Usage    *usage          `json:"usage"`
	Groq     *groq           `json:"x_groq"`
	Error    json.RawMessage `json:"error"`
	BaseResp *baseResp       `json:"base_resp"`
}

type groq struct {
	Usage *usage `json:"usage"`
}

type baseResp struct {
	StatusCode number `json:"status_code"`
}

type choice struct {
	Delta        *delta `json:"delta"`
	Message      *delta `json:"message"`
	FinishReason text   `json:"finish_reason"`
	Usage        *usage `json:"usage"`
}

type delta struct {
	Content          json.RawMessage         `json:"content"`
	ReasoningContent text                    `json:"reasoning_content"`
	Reasoning        text                    `json:"reasoning"`
	ReasoningDetails []json.RawMessage       `json:"reasoning_details"`
	Refusal          text                    `json:"refusal"`
	ToolCalls        llm.LooseList[fragment] `json:"tool_calls"`
	FunctionCall     *function               `json:"function_call"`
}

// fragment is a piece of a tool call.
type fragment struct {
	Index        *number         `json:"index"`
	ID           text            `json:"id"`
	Function     function        `json:"function"`
	ExtraContent json.RawMessage `json:"extra_content"`
}

type function struct {
	Name      text            `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

type usage struct {
	Prompt        number `json:"prompt_tokens"`
	Completion    number `json:"completion_tokens"`
	Total         number `json:"total_tokens"`
	CacheHit      number `json:"prompt_cache_hit_tokens"`
	PromptDetails struct {
		Cached number `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		Reasoning number `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// tokens gives the usage, and false for one that says nothing. Where the total shows that thinking was not
// counted as output, it is added.
func (u *usage) tokens() (llm.Usage, bool) {
	if u == nil || u.Prompt <= 0 && u.Completion <= 0 {
		return llm.Usage{}, false
	}
	out := llm.Usage{
		InputTokens:  int(max(u.Prompt, 0)),
		OutputTokens: int(max(u.Completion, 0)),
		CachedTokens: int(max(u.PromptDetails.Cached, u.CacheHit, 0)),
	}
	if thinking := u.CompletionDetails.Reasoning; u.Total == u.Prompt+u.Completion+thinking {
		out.OutputTokens += int(thinking)
	}
	return out, true
}

// failed reports whether the payload is an error.
func (c *chunk) failed() bool {
	return c.Object == "error" || llm.IsFailure(c.Error) || c.BaseResp != nil && c.BaseResp.StatusCode != 0
}

// part is an element of a content that is a list, or of the details of reasoning.
type part struct {
	Type     string          `json:"type"`
	Text     text            `json:"text"`
	Summary  text            `json:"summary"`
	Thinking json.RawMessage `json:"thinking"`
}

// contentOf splits a content into what is said and what is thought: it is a text, a typed part, or a list of such.
func contentOf(raw json.RawMessage) (said, thought string) {
	var plain string
	if json.Unmarshal(raw, &plain) == nil {
		return plain, ""
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		for _, element := range list {
			s, t := contentOf(element)
			said, thought = said+s, thought+t
		}
		return said, thought
	}
	var p part
	_ = llm.UnmarshalLoosely(raw, &p) // what is no part says nothing
	if strings.Contains(p.Type, "thinking") || strings.HasPrefix(p.Type, "reasoning") {
		inner, _ := contentOf(p.Thinking)
		return "", inner + string(p.Text+p.Summary)
	}
	return string(p.Text), ""
}
