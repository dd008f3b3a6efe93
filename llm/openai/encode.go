package openai

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"

	"countersign/llm"
)

// encode writes a request in the form that most servers accept: string contents, no empty lists, no field that
// was not asked for. The SDK leaves its end to us: it has no field for "stream", and see [appendTools].
func encode(o Options, req llm.Request) ([]byte, error) {
	params := sdk.ChatCompletionNewParams{
		Model:         o.Model,
		StreamOptions: sdk.ChatCompletionStreamOptionsParam{IncludeUsage: param.NewOpt(true)},
	}
	for _, message := range wireMessages(o.Learned, req) {
		encoded, err := encodeMessage(message)
		if err != nil {
			return nil, err
		}
		params.Messages = append(params.Messages, encoded)
	}
	if req.ToolChoice == llm.ToolsForbidden && len(req.Tools) > 0 {
		params.ToolChoice.OfAuto = param.NewOpt(string(llm.ToolsForbidden))
	}
	if req.Temperature != nil {
		params.Temperature = param.NewOpt(*req.Temperature)
	}
	limitTokens(&params, o, req.MaxTokens)
	body, err := params.MarshalJSON()
	if err != nil {
		return nil, err
	}
	body, err = appendTools(bytes.TrimSuffix(body, []byte("}")), req.Tools)
	return append(body, `,"stream":true}`...), err
}

// limitTokens uses the field's new name at OpenAI, whose newer models refuse the old one, and the old name
// everywhere else, unless this endpoint has taught better.
func limitTokens(params *sdk.ChatCompletionNewParams, o Options, limit int) {
	if limit == 0 {
		return
	}
	const older, newer = "max_tokens", "max_completion_tokens"
	name := older
	if base, err := url.Parse(o.BaseURL); err == nil && base.Hostname() == "api.openai.com" {
		name = newer
	}
	if o.Learned.Name(name) == newer {
		params.MaxCompletionTokens = param.NewOpt(int64(limit))
		return
	}
	params.MaxTokens = param.NewOpt(int64(limit))
}

// appendTools adds the tools to a body by hand: every schema was encoded once when its tool was made, and an encoder
// would read all of them again for every call of the model.
func appendTools(body []byte, tools []llm.Tool) (_ []byte, err error) {
	if len(tools) == 0 {
		return body, nil
	}
	size := 0
	for _, tool := range tools {
		size += len(tool.Name) + len(tool.Description) + len(tool.Schema) + 100
	}
	body = append(slices.Grow(body, size), `,"tools":[`...)
	for i, tool := range tools {
		if !bytes.HasPrefix(tool.Schema, []byte("{")) {
			return nil, fmt.Errorf("openai: schema of tool %s is no object", tool.Name)
		}
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, `{"type":"function","function":{"name":`...)
		body, err = jsontext.AppendQuote(body, tool.Name)
		if err == nil && tool.Description != "" {
			body = append(body, `,"description":`...)
			body, err = jsontext.AppendQuote(body, tool.Description)
		}
		if err != nil {
			return nil, fmt.Errorf("openai: tool %s: %w", tool.Name, err)
		}
		body = append(body, `,"parameters":`...)
		body = append(body, tool.Schema...)
		body = append(body, "}}"...)
	}
	return append(body, ']'), nil
}

// wireMessages puts the system prompt before the messages, where and in the role that this endpoint wants it, and
// gives the calls ids that it takes.
func wireMessages(learned llm.Adaptation, req llm.Request) []llm.Message {
	messages := slices.Clone(req.Messages)
	switch {
	case req.System == "":
	case learned.Set["system_role"] == "user" && len(messages) > 0 && messages[0].Role == llm.RoleUser:
		messages[0].Text = req.System + "\n\n" + messages[0].Text
	default:
		messages = append([]llm.Message{{Role: roleSystem, Text: req.System}}, messages...)
	}
	if learned.Set["tool_call_ids"] != nil {
		rename(messages)
	}
	return messages
}

// roleSystem is a message that only this dialect has.
const roleSystem llm.Role = "system"

// rename gives every call an id of nine letters and digits, which every endpoint takes. It is made of the old id, and
// so the same in every request.
func rename(messages []llm.Message) {
	short := func(id string) string {
		sum := sha256.Sum256([]byte(id))
		return base32.HexEncoding.EncodeToString(sum[:])[:9]
	}
	for i := range messages {
		m := &messages[i]
		m.Calls = slices.Clone(m.Calls)
		for j := range m.Calls {
			m.Calls[j].ID = short(m.Calls[j].ID)
		}
		if m.CallID != "" {
			m.CallID = short(m.CallID)
		}
	}
}

func encodeMessage(message llm.Message) (sdk.ChatCompletionMessageParamUnion, error) {
	switch message.Role {
	case roleSystem:
		return sdk.SystemMessage(message.Text), nil
	case llm.RoleUser:
		return sdk.UserMessage(message.Text), nil
	case llm.RoleTool:
		return sdk.ToolMessage(message.Text, message.CallID), nil
	case llm.RoleAssistant:
		return encodeAssistant(message)
	}
	return sdk.ChatCompletionMessageParamUnion{}, fmt.Errorf("openai: unknown role %q", message.Role)
}

// encodeAssistant leaves an empty text out next to calls, because some servers refuse empty texts.
func encodeAssistant(message llm.Message) (sdk.ChatCompletionMessageParamUnion, error) {
	var assistant sdk.ChatCompletionAssistantMessageParam
	if message.Text != "" || len(message.Calls) == 0 {
		assistant.Content.OfString = param.NewOpt(message.Text)
	}
	extra, err := extraFields(message.Replay)
	if err != nil {
		return sdk.ChatCompletionMessageParamUnion{}, err
	}
	assistant.SetExtraFields(extra)
	for _, call := range message.Calls {
		encoded, err := encodeCall(call)
		if err != nil {
			return sdk.ChatCompletionMessageParamUnion{}, err
		}
		assistant.ToolCalls = append(assistant.ToolCalls, encoded)
	}
	return sdk.ChatCompletionMessageParamUnion{OfAssistant: &assistant}, nil
}

func encodeCall(call llm.ToolCall) (sdk.ChatCompletionMessageToolCallUnionParam, error) {
	function := &sdk.ChatCompletionMessageFunctionToolCallParam{
		ID:       call.ID,
		Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{Name: call.Name, Arguments: call.Arguments},
	}
	extra, err := extraFields(call.Replay)
	function.SetExtraFields(extra)
	return sdk.ChatCompletionMessageToolCallUnionParam{OfFunction: function}, err
}

// extraFields reads what Done.Replay and ToolCall.Replay hold: fields to send back as they came.
func extraFields(replay json.RawMessage) (map[string]any, error) {
	if len(replay) == 0 {
		return nil, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(replay, &fields); err != nil {
		return nil, fmt.Errorf("openai: replay data: %w", err)
	}
	extra := make(map[string]any, len(fields))
	for name, value := range fields {
		extra[name] = value
	}
	return extra, nil
}
