package llm

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Interrupted is the result that Repair gives a call which has none.
const Interrupted = `{"ok":false,"error":{"kind":"unavailable","message":"interrupted before it had a result","retry":true}}`

// maxCallID is the longest id of a call that every provider takes.
const maxCallID = 64

// Repair makes of any messages, however they were interrupted, cut or mixed up, a sequence that every dialect
// accepts: it begins with the user; nobody speaks twice in a row and nobody says nothing; every call has an id
// of its own, a JSON object as its arguments, and exactly one result, directly after its message and in the
// order of the calls. Of a valid sequence nothing changes. Without a word of the user nothing is left.
func Repair(messages []Message) []Message {
	r := repair{ids: map[string]bool{}}
	for i, m := range messages {
		switch m.Role {
		case RoleUser:
			r.user(m)
		case RoleAssistant:
			r.assistant(m, results(messages[i+1:]))
		}
	}
	return r.out
}

// results are the texts of the tool messages at the head of messages, by call; the first of a call counts.
func results(messages []Message) map[string]string {
	texts := map[string]string{}
	for _, m := range messages {
		if m.Role != RoleTool {
			break
		}
		if _, told := texts[m.CallID]; !told {
			texts[m.CallID] = m.Text
		}
	}
	return texts
}

// repair is a sequence as far as it is built, and the ids of calls in it.
type repair struct {
	out []Message
	ids map[string]bool
}

// last is the message before the next one, if it is of a role.
func (r *repair) last(role Role) *Message {
	if n := len(r.out); n > 0 && r.out[n-1].Role == role {
		return &r.out[n-1]
	}
	return nil
}

func (r *repair) user(m Message) {
	if blank(m.Text) {
		return
	}
	if before := r.last(RoleUser); before != nil {
		before.Text += "\n\n" + m.Text
		return
	}
	r.out = append(r.out, m)
}

func (r *repair) assistant(m Message, results map[string]string) {
	if len(r.out) == 0 || blank(m.Text) && len(m.Calls) == 0 {
		return
	}
	m.Calls = append([]ToolCall(nil), m.Calls...)
	said := make([]Message, len(m.Calls))
	for i := range m.Calls {
		call := &m.Calls[i]
		text, told := results[call.ID]
		if !told || blank(text) {
			text = Interrupted
		}
		call.ID, call.Arguments = r.uniqueID(call.ID), object(call.Arguments)
		said[i] = Message{Role: RoleTool, CallID: call.ID, Text: text}
	}
	if before := r.last(RoleAssistant); before != nil {
		m.Text = strings.TrimSpace(before.Text + "\n\n" + m.Text)
		*before = m
	} else {
		r.out = append(r.out, m)
	}
	r.out = append(r.out, said...)
}

// uniqueID keeps an id that no other call of the sequence has and that every provider takes.
func (r *repair) uniqueID(id string) string {
	if id == "" || len(id) > maxCallID || r.ids[id] {
		for n := len(r.ids) + 1; id == "" || len(id) > maxCallID || r.ids[id]; n++ {
			id = fmt.Sprintf("call%05d", n)
		}
	}
	r.ids[id] = true
	return id
}

// object is a text that is a JSON object, or else the empty one.
func object(arguments string) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(arguments), &fields) != nil || fields == nil {
		return "{}"
	}
	return arguments
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }
