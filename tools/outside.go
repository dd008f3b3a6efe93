package tools

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"countersign/models"
	"countersign/store"
)

// Text that somebody else wrote may tell a model what to do. Once a conversation has read such text, what the model
// wants to create waits for the person (docs/adr/0028-taint.md).

// outsideActivity reports whether an activity holds text of somebody else: e-mails and WhatsApp messages quote others
// whoever keeps them, and the details of any entry are those of who logged it. What the product wrote itself is neither.
func outsideActivity(actor models.Actor, v store.ActivityView) bool {
	switch v.Kind {
	case models.ActivityEmail, models.ActivityWhatsApp:
		return true
	}
	return v.Kind.Loggable() && v.Body != "" && v.OwnerID != actor.UserID
}

// proseFields are the members of results with texts of several lines. Whose words they are is for the tool to say.
var proseFields = []string{"notes", "body"}

// outsideOf is the record whose text makes an outcome one with text from outside: the one that the tool named, or
// else one of those that it is about when any of its one-line values is more than a name.
func outsideOf(effect Effect, o Outcome) *models.Ref {
	if o.Outside != nil {
		return o.Outside
	}
	if o.Status == models.CallProposed || !saysMore(effect, o) {
		return nil
	}
	ref := models.Ref{Name: o.Summary}
	if i := slices.IndexFunc(o.Refs, func(r models.Ref) bool { return !readsAsName(r.Name) }); i >= 0 {
		ref = o.Refs[i]
	} else if len(o.Refs) > 0 {
		ref = o.Refs[0]
	}
	return &ref
}

// saysMore reports whether anything but a name stands in a one-line value of an outcome. What a tool that creates
// gives back is what it was given.
func saysMore(effect Effect, o Outcome) bool {
	var data any
	if effect != Create && o.Result != nil && json.Unmarshal(o.Result, &data) == nil && hasMore("", data) {
		return true
	}
	if o.Error == nil {
		return false
	}
	for _, c := range o.Error.Candidates {
		if !readsAsName(c.Name) || !readsAsName(c.Detail) {
			return true
		}
	}
	return false
}

func hasMore(field string, value any) bool {
	switch value := value.(type) {
	case string:
		return !slices.Contains(proseFields, field) && !readsAsName(value)
	case []any:
		return slices.ContainsFunc(value, func(v any) bool { return hasMore(field, v) })
	case map[string]any:
		for name, v := range value {
			if hasMore(name, v) {
				return true
			}
		}
	}
	return false
}

// nameRunes bounds, in characters, what reads as a name.
const nameRunes = 80

// readsAsName reports whether a value looks like the names, addresses and dates that such values are: short, on one
// line, and without the signs of markup and code.
func readsAsName(s string) bool {
	return utf8.RuneCountInString(s) <= nameRunes && !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || strings.ContainsRune("{}[]<>|\\`=⟦⟧", r)
	})
}
