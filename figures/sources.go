package figures

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Sources are what figures may rest on. It is not safe for use by several goroutines at once.
type Sources struct {
	zone     *time.Location
	thisYear int
	today    date

	dates  []date
	clocks map[int]bool
	// spans are the days between today and a date, and between two dates of one row.
	spans map[int64]bool
	// exact are all values, counts and sums; divided are averages.
	exact, divided pool
	// columns are the values of one name, in one currency, over all results; rows those that stand together.
	columns map[column]*pool
	rows    []*pool
	settled bool
}

// column names the values that may be added up.
type column struct{ name, currency string }

// NewSources returns Sources that know today's date, and tell times in the zone of now.
func NewSources(now time.Time) *Sources {
	s := &Sources{
		zone: now.Location(), thisYear: now.Year(), today: dateOf(now),
		clocks: map[int]bool{}, spans: map[int64]bool{}, columns: map[column]*pool{},
	}
	for days := -1; days <= 1; days++ {
		s.addDate(dateOf(now.AddDate(0, 0, days)))
	}
	s.addClock(now)
	return s
}

// Say adds a text: the words of a person, or of the server.
func (s *Sources) Say(text string) {
	group := &pool{}
	s.say(text, group)
	s.rows = append(s.rows, group)
	s.settled = false
}

// say adds the figures of a text, and puts its numbers into a group where there is one.
func (s *Sources) say(text string, group *pool) {
	for _, f := range Find(text) {
		switch f.kind {
		case dated:
			s.addDate(f.date)
		case timed:
			s.clocks[f.clock] = true
		case numeric:
			v := value{f.value, f.currency}
			s.exact.add(v)
			if group != nil {
				group.add(v)
			}
		}
	}
	for month, name := range monthNames {
		if group != nil && strings.Contains(strings.ToLower(text), name) {
			s.dates = append(s.dates, date{month: month + 1})
		}
	}
}

// Period adds the dates of the JSON arguments of a call, which bound what was looked at. Their numbers are no source.
func (s *Sources) Period(args []byte) {
	var v any
	if json.Unmarshal(args, &v) != nil {
		return
	}
	for _, text := range textsOf(v) {
		if d, ok := wholeDate(text); ok {
			s.addDate(d)
		}
	}
}

func textsOf(v any) (texts []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, item := range v {
			texts = append(texts, textsOf(item)...)
		}
	case map[string]any:
		for _, member := range v {
			texts = append(texts, textsOf(member)...)
		}
	}
	return texts
}

// Return adds the JSON that a tool has returned. What is no JSON is taken as text.
func (s *Sources) Return(result []byte) {
	decoder := json.NewDecoder(bytes.NewReader(result))
	decoder.UseNumber()
	var v any
	if decoder.Decode(&v) != nil {
		s.Say(string(result))
		return
	}
	t := table{sources: s, cells: map[column][]int64{}}
	t.walk("", "", v, &row{})
	t.close()
	s.settled = false
}

func (s *Sources) addClock(t time.Time) {
	s.clocks[t.Hour()*60+t.Minute()] = true
}

func (s *Sources) addDate(d date) {
	if slices.Contains(s.dates, d) {
		return
	}
	s.dates = append(s.dates, d)
	if d.whole() {
		s.addSpan(s.today, d)
	}
}

func (s *Sources) addSpan(a, b date) {
	days := int64(a.time().Sub(b.time()) / (24 * time.Hour))
	s.spans[max(days, -days)] = true
}

// settle sorts what has been added.
func (s *Sources) settle() {
	if s.settled {
		return
	}
	s.exact.sort()
	s.divided.sort()
	for _, c := range s.columns {
		c.sort()
	}
	for _, r := range s.rows {
		r.sort()
	}
	s.settled = true
}

func (s *Sources) column(name, currency string) *pool {
	key := column{name, currency}
	if s.columns[key] == nil {
		s.columns[key] = &pool{}
	}
	return s.columns[key]
}

// wholeDate reads a text that is a day.
func wholeDate(text string) (date, bool) {
	d, rest, ok := isoDate(text)
	return d, ok && rest == "" && d.whole() && d.valid()
}
