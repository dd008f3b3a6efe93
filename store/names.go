package store

import (
	"context"
	"fmt"
	"strings"

	"gorm.io/gorm"

	"countersign/models"
	"countersign/rbac"
)

// namedLike is a condition on the id column of a list: one of the record's names contains a folded text.
func namedLike(q *gorm.DB, idColumn string, kind models.RecordType, key string) condition {
	names := condition{"record_names n", nil}
	if sets := queryGrams(kind, key); sets != nil {
		names = gramSearch{kind: kind, sets: sets}.rows(dialect(q.Name()))
	}
	return condition{
		idColumn + " IN (SELECT n.record_id FROM " + names.sql + " WHERE n.kind = ? AND " + nameContains + ")",
		append(names.args, kind, likePattern(key)),
	}
}

// nameSort is an expression for the folded main name of a record, by which lists sort names.
func nameSort(t models.RecordType, idColumn string) string {
	return "COALESCE((SELECT name_key FROM record_names s WHERE s.kind = '" + string(t) + "' AND s.record_id = " + idColumn + " AND s.position = 0), '')"
}

// NameMatch says how a name is compared with a key.
type NameMatch uint8

// The ways to match, in the order in which a resolver tries them.
const (
	MatchExact NameMatch = iota
	MatchContains
)

// NameHit is a record that goes by a name. Detail tells records of the same name apart.
type NameHit struct {
	Kind     models.RecordType
	RecordID string
	Name     string
	// MatchedKey is the folded name that matched, which may be another one than the main name.
	MatchedKey string
	Detail     string
	// Email is a person's or a contact's, unmasked: it shows only to those who may see it.
	Email string
}

// NameQuery asks for records of one kind by name. Key is folded (models.FoldName). Parent narrows stages
// to a pipeline. Exact hits come before prefix hits before others, then the most recently updated.
type NameQuery struct {
	Kind   models.RecordType
	Key    string
	Match  NameMatch
	Parent string
	Limit  int
}

// nameSource says where the records of a kind are and how they look in a list of candidates.
type nameSource struct {
	table, name, detail string
	joins               []string
	permission          rbac.Permission
	live                string
	// email is empty for what has none.
	email string
}

// columns are what a NameHit is read from, after the kind as a value.
func (s nameSource) columns() string {
	email := s.email
	if email == "" {
		email = "''"
	}
	return fmt.Sprintf("? AS kind, %s.id AS record_id, %s AS name, %s AS detail, %s AS email", s.table, s.name, s.detail, email)
}

var nameSources = map[models.RecordType]nameSource{
	models.TypeCompany: {
		table: "companies", name: "companies.name", permission: rbac.CompanyRead,
		detail: "COALESCE(owner.name, '')", joins: []string{"LEFT JOIN users owner ON owner.id = companies.owner_id"},
		live: "companies.deleted_at IS NULL",
	},
	models.TypeContact: {
		table: "contacts", name: "contacts.name", permission: rbac.ContactRead,
		detail: "CASE contacts.job_title WHEN '' THEN '' ELSE contacts.job_title || ' · ' END || owner.name",
		joins:  []string{"JOIN users owner ON owner.id = contacts.owner_id"},
		live:   "contacts.deleted_at IS NULL", email: "contacts.email",
	},
	models.TypeDeal: {
		table: "deals", name: "deals.title", permission: rbac.DealRead,
		detail: "stages.name || ' · ' || owner.name",
		joins:  []string{"JOIN users owner ON owner.id = deals.owner_id", "JOIN stages ON stages.id = deals.stage_id"},
		live:   "deals.deleted_at IS NULL",
	},
	models.TypeTask: {
		table: "tasks", name: "tasks.title", permission: rbac.TaskRead,
		detail: "assignee.name", joins: []string{"JOIN users assignee ON assignee.id = tasks.assignee_id"},
		live: "tasks.deleted_at IS NULL",
	},
	models.TypeQuotation: {
		table: "quotations", name: quotationLabel("quotations"), permission: rbac.QuotationRead,
		detail: "quotations.status || ' · ' || owner.name", joins: []string{"JOIN users owner ON owner.id = quotations.owner_id"},
		live: "quotations.deleted_at IS NULL",
	},
	models.TypeProduct: {
		table: "products", name: "products.name", permission: rbac.ProductRead,
		detail: "products.sku", live: "products.deleted_at IS NULL",
	},
	models.TypePerson: {
		table: "users", name: "users.name", permission: rbac.UserRead,
		detail: "COALESCE(teams.name, '')", joins: []string{"LEFT JOIN teams ON teams.id = users.team_id"},
		live: "users.disabled_at IS NULL", email: "users.email",
	},
	models.TypeTeam: {
		table: "teams", name: "teams.name", permission: rbac.UserRead, detail: "''", live: "1 = 1",
	},
	models.TypePipeline: {
		table: "pipelines", name: "pipelines.name", permission: rbac.PipelineRead, detail: "''", live: "1 = 1",
	},
	models.TypeStage: {
		table: "stages", name: "stages.name", permission: rbac.PipelineRead, detail: "pipelines.name",
		joins: []string{"JOIN pipelines ON pipelines.id = stages.pipeline_id"}, live: "1 = 1",
	},
}

// NamePermission is the right to find records of a kind by name; ok is false for a kind that has no names.
func NamePermission(kind models.RecordType) (p rbac.Permission, ok bool) {
	src, ok := nameSources[kind]
	return src.permission, ok
}

// NameByID returns the record of a kind with an id, if the grant sees it.
func (r *Reader) NameByID(ctx context.Context, g rbac.Grant, kind models.RecordType, id, parent string) (*NameHit, error) {
	src := nameSources[kind]
	if err := g.For(src.permission); err != nil {
		return nil, err
	}
	hits := named(g, kind, parent, oneOf(src.table+".id", []string{id}))
	return findOne[NameHit](ctx, r, hits.sql, hits.args...)
}

// named selects the live records of a kind that a grant sees and conditions hold of, as hits.
func named(g rbac.Grant, kind models.RecordType, parent string, conditions ...condition) condition {
	src := nameSources[kind]
	conditions = append(conditions, condition{src.live, nil})
	if parent != "" && kind == models.TypeStage {
		conditions = append(conditions, condition{"stages.pipeline_id = ?", []any{parent}})
	}
	switch kind {
	case models.TypeCompany, models.TypeContact, models.TypeDeal, models.TypeTask, models.TypeQuotation:
		conditions = append(conditions, visible(kind, g))
	case models.TypePerson:
		conditions = append(conditions, ownedBy(g, "users.id"))
	}
	all := and(conditions...)
	return condition{"SELECT " + src.columns() + " FROM " + src.table + " " + strings.Join(src.joins, " ") + " WHERE " + all.sql, append([]any{kind}, all.args...)}
}
