package llm

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// marker is a text with which leaked tool-call markup begins, and the name of its format.
type marker struct{ text, format string }

// startMarkers count only where the answer begins: in the middle of a text they may be a quotation, such as
// a customer's e-mail about them.
var startMarkers = []marker{
	{"<tool_call>", "hermes"},
	{"<function=", "llama_function"},
	{"<function_calls>", "invoke_xml"},
	{"<invoke name=", "invoke_xml"},
	{"commentary to=functions.", "harmony"},
	{"[TOOL_CALLS]", "mistral"},
}

// tokenMarkers are special tokens of vendors. They count everywhere but in quotation marks and code.
var tokenMarkers = []marker{
	{"<｜DSML｜", "dsml"},
	{"<｜tool▁calls▁begin｜>", "deepseek"},
	{"<｜tool▁call▁begin｜>", "deepseek"},
	{"<|tool_calls_section_begin|>", "kimi"},
	{"<|tool_call_begin|>", "kimi"},
	{"<|channel|>", "harmony"},
	{"<|python_tag|>", "llama_python"},
	{"]<]minimax[>[", "minimax"},
	{"<minimax:tool_call>", "minimax"},
}

// ThoughtLeak gives the format of tool-call tokens inside thinking, or empty.
func ThoughtLeak(reasoning string) string {
	if at, found := firstToken(reasoning, ""); at >= 0 {
		return found.format
	}
	return ""
}

// leakFilter lets text through until leaked markup begins, and nothing after that.
type leakFilter struct {
	tools   []string
	decided bool
	format  string
	held    string
	shown   strings.Builder
}

func (f *leakFilter) write(text string) string {
	if f.format != "" {
		f.held += text
		return ""
	}
	text = f.held + text
	f.held = ""
	if !f.decided && f.atStart(text) {
		f.held = text
		return ""
	}
	f.decided = true
	return f.tokens(text)
}

// atStart reports whether a text that begins the answer must be kept: it is markup, or may become it.
func (f *leakFilter) atStart(text string) bool {
	trimmed := trimLeft(text)
	for _, m := range startMarkers {
		if strings.HasPrefix(trimmed, m.text) {
			f.format = m.format
			return true
		}
		if strings.HasPrefix(m.text, trimmed) {
			return true
		}
	}
	return maybeBareCall(trimmed)
}

// tokens passes text up to the first special token, and keeps an end that may be the beginning of one.
func (f *leakFilter) tokens(text string) string {
	at, found := firstToken(text, f.shown.String())
	if at >= 0 {
		f.format, f.held = found.format, text[at:]
		f.shown.WriteString(text[:at])
		return text[:at]
	}
	keep := 0
	for _, m := range tokenMarkers {
		keep = max(keep, partialSuffix(text, m.text))
	}
	f.held = text[len(text)-keep:]
	f.shown.WriteString(text[:len(text)-keep])
	return text[:len(text)-keep]
}

func firstToken(text, before string) (int, marker) {
	first, found := -1, marker{}
	for _, m := range tokenMarkers {
		at := strings.Index(text, m.text)
		if at >= 0 && (first < 0 || at < first) && !quoted(before+text[:at]) {
			first, found = at, m
		}
	}
	return first, found
}

// close gives what was held back and is no markup, and the format of what is.
func (f *leakFilter) close() (rest, format string) {
	switch {
	case f.format == "hermes" && strings.Contains(f.held, "<function="):
		return "", "qwen_xml"
	case f.format != "":
		return "", f.format
	case isBareCall(f.held, f.tools):
		return "", "bare_json"
	}
	return f.held, ""
}

var (
	// bareStart matches each beginning of a JSON object, fenced or not, whose first key may be a call's.
	bareStart = regexp.MustCompile("^(?:`{1,3}|```[a-z]*\\s*(?:\\{\\s*(?:\"[a-z]{0,10})?)?|\\{\\s*(?:\"[a-z]{0,10})?)$")
	bareCall  = regexp.MustCompile("^(?:```[a-z]*\\s*)?\\{\\s*\"(?:name|type|function|parameters|arguments)\"")
)

func maybeBareCall(trimmed string) bool {
	return bareStart.MatchString(trimmed) || bareCall.MatchString(trimmed)
}

// isBareCall reports whether the whole text is one JSON object that names a tool and has arguments.
func isBareCall(text string, tools []string) bool {
	text = strings.TrimSpace(text)
	if fenced, ok := strings.CutPrefix(text, "```"); ok {
		text = strings.TrimSuffix(strings.TrimLeft(fenced, "abcdefghijklmnopqrstuvwxyz"), "```")
	}
	var call struct {
		Name       string         `json:"name"`
		Parameters map[string]any `json:"parameters"`
		Arguments  map[string]any `json:"arguments"`
	}
	if json.Unmarshal([]byte(text), &call) != nil {
		return false
	}
	return slices.Contains(tools, call.Name) && (call.Parameters != nil || call.Arguments != nil)
}
