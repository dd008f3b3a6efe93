package llm

import (
	"cmp"
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
	{"assistantcommentary to=functions.", "harmony"},
}

// tokenMarkers are special tokens of vendors. They count everywhere but in quotation marks and code.
var tokenMarkers = []marker{
	{"<｜DSML｜", "dsml"},
	{"<｜tool▁calls▁begin｜>", "deepseek"},
	{"<｜tool▁call▁begin｜>", "deepseek"},
	{"<|tool_calls_section_begin|>", "kimi"},
	{"<|tool_call_begin|>", "kimi"},
	{"<|channel|>", "harmony"},
	{"<|start|>", "harmony"},
	{"<|python_tag|>", "llama_python"},
	{"[TOOL_CALLS]", "mistral"},
	{"[TOOL_REQUEST]", "lm_studio"},
	{"<|tool_call|>", "phi"},
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
	for _, m := range f.startMarkers() {
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

// startMarkers are those of all tools, and the list of calls in the form of Python that begins with a tool of ours.
func (f *leakFilter) startMarkers() []marker {
	markers := slices.Clone(startMarkers)
	for _, tool := range f.tools {
		markers = append(markers, marker{"[" + tool + "(", "pythonic"})
	}
	return markers
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

// firstToken finds the first special token in text, which follows before, that is not spoken about.
func firstToken(text, before string) (int, marker) {
	first, found := -1, marker{}
	for _, m := range tokenMarkers {
		if at := unquoted(text, m.text, before); at >= 0 && (first < 0 || at < first) {
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

// bareOpening is how a JSON object begins, fenced or not, in a list or not, up to its first key.
const bareOpening = "(?:```[a-z]*\\s*)?(?:\\[\\s*)?\\{\\s*\""

var (
	// bareStart matches each beginning of a JSON object whose first key may be a call's.
	bareStart = regexp.MustCompile("^(?:`{1,2}|(?:```[a-z]*\\s*)?(?:\\[\\s*)?(?:\\{\\s*)?|" + bareOpening + "[a-z_]{0,10})$")
	bareCall  = regexp.MustCompile("^" + bareOpening + "(?:name|type|function|tool|tool_name|tool_calls|parameters|arguments)\"")
)

func maybeBareCall(trimmed string) bool {
	return bareStart.MatchString(trimmed) || bareCall.MatchString(trimmed)
}

// wouldBeCall is a call as JSON, in the forms that models write.
type wouldBeCall struct {
	Name       string                 `json:"name"`
	Tool       string                 `json:"tool"`
	ToolName   string                 `json:"tool_name"`
	Parameters json.RawMessage        `json:"parameters"`
	Arguments  json.RawMessage        `json:"arguments"`
	Function   *wouldBeCall           `json:"function"`
	ToolCalls  LooseList[wouldBeCall] `json:"tool_calls"`
}

// names reports whether a call is of one of tools and has arguments.
func (c *wouldBeCall) names(tools []string) bool {
	if c.Function != nil {
		return c.Function.names(tools)
	}
	if len(c.ToolCalls) > 0 {
		return c.ToolCalls[0].names(tools)
	}
	return slices.Contains(tools, cmp.Or(c.Name, c.Tool, c.ToolName)) && LooseText(c.Parameters)+LooseText(c.Arguments) != ""
}

// cutCall matches the beginning of a call that was cut off behind the name of its tool.
var cutCall = regexp.MustCompile("^" + bareOpening + "(?:name|tool|tool_name)\"\\s*:\\s*\"([^\"]+)\"\\s*,\\s*\"(?:parameters|arguments)\"")

// isBareCall reports whether a text begins with JSON that names a tool and has arguments.
func isBareCall(text string, tools []string) bool {
	text = strings.TrimSpace(text)
	if call := cutCall.FindStringSubmatch(text); len(call) > 1 && slices.Contains(tools, call[1]) {
		return true
	}
	if fenced, ok := strings.CutPrefix(text, "```"); ok {
		text = strings.TrimLeft(fenced, "abcdefghijklmnopqrstuvwxyz")
	}
	var calls LooseList[wouldBeCall]
	err := json.NewDecoder(strings.NewReader(text)).Decode(&calls)
	return err == nil && len(calls) > 0 && calls[0].names(tools)
}
