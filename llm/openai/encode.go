package openai

import (
	"encoding/json"
	"fmt"
	"net/url"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"countersign/llm"
)

// encode writes a request in the form that most servers accept: string contents, no empty lists, no field that
// was not asked for.
func encode(o Options, req llm.Request) (sdk.ChatCompletionNewParams, error) {
	params := sdk.ChatCompletionNewParams{
		Model:         o.Model,
		StreamOptions: sdk.ChatCompletionStreamOptionsParam{IncludeUsage: param.NewOpt(true)},
	}
	if req.System != "" {
		params.Messages = append(params.Messages, sdk.SystemMessage(req.System))
	}
	for _, message := range req.Messages {
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
	limitTokens(&params, o.BaseURL, req.MaxTokens)
	return params, nil
}

// limitTokens uses the field's new name at OpenAI, whose newer models refuse the old one, and the old name
// everywhere else.
func limitTokens(params *sdk.ChatCompletionNewParams, baseURL string, limit int) {
	if limit == 0 {
		return
	}
	if base, err := url.Parse(baseURL); err == nil && base.Hostname() == "api.openai.com" {
		params.MaxCompletionTokens = param.NewOpt(int64(limit))
		return
	}
	params.MaxTokens = param.NewOpt(int64(limit))
}

func encodeTool(tool llm.Tool) (sdk.ChatCompletionToolUnionParam, error) {
	var schema shared.FunctionParameters
	if err := json.Unmarshal(tool.Schema, &schema); err != nil {
		return sdk.ChatCompletionToolUnionParam{}, fmt.Errorf("openai: schema of tool %s: %w", tool.Name, err)
	}
	function := shared.FunctionDefinitionParam{Name: tool.Name, Parameters: schema}
	if tool.Description != "" {
		function.Description = param.NewOpt(tool.Description)
	}
	return sdk.ChatCompletionFunctionTool(function), nil
}

func encodeMessage(message llm.Message) (sdk.ChatCompletionMessageParamUnion, error) {
	switch message.Role {
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
