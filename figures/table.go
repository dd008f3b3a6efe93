package figures

import (
	"encoding/json"
	"strings"
	"time"
)

// table is one result while it is read.
type table struct {
	sources *Sources
	// cells are the values of each path, however deep in lists they stand.
	cells map[column][]int64
}

// row is an object of a result: its numbers, its dates, and its words, by which rows are alike.
type row struct {
	numbers []cell
	dates   []date
	labels  []cell
}

// cell is a number or a word of a row under its name.
type cell struct {
	name string
	text string
	value
}

// walk adds a value. path leads to it without the places in lists, name is what it is called, in is its row.
func (t *table) walk(path, name string, v any, in *row) {
	switch v := v.(type) {
	case map[string]any:
		if amount, ok := money(v); ok {
			t.number(path, name, amount, in)
			return
		}
		t.object(path, v)
	case []any:
		t.list(path, name, v)
	case json.Number:
		t.decimal(path, name, v.String(), in)
	case string:
		t.text(path, name, v, in)
	}
}

func (t *table) object(path string, members map[string]any) row {
	var r row
	for name, member := range members {
		t.walk(path+"."+name, name, member, &r)
	}
	together := &pool{}
	for _, c := range r.numbers {
		together.add(c.value)
	}
	if len(r.numbers) > 1 {
		t.sources.rows = append(t.sources.rows, together)
	}
	for i, a := range r.dates {
		for _, b := range r.dates[:i] {
			t.sources.addSpan(a, b)
		}
	}
	return r
}

// list adds a list: its length, and for rows that share a word how many there are and what their numbers come to.
func (t *table) list(path, name string, items []any) {
	t.count(len(items))
	alike := map[[2]string][]row{}
	for _, item := range items {
		members, isRow := item.(map[string]any)
		if _, isMoney := money(members); !isRow || isMoney {
			t.walk(path, name, item, &row{})
			continue
		}
		r := t.object(path, members)
		for _, l := range r.labels {
			key := [2]string{l.name, l.text}
			alike[key] = append(alike[key], r)
		}
	}
	for _, rows := range alike {
		if len(rows) > 1 && len(rows) < len(items) {
			t.count(len(rows))
			t.sums(rows)
		}
	}
}

func (t *table) count(n int) {
	v := value{n: int64(n) * one}
	t.sources.exact.add(v)
	t.sources.column("#", "").add(v)
}

func (t *table) sums(rows []row) {
	sums := map[column]int64{}
	for _, r := range rows {
		for _, c := range r.numbers {
			sums[column{c.name, c.currency}] += c.n
		}
	}
	for key, sum := range sums {
		v := value{sum, key.currency}
		t.sources.exact.add(v)
		t.sources.column(key.name, key.currency).add(v)
	}
}

// close adds what each column of the result comes to, and its average.
func (t *table) close() {
	for key, values := range t.cells {
		if len(values) < 2 {
			continue
		}
		var sum int64
		for _, v := range values {
			sum += v
		}
		name := key.name[strings.LastIndexByte(key.name, '.')+1:]
		t.sources.exact.add(value{sum, key.currency})
		t.sources.column(name, key.currency).add(value{sum, key.currency})
		t.sources.divided.add(value{sum / int64(len(values)), key.currency})
	}
}

func (t *table) number(path, name string, v value, in *row) {
	t.sources.exact.add(v)
	t.sources.column(name, v.currency).add(v)
	key := column{path, v.currency}
	t.cells[key] = append(t.cells[key], v.n)
	in.numbers = append(in.numbers, cell{name: name, value: v})
}

// decimal adds a number as JSON has it.
func (t *table) decimal(path, name, text string, in *row) {
	f, n, ok := readNumber(strings.TrimPrefix(text, "-"))
	if !ok || n < len(strings.TrimPrefix(text, "-")) {
		return
	}
	t.number(path, name, value{n: f.value}, in)
}

// text adds a word of a row: a time, a day, a decimal, or words that may have figures in them.
func (t *table) text(path, name, text string, in *row) {
	in.labels = append(in.labels, cell{name: name, text: text})
	if !strings.ContainsAny(text, "0123456789０１２３４５６７８９") && !hasHan(text) || isUUID(text) {
		return
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		for _, at := range []time.Time{at.UTC(), at.In(t.sources.zone)} {
			in.dates = append(in.dates, dateOf(at))
			t.sources.addDate(dateOf(at))
			t.sources.addClock(at)
		}
		return
	}
	if d, ok := wholeDate(text); ok {
		in.dates = append(in.dates, d)
		t.sources.addDate(d)
		return
	}
	if isDecimal(text) {
		t.decimal(path, name, text, in)
		return
	}
	t.sources.say(text, nil)
}

// money reads an amount with its currency.
func money(members map[string]any) (value, bool) {
	amount, isText := members["amount"].(string)
	currency, known := members["currency"].(string)
	if !isText || !known && len(members) > 1 || len(members) > 2 || !isDecimal(amount) {
		return value{}, false
	}
	f, _, ok := readNumber(strings.TrimPrefix(amount, "-"))
	return value{f.value, strings.ToUpper(currency)}, ok
}

// isDecimal reports whether a text is digits with at most a point and a sign.
func isDecimal(text string) bool {
	text = strings.TrimPrefix(text, "-")
	return text != "" && isDigit(text[0]) && run(text, func(b byte) bool { return isDigit(b) || b == '.' }) == len(text)
}
