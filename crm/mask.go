package crm

import (
	"context"
	"strings"

	"countersign/audit"
	"countersign/models"
	"countersign/rbac"
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

func (m masker) sees(ownerID *string, ownerTeam string) bool {
	switch m.grant.Scope() {
	case rbac.ScopeAll:
		return true
	case rbac.ScopeTeam:
		return ownerID != nil && (*ownerID == m.grant.UserID() || ownerTeam != "" && ownerTeam == m.grant.TeamID())
	case rbac.ScopeOwn:
		return ownerID != nil && *ownerID == m.grant.UserID()
	default:
		return false
	}
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

// isMasked tells a masked number, also one whose mask was typed again with asterisks.
func isMasked(s string) bool { return strings.ContainsRune(s, maskRune) || strings.Contains(s, "**") }
