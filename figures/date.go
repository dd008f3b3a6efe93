package figures

import (
	"strings"
	"time"
)

// date is a day, or what of it a text tells; what it does not tell is zero.
type date struct{ year, month, day int }

func dateOf(t time.Time) date { return date{t.Year(), int(t.Month()), t.Day()} }

func (d date) valid() bool { return d.month >= 0 && d.month <= 12 && d.day >= 0 && d.day <= 31 }

func (d date) whole() bool { return d.year > 0 && d.month > 0 && d.day > 0 }

func (d date) time() time.Time {
	return time.Date(d.year, time.Month(d.month), d.day, 0, 0, 0, 0, time.UTC)
}

// isToldBy reports whether a source tells this date: all that the date says, with one exception: a day without a
// year may be of this year or one beside it.
func (d date) isToldBy(source date, thisYear int) bool {
	year := d.year == 0 || d.year == source.year || source.year == 0 && source.month > 0 && d.year >= thisYear-1 && d.year <= thisYear+1
	return year && (d.month == 0 || d.month == source.month) && (d.day == 0 || d.day == source.day)
}

// eat reads digits, at least low and at most high many, and gives the rest.
func eat(text string, low, high int) (n int, rest string, ok bool) {
	length := run(text, isDigit)
	if length < low || length > high {
		return 0, text, false
	}
	for _, d := range text[:length] {
		n = n*10 + int(d-'0')
	}
	return n, text[length:], true
}

// datePrefix reads the date that a text begins with, which begins with a digit.
func datePrefix(text string) (d date, length int, ok bool) {
	for _, read := range []func(string) (date, string, bool){isoDate, yearLast, chineseDate, dayFirst} {
		if d, rest, ok := read(text); ok && d.valid() {
			return d, len(text) - len(rest), true
		}
	}
	return date{}, 0, false
}

// isoDate reads 2026-11-30, also with a time after it, 2026/11/30, and the month 2026-11.
func isoDate(text string) (d date, rest string, ok bool) {
	if d.year, rest, ok = eat(text, 4, 4); !ok || rest == "" || rest[0] != '-' && rest[0] != '/' {
		return d, text, false
	}
	separator := rest[:1]
	if d.month, rest, ok = eat(rest[1:], 1, 2); !ok || d.month == 0 {
		return d, text, false
	}
	after, more := strings.CutPrefix(rest, separator)
	if !more {
		return d, rest, separator == "-" && (rest == "" || !isWord(rest[0]))
	}
	if d.day, rest, ok = eat(after, 1, 2); !ok || d.day == 0 {
		return d, text, false
	}
	if strings.HasPrefix(rest, "t") {
		rest = rest[run(rest, func(b byte) bool { return isDigit(b) || strings.IndexByte("tz:.+-", b) >= 0 }):]
	}
	return d, rest, true
}

// yearLast reads 30/11/2026, 30-11-2026, 30.11.2026 and 30/11/26; the month stands first only where it must.
func yearLast(text string) (d date, rest string, ok bool) {
	var first, second int
	if first, rest, ok = eat(text, 1, 2); !ok || rest == "" || strings.IndexByte("/-.", rest[0]) < 0 {
		return d, text, false
	}
	separator := rest[:1]
	if second, rest, ok = eat(rest[1:], 1, 2); !ok || !strings.HasPrefix(rest, separator) {
		return d, text, false
	}
	if d.year, rest, ok = eat(rest[1:], 2, 4); !ok || d.year < 1900 && (d.year > 99 || separator != "/") {
		return d, text, false
	}
	if d.year < 100 {
		d.year += 2000
	}
	d.day, d.month = first, second
	if second > 12 {
		d.day, d.month = second, first
	}
	return d, rest, true
}

// chineseDate reads 2026年11月30日 and its parts; 30號 is a day.
func chineseDate(text string) (d date, rest string, ok bool) {
	n, after, ok := eat(text, 1, 4)
	if !ok {
		return d, text, false
	}
	if rest, ok = strings.CutPrefix(after, "年"); ok && n > 1900 {
		d.year, text = n, rest
		if n, after, ok = eat(strings.TrimPrefix(rest, " "), 1, 2); !ok {
			return d, rest, true
		}
	}
	if rest, ok = strings.CutPrefix(after, "月"); !ok {
		if rest, ok = cutDay(after); ok && d.year == 0 && !strings.HasPrefix(after, "日") {
			d.day = n
			return d, rest, true
		}
		return d, text, d.year > 0
	}
	d.month = n
	if n, after, ok = eat(strings.TrimPrefix(rest, " "), 1, 2); !ok {
		return d, rest, true
	}
	if after, ok = cutDay(after); ok {
		d.day, rest = n, after
	}
	return d, rest, true
}

func cutDay(text string) (rest string, ok bool) {
	for _, word := range []string{"日", "號", "号"} {
		if rest, ok = strings.CutPrefix(text, word); ok {
			return rest, true
		}
	}
	return text, false
}

// months are the names of the months by their first three letters.
var months = map[string]int{
	"jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "oct": 10, "nov": 11, "dec": 12,
}

var monthNames = []string{
	"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
}

// monthName reads a month's name or its beginning of at least three letters.
func monthName(text string) (month int, rest string, ok bool) {
	n := run(text, isLetter)
	if n < 3 {
		return 0, text, false
	}
	month = months[text[:3]]
	if month == 0 || !strings.HasPrefix(monthNames[month-1], text[:n]) && text[:n] != "sept" {
		return 0, text, false
	}
	return month, strings.TrimPrefix(text[n:], "."), true
}

// dayFirst reads 30 November 2026, 30th of Nov, 30-Nov-2026.
func dayFirst(text string) (d date, rest string, ok bool) {
	if d.day, rest, ok = eat(text, 1, 2); !ok {
		return d, text, false
	}
	rest = cutJoint(strings.TrimPrefix(cutJoint(cutOrdinal(rest)), "of "))
	if d.month, rest, ok = monthName(rest); !ok {
		return d, text, false
	}
	d.year, rest = yearAfter(rest)
	return d, rest, true
}

// monthFirst reads November 30, 2026, Nov 30 and November 2026. A month without any number is no figure.
func monthFirst(text string) (d date, length int, ok bool) {
	var rest string
	if d.month, rest, ok = monthName(text); !ok {
		return d, 0, false
	}
	if year, after := yearAfter(rest); year > 0 {
		d.year = year
		return d, len(text) - len(after), true
	}
	if spaces(rest) == 0 {
		return d, 0, false
	}
	if d.day, rest, ok = eat(rest[1:], 1, 2); !ok || d.day > 31 || d.day == 0 {
		return d, 0, false
	}
	rest = cutOrdinal(rest)
	d.year, rest = yearAfter(rest)
	return d, len(text) - len(rest), rest == "" || !isWord(rest[0])
}

// yearAfter reads the year after a day or month; 0 when there is none.
func yearAfter(text string) (year int, rest string) {
	after := cutJoint(strings.TrimPrefix(text, ","))
	year, rest, ok := eat(after, 4, 4)
	if !ok || year < 1900 || year > 2199 || len(after) == len(text) {
		return 0, text
	}
	return year, rest
}

// cutJoint cuts the space or hyphen between the parts of a date.
func cutJoint(text string) string {
	if text != "" && (text[0] == ' ' || text[0] == '-') {
		return text[1:]
	}
	return text
}

func cutOrdinal(text string) string {
	for _, word := range []string{"st", "nd", "rd", "th"} {
		if rest, ok := strings.CutPrefix(text, word); ok {
			return rest
		}
	}
	return text
}

// afternoons are the words before an hour that is counted from noon.
var afternoons = []string{"下午", "下晝", "晏晝", "傍晚", "晚上", "夜晚", "今晚", "聽晚"}

// clockPrefix reads the time that a text begins with: 14:30, 2:30 pm, 3pm, 下午2時30分.
func clockPrefix(before, text string) (minutes, length int, ok bool) {
	hour, rest, ok := eat(text, 1, 2)
	if !ok || hour > 24 {
		return 0, 0, false
	}
	rest, minute, ok := minuteAfter(rest)
	rest, noon := halfDay(rest)
	switch {
	case noon != "" && hour <= 12:
		hour = hour%12 + map[string]int{"am": 0, "pm": 12}[noon]
	case !ok:
		return 0, 0, false
	case hour < 12 && endsWithAny(strings.TrimRight(before, " "), afternoons):
		hour += 12
	}
	return hour*60 + minute, len(text) - len(rest), true
}

// minuteAfter reads what follows an hour. It is not ok where nothing says that it was one.
func minuteAfter(text string) (rest string, minute int, ok bool) {
	if after, found := strings.CutPrefix(text, ":"); found {
		if minute, rest, ok = eat(after, 2, 2); !ok || minute > 59 {
			return text, 0, false
		}
		if _, seconds, found := eat(strings.TrimPrefix(rest, ":"), 2, 2); found && strings.HasPrefix(rest, ":") {
			rest = seconds
		}
		return rest, minute, true
	}
	for _, word := range []string{"時", "點"} {
		after, found := strings.CutPrefix(text, word)
		if !found {
			continue
		}
		if half, found := strings.CutPrefix(after, "半"); found {
			return half, 30, true
		}
		if minute, rest, ok = eat(after, 1, 2); ok && minute <= 59 {
			return strings.TrimPrefix(rest, "分"), minute, true
		}
		return after, 0, word == "時"
	}
	return text, 0, false
}

// halfDay reads am or pm.
func halfDay(text string) (rest, noon string) {
	after := strings.ReplaceAll(text[spaces(text):][:min(4, len(text)-spaces(text))], ".", "")
	for _, word := range []string{"am", "pm"} {
		if strings.HasPrefix(after, word) && (len(after) == 2 || !isWord(after[2])) {
			end := spaces(text) + 2
			if strings.HasPrefix(text[spaces(text):], word[:1]+".") {
				end += 2
			}
			return text[min(end, len(text)):], word
		}
	}
	return text, ""
}
