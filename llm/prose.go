package llm

import "strings"

// Prose separates what a model says from what it thinks and from tool-call markup that its server failed to
// parse. Pieces of the answer go in as they arrive; what a person may read comes out, held back only as long
// as it may still turn out to be something else.
type Prose struct {
	leak leakFilter
	// thinking says that a tag of thinking is open, thought that thinking came before.
	thinking, thought bool
	held              string
	lead              string
	begun             bool
	reasoning         strings.Builder
	said              strings.Builder
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
	if p.thinking {
		return p.think(p.held + piece)
	}
	return p.answer(p.held + piece)
}

// think passes over text up to the tag that closes the thinking, which may hold tags of its own.
func (p *Prose) think(text string) (string, bool) {
	end := closing(text)
	if end < 0 {
		p.held = text
		return "", false
	}
	p.endThinking(text[:end])
	return p.answer(text[end+len(thinkClose):])
}

func (p *Prose) endThinking(thinking string) {
	p.held, p.thinking, p.thought = "", false, true
	p.reasoning.WriteString(strings.TrimSpace(thinking))
}

// closing is the position of the closing tag that belongs to an opening one before text, or -1.
func closing(text string) int {
	for at, depth := 0, 1; ; {
		next := strings.Index(text[at:], thinkClose)
		if next < 0 {
			return -1
		}
		depth += strings.Count(text[at:at+next], thinkOpen) - 1
		at += next
		if depth == 0 {
			return at
		}
		at += len(thinkClose)
	}
}

// answer passes text on up to where thinking opens.
func (p *Prose) answer(text string) (string, bool) {
	p.held = ""
	if at := unquoted(text, thinkOpen, p.said.String()); at >= 0 {
		visible, reset := p.speak(text[:at])
		p.thinking, p.thought = true, true
		more, _ := p.think(text[at+len(thinkOpen):])
		return visible + more, reset
	}
	keep := max(partialSuffix(text, thinkOpen), partialSuffix(text, thinkClose))
	visible, reset := p.speak(text[:len(text)-keep])
	p.held = text[len(text)-keep:]
	return visible, reset
}

// speak passes text on. A closing tag without its opening means that the prompt held the opening, and all text
// before it was thinking. Where thinking was known, only a tag at the beginning is left of it.
func (p *Prose) speak(text string) (string, bool) {
	at := unquoted(text, thinkClose, p.said.String())
	if at < 0 || p.thought && !blank(p.said.String()+text[:at]) {
		p.said.WriteString(text)
		return p.show(text), false
	}
	reset := p.begun
	p.endThinking(p.said.String() + text[:at])
	p.begun, p.lead, p.leak = false, "", leakFilter{tools: p.leak.tools}
	p.said.Reset()
	visible, _ := p.speak(text[at+len(thinkClose):])
	return visible, reset
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
	if p.thinking {
		held, end.UnclosedThinking = p.unclosed(stopped)
	}
	if held != "" {
		end.Rest = p.show(held)
	}
	rest, leak := p.leak.close()
	end.Rest += rest
	end.Leak = leak
	end.Reasoning = p.reasoning.String()
	return end
}

// unclosed gives what is to be shown of thinking that is open at the end, and whether it was taken for the answer.
// One of several nested tags may be missing; behind an answer, the tag was spoken about.
func (p *Prose) unclosed(stopped bool) (shown string, taken bool) {
	thinking, rest, closed := strings.Cut(p.held, thinkClose)
	switch {
	case closed || !stopped:
		p.reasoning.WriteString(strings.TrimSpace(thinking))
		return rest, false
	case p.begun:
		return thinkOpen + thinking, false
	}
	return thinking, !blank(thinking)
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

// unquoted is where marker first stands in text, which follows before, without being spoken about; -1 is nowhere.
func unquoted(text, marker, before string) int {
	for at := 0; ; at += len(marker) {
		next := strings.Index(text[at:], marker)
		if next < 0 {
			return -1
		}
		at += next
		if !quoted(before + text[:at]) {
			return at
		}
	}
}

// quotationMarks come in pairs.
var quotationMarks = [][2]string{{"“", "”"}, {"「", "」"}, {"『", "』"}, {"«", "»"}}

// quoted reports whether what follows text stands in code, in quotation marks that are open in its paragraph, or in
// a line that quotes: then it is spoken about.
func quoted(text string) bool {
	paragraph := text[strings.LastIndex(text, "\n\n")+1:]
	line := text[strings.LastIndex(text, "\n")+1:]
	if strings.Count(text, "`")%2 == 1 || strings.Count(paragraph, `"`)%2 == 1 || strings.HasPrefix(line, ">") {
		return true
	}
	for _, marks := range quotationMarks {
		if strings.Count(paragraph, marks[0]) > strings.Count(paragraph, marks[1]) {
			return true
		}
	}
	return strings.HasSuffix(text, "'") || strings.HasSuffix(text, "‘")
}
