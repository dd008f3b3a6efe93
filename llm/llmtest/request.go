package llmtest

import (
	"encoding/json"
	"io"
	"net/http"
)

// Request is what an endpoint was asked. Its messages and tools have the form of the chat-completions dialect
// in whichever dialect they came.
type Request struct {
	Dialect    Dialect         `json:"-"`
	Path       string          `json:"-"`
	Header     http.Header     `json:"-"`
	Raw        json.RawMessage `json:"-"`
	Model      string          `json:"model"`
	Stream     bool            `json:"stream"`
	Messages   []Message       `json:"messages"`
	Tools      []Tool          `json:"tools"`
	ToolChoice any             `json:"tool_choice"`
}

// Message is one message of a request.
type Message struct {
	Role       string         `json:"role"`
	Content    string         `json:"content"`
	ToolCalls  []FunctionCall `json:"tool_calls"`
	ToolCallID string         `json:"tool_call_id"`
}

// FunctionCall is a call in the history.
type FunctionCall struct {
	ID       string `json:"id"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// Tool is a tool on offer.
type Tool struct {
	Function struct {
		Name       string          `json:"name"`
		Parameters json.RawMessage `json:"parameters"`
	} `json:"function"`
}

// Offers names the tools on offer, in order.
func (r *Request) Offers() []string {
	names := make([]string, len(r.Tools))
	for i, tool := range r.Tools {
		names[i] = tool.Function.Name
	}
	return names
}

// maxRequest bounds the body of a request.
const maxRequest = 16 << 20

func readRequest(w http.ResponseWriter, req *http.Request) (Request, error) {
	out := Request{Dialect: dialectOf(req), Path: req.URL.RequestURI(), Header: req.Header.Clone()}
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, maxRequest))
	if err != nil {
		return out, err
	}
	out.Raw = body
	if out.Dialect == Messages {
		err = out.readMessages()
	} else {
		err = json.Unmarshal(body, &out)
	}
	return out, err
}
