package main

import (
	"encoding/json"
	"strings"

	"countersign/llm/llmtest"
)

type object = map[string]any

// completion is an answer in one piece.
func completion(a llmtest.Answer) []byte {
	message, finish := object{"role": "assistant", "content": strings.Join(a.Text, "")}, "stop"
	if len(a.Calls) > 0 {
		message["tool_calls"], finish = calls(a.Calls), "tool_calls"
	}
	data, err := json.Marshal(object{
		"id": "chatcmpl-test", "object": "chat.completion", "model": "test-model",
		"choices": []object{{"index": 0, "message": message, "finish_reason": finish}},
		"usage": object{
			"prompt_tokens": a.Usage.Input, "completion_tokens": a.Usage.Output, "total_tokens": a.Usage.Input + a.Usage.Output,
		},
	})
	if err != nil {
		panic("endpoint: the script is no JSON: " + err.Error())
	}
	return data
}

func calls(list []llmtest.Call) []object {
	out := make([]object, len(list))
	for i, call := range list {
		out[i] = object{"id": "call_1", "type": "function", "function": object{"name": call.Name, "arguments": string(call.Arguments)}}
	}
	return out
}
