package figures

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strings"
)

// value is a number of a source, with its currency where it has one.
type value struct {
	n        int64
	currency string
}

// pool is a set of values. It is sorted before it is asked.
type pool struct{ values []value }

func (p *pool) add(v value) { p.values = append(p.values, v) }

func (p *pool) sort() {
	slices.SortFunc(p.values, func(a, b value) int {
		return cmp.Or(cmp.Compare(a.n, b.n), cmp.Compare(a.currency, b.currency))
	})
	p.values = slices.Compact(p.values)
}

// has reports whether a value lies between two, in a currency.
func (p *pool) has(low, high int64, currency string) bool {
	first := sort.Search(len(p.values), func(i int) bool { return p.values[i].n >= low })
	for _, v := range p.values[first:] {
		if v.n > high {
			return false
		}
		if sameMoney(v.currency, currency) {
			return true
		}
	}
	return false
}

// sameMoney reports whether two currencies may be one: only two that are known can differ.
func sameMoney(a, b string) bool { return a == b || unclear(a) || unclear(b) }

func unclear(currency string) bool { return currency == "" || currency == "?" }

// Untraced gives the figures of an answer that have no source, in their order. The figures with one are those that a
// source has, in whatever form; that count rows of a result or the items that the answer itself lists; that are the
// sum or average of a column; or the sum, difference or ratio of two values of a column or row. Rounding counts only
// where the figure shows it.
func (s *Sources) Untraced(answer string) []Figure {
	s.settle()
	var listed map[int64]bool
	var untraced []Figure
	for _, f := range Find(answer) {
		if s.traces(f) {
			continue
		}
		if listed == nil {
			listed = listLengths(answer)
		}
		if f.kind != numeric || !listed[f.value] {
			untraced = append(untraced, f)
		}
	}
	return untraced
}

func (s *Sources) traces(f Figure) bool {
	switch f.kind {
	case dated:
		return slices.ContainsFunc(s.dates, func(d date) bool { return f.date.isToldBy(d, s.thisYear) })
	case timed:
		return s.clocks[f.clock] || f.clock < 12*60 && s.clocks[f.clock+12*60]
	}
	low, high := f.between(f.rounds())
	if s.exact.has(low, high, f.currency) || s.saysTime(f) {
		return true
	}
	low, high = f.between(true)
	return s.divided.has(low, high, f.currency) || s.computes(f)
}

// saysTime traces years and numbers of days.
func (s *Sources) saysTime(f Figure) bool {
	year := func(d date) bool { return f.value == int64(d.year)*one }
	return f.plain && slices.ContainsFunc(s.dates, year) || f.days && s.spans[f.value/one] && f.value%one == 0
}

// computes reports whether a figure comes of two values that belong together.
func (s *Sources) computes(f Figure) bool {
	for _, column := range s.columns {
		if column.gives(f) {
			return true
		}
	}
	return slices.ContainsFunc(s.rows, func(r *pool) bool { return r.gives(f) })
}

// gives reports whether a figure is the sum, the difference or the ratio of two values.
func (p *pool) gives(f Figure) bool {
	if len(p.values) < 2 {
		return false
	}
	for _, v := range p.values {
		if f.percent && p.givesShare(f, v) || f.times && p.givesTimes(f, v) {
			return true
		}
		if f.coarse() || !sameMoney(v.currency, f.currency) {
			continue
		}
		low, high := f.between(f.rounds())
		if p.has(low-v.n, high-v.n, v.currency) || p.has(low+v.n, high+v.n, v.currency) {
			return true
		}
	}
	return false
}

// givesShare reports whether a percentage is what part a value is of another, or what it is of it and another, or by
// how much another is more or less.
func (p *pool) givesShare(f Figure, v value) bool {
	low, high := f.between(true)
	from, to := float64(low)/(100*one), float64(high+1)/(100*one)
	n := float64(v.n)
	other := from > 0 && p.hasNear(n*(1-to)/to, n*(1-from)/from, v.currency)
	return other || p.hasNear(n*from, n*to, v.currency) || p.hasNear(n*(1+from), n*(1+to), v.currency) || p.hasNear(n*(1-to), n*(1-from), v.currency)
}

func (p *pool) givesTimes(f Figure, v value) bool {
	low, high := f.between(true)
	return p.hasNear(float64(v.n)*float64(low)/one, float64(v.n)*float64(high+1)/one, v.currency)
}

func (p *pool) hasNear(low, high float64, currency string) bool {
	if low < 0 || high > math.MaxInt64/2 {
		return false
	}
	return p.has(int64(math.Ceil(low)), int64(math.Floor(high)), currency)
}

// listLengths are the lengths of the lists and tables of a text, in ten-thousandths as every value.
func listLengths(text string) map[int64]bool {
	lengths := map[int64]bool{}
	items, rows := int64(0), int64(0)
	for line := range strings.SplitSeq(text+"\n", "\n") {
		line = strings.TrimSpace(line)
		switch {
		case isItem(line):
			items++
		case strings.HasPrefix(line, "|"):
			rows++
		case line != "" || items == 0:
			lengths[items*one], lengths[(rows-2)*one] = true, true // a table begins with its head and a rule
			items, rows = 0, 0
		}
	}
	lengths[items*one] = true
	delete(lengths, 0)
	return lengths
}

func isItem(line string) bool {
	return strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "• ") || marker(line) > 0
}
