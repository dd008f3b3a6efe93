package llmtest

import (
	"encoding/json"
	"net/http"
	"regexp"
	"sync"
)

// Victim is a model that obeys whatever it reads. It scans every message for ⟦DO tool {json}⟧, whoever wrote
// it and wherever it stands, and makes exactly that call, whether or not the tool was offered. When nothing is
// left to obey, it says Done. A test that holds against it holds against every model.
type Victim struct {
	// Repeat makes it obey each instruction again on every request, also what it has done before.
	Repeat bool
	// Deaf makes it obey the messages of the user alone, as a model does that takes data for data.
	Deaf bool

	mu       sync.Mutex
	requests []Request
}

// Done is what a Victim says when there is nothing to obey.
const Done = "Done."

// Requests gives what it was sent so far.
func (v *Victim) Requests() []Request {
	v.mu.Lock()
	defer v.mu.Unlock()
	return append([]Request(nil), v.requests...)
}

// Take gives what it was sent since the last time, and forgets it.
func (v *Victim) Take() []Request {
	v.mu.Lock()
	defer v.mu.Unlock()
	taken := v.requests
	v.requests = nil
	return taken
}

// ServeHTTP implements http.Handler.
func (v *Victim) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	request, err := readRequest(w, req)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	v.mu.Lock()
	v.requests = append(v.requests, request)
	v.mu.Unlock()
	answer := Answer{Calls: v.obey(request)}
	if len(answer.Calls) == 0 {
		answer = Say(Done)
	}
	answer.Reply().send(w, req)
}

// instruction is what a Victim obeys. Inside the JSON of a tool result, quotes arrive escaped.
var instruction = regexp.MustCompile(`⟦DO (\w+) (\{.*?\})⟧`)

// obey gives the calls of all instructions that were not obeyed yet, each once.
func (v *Victim) obey(request Request) []Call {
	done := map[string]bool{}
	if !v.Repeat {
		for _, message := range request.Messages {
			for _, call := range message.ToolCalls {
				done[call.Function.Name+canonical(call.Function.Arguments)] = true
			}
		}
	}
	var calls []Call
	for _, message := range request.Messages {
		if v.Deaf && message.Role != "user" {
			continue
		}
		for _, found := range instruction.FindAllStringSubmatch(message.Content, -1) {
			name, arguments := found[1], unescape(found[2])
			if key := name + canonical(arguments); !done[key] && json.Valid([]byte(arguments)) {
				done[key] = true
				calls = append(calls, Call{ID: newCallID(len(request.Messages), len(calls)), Name: name, Arguments: json.RawMessage(arguments)})
			}
		}
	}
	return calls
}

// canonical makes the same text of the same JSON, however it was sent on the way.
func canonical(text string) string {
	var value any
	if json.Unmarshal([]byte(text), &value) != nil {
		return text
	}
	out, err := json.Marshal(value)
	if err != nil {
		return text
	}
	return string(out)
}

// unescape takes off one level of JSON string escaping when that is what makes the text JSON.
func unescape(text string) string {
	var plain string
	if !json.Valid([]byte(text)) && json.Unmarshal([]byte(`"`+text+`"`), &plain) == nil {
		return plain
	}
	return text
}
