package figures

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// Find gives the figures of a text in their order. Ordinals, the numbers of list items, and digits that belong to
// an id, an address or a phone number are none.
func Find(text string) []Figure {
	s := scanner{folded: fold(text), original: text}
	for s.pos < len(s.text) {
		s.step()
	}
	return s.found
}

// scanner walks through a folded text. pos is where it stands.
type scanner struct {
	folded
	original string
	pos      int
	found    []Figure
}

func (s *scanner) rest() string { return s.text[s.pos:] }

// step passes over what stands at pos, and takes it when it is a figure.
func (s *scanner) step() {
	rest := s.rest()
	if s.pos == 0 || s.text[s.pos-1] == '\n' {
		if n := marker(rest); n > 0 {
			s.pos += n
			return
		}
	}
	switch c := rest[0]; {
	case isDigit(c):
		s.digits()
	case isLetter(c):
		s.word()
	case c == '+' && phone(rest[1:]) > 0:
		s.pos += 1 + phone(rest[1:])
	case c == '_' || c == '#':
		s.pos += 1 + run(rest[1:], isWord)
	case strings.HasPrefix(rest, "]("):
		s.pos += addressEnd(rest)
	case strings.HasPrefix(rest, "第"), strings.HasPrefix(rest, "•"):
		s.pos += len("第") + run(rest[len("第"):], isDigit)
	default:
		_, n := utf8.DecodeRuneInString(rest)
		s.pos += n
	}
}

// marker is the length of a list item's number, or of the rank in the first cell of a table's row.
func marker(line string) int {
	start := run(line, func(b byte) bool { return b == ' ' || b == '#' || b == '|' || b == '>' })
	n := run(line[start:], isDigit)
	if n == 0 || n > 3 {
		return 0
	}
	end := start + n
	after := line[end:]
	switch {
	case strings.HasPrefix(after, ". "), strings.HasPrefix(after, ") "), strings.HasPrefix(after, "、"):
		return end
	case strings.Contains(line[:start], "|") && strings.HasPrefix(after[run(after, func(b byte) bool { return b == ' ' }):], "|"):
		return end
	}
	return 0
}

// addressEnd is where the address of a link, which follows its words, is over.
func addressEnd(text string) int {
	for i := 2; i < len(text); i++ {
		if text[i] == ')' || text[i] == '\n' {
			return i
		}
	}
	return len(text)
}

// word passes over letters: a month begins a date, a currency stands with the figure after it, and digits that hang
// on any other word belong to an id.
func (s *scanner) word() {
	rest := s.rest()
	n := run(rest, isLetter)
	if strings.HasPrefix(rest, "http://") || strings.HasPrefix(rest, "https://") {
		s.pos += len(rest[:wordsEnd(rest)])
		return
	}
	if d, length, ok := monthFirst(rest); ok {
		s.take(Figure{kind: dated, date: d}, s.pos, s.pos+length)
		return
	}
	if s.numberInWords(n) {
		return
	}
	if currencies[rest[:n]] == "" && hangs(rest[n:]) {
		n += idEnd(rest[n:])
	}
	s.pos += n
}

// wordsEnd is where the next space is.
func wordsEnd(text string) int {
	if i := strings.IndexAny(text, " \n\t<>)]"); i >= 0 {
		return i
	}
	return len(text)
}

// hangs reports whether what follows letters makes one id of both.
func hangs(after string) bool {
	if after == "" {
		return false
	}
	return isDigit(after[0]) || after[0] == '_' || after[0] == '-' && len(after) > 1 && isDigit(after[1])
}

// idEnd is the length of the rest of an id.
func idEnd(text string) int {
	n := run(text, isWord)
	for n+1 < len(text) && (text[n] == '-' || text[n] == '.' || text[n] == '/') && isWord(text[n+1]) {
		n++
		n += run(text[n:], isWord)
	}
	return n
}

// digits takes the figure that begins with the digit at pos.
func (s *scanner) digits() {
	rest := s.rest()
	if n := notOne(rest); n > 0 {
		s.pos += n
		return
	}
	if d, n, ok := datePrefix(rest); ok {
		s.take(Figure{kind: dated, date: d}, s.pos, s.pos+n)
		return
	}
	if minutes, n, ok := clockPrefix(s.text[:s.pos], rest); ok {
		s.take(Figure{kind: timed, clock: minutes}, s.pos, s.pos+n)
		return
	}
	s.number()
}

// notOne is the length of digits that are no figure: an id, a phone number.
func notOne(text string) int {
	if isUUID(text) {
		return uuidLength
	}
	if n := run(text, isDigit); n == 4 && len(text) > 5 && text[4] == ' ' && run(text[5:], isDigit) == 4 {
		return 9 // a number of Hong Kong
	}
	if groups := phoneGroups.FindString(text); len(groups) >= 10 {
		if _, _, ok := datePrefix(text); !ok {
			return len(groups)
		}
	}
	return 0
}

// phoneGroups are the digits of a phone number without a plus sign, in three or more groups.
var phoneGroups = regexp.MustCompile(`^\d{1,4}(?:-\d{2,4}){2,}\b`)

const uuidLength = 36

// isUUID reports whether a text begins with an id.
func isUUID(text string) bool {
	if len(text) < uuidLength {
		return false
	}
	for i := range uuidLength {
		c := text[i]
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if c != '-' {
				return false
			}
		} else if !isDigit(c) && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// phone is the length of an international phone number after its plus sign; 0 when it is none.
func phone(text string) int {
	digits, n := 0, 0
	for n < len(text) && (isDigit(text[n]) || digits > 0 && (text[n] == ' ' || text[n] == '-') && n+1 < len(text) && isDigit(text[n+1])) {
		if isDigit(text[n]) {
			digits++
		}
		n++
	}
	if digits < 8 {
		return 0
	}
	return n
}

// take keeps a figure that stands between two bytes, and goes on after it.
func (s *scanner) take(f Figure, start, end int) {
	f.Start, f.End = s.at[start], s.at[end]
	f.Text = s.original[f.Start:f.End]
	s.found = append(s.found, f)
	s.pos = end
}
