package llm

import "strings"

// Prose separates what a model says from what it thinks and from tool-call markup that its server failed to
// parse. Pieces of the answer go in as they arrive; what a person may read comes out, held back only as long
// as it may still turn out to be something else.
type Prose struct {
	leak      leakFilter
	state     proseState
	held      string
	lead      string
	begun     bool
	thought   bool
	reasoning strings.Builder
	said      strings.Builder
}

// ProseEnd is what is known at the end of the answer.
type ProseEnd struct {
	// Rest is the last visible text.
	Rest string
	// Reasoning is what stood in thinking tags.
	Reasoning string
	// UnclosedThinking says that Rest was taken out of a thinking tag that never closed.
	UnclosedThinking bool
	// Leak is the format of the leaked markup, or empty.
	Leak string
}

type proseState int

const (
	proseStart proseState = iota
	proseThinking
	proseAnswer
)

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
)

// NewProse starts an answer. tools are the names that bare JSON must name to count as a leaked call.
func NewProse(tools []string) *Prose {
	return &Prose{leak: leakFilter{tools: tools}}
}

// Thought says that the model's thinking arrives in a field of its own.
func (p *Prose) Thought() { p.thought = true }

// Write takes the next piece and gives what may be shown. reset says that everything shown before is void.
func (p *Prose) Write(piece string) (visible string, reset bool) {
	switch p.state {
	case proseStart:
		return p.start(p.held + piece)
	case proseThinking:
		return p.think(p.held + piece)
	default:
		return p.answer(p.held + piece)
	}
}

func (p *Prose) start(text string) (string, bool) {
	trimmed := strings.TrimSpace(text)
	if strings.HasPrefix(thinkOpen, trimmed) && trimmed != thinkOpen {
		p.held = text
		return "", false
	}
	p.held = ""
	if rest, ok := strings.CutPrefix(trimLeft(text), thinkOpen); ok {
		p.state, p.thought = proseThinking, true
		return p.think(rest)
	}
	p.state = proseAnswer
	return p.answer(text)
}

func (p *Prose) think(text string) (string, bool) {
	thinking, rest, closed := strings.Cut(text, thinkClose)
	if !closed {
		p.held = text
		return "", false
	}
	p.held = ""
	p.reasoning.WriteString(strings.TrimSpace(thinking))
	p.state = proseAnswer
	return p.answer(rest)
}

// answer passes text on. A closing tag without its opening means that the prompt held the opening: all text
// before it was thinking.
func (p *Prose) answer(text string) (string, bool) {
	p.held = ""
	if p.thought {
		return p.show(text), false
	}
	before, rest, found := strings.Cut(text, thinkClose)
	if found && !quoted(p.said.String()+before) {
		reset := p.begun
		p.reasoning.WriteString(strings.TrimSpace(p.said.String() + before))
		p.thought, p.begun, p.lead, p.leak = true, false, "", leakFilter{tools: p.leak.tools}
		return p.show(rest), reset
	}
	keep := partialSuffix(text, thinkClose)
	p.held = text[len(text)-keep:]
	text = text[:len(text)-keep]
	p.said.WriteString(text)
	return p.show(text), false
}

// show keeps leading blanks back until a letter follows, and drops them after thinking.
func (p *Prose) show(text string) string {
	if !p.begun {
		text = p.lead + text
		if trimLeft(text) == "" {
			p.lead = text
			return ""
		}
		if p.thought {
			text = trimLeft(text)
		}
		p.begun = true
	}
	return p.leak.write(text)
}

// Close ends the answer. stopped says that it ended by itself, not by a limit and not in calls: then thinking
// that never closed is taken for the answer rather than lost.
func (p *Prose) Close(stopped bool) ProseEnd {
	var end ProseEnd
	held := p.held
	if p.state == proseThinking && !stopped {
		p.reasoning.WriteString(strings.TrimSpace(held))
		held = ""
	}
	end.UnclosedThinking = p.state == proseThinking && stopped && strings.TrimSpace(held) != ""
	if held != "" {
		end.Rest = p.show(held)
	}
	rest, leak := p.leak.close()
	end.Rest += rest
	end.Leak = leak
	end.Reasoning = p.reasoning.String()
	return end
}

func trimLeft(s string) string { return strings.TrimLeft(s, " \t\r\n") }

// partialSuffix is the length of the longest end of text that is a beginning of marker, but not all of it.
func partialSuffix(text, marker string) int {
	for n := min(len(text), len(marker)-1); n > 0; n-- {
		if strings.HasSuffix(text, marker[:n]) {
			return n
		}
	}
	return 0
}

// quoted reports whether what follows text stands in code or in quotation marks: then it is spoken about.
func quoted(text string) bool {
	if strings.Count(text, "`")%2 == 1 {
		return true
	}
	for _, mark := range []string{`"`, "'", "“", "‘", "「", "『", "«"} {
		if strings.HasSuffix(text, mark) {
			return true
		}
	}
	return false
}
