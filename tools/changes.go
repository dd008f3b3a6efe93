package tools

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"countersign/apperr"
	"countersign/crm"
	"countersign/i18n"
	"countersign/models"
	"countersign/proposals"
)

// fieldLabels are the keys of the labels of fields that a card shows.
var fieldLabels = map[string]string{
	"title": "title", "amount": "amount", "expectedCloseDate": "expected_close", "stageId": "stage", "lostReason": "lost_reason",
	"companyId": "company", "productId": "product", "ownerId": "owner", "closedAt": "closed",
	"name": "name", "industry": "industry", "status": "status", "website": "website", "phone": "phone", "address": "address",
	"parentId": "parent", "tags": "tags", "notes": "notes",
	"jobTitle": "job_title", "email": "email", "whatsapp": "whatsapp", "language": "language",
	"otherNames": "other_name", "dueAt": "due", "reminderAt": "reminder", "assigneeId": "assignee", "doneAt": "done",
	"currency": "currency", "number": "number", "revision": "revision", "validUntil": "valid_until", "items": "items", "discount": "discount", proposals.DiscountField: "discount_share", "total": "total",
	"supersededAt": "superseded", "dealId": "deal", "contactId": "contact", "kind": "kind", "subject": "subject", "body": "body", "at": "at", "message": "message", "note": "note",
}

// changesOf are the rows of a card: every field that a write would change, whole, with what nobody sees spelled out.
func changesOf(lang string, differences []crm.Difference) []models.Change {
	changes := make([]models.Change, len(differences))
	for i, d := range differences {
		changes[i] = models.Change{
			Field: d.Name, Label: i18n.T(lang, "field."+fieldLabels[d.Name]), Before: d.Before, After: d.After,
			BeforeDisplay: models.Marked(displayOf(lang, d, d.Before, d.BeforeName)),
			AfterDisplay:  models.Marked(displayOf(lang, d, d.After, d.AfterName)),
		}
	}
	return changes
}

// displayOf is one side of a difference as a person reads it.
func displayOf(lang string, d crm.Difference, value any, name string) string {
	v := reflect.ValueOf(value)
	switch {
	case !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil():
		return i18n.T(lang, "value.empty")
	case d.Refers && name == "":
		return i18n.T(lang, "value.unseen")
	case d.Refers:
		return name
	case d.Name == "status" && models.QuotationStatus(fmt.Sprint(value)).Valid():
		return statusText(lang, models.QuotationStatus(fmt.Sprint(value)))
	case d.Name == "status":
		return i18n.T(lang, "company_status."+fmt.Sprint(value))
	case d.Name == "kind":
		return i18n.T(lang, "activity_kind."+fmt.Sprint(value))
	case d.Name == "language":
		return i18n.T(lang, languageNames[models.ContactLanguage(fmt.Sprint(value))])
	}
	switch value := reflect.Indirect(v).Interface().(type) {
	case int64:
		if d.Name == proposals.DiscountField {
			return models.FormatE4(value) + "%"
		}
	case models.Strings:
		return strings.Join(value, i18n.T(lang, "resolve.separator"))
	case models.Date:
		return value.Start().In(models.Zone()).Format(i18n.T(lang, "value.day"))
	case time.Time:
		return dueText(lang, value)
	}
	return fmt.Sprint(reflect.Indirect(v))
}

// refuseUnchanged refuses a draft that would change nothing.
func refuseUnchanged(lang string, d proposals.Draft) error {
	if len(d.Changes) > 0 {
		return nil
	}
	return apperr.New(apperr.Invalid, "NOTHING_TO_CHANGE", i18n.T(lang, "proposal.unchanged", "name", d.Target.Name))
}

// updated is the outcome of changed fields of a record.
func updated(lang string, ref models.Ref) models.Outcome {
	return models.Outcome{Summary: i18n.T(lang, "record.updated", "name", ref.Name), Records: []models.Ref{ref}}
}

// clearing makes the fields of a patch from arguments, of which an empty one leaves its field alone and fields
// are to be emptied. err says which argument asks for both.
type clearing struct {
	lang   string
	fields []string
	err    error
}

// sets reports whether a field gets a value or is emptied.
func (c *clearing) sets(name string, given bool) bool {
	cleared := slices.Contains(c.fields, name)
	if cleared && given && c.err == nil {
		c.err = apperr.InvalidField("clear", argText(c.lang, "args.cleared_and_given", name))
	}
	return cleared || given
}

// text is the patch of a field that is a text or an id.
func (c *clearing) text(name, value string) (o models.Optional[string]) {
	if o.Set = c.sets(name, value != ""); value != "" {
		o.Value = &value
	}
	return o
}

// briefRunes bounds, in characters, what a summary and a model get of each side of a change. The card has it whole.
const briefRunes = 200

type briefChange struct {
	Label  string `json:"label"`
	Before string `json:"before"`
	After  string `json:"after"`
}

func briefly(changes []models.Change) []briefChange {
	list := make([]briefChange, len(changes))
	for i, c := range changes {
		list[i] = briefChange{c.Label, brief(c.BeforeDisplay), brief(c.AfterDisplay)}
	}
	return list
}

// briefItem is one record of a change of several, and what came of it.
type briefItem struct {
	Record  string            `json:"record"`
	Status  models.ItemStatus `json:"status,omitempty"`
	Changes []briefChange     `json:"changes"`
}

func briefItems(items []proposals.ItemView) []briefItem {
	list := make([]briefItem, len(items))
	for i, item := range items {
		list[i] = briefItem{brief(item.Target.Name), item.Status, briefly(item.Changes)}
	}
	return list
}

// brief is a text on one line, cut to length.
func brief(text string) string {
	return cutRunes(models.CleanLine(text), briefRunes)
}

// draftSummary is the server's own sentence for a waiting change.
func draftSummary(lang string, d proposals.Draft) string {
	changes := becoming(lang, d.Items)
	for _, c := range briefly(d.Changes) {
		changes = append(changes, i18n.T(lang, "proposal.change", "label", c.Label, "before", c.Before, "after", c.After))
	}
	return i18n.T(lang, "proposal.waiting", "name", d.Target.Name, "changes", strings.Join(changes, i18n.T(lang, "proposal.separator")))
}

// becoming are the values that fields of several records would get, each once.
func becoming(lang string, items []models.Item) (values []string) {
	for _, item := range items {
		for _, c := range briefly(item.Changes) {
			value := i18n.T(lang, "proposal.becomes", "label", c.Label, "after", c.After)
			if !slices.Contains(values, value) {
				values = append(values, value)
			}
		}
	}
	return values
}

// draftResult is what a model gets of a waiting change. Of several records it gets the names; the card has the rest.
func draftResult(lang string, d proposals.Draft, p *models.Proposal) map[string]any {
	result := map[string]any{"status": "pending", "proposalId": p.ID, "expiresAt": p.ExpiresAt}
	if !p.Several() {
		result["changes"] = briefly(d.Changes)
		return result
	}
	names := make([]string, len(d.Items))
	for i, item := range d.Items {
		names[i] = brief(item.Target.Name)
	}
	result["changes"], result["records"] = becoming(lang, d.Items), names
	return result
}
