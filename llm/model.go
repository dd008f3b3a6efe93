package llm

import (
	"context"
	"encoding/json"
	"iter"
)

// Model answers one request. It makes one attempt; retries are the caller's.
type Model interface {
	// Stream yields the events of one answer as they arrive, ending with Done. A failure is yielded as the last
	// element: an *Error, or the error of ctx when the caller ended it. Leaving the loop closes the connection.
	Stream(ctx context.Context, req Request) iter.Seq2[Event, error]
}

// Role is who speaks in a Message. The system prompt is no message; it stands in Request.System.
type Role string

// The roles.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// ToolChoice says whether the model may call tools.
type ToolChoice string

// The choices. With ToolsForbidden the tools stay in the request, because a history with calls needs them, and
// calls that come all the same are ignored.
const (
	ToolsAllowed   ToolChoice = ""
	ToolsForbidden ToolChoice = "none"
)

// Request is what the model is asked.
type Request struct {
	System     string
	Messages   []Message
	Tools      []Tool
	ToolChoice ToolChoice
	// MaxTokens bounds the answer. Zero leaves it to the provider.
	MaxTokens   int
	Temperature *float64
}

// ToolNames are the names of the tools on offer, in order.
func (r Request) ToolNames() []string {
	names := make([]string, len(r.Tools))
	for i, tool := range r.Tools {
		names[i] = tool.Name
	}
	return names
}

// Message is one entry of the history. Every call of an assistant message needs exactly one tool message
// with its id directly after it.
type Message struct {
	Role Role
	Text string
	// Calls are the tool calls of an assistant message.
	Calls []ToolCall
	// CallID names the call that a tool message answers.
	CallID string
	// Replay is Done.Replay of the answer that became this assistant message, or nil.
	Replay json.RawMessage
}

// Tool is a function that the model may call. Schema is the JSON Schema of its arguments.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage
}
