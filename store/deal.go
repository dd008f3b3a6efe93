package store

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"time"

	"gorm.io/gorm"

	"countersign/models"
	"countersign/rbac"
)

// DealView is a deal with the names of what it refers to. CompanyName is empty for a company that
// the reader may not see.
type DealView struct {
	models.Deal
	CompanyName  string
	ProductName  string
	PipelineName string
	StageName    string
	StageKind    models.StageKind
	OwnerName    string
	OwnerTeamID  string
}

// DealFilter narrows a list or a summary of deals; zero fields do not.
type DealFilter struct {
	PipelineID string
	StageIDs   []string
	StageKind  models.StageKind
	OwnerID    string
	TeamID     string
	CompanyID  string
	ProductID  string
	// Text finds deals whose title or external id contains it, as the resolver folds names.
	Text string
	// ClosedFrom is inclusive, ClosedBefore exclusive.
	ClosedFrom, ClosedBefore *time.Time
	// ExpectedFrom and ExpectedTo are inclusive.
	ExpectedFrom, ExpectedTo *models.Date
}

var dealSorts = map[string]sortKey{
	"updatedAt":         {expr: "deals.updated_at", kind: sortTime},
	"createdAt":         {expr: "deals.created_at", kind: sortTime},
	"title":             {expr: nameSort(models.TypeDeal, "deals.id")},
	"amount":            {expr: "COALESCE(deals.amount_minor, -1)", kind: sortInt},
	"expectedCloseDate": {expr: "COALESCE(CAST(deals.expected_close_date AS TEXT), '9999-12-31')"},
}

// DealGrants are the rights with which deals are read: Company decides whether company names show,
// and may be the zero Grant.
type DealGrants struct{ Deal, Company rbac.Grant }

func (g DealGrants) check() error {
	return errors.Join(g.Deal.For(rbac.DealRead), optional(g.Company, rbac.CompanyRead))
}

// Deal returns a live deal that the grant sees, with its names.
func (r *Reader) Deal(ctx context.Context, g DealGrants, id string) (*DealView, error) {
	if err := g.check(); err != nil {
		return nil, err
	}
	joins, seen := dealViewJoins(g), visible(models.TypeDeal, g.Deal)
	view, err := findOne[DealView](ctx, r, "SELECT "+dealViewColumns+" FROM deals "+joins.sql+" WHERE deals.deleted_at IS NULL AND deals.id = ? AND "+seen.sql,
		slices.Concat(joins.args, []any{id}, seen.args)...)
	return mustFind(view, err, "deal")
}

// DeletedDeal returns a deal in the bin. g is the restore grant.
func (r *Reader) DeletedDeal(ctx context.Context, g rbac.Grant, id string) (*models.Deal, error) {
	if err := g.For(rbac.DealRestore); err != nil {
		return nil, err
	}
	var d models.Deal
	q := where(r.q.WithContext(ctx), visible(models.TypeDeal, g)).Where("id = ? AND deleted_at IS NOT NULL", id)
	return &d, notFound(translate(q.Take(&d).Error), "deleted deal")
}

// Deals lists live deals.
func (r *Reader) Deals(ctx context.Context, g DealGrants, f DealFilter, p Page) (List[DealView], error) {
	if err := g.check(); err != nil {
		return List[DealView]{}, err
	}
	keys, err := keysetOf(p, dealSorts, "deals.id")
	if err != nil {
		return List[DealView]{}, err
	}
	return page(keys, f.apply(where(r.q.WithContext(ctx).Model(&models.Deal{}), visible(models.TypeDeal, g.Deal))), f.apply(r.dealViews(ctx, g)), func(v DealView) (any, string) { return dealSortValue(keys.name, v), v.ID })
}

func dealSortValue(sort string, v DealView) any {
	switch sort {
	case "title", "-title":
		return models.FoldName(v.Title)
	case "createdAt", "-createdAt":
		return v.CreatedAt
	case "amount", "-amount":
		if v.AmountMinor == nil {
			return int64(-1)
		}
		return *v.AmountMinor
	case "expectedCloseDate", "-expectedCloseDate":
		if v.ExpectedCloseDate == nil {
			return "9999-12-31"
		}
		return string(*v.ExpectedCloseDate)
	default:
		return v.UpdatedAt
	}
}

// dealViewColumns are those of a DealView, of deals with their dealViewJoins.
const dealViewColumns = "deals.*, COALESCE(c.name, '') AS company_name, COALESCE(products.name, '') AS product_name, pipelines.name AS pipeline_name, " +
	"stages.name AS stage_name, stages.kind AS stage_kind, users.name AS owner_name, COALESCE(users.team_id, '') AS owner_team_id"

// dealViewJoins join deals with what they refer to, as far as the grants see it.
func dealViewJoins(g DealGrants) condition {
	company := visibleCompanies(g.Company, "c")
	return condition{
		"LEFT JOIN companies c ON c.id = deals.company_id AND c.deleted_at IS NULL AND " + company.sql + " LEFT JOIN products ON products.id = deals.product_id " +
			"JOIN pipelines ON pipelines.id = deals.pipeline_id JOIN stages ON stages.id = deals.stage_id JOIN users ON users.id = deals.owner_id", company.args,
	}
}

// dealViews selects what the grants see, deleted deals included, joined with names.
func (r *Reader) dealViews(ctx context.Context, g DealGrants) *gorm.DB {
	joins := dealViewJoins(g)
	q := r.q.WithContext(ctx).Model(&models.Deal{}).Select(dealViewColumns).Joins(joins.sql, joins.args...)
	return where(q, visible(models.TypeDeal, g.Deal))
}

func (f DealFilter) apply(q *gorm.DB) *gorm.DB {
	q = q.Where("deals.deleted_at IS NULL")
	for _, c := range []struct{ sql, value string }{
		{"deals.pipeline_id = ?", f.PipelineID},
		{"deals.stage_id IN (SELECT id FROM stages WHERE kind = ?)", string(f.StageKind)},
		{"deals.owner_id = ?", f.OwnerID},
		{"deals.owner_id IN (SELECT id FROM users WHERE team_id = ?)", f.TeamID},
		{"deals.company_id = ?", f.CompanyID},
		{"deals.product_id = ?", f.ProductID},
	} {
		if c.value != "" {
			q = q.Where(c.sql, c.value)
		}
	}
	if len(f.StageIDs) > 0 {
		q = q.Where("deals.stage_id IN ?", f.StageIDs)
	}
	if key := models.FoldName(f.Text); key != "" {
		q = where(q, namedLike(q, "deals.id", models.TypeDeal, key))
	}
	if f.ClosedFrom != nil {
		q = q.Where("deals.closed_at >= ?", *f.ClosedFrom)
	}
	if f.ClosedBefore != nil {
		q = q.Where("deals.closed_at < ?", *f.ClosedBefore)
	}
	if f.ExpectedFrom != nil {
		q = q.Where("deals.expected_close_date >= ?", *f.ExpectedFrom)
	}
	if f.ExpectedTo != nil {
		q = q.Where("deals.expected_close_date <= ?", *f.ExpectedTo)
	}
	return q
}

// InsertDeal adds a deal.
func (tx *Tx) InsertDeal(ctx context.Context, g rbac.Grant, d *models.Deal) error {
	if err := g.For(rbac.DealCreate); err != nil {
		return err
	}
	if err := tx.q.WithContext(ctx).Create(d).Error; err != nil {
		return translate(err)
	}
	return tx.addNames(ctx, dealNames(d))
}

// UpdateDeal writes the fields in which after differs from before, which must be the deal as it is stored at the version
// that after carries, and counts that up.
func (tx *Tx) UpdateDeal(ctx context.Context, g rbac.Grant, before, after *models.Deal, now time.Time) error {
	if err := g.For(rbac.DealUpdate); err != nil {
		return err
	}
	columns := dealColumns(after)
	for name, value := range dealColumns(before) {
		if reflect.DeepEqual(value, columns[name]) {
			delete(columns, name)
		}
	}
	if err := tx.writeVersion(ctx, g, models.TypeDeal, &after.Record, now, columns); err != nil {
		return err
	}
	return tx.renew(ctx, dealNames(before), dealNames(after))
}

func dealColumns(d *models.Deal) map[string]any {
	return map[string]any{
		"external_id": d.ExternalID, "title": d.Title, "company_id": d.CompanyID, "product_id": d.ProductID,
		"pipeline_id": d.PipelineID, "stage_id": d.StageID, "amount_minor": d.AmountMinor, "currency": d.Currency,
		"opened_at": d.OpenedAt, "expected_close_date": d.ExpectedCloseDate, "closed_at": d.ClosedAt,
		"owner_id": d.OwnerID, "lost_reason": d.LostReason,
	}
}

func dealNames(d *models.Deal) goesBy {
	return goesBy{models.TypeDeal, d.ID, &d.OwnerID, d.UpdatedAt, d.Names()}
}
