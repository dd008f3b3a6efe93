package openai

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"

	"countersign/llm"
)

// encode writes a request in the form that most servers accept: string contents, no empty lists, no field that
// was not asked for.
func encode(o Options, req llm.Request) (sdk.ChatCompletionNewParams, error) {
	params := sdk.ChatCompletionNewParams{
		Model:         o.Model,
		StreamOptions: sdk.ChatCompletionStreamOptionsParam{IncludeUsage: param.NewOpt(true)},
	}
	for _, message := range wireMessages(o.Learned, req) {
		encoded, err := encodeMessage(message)
		if err != nil {
			return params, err
		}
		params.Messages = append(params.Messages, encoded)
	}
	for _, tool := range req.Tools {
		encoded, err := encodeTool(tool)
		if err != nil {
			return params, err
		}
		params.Tools = append(params.Tools, encoded)
	}
	if req.ToolChoice == llm.ToolsForbidden && len(req.Tools) > 0 {
		params.ToolChoice.OfAuto = param.NewOpt(string(llm.ToolsForbidden))
	}
	if req.Temperature != nil {
		params.Temperature = param.NewOpt(*req.Temperature)
	}
	limitTokens(&params, o, req.MaxTokens)
	return params, nil
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

// wireTool is a tool as it goes out, its schema as it is.
type wireTool struct {
	Type     string       `json:"type"`
	Function wireFunction `json:"function"`
}

type wireFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

func encodeTool(tool llm.Tool) (encoded sdk.ChatCompletionToolUnionParam, err error) {
	if !bytes.HasPrefix(tool.Schema, []byte("{")) {
		return encoded, fmt.Errorf("openai: schema of tool %s is no object", tool.Name)
	}
	return param.Override[sdk.ChatCompletionToolUnionParam](wireTool{"function", wireFunction{tool.Name, tool.Description, tool.Schema}}), nil
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
