package figures

import "unicode/utf8"

// folded is a text made comparable: full-width characters are narrow, letters small, spaces and minus signs all
// alike, and Chinese numbers digits. at gives, for each of its bytes and its end, the byte of the original.
type folded struct {
	text string
	at   []int
}

func fold(s string) folded {
	text, at := make([]byte, 0, len(s)), make([]int, 0, len(s)+1)
	wideDigit := false
	for i := 0; i < len(s); {
		n := len(text)
		r, length := utf8.DecodeRuneInString(s[i:])
		number, taken := "", 0
		if r >= utf8.RuneSelf {
			number, taken = hanNumber(s[:i], s[i:])
		}
		if taken > 0 {
			text, length = append(text, number...), taken
		} else {
			text = utf8.AppendRune(text, foldRune(r, wideDigit))
		}
		for range len(text) - n {
			at = append(at, i)
		}
		wideDigit = r >= '０' && r <= '９'
		i += length
	}
	return folded{string(text), append(at, len(s))}
}

// foldRune folds one character. The wide comma of Chinese separates words, and thousands only after a wide digit.
func foldRune(r rune, afterWideDigit bool) rune {
	switch {
	case r == '，' && !afterWideDigit:
		return r
	case r >= '！' && r <= '～':
		return foldRune(r-'！'+'!', false)
	case r >= 'A' && r <= 'Z':
		return r - 'A' + 'a'
	case r == '\u00a0' || r == '\u2009' || r == '\u202f' || r == '\u3000':
		return ' '
	case r == '\u2212' || r == '\u2010' || r == '\u2011':
		return '-'
	}
	return r
}

func isDigit(b byte) bool  { return b >= '0' && b <= '9' }
func isLetter(b byte) bool { return b >= 'a' && b <= 'z' }
func isWord(b byte) bool   { return isDigit(b) || isLetter(b) || b == '_' }

// run is how many bytes at the beginning of a text are of a kind.
func run(text string, of func(byte) bool) int {
	n := 0
	for n < len(text) && of(text[n]) {
		n++
	}
	return n
}

// spaces is how many of the next bytes are spaces, at most one.
func spaces(text string) int {
	if text != "" && text[0] == ' ' {
		return 1
	}
	return 0
}
