package models

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// FoldName returns the key under which names are compared: NFKC, case-folded, without invisible
// characters, surrounding white space removed and repeated white space made one space. Folding a key
// gives the same key.
func FoldName(s string) string {
	s = norm.NFKC.String(strings.Map(dropInvisible, s))
	// Fold turns Cherokee small letters into capitals and back; ToLower settles it and changes nothing else.
	s = norm.NFKC.String(strings.ToLower(cases.Fold().String(s)))
	return strings.Join(strings.Fields(s), " ")
}

// CleanText makes text from outside storable in every database: NFC, valid UTF-8, no NUL and no other
// control characters except line break and tab.
func CleanText(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
	return norm.NFC.String(s)
}

// CleanLine is CleanText for a value of one line: white space of any kind becomes single spaces.
func CleanLine(s string) string { return strings.Join(strings.Fields(CleanText(s)), " ") }

// dropInvisible drops what takes no place on a screen: format and control characters, variation selectors, fillers.
func dropInvisible(r rune) rune {
	if unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) ||
		(unicode.IsControl(r) && !unicode.IsSpace(r)) {
		return -1
	}
	return r
}
