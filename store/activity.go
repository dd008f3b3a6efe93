package store

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"

	"countersign/models"
	"countersign/rbac"
)

// ActivityView is an activity with the names of what it is linked to. Names of records that the reader
// may not see are empty.
type ActivityView struct {
	models.Activity
	CompanyName   string
	DealTitle     string
	QuotationName string
	OwnerName     string
}

// ActivityFilter narrows a list of activities; zero fields do not. With CompanyID, activities on the
// company's deals are part of the list.
type ActivityFilter struct {
	CompanyID   string
	DealID      string
	QuotationID string
	OwnerID     string
	Kind        models.ActivityKind
}

var activitySorts = map[string]sortKey{
	"updatedAt": {expr: "activities.updated_at", kind: sortTime},
	"at":        {expr: "activities.at", kind: sortTime},
}

// ActivityGrants are the rights with which activities are read: the others decide which linked names show, and
// may be zero Grants.
type ActivityGrants struct{ Activity, Company, Deal, Quotation rbac.Grant }

func (g ActivityGrants) check() error {
	return errors.Join(g.Activity.For(rbac.ActivityRead), optional(g.Company, rbac.CompanyRead),
		optional(g.Deal, rbac.DealRead), optional(g.Quotation, rbac.QuotationRead))
}

// Activity returns a live activity that the grant sees.
func (r *Reader) Activity(ctx context.Context, g ActivityGrants, id string) (*ActivityView, error) {
	if err := g.check(); err != nil {
		return nil, err
	}
	var view ActivityView
	q := r.activityViews(ctx, g).Where("activities.deleted_at IS NULL AND activities.id = ?", id)
	return &view, notFound(translate(q.Take(&view).Error), "activity")
}

// DeletedActivity returns an activity in the bin. g is the restore grant.
func (r *Reader) DeletedActivity(ctx context.Context, g rbac.Grant, id string) (*models.Activity, error) {
	if err := g.For(rbac.ActivityRestore); err != nil {
		return nil, err
	}
	var a models.Activity
	q := where(r.q.WithContext(ctx), visible(models.TypeActivity, g)).Where("id = ? AND deleted_at IS NOT NULL", id)
	return &a, notFound(translate(q.Take(&a).Error), "deleted activity")
}

// Activities lists live activities.
func (r *Reader) Activities(ctx context.Context, g ActivityGrants, f ActivityFilter, p Page) (List[ActivityView], error) {
	if err := g.check(); err != nil {
		return List[ActivityView]{}, err
	}
	keys, err := keysetOf(p, activitySorts, "activities.id")
	if err != nil {
		return List[ActivityView]{}, err
	}
	return page(keys, f.apply(where(r.q.WithContext(ctx).Model(&models.Activity{}), visible(models.TypeActivity, g.Activity))), f.apply(r.activityViews(ctx, g)), func(v ActivityView) (any, string) {
		if keys.name == "at" || keys.name == "-at" {
			return v.At, v.ID
		}
		return v.UpdatedAt, v.ID
	})
}

func (r *Reader) activityViews(ctx context.Context, g ActivityGrants) *gorm.DB {
	company, deal, quotation := visibleCompanies(g.Company, "company"), ownedBy(g.Deal, "deal.owner_id"), ownedBy(g.Quotation, "quotation.owner_id")
	q := r.q.WithContext(ctx).Model(&models.Activity{}).
		Select("activities.*, company.name AS company_name, deal.title AS deal_title, "+quotationLabel("quotation")+" AS quotation_name, owner.name AS owner_name").
		Joins("LEFT JOIN companies company ON company.id = activities.company_id AND company.deleted_at IS NULL AND "+company.sql, company.args...).
		Joins("LEFT JOIN deals deal ON deal.id = activities.deal_id AND deal.deleted_at IS NULL AND "+deal.sql, deal.args...).
		Joins("LEFT JOIN quotations quotation ON quotation.id = activities.quotation_id AND quotation.deleted_at IS NULL AND "+quotation.sql, quotation.args...).
		Joins("JOIN users owner ON owner.id = activities.owner_id")
	return where(q, visible(models.TypeActivity, g.Activity))
}

func (f ActivityFilter) apply(q *gorm.DB) *gorm.DB {
	q = q.Where("activities.deleted_at IS NULL")
	for _, c := range []struct{ sql, value string }{
		{"activities.deal_id = ?", f.DealID},
		{"activities.quotation_id = ?", f.QuotationID},
		{"activities.owner_id = ?", f.OwnerID},
		{"activities.kind = ?", string(f.Kind)},
	} {
		if c.value != "" {
			q = q.Where(c.sql, c.value)
		}
	}
	if f.CompanyID != "" {
		q = q.Where("(activities.company_id = ? OR activities.deal_id IN (SELECT id FROM deals WHERE company_id = ?))", f.CompanyID, f.CompanyID)
	}
	return q
}

// InsertActivity adds an activity.
func (tx *Tx) InsertActivity(ctx context.Context, g rbac.Grant, a *models.Activity) error {
	if err := g.For(rbac.ActivityCreate); err != nil {
		return err
	}
	return insert(ctx, tx, a)
}

// InsertRecordActivity adds the timeline entry of a write itself: g is the grant of that write.
func (tx *Tx) InsertRecordActivity(ctx context.Context, g rbac.Grant, a *models.Activity) error {
	if err := g.For(rbac.DealUpdate, rbac.CompanyUpdate, rbac.QuotationUpdate); err != nil {
		return err
	}
	return insert(ctx, tx, a)
}

// UpdateActivity writes the fields of an activity at the version that a carries, and counts it up.
func (tx *Tx) UpdateActivity(ctx context.Context, g rbac.Grant, a *models.Activity, now time.Time) error {
	if err := g.For(rbac.ActivityUpdate); err != nil {
		return err
	}
	return tx.writeVersion(ctx, g, models.TypeActivity, &a.Record, now, map[string]any{
		"kind": a.Kind, "subject": a.Subject, "body": a.Body, "at": a.At, "company_id": a.CompanyID, "deal_id": a.DealID, "quotation_id": a.QuotationID,
	})
}
