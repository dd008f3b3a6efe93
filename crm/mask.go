package crm

import (
	"context"
	"strings"

	"countersign/audit"
	"countersign/models"
	"countersign/rbac"
	"countersign/resolve"
	"countersign/store"
)

// maskRune stands for hidden characters. Nothing with it is ever saved.
const maskRune = '•'

// masker hides personal data from actors without contact:pii over the record.
type masker struct{ grant rbac.Grant }

func newMasker(ctx context.Context, gate *audit.Gate, actor models.Actor) (masker, error) {
	grant, err := gate.Try(ctx, actor, rbac.ContactPII)
	return masker{grant}, err
}

// apply returns the company as the actor may see it.
func (m masker) apply(view store.CompanyView) Company {
	c := Company{CompanyView: view}
	if view.Phone != "" && !m.sees(view.OwnerID, view.OwnerTeamID) {
		c.Phone, c.Masked = maskPhone(view.Phone), []string{"phone"}
	}
	return c
}

// contact returns the contact as the actor may see it.
func (m masker) contact(view store.ContactView) Contact {
	c := Contact{ContactView: view}
	if m.sees(&view.OwnerID, view.OwnerTeamID) {
		return c
	}
	for _, field := range []struct {
		name  string
		value *string
	}{{"email", &c.Email}, {"phone", &c.Phone}, {"whatsapp", &c.WhatsApp}} {
		if *field.value != "" {
			*field.value = maskField(field.name, *field.value)
			c.Masked = append(c.Masked, field.name)
		}
	}
	return c
}

// personalFields are the fields of each type of record that hold personal data.
var personalFields = map[models.RecordType][]string{
	models.TypeCompany: {"phone"}, models.TypeContact: {"email", "phone", "whatsapp"},
}

// maskField hides the value of a field that holds personal data.
func maskField(name, value string) string {
	if name == "email" {
		return resolve.MaskEmail(value)
	}
	return maskPhone(value)
}

func (m masker) sees(ownerID *string, ownerTeam string) bool {
	if ownerID == nil {
		return m.grant.Scope() == rbac.ScopeAll
	}
	return store.Reaches(m.grant, *ownerID, ownerTeam)
}

// maskPhone keeps the last two characters of a number that is long enough to stay hidden without them,
// and does not tell how long it is.
func maskPhone(phone string) string {
	runes, shown := []rune(phone), 2
	if len(runes) < 6 {
		shown = 0
	}
	return strings.Repeat(string(maskRune), 6) + string(runes[len(runes)-shown:])
}

// isMasked tells a masked value, also one whose mask was typed again with asterisks.
func isMasked(s string) bool { return strings.ContainsRune(s, maskRune) || strings.Contains(s, "**") }
