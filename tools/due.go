package tools

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/apperr"
	"countersign/figures"
	"countersign/i18n"
	"countersign/models"
)

// dueHour and dueMinute are when a day ends for what is due on it.
const dueHour, dueMinute = 23, 59

// parseDue reads when something is due, as people say it, in the organisation's time zone: a date, a time, or words
// such as "tomorrow", "next Wednesday 3pm", "in 2 weeks" and 下星期三下晝三點. Weeks begin on Monday; "next" is of the week
// after this one. A day without a time of day means its end. ok is false for what it does not understand.
func parseDue(text string, now time.Time) (due time.Time, ok bool) {
	key := models.FoldName(text)
	if at, err := time.Parse(time.RFC3339, strings.ToUpper(key)); err == nil {
		return at, true
	}
	if at, err := time.ParseInLocation("2006-01-02t15:04:05", key, models.Zone()); err == nil {
		return at, true
	}
	words, hour, minute := timeOfDay(key)
	today := models.DateOf(now).Start().In(models.Zone())
	day, ok := dayOf(words, today)
	return day.Add(time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute), ok
}

var (
	clock24 = regexp.MustCompile(`^(.*?)[ ,t]*(?:at )?([01]?\d|2[0-3]):([0-5]\d)$`)
	clock12 = regexp.MustCompile(`^(.*?)[ ,]*(?:at )?(1[0-2]|[1-9])(?::([0-5]\d))? ?([ap]m)$`)
	// clockHan has an hour of the whole day, or of the part of it that is named.
	clockHan = regexp.MustCompile(`^(.*?)[ ,]*(?:(凌晨|朝早|早上|上[午晝])|(中午|下[午晝]|晏晝)|(晚上|夜晚))? ?(` + hanNumber + `)[點時]鐘?(?:(半)|(` + hanNumber + `)分)?$`)
)

// hanNumber matches a number below a hundred.
const hanNumber = `\d{1,2}|[一二三四五六七八九]?十[一二三四五六七八九]?|[一二兩三四五六七八九]`

// timeOfDay takes the time of day off the end of a text.
func timeOfDay(key string) (words string, hour, minute int) {
	number := func(s string) int { n, _ := strconv.Atoi(s); return n }
	if m := clockHan.FindStringSubmatch(key); m != nil {
		if hour, ok := hourHan(counted(m[5]), m[2] != "", m[3] != "", m[4] != ""); ok && counted(m[7]) < 60 {
			return m[1], hour, counted(m[7]) + 30*len(m[6])/len("半")
		}
	}
	if m := clock12.FindStringSubmatch(key); m != nil {
		hour = number(m[2]) % 12
		if m[4] == "pm" {
			hour += 12
		}
		return m[1], hour, number(m[3])
	}
	if m := clock24.FindStringSubmatch(key); m != nil {
		return m[1], number(m[2]), number(m[3])
	}
	return key, dueHour, dueMinute
}

// hourHan is an hour of the day. Without a part of the day, only one after noon is clear.
func hourHan(hour int, morning, afternoon, evening bool) (int, bool) {
	switch {
	case !morning && !afternoon && !evening:
		return hour, hour > 12 && hour < 24
	case morning:
		return hour, hour < 12
	case afternoon && hour == 12:
		return hour, true
	}
	return hour + 12, hour <= 12 // in the evening, twelve is the end of the day
}

// namedDays are days counted from today.
var namedDays = map[string]int{
	"": 0, "today": 0, "今日": 0, "今天": 0, "tomorrow": 1, "聽日": 1, "明天": 1, "明日": 1,
	"day after tomorrow": 2, "the day after tomorrow": 2, "後日": 2, "後天": 2, "大後日": 3, "大後天": 3,
}

var (
	inDays      = regexp.MustCompile(`^(?:in )?(\d{1,3}|an?) (day|week)s?(?: from now)?$`)
	inDaysHan   = regexp.MustCompile(`^(\d{3}|` + hanNumber + `) ?(日|天|個?星期|個?禮拜|[週周])[之以]?後$`)
	weekday     = regexp.MustCompile(`^(?:on |by )?(this |next |coming )?(mon|tue|wed|thu|fri|sat|sun)(?:s|rs|nes|ur|urs)?(?:day)?\.?$`)
	weekdayHan  = regexp.MustCompile(`^(今個|這個|呢個|[今這本]|下下個?|下個?)?(?:星期|禮拜|[週周])([一二三四五六日天])$`)
	followWeek  = regexp.MustCompile(`^(?:next week|下個?(?:星期|禮拜|[週周]))$`)
	englishDays = []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}
)

// hanDays are the days of the week from Monday.
const hanDays = "一二三四五六日"

// dayOf is the day that words mean, seen from today, both as the moment at which they begin.
func dayOf(words string, today time.Time) (day time.Time, ok bool) {
	after := func(days int) (time.Time, bool) { return today.AddDate(0, 0, days), true }
	if date, err := models.ParseDate(words); err == nil {
		return date.Start().In(models.Zone()), true
	}
	if days, ok := namedDays[words]; ok {
		return after(days)
	}
	for _, form := range []*regexp.Regexp{inDays, inDaysHan} {
		if m := form.FindStringSubmatch(words); m != nil {
			return after(counted(m[1]) * unitDays(m[2]))
		}
	}
	monday := -((int(today.Weekday()) + 6) % 7) // of this week, as days from today
	if followWeek.MatchString(words) {
		return after(monday + 7)
	}
	if m := weekday.FindStringSubmatch(words); m != nil {
		return weekdayFrom(today, monday, strings.TrimSpace(m[1]), slices.Index(englishDays, m[2]))
	}
	if m := weekdayHan.FindStringSubmatch(words); m != nil {
		return weekdayFrom(today, monday, m[1], strings.Index(hanDays, strings.ReplaceAll(m[2], "天", "日"))/len("一"))
	}
	return today, false
}

// weekdayFrom is a day of this week or a later one. Without a word it is the next one to come; one of this week that
// is over is none.
func weekdayFrom(today time.Time, monday int, which string, index int) (time.Time, bool) {
	days := monday + index
	switch {
	case strings.HasPrefix(which, "下下"):
		days += 14
	case which == "next" || strings.HasPrefix(which, "下"):
		days += 7
	case which == "" || which == "coming":
		if days <= 0 {
			days += 7
		}
	}
	return today.AddDate(0, 0, days), days >= 0
}

// counted is a number below a hundred as people write it; "a" is one, and nothing is zero.
func counted(s string) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	if strings.HasPrefix(s, "a") {
		return 1
	}
	n, _ := figures.ParseHan(s)
	return n
}

// unitDays is how many days a unit has.
func unitDays(unit string) int {
	if unit == "day" || unit == "日" || unit == "天" {
		return 1
	}
	return 7
}

// dueArg reads an optional argument that says when.
func dueArg(name, text, lang string, now time.Time) (*time.Time, error) {
	if text == "" {
		return nil, nil
	}
	due, ok := parseDue(text, now)
	if !ok {
		return nil, apperr.InvalidField(name, argText(lang, "args.due", name))
	}
	return &due, nil
}

// weekdays are the names of the days, from Sunday.
var weekdays = [...]string{"weekday.sun", "weekday.mon", "weekday.tue", "weekday.wed", "weekday.thu", "weekday.fri", "weekday.sat"}

// dueText says when something is due: the day with its name, and the time unless it is the end of the day.
func dueText(lang string, due time.Time) string {
	due = due.In(models.Zone())
	layout := "2006-01-02 15:04"
	if due.Hour() == dueHour && due.Minute() == dueMinute {
		layout = time.DateOnly
	}
	return i18n.T(lang, "task.when", "day", due.Format(layout), "weekday", i18n.T(lang, weekdays[due.Weekday()]))
}
