package models

import (
	"fmt"
	"strings"
	"unicode"
)

// Readable returns a text without what no person sees in it: control and format characters, tags, and whatever else
// takes no place on a screen and may tell a model something all the same. What belongs to the writing of a language
// or to an emoji stays.
func Readable(s string) string { return mapUnseen(s, func(rune) string { return "" }) }

// Marked returns a text with everything that [Readable] would leave out spelled as ⟨U+202E⟩, for showing it.
func Marked(s string) string {
	return mapUnseen(s, func(r rune) string { return fmt.Sprintf("⟨U+%04X⟩", r) })
}

// mapUnseen replaces the characters of a text that are unseen where they stand.
func mapUnseen(s string, replace func(rune) string) string {
	if !strings.ContainsFunc(s, ignorable) {
		return s
	}
	var b strings.Builder
	runes := []rune(s)
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		switch n := len(flagTags(runes[i:])); {
		case n > 0:
			b.WriteString(string(runes[i : i+n]))
			i += n - 1
		case ignorable(r) && !belongs(runes, i):
			b.WriteString(replace(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// ignorable reports whether a character takes no place on a screen by itself. The signs that span the digits of a
// number in Arabic and other scripts are format characters, but seen.
func ignorable(r rune) bool {
	if r >= ' ' && r <= '~' { // most of what is asked for
		return false
	}
	if r == '\n' || r == '\t' || unicode.Is(unicode.Prepended_Concatenation_Mark, r) {
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// belongs reports whether an ignorable character makes a difference to what is seen: a joiner inside an emoji or a
// word of a script that joins, a variation selector after a sign that has variants.
func belongs(runes []rune, i int) bool {
	const nonJoiner, joiner = '\u200c', '\u200d'
	if i == 0 {
		return false
	}
	before := runes[i-1]
	switch r := runes[i]; {
	case r == nonJoiner || r == joiner:
		return i+1 < len(runes) && joins(before) && joins(runes[i+1])
	case unicode.Is(unicode.Variation_Selector, r):
		return !unicode.IsSpace(before) && !ignorable(before) && !unicode.In(before, unicode.Latin, unicode.Greek, unicode.Cyrillic)
	}
	return false
}

// joins reports whether a joiner beside a character can change how it looks.
func joins(r rune) bool {
	const emojiVariant = '\ufe0f'
	if r == emojiVariant || unicode.In(r, unicode.So, unicode.Sk) {
		return true
	}
	return unicode.In(r, unicode.L, unicode.M) && !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic,
		unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo)
}

// flagTags are the runes at the start of a text that are the flag of England, Scotland or Wales: the only signs that
// are written with tags.
func flagTags(runes []rune) []rune {
	const tag, length = 0xE0000, 7 // the black flag, five tags, and the tag that ends them
	if len(runes) < length || runes[0] != '🏴' || runes[length-1] != tag+0x7F {
		return nil
	}
	var name strings.Builder
	for _, r := range runes[1 : length-1] {
		name.WriteRune(r - tag)
	}
	switch name.String() {
	case "gbeng", "gbsct", "gbwls":
		return runes[:length]
	}
	return nil
}
