package figures

import "math"

// one is the number 1. Values count ten-thousandths.
const one = 10_000

// maxDigits is how many digits before the point a number may have; longer ones are identifiers.
const maxDigits = 14

type kind uint8

const (
	numeric kind = iota
	dated
	timed
)

// Figure is an amount, a count, a percentage, a date or a time as a text has it.
type Figure struct {
	// Text is the figure as it is written, with its currency and scale; Start and End are its bytes.
	Text       string
	Start, End int

	kind  kind
	date  date
	clock int // minutes since midnight

	value, unit int64 // unit is what one step of the last digit is worth
	currency    string
	percent     bool // a percent sign stands with it
	scaled      bool // written with a word such as 萬 or million, which rounds
	about       bool // a word before it says that it is rounded
	days        bool // it counts days
	times       bool // it counts how many times as much
	plain       bool // digits alone, which may be a year
}

// rounds reports whether the figure shows by itself that it is rounded.
func (f Figure) rounds() bool { return f.scaled || f.percent || f.about || f.times }

// coarse figures are rounded so far that the sum of some two things nearly always fits.
func (f Figure) coarse() bool { return (f.scaled || f.about) && f.value < 100*f.unit }

// between are the lowest and the highest value that the figure says.
func (f Figure) between(rounded bool) (low, high int64) {
	if !rounded {
		return f.value, f.value
	}
	return f.value - f.unit/2, f.value + (f.unit-1)/2
}

// exactEnough is how many steps of its last digit a figure with a word such as million needs to stand for one in full.
const exactEnough = 1000

// Tells reports whether a figure says a wanted number: exactly; or rounded, when it has a word for thousands and
// is exact enough, or when the wanted one has decimals and it has more. A count is never rounded.
func (f Figure) Tells(want Figure) bool {
	if f.kind != numeric || want.kind != numeric {
		return false
	}
	switch {
	case f.value == want.value:
		return true
	case f.scaled && !want.scaled:
		low, high := f.between(true)
		return f.value/f.unit >= exactEnough && low <= want.value && want.value <= high
	case want.unit < one && f.unit < want.unit:
		low, high := want.between(true)
		return low <= f.value && f.value <= high
	}
	return false
}

// Parse reads a text that is one number and nothing else but its currency, scale or percent sign.
func Parse(text string) (Figure, bool) {
	all := Find(text)
	if len(all) != 1 || all[0].kind != numeric || all[0].Start != 0 || all[0].End != len(text) {
		return Figure{}, false
	}
	return all[0], true
}

// power is ten to the n.
func power(n int) int64 { return int64(math.Pow10(n)) }
