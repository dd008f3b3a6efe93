package store

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"

	"countersign/models"
	"countersign/rbac"
)

// ContactView is a contact with the names of its company and owner. CompanyName is empty for a company that
// the reader may not see.
type ContactView struct {
	models.Contact
	CompanyName string
	OwnerName   string
	OwnerTeamID string
}

// ContactFilter narrows a list of contacts; zero fields do not.
type ContactFilter struct {
	CompanyID string
	OwnerID   string
	// Text finds contacts whose name contains it, as the resolver folds names.
	Text string
}

var contactSorts = map[string]sortKey{
	"updatedAt": {expr: "contacts.updated_at", kind: sortTime},
	"createdAt": {expr: "contacts.created_at", kind: sortTime},
	"name":      {expr: nameSort(models.TypeContact, "contacts.id")},
}

// ContactGrants are the rights with which contacts are read: Company decides whether company names show, PII
// over whose contacts an e-mail address may be looked up. Both may be zero Grants.
type ContactGrants struct{ Contact, Company, PII rbac.Grant }

func (g ContactGrants) check() error {
	return errors.Join(g.Contact.For(rbac.ContactRead), optional(g.Company, rbac.CompanyRead), optional(g.PII, rbac.ContactPII))
}

// Contact returns a live contact that the grant sees.
func (r *Reader) Contact(ctx context.Context, g ContactGrants, id string) (*ContactView, error) {
	if err := g.check(); err != nil {
		return nil, err
	}
	var view ContactView
	q := r.contactViews(ctx, g).Where("contacts.deleted_at IS NULL AND contacts.id = ?", id)
	return &view, notFound(translate(q.Take(&view).Error), "contact")
}

// DeletedContact returns a contact in the bin. g is the restore grant.
func (r *Reader) DeletedContact(ctx context.Context, g rbac.Grant, id string) (*models.Contact, error) {
	if err := g.For(rbac.ContactRestore); err != nil {
		return nil, err
	}
	var c models.Contact
	q := where(r.q.WithContext(ctx), visible(models.TypeContact, g)).Where("id = ? AND deleted_at IS NOT NULL", id)
	return &c, notFound(translate(q.Take(&c).Error), "deleted contact")
}

// Contacts lists live contacts.
func (r *Reader) Contacts(ctx context.Context, g ContactGrants, f ContactFilter, p Page) (List[ContactView], error) {
	if err := g.check(); err != nil {
		return List[ContactView]{}, err
	}
	keys, err := keysetOf(p, contactSorts, "contacts.id")
	if err != nil {
		return List[ContactView]{}, err
	}
	return page(keys, f.apply(where(r.q.WithContext(ctx).Model(&models.Contact{}), visible(models.TypeContact, g.Contact))), f.apply(r.contactViews(ctx, g)), func(v ContactView) (any, string) { return contactSortValue(keys.name, v), v.ID })
}

func contactSortValue(sort string, v ContactView) any {
	switch sort {
	case "name", "-name":
		return models.FoldName(v.Name)
	case "createdAt", "-createdAt":
		return v.CreatedAt
	default:
		return v.UpdatedAt
	}
}

// ContactsByEmail finds live contacts by an e-mail address in lower case, the most recently updated first, among
// those whose personal data the reader may see: an address that is hidden is not found by trying.
func (r *Reader) ContactsByEmail(ctx context.Context, g ContactGrants, email string, limit int) ([]NameHit, error) {
	if err := g.check(); err != nil {
		return nil, err
	}
	hits := named(g.Contact, models.TypeContact, "", ownedBy(g.PII, "contacts.owner_id"),
		condition{"contacts.email = ? AND contacts.email <> ''", []any{email}})
	return find[NameHit](ctx, r, hits.sql+" ORDER BY contacts.updated_at DESC, contacts.id LIMIT ?", append(hits.args, limit)...)
}

func (r *Reader) contactViews(ctx context.Context, g ContactGrants) *gorm.DB {
	company := visibleCompanies(g.Company, "company")
	q := r.q.WithContext(ctx).Model(&models.Contact{}).
		Select("contacts.*, company.name AS company_name, owner.name AS owner_name, owner.team_id AS owner_team_id").
		Joins("LEFT JOIN companies company ON company.id = contacts.company_id AND company.deleted_at IS NULL AND "+company.sql, company.args...).
		Joins("JOIN users owner ON owner.id = contacts.owner_id")
	return where(q, visible(models.TypeContact, g.Contact))
}

func (f ContactFilter) apply(q *gorm.DB) *gorm.DB {
	q = q.Where("contacts.deleted_at IS NULL")
	for _, c := range []struct{ sql, value string }{
		{"contacts.company_id = ?", f.CompanyID},
		{"contacts.owner_id = ?", f.OwnerID},
	} {
		if c.value != "" {
			q = q.Where(c.sql, c.value)
		}
	}
	if key := models.FoldName(f.Text); key != "" {
		q = where(q, namedLike(q, "contacts.id", models.TypeContact, key))
	}
	return q
}

// InsertContact adds a contact.
func (tx *Tx) InsertContact(ctx context.Context, g rbac.Grant, c *models.Contact) error {
	if err := g.For(rbac.ContactCreate); err != nil {
		return err
	}
	if err := tx.q.WithContext(ctx).Create(c).Error; err != nil {
		return translate(err)
	}
	return tx.addNames(ctx, contactNames(c))
}

// UpdateContact writes all fields of a contact at the version that c carries, and counts it up.
func (tx *Tx) UpdateContact(ctx context.Context, g rbac.Grant, c *models.Contact, now time.Time) error {
	if err := g.For(rbac.ContactUpdate); err != nil {
		return err
	}
	err := tx.writeVersion(ctx, g, models.TypeContact, &c.Record, now, map[string]any{
		"company_id": c.CompanyID, "name": c.Name, "job_title": c.JobTitle, "email": c.Email, "phone": c.Phone,
		"whatsapp": c.WhatsApp, "language": c.Language, "owner_id": c.OwnerID,
	})
	if err != nil {
		return err
	}
	return tx.putNames(ctx, contactNames(c))
}

func contactNames(c *models.Contact) goesBy {
	return goesBy{models.TypeContact, c.ID, &c.OwnerID, c.UpdatedAt, c.Names()}
}
