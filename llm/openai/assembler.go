package openai

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"countersign/llm"
)

// assembler puts tool calls together from their fragments.
type assembler struct {
	tools   []string
	slots   []*slot
	byIndex map[number]*slot
}

// slot is a call in the making.
type slot struct {
	id, name string
	args     strings.Builder
	// resent is the arguments as a server would mean them that repeats, with each fragment, all it sent before.
	resent string
	extra  json.RawMessage
}

func newAssembler(tools []string) *assembler {
	return &assembler{tools: tools, byIndex: map[number]*slot{}}
}

// add routes a fragment to its call: by id, then by index, then to the last one.
func (a *assembler) add(f fragment) {
	s := a.route(f)
	if s == nil {
		s = &slot{}
		a.slots = append(a.slots, s)
	}
	if f.Index != nil {
		if _, taken := a.byIndex[*f.Index]; !taken || f.ID != "" || f.Function.Name != "" {
			a.byIndex[*f.Index] = s
		}
	}
	if s.id == "" {
		s.id = string(f.ID)
	}
	if len(f.ExtraContent) > 0 && string(f.ExtraContent) != "null" {
		s.extra = f.ExtraContent
	}
	a.addName(s, string(f.Function.Name))
	s.addArguments(llm.LooseText(f.Function.Arguments))
}

// route finds the call that a fragment continues, or nil when it begins one.
func (a *assembler) route(f fragment) *slot {
	current, indexed := a.last(), false
	if f.Index != nil {
		if s, ok := a.byIndex[*f.Index]; ok {
			current, indexed = s, true
		} else if f.ID != "" || f.Function.Name != "" {
			return a.repeated(f)
		}
	}
	switch {
	case current == nil:
		return nil
	case f.ID != "" && current.id != "" && string(f.ID) != current.id:
		if indexed && f.Function.Name == "" && !current.complete() {
			return current // a call begins with its name: this server makes a new id for every fragment
		}
		return a.repeated(f)
	case f.ID != "" && current.id == "" && a.beginsAnother(current, f):
		return nil
	case f.ID == "" && a.beginsAnother(current, f):
		return nil
	}
	return current
}

// repeated finds an open call with the fragment's id: servers that count the index up, or switch between
// calls, repeat the id. A complete call whose id comes again with a name is another call of a careless server.
func (a *assembler) repeated(f fragment) *slot {
	if f.ID == "" {
		return nil
	}
	for _, s := range slices.Backward(a.slots) {
		if s.id == string(f.ID) && (f.Function.Name == "" || !s.complete()) {
			return s
		}
	}
	return nil
}

// beginsAnother reports whether a fragment without a known id begins a call after current: it names a tool
// and current is complete, or names another tool than current's.
func (a *assembler) beginsAnother(current *slot, f fragment) bool {
	name := llm.CleanToolName(string(f.Function.Name))
	if name == "" {
		return false
	}
	if name != current.name && slices.Contains(a.tools, current.name) && slices.Contains(a.tools, name) {
		return true
	}
	return current.complete() && strings.TrimSpace(llm.LooseText(f.Function.Arguments)) != ""
}

func (a *assembler) last() *slot {
	if len(a.slots) == 0 {
		return nil
	}
	return a.slots[len(a.slots)-1]
}

// addName sets the name once. A name that came before stays; a beginning that is no tool is continued, or comes
// again as part of what it grows to.
func (a *assembler) addName(s *slot, name string) {
	switch {
	case name == "" || slices.Contains(a.tools, llm.CleanToolName(s.name)):
	case strings.HasPrefix(name, s.name):
		s.name = name
	default:
		s.name += name
	}
}

// addArguments appends, and notes a fragment that begins with all that came before.
func (s *slot) addArguments(fragment string) {
	if fragment == "" {
		return
	}
	before := cmp.Or(s.resent, s.args.String())
	if before != "" && strings.HasPrefix(fragment, before) {
		s.resent = fragment
	} else if s.resent != "" {
		s.resent += fragment
	}
	s.args.WriteString(fragment)
}

func (s *slot) complete() bool {
	object := strings.TrimSpace(s.args.String())
	return strings.HasPrefix(object, "{") && json.Valid([]byte(object))
}

// calls gives the calls in order, as they came over the wire.
func (a *assembler) calls() []llm.RawCall {
	out := make([]llm.RawCall, len(a.slots))
	for i, s := range a.slots {
		out[i] = llm.RawCall{ID: s.id, Name: s.name, Arguments: s.arguments(), Replay: replayOf(s.extra)}
	}
	return out
}

// arguments takes the arguments of a server that repeats all it sent before where only that makes sense.
func (s *slot) arguments() string {
	appended := s.args.String()
	if s.resent != "" && llm.ParseArguments(s.resent).Invalid == "" && !json.Valid([]byte(appended)) {
		return s.resent
	}
	return appended
}

func replayOf(extra json.RawMessage) json.RawMessage {
	if extra == nil {
		return nil
	}
	out, err := json.Marshal(map[string]json.RawMessage{"extra_content": extra})
	if err != nil {
		return nil
	}
	return out
}
