package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// Dialect is the form of requests and answers.
type Dialect int

// The dialects.
const (
	// Chat is the chat-completions dialect.
	Chat Dialect = iota
	// Messages is the dialect of Anthropic.
	Messages
)

// dialectOf tells the dialect of a request by its path.
func dialectOf(req *http.Request) Dialect {
	if strings.HasSuffix(req.URL.Path, "/messages") {
		return Messages
	}
	return Chat
}

type object = map[string]any

// finish is the finish reason, which has a name of its own in each dialect where the answer does not give it.
func (a Answer) finish(stop, calls string) string {
	switch {
	case a.Finish != "":
		return a.Finish
	case len(a.Calls) > 0:
		return calls
	}
	return stop
}

func (c Call) id(index int) string {
	if c.ID == "" {
		return fmt.Sprintf("call_%d", index+1)
	}
	return c.ID
}

func (c Call) arguments() string {
	if len(c.Arguments) == 0 {
		return "{}"
	}
	return string(c.Arguments)
}

func (a Answer) chatFrames() [][]byte {
	frames := [][]byte{choiceFrame(object{"role": "assistant", "content": ""}, nil)}
	for _, piece := range a.Text {
		frames = append(frames, choiceFrame(object{"content": piece}, nil))
	}
	for i, call := range a.Calls {
		frames = append(frames, choiceFrame(object{"tool_calls": []object{callObject(i, call)}}, nil))
	}
	finish := a.finish("stop", "tool_calls")
	frames = append(frames, choiceFrame(object{}, &finish))
	if a.Usage != nil {
		frames = append(frames, chatFrame(object{"choices": []object{}, "usage": object{
			"prompt_tokens": a.Usage.Input, "completion_tokens": a.Usage.Output,
			"total_tokens": a.Usage.Input + a.Usage.Output, "prompt_tokens_details": object{"cached_tokens": a.Usage.Cached},
		}}))
	}
	return append(frames, []byte("data: [DONE]\n\n"))
}

func callObject(index int, call Call) object {
	function := object{"name": call.Name, "arguments": call.arguments()}
	return object{"index": index, "id": call.id(index), "type": "function", "function": function}
}

func choiceFrame(delta object, finish *string) []byte {
	return chatFrame(object{"choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}}})
}

func chatFrame(chunk object) []byte {
	chunk["id"], chunk["object"], chunk["model"] = "chatcmpl-test", "chat.completion.chunk", "test-model"
	return fmt.Appendf(nil, "data: %s\n\n", encode(chunk))
}

func encode(event object) []byte {
	data, err := json.Marshal(event)
	if err != nil {
		panic(fmt.Sprintf("llmtest: arguments are no JSON: %v", err))
	}
	return data
}

func (a Answer) messagesFrames() [][]byte {
	usage := object{}
	if a.Usage != nil {
		usage = object{
			"input_tokens": a.Usage.Input - a.Usage.Cached, "cache_read_input_tokens": a.Usage.Cached, "output_tokens": a.Usage.Output,
		}
	}
	frames := [][]byte{messagesFrame("message_start", object{"message": object{
		"id": "msg_test", "type": "message", "role": "assistant", "model": "test-model", "content": []object{}, "usage": usage,
	}})}
	index := 0
	block := func(begun object, deltas ...object) {
		frames = append(frames, messagesFrame("content_block_start", object{"index": index, "content_block": begun}))
		for _, delta := range deltas {
			frames = append(frames, messagesFrame("content_block_delta", object{"index": index, "delta": delta}))
		}
		frames = append(frames, messagesFrame("content_block_stop", object{"index": index}))
		index++
	}
	if len(a.Text) > 0 {
		deltas := make([]object, len(a.Text))
		for i, piece := range a.Text {
			deltas[i] = object{"type": "text_delta", "text": piece}
		}
		block(object{"type": "text", "text": ""}, deltas...)
	}
	for i, call := range a.Calls {
		block(object{"type": "tool_use", "id": call.id(i), "name": call.Name, "input": object{}},
			object{"type": "input_json_delta", "partial_json": call.arguments()})
	}
	end := object{"delta": object{"stop_reason": a.finish("end_turn", "tool_use")}, "usage": usage}
	return append(frames, messagesFrame("message_delta", end), messagesFrame("message_stop", object{}))
}

func messagesFrame(name string, event object) []byte {
	event["type"] = name
	return fmt.Appendf(nil, "event: %s\ndata: %s\n\n", name, encode(event))
}
