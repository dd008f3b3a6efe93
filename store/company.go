package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"countersign/models"
	"countersign/rbac"
)

// CompanyView is a company with the names of its owner and parent. The name of a parent that the reader may not
// see is empty.
type CompanyView struct {
	models.Company
	OwnerName   string
	OwnerTeamID string
	ParentName  string
}

// CompanyFilter narrows a list of companies; zero fields do not.
type CompanyFilter struct {
	OwnerID  string
	Status   models.CompanyStatus
	ParentID string
	// Text finds companies one of whose names contains it, as the resolver folds names.
	Text string
}

var companySorts = map[string]sortKey{
	"updatedAt": {expr: "companies.updated_at", kind: sortTime},
	"createdAt": {expr: "companies.created_at", kind: sortTime},
	"name":      {expr: nameSort(models.TypeCompany, "companies.id")},
}

// Company returns a live company that the grant sees.
func (r *Reader) Company(ctx context.Context, g rbac.Grant, id string) (*CompanyView, error) {
	if err := g.For(rbac.CompanyRead); err != nil {
		return nil, err
	}
	var view CompanyView
	q := r.companyViews(ctx, g).Where("companies.deleted_at IS NULL AND companies.id = ?", id)
	return &view, notFound(translate(q.Take(&view).Error), "company")
}

// DeletedCompany returns a company in the bin. g is the restore grant.
func (r *Reader) DeletedCompany(ctx context.Context, g rbac.Grant, id string) (*models.Company, error) {
	if err := g.For(rbac.CompanyRestore); err != nil {
		return nil, err
	}
	var c models.Company
	q := where(r.q.WithContext(ctx), visible(models.TypeCompany, g)).Where("id = ? AND deleted_at IS NOT NULL", id)
	return &c, notFound(translate(q.Take(&c).Error), "deleted company")
}

// Companies lists live companies.
func (r *Reader) Companies(ctx context.Context, g rbac.Grant, f CompanyFilter, p Page) (List[CompanyView], error) {
	if err := g.For(rbac.CompanyRead); err != nil {
		return List[CompanyView]{}, err
	}
	keys, err := keysetOf(p, companySorts, "companies.id")
	if err != nil {
		return List[CompanyView]{}, err
	}
	return page(keys, f.apply(where(r.q.WithContext(ctx).Model(&models.Company{}), visible(models.TypeCompany, g))), f.apply(r.companyViews(ctx, g)), func(v CompanyView) (any, string) { return companySortValue(keys.name, v), v.ID })
}

func companySortValue(sort string, v CompanyView) any {
	switch sort {
	case "name", "-name":
		return models.FoldName(v.Name)
	case "createdAt", "-createdAt":
		return v.CreatedAt
	default:
		return v.UpdatedAt
	}
}

func (r *Reader) companyViews(ctx context.Context, g rbac.Grant) *gorm.DB {
	parent := visibleCompanies(g, "parent")
	q := r.q.WithContext(ctx).Model(&models.Company{}).
		Select("companies.*, owner.name AS owner_name, owner.team_id AS owner_team_id, parent.name AS parent_name").
		Joins("LEFT JOIN users owner ON owner.id = companies.owner_id").
		Joins("LEFT JOIN companies parent ON parent.id = companies.parent_id AND parent.deleted_at IS NULL AND "+parent.sql, parent.args...)
	return where(q, visible(models.TypeCompany, g))
}

func (f CompanyFilter) apply(q *gorm.DB) *gorm.DB {
	q = q.Where("companies.deleted_at IS NULL")
	for _, c := range []struct{ sql, value string }{
		{"companies.owner_id = ?", f.OwnerID},
		{"companies.status = ?", string(f.Status)},
		{"companies.parent_id = ?", f.ParentID},
	} {
		if c.value != "" {
			q = q.Where(c.sql, c.value)
		}
	}
	if key := models.FoldName(f.Text); key != "" {
		q = where(q, namedLike(q, "companies.id", models.TypeCompany, key))
	}
	return q
}

// InsertCompany adds a company.
func (tx *Tx) InsertCompany(ctx context.Context, g rbac.Grant, c *models.Company) error {
	if err := g.For(rbac.CompanyCreate); err != nil {
		return err
	}
	if err := tx.q.WithContext(ctx).Create(c).Error; err != nil {
		return translate(err)
	}
	return tx.addNames(ctx, companyNames(c))
}

// UpdateCompany writes all fields of a company at the version that c carries, and counts it up.
func (tx *Tx) UpdateCompany(ctx context.Context, g rbac.Grant, c *models.Company, now time.Time) error {
	if err := g.For(rbac.CompanyUpdate); err != nil {
		return err
	}
	err := tx.writeVersion(ctx, g, models.TypeCompany, &c.Record, now, map[string]any{
		"external_id": c.ExternalID, "name": c.Name, "other_names": c.OtherNames, "industry": c.Industry,
		"status": c.Status, "website": c.Website, "phone": c.Phone, "address": c.Address, "parent_id": c.ParentID,
		"owner_id": c.OwnerID, "tags": c.Tags, "notes": c.Notes,
	})
	if err != nil {
		return err
	}
	return tx.putNames(ctx, companyNames(c))
}

func companyNames(c *models.Company) goesBy {
	return goesBy{models.TypeCompany, c.ID, c.OwnerID, c.UpdatedAt, c.Names()}
}
