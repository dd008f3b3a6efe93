package llm

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Adaptation is a change of the request that an endpoint's refusal asks for, or all that were learned of it.
type Adaptation struct {
	// Drop names request fields to leave out.
	Drop []string `json:"drop,omitempty"`
	// Rename maps request fields to the names that this endpoint knows.
	Rename map[string]string `json:"rename,omitempty"`
	// Set maps settings of the encoding to values.
	Set map[string]any `json:"set,omitempty"`
}

// With adds another change, which goes before what is there. changed is false when it is in it already: then the
// same request would be refused again.
func (a Adaptation) With(b Adaptation) (sum Adaptation, changed bool) {
	sum = Adaptation{Drop: slices.Clone(a.Drop), Rename: maps.Clone(a.Rename), Set: maps.Clone(a.Set)}
	for _, field := range b.Drop {
		if !sum.Drops(field) {
			sum.Drop, changed = append(sum.Drop, field), true
		}
	}
	for from, to := range b.Rename {
		if sum.Rename[from] != to {
			sum.Rename, changed = with(sum.Rename, from, to), true
			delete(sum.Rename, to) // an endpoint that wants one name does not want it renamed back
		}
	}
	for name, value := range b.Set {
		if sum.Set[name] != value {
			sum.Set, changed = with(sum.Set, name, value), true
		}
	}
	return sum, changed
}

func with[V any](m map[string]V, key string, value V) map[string]V {
	if m == nil {
		m = map[string]V{}
	}
	m[key] = value
	return m
}

// Drops reports whether a field is left out.
func (a Adaptation) Drops(field string) bool { return slices.Contains(a.Drop, field) }

// Name is what this endpoint calls a field.
func (a Adaptation) Name(field string) string {
	if name := a.Rename[field]; name != "" {
		return name
	}
	return field
}

// adaptRule is one known refusal, recognised by the field it names or by its words.
type adaptRule struct {
	words  *regexp.Regexp
	change Adaptation
}

func set(name string, value any) Adaptation { return Adaptation{Set: map[string]any{name: value}} }

func rename(from, to string) Adaptation {
	return Adaptation{Rename: map[string]string{from: to}}
}

var adaptRules = []adaptRule{
	{regexp.MustCompile(`tool call id .* length of 9`), set("tool_call_ids", "alnum9")},
	{regexp.MustCompile(`tool_calls\[\d+\]\.id|tool_call_id.*(?:too long|maximum length)|tool_use(?:\.|_)id: string should`), set("tool_call_ids", "rewrite")},
	{regexp.MustCompile(`function_declarations\[\d+\]\.name|invalid function name|function name is invalid|tools\[\d+\]\.function\.name|tools\.\d+\.(?:custom\.)?name: string should`), set("tool_name_rule", "^[a-zA-Z][a-zA-Z0-9_-]{0,63}$")},
	{regexp.MustCompile(`function_declarations|(?:invalid|unsupported|not a valid) .*schema|schema .*(?:invalid|not support)`), set("schema_profile", "minimal")},
	{regexp.MustCompile(`reasoning_content.*passed back|thinking.*must be passed back|reasoning_content is missing|missing a thought_signature|must start with a thinking block`), set("replay_reasoning", true)},
	{regexp.MustCompile("`signature`|thinking`? blocks.* cannot be modified"), set("strip_thinking", true)},
	{regexp.MustCompile(`role .tool. must|must be followed by tool messages|tool_call_ids did not|function\.arguments.*json`), set("repair_history", true)},
	{regexp.MustCompile("without `tool_result`|unexpected `tool_use_id`|each `tool_use` (?:block )?must|`tool_use` ids must be unique"), set("repair_history", true)},
	{regexp.MustCompile(`does not follow tool call|number of function (?:calls|response parts)|unexpected (?:role|tool call id)|function call turn comes`), set("repair_history", true)},
	{regexp.MustCompile(`'tools'.*empty|tools.*(?:empty array|too short|at least)|too short - 'tools'`), Adaptation{Drop: []string{"tools", "tool_choice"}}},
	{regexp.MustCompile(`text content blocks must|must not be empty|content.*must be non-empty|must have non-empty content|text field .* is blank`), set("assistant_empty_content", "omit")},
	{regexp.MustCompile(`single .text. element`), set("content_form", "string")},
	{regexp.MustCompile("unknown variant `developer`"), set("system_role", "system")},
	{regexp.MustCompile(`does not support 'system'|system role|developer instruction|role.*'developer'`), set("system_role", "user")},
	{regexp.MustCompile(`max_tokens.*use .?max_completion_tokens`), rename("max_tokens", "max_completion_tokens")},
	{regexp.MustCompile(`max_completion_tokens`), rename("max_completion_tokens", "max_tokens")},
}

// droppable are the optional fields of a request, which an endpoint may refuse by name.
var droppable = []string{
	"stream_options", "parallel_tool_calls", "tool_choice", "reasoning_effort", "temperature", "top_p",
	"frequency_penalty", "presence_penalty", "max_tokens", "cache_control",
}

// adaptation finds the change that a refusal asks for, or nil.
func adaptation(r report) *Adaptation {
	said := strings.ToLower(r.field + "\n" + r.message)
	for _, rule := range adaptRules {
		if rule.words.MatchString(said) {
			return &rule.change
		}
	}
	for _, field := range droppable {
		if strings.Contains(said, field) || strings.Contains(said, strings.ReplaceAll(field, "_", "")) {
			return &Adaptation{Drop: []string{field}}
		}
	}
	return nil
}
