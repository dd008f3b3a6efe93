package store

import (
	"context"
	"fmt"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"countersign/models"
	"countersign/rbac"
)

// namedLike is a condition on an id column: one of the record's names contains a folded text.
// Its values are the kind and a likePattern.
func namedLike(idColumn string) string {
	return idColumn + ` IN (SELECT record_id FROM record_names WHERE kind = ? AND name_key LIKE ? ESCAPE '\')`
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
	// Email is a person's, unmasked: it shows only to those who may see it.
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
	table, name, detail, updated string
	joins                        []string
	permission                   rbac.Permission
	live                         string
	// email is empty for what has none.
	email string
}

// columns are what a NameHit is read from, after the kind as a value. merge is an aggregate where the names
// of a record are grouped, and empty otherwise.
func (s nameSource) columns(merge string) string {
	email := s.email
	if email == "" {
		email = "''"
	}
	return fmt.Sprintf("? AS kind, %[1]s.id AS record_id, %[2]s(%[3]s) AS name, %[2]s(%[4]s) AS detail, %[2]s(%[5]s) AS email",
		s.table, merge, s.name, s.detail, email)
}

var nameSources = map[models.RecordType]nameSource{
	models.TypeCompany: {
		table: "companies", name: "companies.name", updated: "companies.updated_at", permission: rbac.CompanyRead,
		detail: "COALESCE(owner.name, '')", joins: []string{"LEFT JOIN users owner ON owner.id = companies.owner_id"},
		live: "companies.deleted_at IS NULL",
	},
	models.TypeDeal: {
		table: "deals", name: "deals.title", updated: "deals.updated_at", permission: rbac.DealRead,
		detail: "stages.name || ' · ' || owner.name",
		joins:  []string{"JOIN users owner ON owner.id = deals.owner_id", "JOIN stages ON stages.id = deals.stage_id"},
		live:   "deals.deleted_at IS NULL",
	},
	models.TypeProduct: {
		table: "products", name: "products.name", updated: "products.updated_at", permission: rbac.ProductRead,
		detail: "products.sku", live: "products.deleted_at IS NULL",
	},
	models.TypePerson: {
		table: "users", name: "users.name", updated: "users.updated_at", permission: rbac.UserRead,
		detail: "COALESCE(teams.name, '')", joins: []string{"LEFT JOIN teams ON teams.id = users.team_id"},
		live: "users.disabled_at IS NULL", email: "users.email",
	},
	models.TypeTeam: {
		table: "teams", name: "teams.name", updated: "teams.updated_at", permission: rbac.UserRead, detail: "''", live: "1 = 1",
	},
	models.TypePipeline: {
		table: "pipelines", name: "pipelines.name", updated: "pipelines.updated_at", permission: rbac.PipelineRead, detail: "''", live: "1 = 1",
	},
	models.TypeStage: {
		table: "stages", name: "stages.name", updated: "pipelines.updated_at", permission: rbac.PipelineRead, detail: "pipelines.name",
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
	var hits []NameHit
	q := r.named(ctx, g, kind, parent).Where(src.table+".id = ?", id).Select(src.columns(""), kind)
	if err := q.Limit(1).Scan(&hits).Error; err != nil || len(hits) == 0 {
		return nil, translate(err)
	}
	return &hits[0], nil
}

// ByName finds records by name; each record comes once, by the name that matches best.
func (r *Reader) ByName(ctx context.Context, g rbac.Grant, n NameQuery) ([]NameHit, error) {
	src := nameSources[n.Kind]
	if err := g.For(src.permission); err != nil {
		return nil, err
	}
	hits := []NameHit{}
	err := r.matching(ctx, g, n).Select(src.columns("MIN")+", MIN(n.name_key) AS matched_key", n.Kind).
		Group(src.table + ".id").
		Clauses(clause.OrderBy{Expression: clause.Expr{
			SQL:  "MIN(CASE WHEN n.name_key = ? THEN 0 WHEN substr(n.name_key, 1, ?) = ? THEN 1 ELSE 2 END), MAX(" + src.updated + ") DESC, " + src.table + ".id",
			Vars: []any{n.Key, len([]rune(n.Key)), n.Key},
		}}).
		Limit(n.Limit).Scan(&hits).Error
	return hits, translate(err)
}

// CountByName counts the records that ByName would find without its limit.
func (r *Reader) CountByName(ctx context.Context, g rbac.Grant, n NameQuery) (int64, error) {
	src := nameSources[n.Kind]
	if err := g.For(src.permission); err != nil {
		return 0, err
	}
	var total int64
	err := r.matching(ctx, g, n).Select("COUNT(DISTINCT " + src.table + ".id)").Scan(&total).Error
	return total, translate(err)
}

// nearestPool bounds how many names are ranked for a query that hit nothing.
const nearestPool = 500

// SimilarNames are names that share at least one of the pieces of text, those that share most first, then the
// most recently updated, for the caller to rank. Without pieces they are simply the most recent names.
func (r *Reader) SimilarNames(ctx context.Context, g rbac.Grant, kind models.RecordType, parent string, pieces []string) ([]NameHit, error) {
	src := nameSources[kind]
	if err := g.For(src.permission); err != nil {
		return nil, err
	}
	q := r.withNames(ctx, g, NameQuery{Kind: kind, Parent: parent})
	order := clause.Expr{SQL: src.updated + " DESC, " + src.table + ".id"}
	if len(pieces) > 0 {
		shares, points := make([]condition, len(pieces)), make([]string, len(pieces))
		for i, piece := range pieces {
			shares[i] = condition{nameContains, []any{likePattern(piece)}}
			points[i] = "CASE WHEN " + nameContains + " THEN 1 ELSE 0 END"
		}
		shared := or(shares...)
		q = where(q, shared)
		order = clause.Expr{SQL: strings.Join(points, " + ") + " DESC, " + order.SQL, Vars: shared.args}
	}
	q = q.Clauses(clause.OrderBy{Expression: order})
	var hits []NameHit
	err := q.Select(src.columns("")+", n.name_key AS matched_key", kind).Limit(nearestPool).Scan(&hits).Error
	return hits, translate(err)
}

// named selects the live records of a kind that a grant sees.
func (r *Reader) named(ctx context.Context, g rbac.Grant, kind models.RecordType, parent string) *gorm.DB {
	src := nameSources[kind]
	q := r.q.WithContext(ctx).Table(src.table).Where(src.live)
	for _, join := range src.joins {
		q = q.Joins(join)
	}
	if parent != "" && kind == models.TypeStage {
		q = q.Where("stages.pipeline_id = ?", parent)
	}
	switch kind {
	case models.TypeCompany, models.TypeDeal:
		return where(q, visible(kind, g))
	case models.TypePerson:
		return where(q, ownedBy(g, "users.id"))
	default:
		return q
	}
}

func (r *Reader) withNames(ctx context.Context, g rbac.Grant, n NameQuery) *gorm.DB {
	return r.named(ctx, g, n.Kind, n.Parent).
		Joins("JOIN record_names n ON n.kind = ? AND n.record_id = "+nameSources[n.Kind].table+".id", n.Kind)
}

// nameContains is a condition on a joined name, with a likePattern as its value.
const nameContains = `n.name_key LIKE ? ESCAPE '\'`

// matching joins the names that match a query.
func (r *Reader) matching(ctx context.Context, g rbac.Grant, n NameQuery) *gorm.DB {
	q := r.withNames(ctx, g, n)
	if n.Match == MatchExact {
		return q.Where("n.name_key = ?", n.Key)
	}
	return q.Where(nameContains, likePattern(n.Key))
}
