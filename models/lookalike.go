package models

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// latinTwins are the letters of other scripts that look like one of ours, of UTS 39 those that matter beside Latin names.
var latinTwins = twins(
	"аеорсухіјѕһԁԛԝкАВЕКМНОРСТУХІЈЅҺԌԚԜ", "aeopcyxijshdqwkABEKMHOPCTYXIJSHGQW", // Cyrillic
	"ανορικυχϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹ", "avopikuxcjABEZHIKMNOPTYXC", // Greek
	"օհոսզցԼՕՏ", "ohnuqgLOS", // Armenian
	"ıɑɡ", "iag", // Latin letters that are easily missed
)

func twins(pairs ...string) map[rune]rune {
	table := map[rune]rune{}
	for i := 0; i < len(pairs); i += 2 {
		latin := []rune(pairs[i+1])
		for j, r := range []rune(pairs[i]) {
			table[r] = latin[j]
		}
	}
	return table
}

// LatinTwin returns how a name reads to somebody who takes every letter for the Latin one that it looks like, and
// whether that is another name: one with letters of other scripts among Latin ones, or with nothing but twins of
// Latin letters. An ordinary name in Greek or Cyrillic has letters of its own, and is none.
func LatinTwin(name string) (twin string, other bool) {
	name = norm.NFKC.String(name)
	latin, replaced, own := false, false, false
	twin = strings.Map(func(r rune) rune {
		switch t, ok := latinTwins[r]; {
		case ok:
			replaced = true
			return t
		case unicode.Is(unicode.Latin, r):
			latin = true
		case unicode.IsLetter(r) && unicode.In(r, unicode.Greek, unicode.Cyrillic, unicode.Armenian):
			own = true
		}
		return r
	}, name)
	return twin, replaced && (latin || !own)
}
