package llm

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

// Arguments is what a model wrote as the arguments of a call.
type Arguments struct {
	// Objects are the texts of the JSON objects in it: one, or more when calls were glued together.
	Objects []string
	// Repaired says that rubbish was taken off to read them.
	Repaired bool
	// Invalid says why there are no Objects.
	Invalid InvalidCall
}

// ParseArguments reads arguments. Nothing, blanks and null are the empty object; an object that was encoded as
// a string is decoded once; a raw control character inside a string, and closing brackets, closing tags or special
// tokens after the object, are repaired. What is cut off stays invalid: no bracket or string is ever closed for it.
func ParseArguments(raw string) Arguments {
	return parseArguments(raw, true)
}

func parseArguments(raw string, mayBeString bool) Arguments {
	raw = strings.TrimSpace(raw)
	if raw == "" || raw == "null" {
		return Arguments{Objects: []string{"{}"}}
	}
	var text string
	if mayBeString && json.Unmarshal([]byte(raw), &text) == nil {
		return parseArguments(text, false)
	}
	if parsed := splitObjects(raw); parsed.Invalid == "" {
		return parsed
	}
	if parsed := splitObjects(escapeControls(raw)); parsed.Invalid == "" {
		parsed.Repaired = true
		return parsed
	}
	return Arguments{Invalid: invalidKind(raw)}
}

// afterObject is what may follow the last object: closers, closing tags, and special tokens such as
// <|tool_call_end|>.
var afterObject = regexp.MustCompile(`^(?:[\]}\s]|</[a-z_:]+>|<\|[^|<>]*\|>|<｜[^｜<>]*｜>)*$`)

// splitObjects reads objects one after another.
func splitObjects(raw string) Arguments {
	var out Arguments
	for rest := raw; rest != ""; {
		object, tail, ok := cutValue(rest)
		switch {
		case !ok && len(out.Objects) > 0 && afterObject.MatchString(rest):
			out.Repaired = true
			return out
		case !ok || object[0] != '{':
			return Arguments{Invalid: invalidKind(raw)}
		}
		if len(out.Objects) == 1 && isEmptyObject(out.Objects[0]) {
			out.Objects = nil
		}
		out.Objects = append(out.Objects, object)
		rest = tail
	}
	return out
}

func invalidKind(raw string) InvalidCall {
	if json.Valid([]byte(raw)) {
		return NotAnObject
	}
	return InvalidJSON
}

func cutValue(s string) (value, rest string, ok bool) {
	decoder := json.NewDecoder(strings.NewReader(s))
	var raw json.RawMessage
	if decoder.Decode(&raw) != nil {
		return "", "", false
	}
	return string(raw), strings.TrimSpace(s[decoder.InputOffset():]), true
}

func isEmptyObject(object string) bool {
	return strings.TrimSpace(strings.Trim(object, "{}")) == ""
}

// escapeControls writes control characters inside strings as JSON wants them. One after a backslash stays,
// because it is unclear what the two mean.
func escapeControls(s string) string {
	var out bytes.Buffer
	inString, escaped := false, false
	for i := range len(s) {
		c := s[i]
		if inString && !escaped && c < 0x20 {
			quoted, _ := json.Marshal(string(rune(c))) //nolint:errchkjson // a text always encodes
			out.Write(quoted[1 : len(quoted)-1])
			continue
		}
		inString = inString != (c == '"' && !escaped)
		escaped = inString && c == '\\' && !escaped
		out.WriteByte(c)
	}
	return out.String()
}
