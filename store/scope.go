package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"countersign/apperr"
	"countersign/models"
	"countersign/rbac"
)

// condition is a piece of SQL with its values, most often of a WHERE clause.
type condition struct {
	sql  string
	args []any
}

// ownedBy is the row filter of a grant over a column that holds the owner's user id. It is the one place
// where a scope becomes SQL, and [Reaches] the one where it is compared; a grant without scope matches nothing.
func ownedBy(g rbac.Grant, column string) condition {
	switch {
	case g.Scope() == rbac.ScopeAll:
		return condition{"1 = 1", nil}
	case g.Scope() == rbac.ScopeTeam && g.TeamID() != "":
		return condition{"(" + column + " = ? OR " + column + " IN (SELECT id FROM users WHERE team_id = ?))", []any{g.UserID(), g.TeamID()}}
	case g.Scope() == rbac.ScopeTeam, g.Scope() == rbac.ScopeOwn:
		return condition{column + " = ?", []any{g.UserID()}}
	default:
		return condition{"1 = 0", nil}
	}
}

// Reaches is what [ownedBy] asks the database, of a record that has been read with its owner and the team of that owner.
func Reaches(g rbac.Grant, ownerID, ownerTeam string) bool {
	switch g.Scope() {
	case rbac.ScopeAll:
		return true
	case rbac.ScopeTeam:
		return ownerID == g.UserID() || ownerTeam != "" && ownerTeam == g.TeamID()
	case rbac.ScopeOwn:
		return ownerID == g.UserID()
	default:
		return false
	}
}

// or joins conditions; the result is one bracketed condition.
func or(conditions ...condition) condition {
	joined := condition{sql: "("}
	for i, c := range conditions {
		if i > 0 {
			joined.sql += " OR "
		}
		joined.sql += c.sql
		joined.args = append(joined.args, c.args...)
	}
	joined.sql += ")"
	return joined
}

// and joins conditions that must all hold, of which there is at least one.
func and(conditions ...condition) (joined condition) {
	for i, c := range conditions {
		if i > 0 {
			joined.sql += " AND "
		}
		joined.sql += c.sql
		joined.args = append(joined.args, c.args...)
	}
	return joined
}

// oneOf is a condition that a column has one of some values.
func oneOf(column string, values []string) condition {
	c := condition{sql: column + " IN (?" + strings.Repeat(", ?", len(values)-1) + ")"}
	for _, value := range values {
		c.args = append(c.args, value)
	}
	return c
}

// where applies conditions to a query.
func where(q *gorm.DB, conditions ...condition) *gorm.DB {
	for _, c := range conditions {
		q = q.Where(c.sql, c.args...)
	}
	return q
}

// optional returns an error for a grant of another permission than p; the zero Grant passes.
func optional(g rbac.Grant, p rbac.Permission) error {
	if g.Scope() == rbac.ScopeNone {
		return nil
	}
	return g.For(p)
}

// visibleCompanies is the filter of companies under a grant. Those without an owner are shared:
// whoever may read companies reads them.
func visibleCompanies(g rbac.Grant, table string) condition {
	owned := ownedBy(g, table+".owner_id")
	if g.Permission() == rbac.CompanyRead {
		return or(owned, condition{table + ".owner_id IS NULL", nil})
	}
	return owned
}

// visibleActivities is the filter of activities under a grant: one's own and, for reading, those on a company,
// deal or quotation whose owner is within the grant's scope. Of a quotation's activities its owner decides, and of a
// deal's the deal's, whatever else they are linked to. What somebody else has logged on one's deal is theirs to change.
func visibleActivities(g rbac.Grant) condition {
	own := ownedBy(g, "activities.owner_id")
	if g.Permission() != rbac.ActivityRead {
		return own
	}
	quotation, deal, company := ownedBy(g, "q.owner_id"), ownedBy(g, "d.owner_id"), ownedBy(g, "c.owner_id")
	return or(
		own,
		condition{"EXISTS (SELECT 1 FROM quotations q WHERE q.id = activities.quotation_id AND q.deleted_at IS NULL AND " + quotation.sql + ")", quotation.args},
		condition{"activities.quotation_id IS NULL AND EXISTS (SELECT 1 FROM deals d WHERE d.id = activities.deal_id AND d.deleted_at IS NULL AND " + deal.sql + ")", deal.args},
		condition{"activities.quotation_id IS NULL AND activities.deal_id IS NULL AND EXISTS (SELECT 1 FROM companies c WHERE c.id = activities.company_id AND c.deleted_at IS NULL AND " + company.sql + ")", company.args},
	)
}

// visibleContacts is the filter of contacts under a grant: one's own and, for reading, those at a company whose
// owner is within the grant's scope. alias is the name of the table in the query.
func visibleContacts(g rbac.Grant, alias string) condition {
	own := ownedBy(g, alias+".owner_id")
	if g.Permission() != rbac.ContactRead {
		return own
	}
	company := ownedBy(g, "cc.owner_id")
	return or(own, condition{
		"EXISTS (SELECT 1 FROM companies cc WHERE cc.id = " + alias + ".company_id AND cc.deleted_at IS NULL AND " + company.sql + ")", company.args,
	})
}

// Party is who looks at proposals, at a moment: a person who sees their own and what they have decided and, with a role
// and rights to change records, what their role may approve of records within the scope of those rights.
type Party struct {
	UserID string
	Name   string
	Role   string
	// Reach are rights to update, one for each type of record.
	Reach []rbac.Grant
	Now   time.Time
}

// Reaching are the rights to update records, one for each type, that the Reach of a Party can hold.
func Reaching() []rbac.Permission {
	return slices.DeleteFunc(rbac.Registry(), func(p rbac.Permission) bool {
		return p.Action() != "update" || recordTables[models.RecordType(p.Resource())] == ""
	})
}

// concerning is the filter of the proposals that somebody may see.
func concerning(who Party) condition {
	own := condition{"requested_by = ?", []any{who.UserID}}
	if who.Role == "" || len(who.Reach) == 0 {
		return own
	}
	var reached []condition
	for _, g := range who.Reach {
		reached = append(reached, targeting(g))
	}
	asked := or(condition{"approver_role = ?", []any{who.Role}},
		condition{"(escalation_role = ? AND escalates_at <= ?)", []any{who.Role, who.Now}})
	within := or(reached...)
	return or(own, condition{"decided_by = ?", []any{who.UserID}},
		condition{"(" + asked.sql + " AND " + within.sql + ")", append(asked.args, within.args...)})
}

// targeting is the filter of the proposals whose target is within the scope of a grant on its type. What is only to be
// created counts as its requester's.
func targeting(g rbac.Grant) condition {
	t := models.RecordType(g.Permission().Resource())
	made, table, seen := ownedBy(g, "requested_by"), recordTables[t], visible(t, g)
	within := or(
		condition{"(target_version = 0 AND " + made.sql + ")", made.args},
		condition{"EXISTS (SELECT 1 FROM " + table + " WHERE " + table + ".id = proposals.target_id AND " + seen.sql + ")", seen.args},
	)
	return condition{"(target_type = ? AND " + within.sql + ")", append([]any{t}, within.args...)}
}

// recordTables are the tables of versioned CRM records.
var recordTables = map[models.RecordType]string{
	models.TypeCompany: "companies", models.TypeContact: "contacts", models.TypeDeal: "deals",
	models.TypeActivity: "activities", models.TypeTask: "tasks", models.TypeQuotation: "quotations",
}

// ownerColumn is the column that says whose a versioned record is.
func ownerColumn(t models.RecordType) string {
	if t == models.TypeTask {
		return "assignee_id"
	}
	return "owner_id"
}

// visible is the filter of a type of record under a grant.
func visible(t models.RecordType, g rbac.Grant) condition {
	switch t {
	case models.TypeCompany:
		return visibleCompanies(g, "companies")
	case models.TypeContact:
		return visibleContacts(g, "contacts")
	case models.TypeActivity:
		return visibleActivities(g)
	case models.TypeDeal, models.TypeTask, models.TypeQuotation:
		return ownedBy(g, recordTables[t]+"."+ownerColumn(t))
	default:
		return condition{"1 = 0", nil}
	}
}

// Standing is how a record stands to a grant on its type. Covered says that it is, deleted or not, within the scope. All
// is zero for a record that never was.
type Standing struct {
	Version          int64
	Deleted, Covered bool
}

// Standing tells how a record stands to a grant.
func (r *Reader) Standing(ctx context.Context, g rbac.Grant, t models.RecordType, id string) (s Standing, err error) {
	if g.Scope() == rbac.ScopeNone || g.Permission().Resource() != string(t) {
		return s, apperr.As(g.For())
	}
	table, seen := recordTables[t], visible(t, g)
	err = r.row(ctx, "SELECT version, deleted_at IS NOT NULL, COALESCE("+seen.sql+", FALSE) FROM "+table+" WHERE id = ?", append(seen.args, id)...).
		Scan(&s.Version, &s.Deleted, &s.Covered)
	if errors.Is(err, sql.ErrNoRows) {
		return Standing{}, nil
	}
	return s, translate(err)
}

// Covers reports whether a record, deleted or not, is within the scope of a grant on its type.
// Services call it before a write to tell "forbidden" from "not found".
func (r *Reader) Covers(ctx context.Context, g rbac.Grant, t models.RecordType, id string) (bool, error) {
	s, err := r.Standing(ctx, g, t, id)
	return s.Covered, err
}
