package evals

import (
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// fold makes texts comparable: width, letter case and spaces make no difference.
func fold(text string) string {
	return strings.Join(strings.Fields(cases.Fold().String(norm.NFKC.String(text))), " ")
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// figure is a number in a text: its value, and how exactly it was written.
type figure struct {
	text  string
	value *big.Rat
	// unit is what one step of its last digit is worth.
	unit *big.Rat
	// scaled says that it was written with a word such as 萬 or million, which rounds.
	scaled bool
	// percent says that a percent sign follows.
	percent bool
}

// number is digits, with thousands apart or not, and what may follow them.
var number = regexp.MustCompile(`\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?`)

// percentSign is what makes a figure a percentage.
var percentSign = regexp.MustCompile(`^\s?(%|percent|per cent|巴仙)`)

// uuid is an id, whose digits are no figures.
var uuid = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// isoDate is a day, which is compared as text.
var isoDate = regexp.MustCompile(`\d{4}-\d{2}-\d{2}`)

// listMarker is the number of an item at the beginning of a line, which counts nothing.
var listMarker = regexp.MustCompile(`(?m)^\s*\d{1,2}[.)]\s`)

// scales are the words that multiply a figure, longest first. Latin letters must end there.
var scales = []struct {
	word string
	zero int
}{
	{"million", 6}, {"billion", 9}, {"bn", 9}, {"mn", 6}, {"k", 3}, {"m", 6}, {"萬", 4}, {"万", 4}, {"億", 8}, {"亿", 8},
}

// currencies may stand directly before a figure.
var currencies = []string{"hkd", "hk", "usd", "us", "cny", "rmb", "eur"}

// figures are the numbers of a text. Digits inside ids such as I3KQNE9V are none.
func figures(text string) []figure {
	text = fold(text)
	var all []figure
	for _, place := range number.FindAllStringIndex(text, -1) {
		if partOfWord(text[:place[0]]) {
			continue
		}
		scale, ok := scaleOf(text[place[1]:])
		if !ok {
			continue
		}
		f := newFigure(text[place[0]:place[1]], scale)
		f.percent = percentSign.MatchString(text[place[1]:])
		all = append(all, f)
	}
	return all
}

// partOfWord reports whether what stands before a number makes it the rest of a word or id.
func partOfWord(before string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	if !isLatin(last) {
		return last == '_'
	}
	return !slices.ContainsFunc(currencies, func(code string) bool {
		rest, ok := strings.CutSuffix(before, code)
		previous, _ := utf8.DecodeLastRuneInString(rest)
		return ok && !isLatin(previous)
	})
}

// scaleOf is by how many zeros the word after a number multiplies it. It is not ok when the number is the beginning of an id.
func scaleOf(after string) (zeros int, ok bool) {
	word := strings.TrimPrefix(after, " ")
	for _, s := range scales {
		if rest, found := strings.CutPrefix(word, s.word); found {
			next, _ := utf8.DecodeRuneInString(rest)
			if !unicode.Is(unicode.Latin, rune(s.word[0])) || !isLatin(next) && !unicode.IsDigit(next) {
				return s.zero, true
			}
		}
	}
	next, _ := utf8.DecodeRuneInString(after)
	return 0, !isLatin(next)
}

func isLatin(r rune) bool { return unicode.Is(unicode.Latin, r) }

func newFigure(digits string, zeros int) figure {
	plain := strings.ReplaceAll(digits, ",", "")
	_, fraction, _ := strings.Cut(plain, ".")
	value, _ := new(big.Rat).SetString(plain)
	scale := tenTo(zeros)
	unit := new(big.Rat).Quo(scale, tenTo(len(fraction)))
	return figure{text: digits, value: value.Mul(value, scale), unit: unit, scaled: zeros > 0}
}

func tenTo(n int) *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil))
}

// exactEnough is how many significant digits a figure with a word such as million needs to stand for one in full.
const exactEnough = 4

// tells reports whether a figure says a value: exactly; or rounded, when its word for thousands or its decimals round
// anyway. A count is never rounded.
func (f figure) tells(want figure) bool {
	if f.value.Cmp(want.value) == 0 {
		return true
	}
	switch {
	case f.scaled && !want.scaled:
		return new(big.Rat).Quo(f.value, f.unit).Cmp(tenTo(exactEnough-1)) >= 0 && rounded(want.value, f.unit).Cmp(f.value) == 0
	case want.unit.Cmp(big.NewRat(1, 1)) < 0 && f.unit.Cmp(want.unit) < 0:
		return rounded(f.value, want.unit).Cmp(want.value) == 0
	}
	return false
}

// rounded is a value to a multiple of unit, half up.
func rounded(value, unit *big.Rat) *big.Rat {
	steps := new(big.Rat).Quo(value, unit)
	steps.Add(steps, big.NewRat(1, 2))
	whole := new(big.Int).Div(steps.Num(), steps.Denom())
	return new(big.Rat).Mul(new(big.Rat).SetInt(whole), unit)
}

// wholeFigure is a text that is a figure and nothing else but a currency sign or a percent sign.
var wholeFigure = regexp.MustCompile(`^(hk|us)?[$¥€]?\s?(` + number.String() + `)\s?%?$`)

// asFigure reads a text that is one figure.
func asFigure(text string) (figure, bool) {
	parts := wholeFigure.FindStringSubmatch(fold(text))
	if parts == nil {
		return figure{}, false
	}
	return newFigure(parts[2], 0), true
}

func equalFigures(a, b string) bool {
	x, okX := asFigure(a)
	y, okY := asFigure(b)
	return okX && okY && x.value.Cmp(y.value) == 0
}

// mentions reports whether a text says a figure, in whatever form, or contains a phrase.
func mentions(text, want string) bool {
	if wanted, ok := asFigure(want); ok {
		return slices.ContainsFunc(figures(text), func(f figure) bool { return f.tells(wanted) })
	}
	return strings.Contains(fold(text), fold(want))
}

// inventedFigures are the figures and days of an answer that have no source. A source is a figure of a tool's result
// or of the question; the sum or difference of two such figures; or, for a figure with a percent sign, the share of one
// in the other or in both.
func inventedFigures(o Observation) (invented []string) {
	sources := o.Question
	for _, call := range o.Calls {
		sources += "\n" + call.Summary + "\n" + string(call.Result)
	}
	answer := norm.NFKC.String(o.Answer)
	for _, day := range isoDate.FindAllString(answer, -1) {
		if !strings.Contains(sources, day) {
			invented = append(invented, day)
		}
	}
	known := distinct(figures(withoutDays(sources)))
	for _, f := range figures(listMarker.ReplaceAllString(withoutDays(answer), " ")) {
		if !f.follows(known) {
			invented = append(invented, f.text)
		}
	}
	return invented
}

// withoutDays is a text without its days and ids.
func withoutDays(text string) string {
	return isoDate.ReplaceAllString(uuid.ReplaceAllString(strings.ToLower(text), " "), " ")
}

// distinct are the figures of different values, in order.
func distinct(list []figure) []figure {
	byValue := func(a, b figure) int { return a.value.Cmp(b.value) }
	slices.SortFunc(list, byValue)
	return slices.CompactFunc(list, func(a, b figure) bool { return byValue(a, b) == 0 })
}

// follows reports whether a figure is among the known ones or comes of two of them.
func (f figure) follows(known []figure) bool {
	for _, a := range known {
		if f.says(a.value) {
			return true
		}
		for _, b := range known {
			if f.says(new(big.Rat).Add(a.value, b.value)) || f.says(new(big.Rat).Sub(a.value, b.value)) ||
				f.percent && (f.says(percentage(a.value, b.value)) || f.says(percentage(a.value, new(big.Rat).Add(a.value, b.value)))) {
				return true
			}
		}
	}
	return false
}

// says reports whether the figure is a value: rounded as the figure was written, when it is of a kind that rounds.
func (f figure) says(value *big.Rat) bool {
	if f.scaled || f.percent {
		value = rounded(value, f.unit)
	}
	return value.Cmp(f.value) == 0
}

// percentage of nothing is nothing.
func percentage(part, whole *big.Rat) *big.Rat {
	if whole.Sign() == 0 {
		return new(big.Rat)
	}
	return new(big.Rat).Mul(new(big.Rat).Quo(part, whole), big.NewRat(100, 1))
}
