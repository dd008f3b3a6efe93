package crm

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"countersign/apperr"
	"countersign/audit"
	"countersign/models"
)

// The bounds of texts, in characters, and of lists.
const (
	maxLine = 300
	maxText = 20_000
	maxList = 20
)

// problems gathers what is wrong with an input.
type problems []apperr.FieldError

func (p *problems) add(path, format string, args ...any) {
	*p = append(*p, apperr.FieldError{Path: path, Message: fmt.Sprintf(format, args...)})
}

func (p problems) err() error { return apperr.InvalidFields(p) }

// line cleans a one-line text and checks its length. A required one must show something.
func (p *problems) line(path, s string, required bool) string {
	s = models.CleanLine(strings.Map(dropInvisible, s))
	switch {
	case p.partlyHidden(path, s):
	case required && models.FoldName(s) == "":
		p.add(path, "Give a %s.", path)
	case utf8.RuneCountInString(s) > maxLine:
		p.add(path, "The %s may have at most %d characters.", path, maxLine)
	}
	return s
}

// dropInvisible drops format characters, which make different names look alike, but keeps the two joiners,
// without which some scripts and emoji fall apart.
func dropInvisible(r rune) rune {
	const nonJoiner, joiner = '\u200c', '\u200d'
	if unicode.Is(unicode.Cf, r) && r != nonJoiner && r != joiner {
		return -1
	}
	return r
}

// text cleans a text of several lines and checks its length.
func (p *problems) text(path, s string) string {
	s = strings.TrimSpace(models.CleanText(s))
	if !p.partlyHidden(path, s) && utf8.RuneCountInString(s) > maxText {
		p.add(path, "The %s may have at most %d characters.", path, maxText)
	}
	return s
}

// lines cleans a list of one-line texts, dropping empty and repeated ones.
func (p *problems) lines(path string, list []string) models.Strings {
	cleaned := models.Strings{}
	seen := map[string]bool{}
	for _, s := range list {
		s = p.line(path, s, false)
		if key := models.FoldName(s); key != "" && !seen[key] {
			seen[key] = true
			cleaned = append(cleaned, s)
		}
	}
	if len(cleaned) > maxList {
		p.add(path, "There may be at most %d %s.", maxList, path)
	}
	return cleaned
}

// setLine gives a one-line field its new value; a cleared one becomes empty.
func (p *problems) setLine(path string, field *string, o models.Optional[string], required bool) {
	if o.Set {
		*field = p.line(path, orZero(o.Value), required)
	}
}

// setText gives a field of several lines its new value.
func (p *problems) setText(path string, field *string, o models.Optional[string]) {
	if o.Set {
		*field = p.text(path, orZero(o.Value))
	}
}

// setLines gives a list its new value.
func (p *problems) setLines(path string, field *models.Strings, o models.Optional[[]string]) {
	if o.Set {
		*field = p.lines(path, orZero(o.Value))
	}
}

// externalID cleans an external id; nil when there is none.
func (p *problems) externalID(s string) *string {
	if s = p.line("externalId", s, false); s == "" {
		return nil
	}
	return &s
}

// money checks an amount that may be unknown.
func (p *problems) money(path string, m *models.Money) {
	if m == nil {
		return
	}
	known, err := models.NewMoney(m.Decimal(), m.Currency)
	switch {
	case err != nil:
		p.add(path, "This cannot be the %s: %s.", path, err)
	case known != *m:
		p.add(path, "Give the currency of the %s as a code such as HKD or USD.", path)
	case m.Minor < 0:
		p.add(path, "The %s cannot be negative.", path)
	}
}

// day checks a date that may be missing.
func (p *problems) day(path string, d *models.Date) {
	if d == nil {
		return
	}
	if _, err := models.ParseDate(string(*d)); err != nil {
		p.add(path, "Write the %s as year, month and day, like 2026-11-29.", path)
	}
}

// The years in which things take place. Others are slips of the keyboard, and beyond four digits JSON has no
// way to write them.
const minYear, maxYear = 1900, 2999

// moment checks a time that may be missing, and returns it as databases keep it.
func (p *problems) moment(path string, t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	at := stored(*t)
	if at.Year() < minYear || at.Year() > maxYear {
		p.add(path, "The time %s must be between the years %d and %d.", path, minYear, maxYear)
	}
	return &at
}

// hidden refuses a value that is the mask of one, also one that was typed again.
func (p *problems) hidden(path, s string) bool {
	if isMasked(s) {
		p.add(path, "This %s is hidden from you and cannot be saved. Leave it out to keep it.", path)
		return true
	}
	return false
}

// partlyHidden refuses a text with the mask of personal data in it.
func (p *problems) partlyHidden(path, s string) bool {
	if audit.HasHidden(s) {
		p.add(path, "The %s holds something that is hidden from you (••••••) and would be lost. Write it out, or leave the field as it was.", path)
		return true
	}
	return false
}

// retyped refuses a mask in a line that was typed again with other signs: a line that holds the mask itself is refused already.
func (p *problems) retyped(path, s string) {
	if !audit.HasHidden(s) {
		p.hidden(path, s)
	}
}

// e164 is a telephone number as it is stored: a plus, the country code and the number.
var e164 = regexp.MustCompile(`^\+[1-9][0-9]{6,14}$`)

// number cleans a telephone number that may be missing: what people write between the digits is left out.
func (p *problems) number(path, s string) string {
	if p.hidden(path, s) {
		return s
	}
	if s = p.line(path, s, false); s == "" {
		return s
	}
	digits := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.Is(unicode.Pd, r) || strings.ContainsRune("()./", r) {
			return -1
		}
		return r
	}, models.FoldName(s))
	if !e164.MatchString(digits) {
		p.add(path, "Write the %s with its country code and digits, like +852 2345 6789.", path)
	}
	return digits
}

// email cleans an e-mail address that may be missing.
func (p *problems) email(path, s string) string {
	if p.hidden(path, s) {
		return s
	}
	if s = strings.ToLower(p.line(path, s, false)); s == "" {
		return s
	}
	local, domain, _ := strings.Cut(s, "@")
	if local == "" || domain == "" || strings.ContainsAny(domain, "@,;<>") || strings.ContainsAny(s, " ") {
		p.add(path, "Give an %s address such as name@example.com.", path)
	}
	return s
}

// website checks a website: an address of the web, with or without its scheme, so that a link to it leads nowhere else.
func (p *problems) website(s string) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" {
		p.add("website", "Write the website like https://example.com.")
	}
}

// kept refuses to clear a field that always has a value.
func kept[T any](p *problems, path string, o models.Optional[T]) {
	if o.Set && o.Value == nil {
		p.add(path, "The %s cannot be cleared. Leave it out to keep it.", path)
	}
}

func orZero[T any](v *T) (value T) {
	if v != nil {
		value = *v
	}
	return value
}

// text is a text as history tells it: none instead of an empty one.
func text(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// list is a list as history tells it: none instead of an empty one.
func list(s models.Strings) any {
	if len(s) == 0 {
		return nil
	}
	return s
}
