package llm

import (
	"encoding/json"
	"slices"
	"strings"
)

// RawCall is a call put together as it came over the wire.
type RawCall struct {
	ID, Name, Arguments string
	Replay              json.RawMessage
}

// maxID is the longest call id that every server takes back.
const maxID = 64

// FinishCalls reads the calls of a message, in order. A name that is none of tools, and arguments that are no
// object, make a call invalid. Arguments of several objects are several calls. An id that is missing, too long
// or taken is replaced.
func FinishCalls(raw []RawCall, tools []string, newID func() string) []ToolCall {
	var out []ToolCall
	ids := map[string]bool{}
	for _, r := range raw {
		if r.Name == "" && strings.TrimSpace(r.Arguments) == "" {
			continue
		}
		for _, call := range r.finish(tools) {
			if call.ID == "" || len(call.ID) > maxID || ids[call.ID] {
				call.ID = newID()
			}
			ids[call.ID] = true
			out = append(out, call)
		}
	}
	return out
}

// finish reads one call, which may be several glued together.
func (r RawCall) finish(tools []string) []ToolCall {
	call := ToolCall{ID: r.ID, Name: CleanToolName(r.Name), Arguments: "{}", Replay: r.Replay}
	if !slices.Contains(tools, call.Name) {
		call.Name, call.Invalid = r.Name, UnknownTool
		return []ToolCall{call}
	}
	args := ParseArguments(r.Arguments)
	call.Repaired, call.Invalid = args.Repaired, args.Invalid
	if args.Invalid != "" {
		return []ToolCall{call}
	}
	var calls []ToolCall
	for _, object := range args.Objects {
		call.Arguments = object
		calls = append(calls, call)
		call.ID, call.Replay = "", nil
	}
	return calls
}

// CleanToolName takes special tokens and a namespace off a name.
func CleanToolName(name string) string {
	name, _, _ = strings.Cut(name, "<|")
	return strings.TrimPrefix(strings.TrimSpace(name), "functions.")
}
