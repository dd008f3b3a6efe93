package llmtest

import (
	"encoding/json"
	"strings"
)

// messagesRequest is a request in the dialect of Anthropic.
type messagesRequest struct {
	Model    string         `json:"model"`
	Stream   bool           `json:"stream"`
	System   []contentBlock `json:"system"`
	Messages []struct {
		Role    string         `json:"role"`
		Content []contentBlock `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Name        string          `json:"name"`
		InputSchema json.RawMessage `json:"input_schema"`
	} `json:"tools"`
	ToolChoice struct {
		Type string `json:"type"`
	} `json:"tool_choice"`
}

type contentBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   []contentBlock  `json:"content"`
}

// readMessages reads Raw.
func (r *Request) readMessages() error {
	var m messagesRequest
	if err := json.Unmarshal(r.Raw, &m); err != nil {
		return err
	}
	r.Model, r.Stream = m.Model, m.Stream
	if m.ToolChoice.Type != "" {
		r.ToolChoice = m.ToolChoice.Type
	}
	if len(m.System) > 0 {
		r.Messages = append(r.Messages, Message{Role: "system", Content: textOf(m.System)})
	}
	for _, message := range m.Messages {
		r.Messages = append(r.Messages, chatMessages(message.Role, message.Content)...)
	}
	for _, tool := range m.Tools {
		var offer Tool
		offer.Function.Name, offer.Function.Parameters = tool.Name, tool.InputSchema
		r.Tools = append(r.Tools, offer)
	}
	return nil
}

// chatMessages makes one message of an assistant's blocks, and one of each block of a user's.
func chatMessages(role string, blocks []contentBlock) []Message {
	if role == "assistant" {
		message := Message{Role: role, Content: textOf(blocks)}
		for _, block := range blocks {
			if block.Type == "tool_use" {
				call := FunctionCall{ID: block.ID}
				call.Function.Name, call.Function.Arguments = block.Name, string(block.Input)
				message.ToolCalls = append(message.ToolCalls, call)
			}
		}
		return []Message{message}
	}
	var messages []Message
	for _, block := range blocks {
		if block.Type == "tool_result" {
			messages = append(messages, Message{Role: "tool", ToolCallID: block.ToolUseID, Content: textOf(block.Content)})
		} else {
			messages = append(messages, Message{Role: role, Content: block.Text})
		}
	}
	return messages
}

func textOf(blocks []contentBlock) string {
	var out strings.Builder
	for _, block := range blocks {
		out.WriteString(block.Text)
	}
	return out.String()
}
