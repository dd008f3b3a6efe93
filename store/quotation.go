package store

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"

	"countersign/models"
	"countersign/rbac"
)

// QuotationView is a quotation with the names of what it refers to. Names of records that the reader may not see
// are empty.
type QuotationView struct {
	models.Quotation
	CompanyName string
	ContactName string
	DealTitle   string
	OwnerName   string
	OwnerTeamID string
}

// QuotationFilter narrows a list of quotations; zero fields do not.
type QuotationFilter struct {
	Status    models.QuotationStatus
	CompanyID string
	ContactID string
	DealID    string
	OwnerID   string
	// Text finds quotations whose number contains it.
	Text string
}

var quotationSorts = map[string]sortKey{
	"updatedAt":  {expr: "quotations.updated_at", kind: sortTime},
	"createdAt":  {expr: "quotations.created_at", kind: sortTime},
	"total":      {expr: "quotations.total_minor", kind: sortInt},
	"validUntil": {expr: "COALESCE(CAST(quotations.valid_until AS TEXT), '9999-12-31')"},
}

// quotationLabel is [models.Quotation.Label] of a table in the query.
func quotationLabel(table string) string {
	return table + ".number || CASE " + table + ".revision WHEN 1 THEN '' ELSE '-R' || CAST(" + table + ".revision AS TEXT) END"
}

// QuotationGrants are the rights with which quotations are read: the others decide which linked names show, and
// may be zero Grants.
type QuotationGrants struct{ Quotation, Company, Contact, Deal rbac.Grant }

func (g QuotationGrants) check() error {
	return errors.Join(g.Quotation.For(rbac.QuotationRead), optional(g.Company, rbac.CompanyRead),
		optional(g.Contact, rbac.ContactRead), optional(g.Deal, rbac.DealRead))
}

// Quotation returns a live quotation that the grant sees, with its items.
func (r *Reader) Quotation(ctx context.Context, g QuotationGrants, id string) (*QuotationView, error) {
	if err := g.check(); err != nil {
		return nil, err
	}
	var view QuotationView
	q := r.quotationViews(ctx, g).Where("quotations.deleted_at IS NULL AND quotations.id = ?", id)
	if err := q.Take(&view).Error; err != nil {
		return nil, notFound(translate(err), "quotation")
	}
	return &view, r.fillItems(ctx, &view.Quotation)
}

// DeletedQuotation returns a quotation in the bin, without its items. g is the restore grant.
func (r *Reader) DeletedQuotation(ctx context.Context, g rbac.Grant, id string) (*models.Quotation, error) {
	if err := g.For(rbac.QuotationRestore); err != nil {
		return nil, err
	}
	var quotation models.Quotation
	q := where(r.q.WithContext(ctx), visible(models.TypeQuotation, g)).Where("id = ? AND deleted_at IS NOT NULL", id)
	return &quotation, notFound(translate(q.Take(&quotation).Error), "deleted quotation")
}

// Quotations lists live quotations, without their items.
func (r *Reader) Quotations(ctx context.Context, g QuotationGrants, f QuotationFilter, p Page) (List[QuotationView], error) {
	if err := g.check(); err != nil {
		return List[QuotationView]{}, err
	}
	keys, err := keysetOf(p, quotationSorts, "quotations.id")
	if err != nil {
		return List[QuotationView]{}, err
	}
	all := where(r.q.WithContext(ctx).Model(&models.Quotation{}), visible(models.TypeQuotation, g.Quotation))
	return page(keys, f.apply(all), f.apply(r.quotationViews(ctx, g)), func(v QuotationView) (any, string) { return quotationSortValue(keys.name, v), v.ID })
}

func quotationSortValue(sort string, v QuotationView) any {
	switch sort {
	case "createdAt", "-createdAt":
		return v.CreatedAt
	case "total", "-total":
		return v.TotalMinor
	case "validUntil", "-validUntil":
		if v.ValidUntil == nil {
			return "9999-12-31"
		}
		return string(*v.ValidUntil)
	default:
		return v.UpdatedAt
	}
}

func (r *Reader) quotationViews(ctx context.Context, g QuotationGrants) *gorm.DB {
	company, deal, contact := visibleCompanies(g.Company, "company"), ownedBy(g.Deal, "deal.owner_id"), visibleContacts(g.Contact, "contact")
	q := r.q.WithContext(ctx).Model(&models.Quotation{}).
		Select("quotations.*, company.name AS company_name, contact.name AS contact_name, deal.title AS deal_title, owner.name AS owner_name, owner.team_id AS owner_team_id").
		Joins("JOIN users owner ON owner.id = quotations.owner_id").
		Joins("LEFT JOIN companies company ON company.id = quotations.company_id AND company.deleted_at IS NULL AND "+company.sql, company.args...).
		Joins("LEFT JOIN contacts contact ON contact.id = quotations.contact_id AND contact.deleted_at IS NULL AND "+contact.sql, contact.args...).
		Joins("LEFT JOIN deals deal ON deal.id = quotations.deal_id AND deal.deleted_at IS NULL AND "+deal.sql, deal.args...)
	return where(q, visible(models.TypeQuotation, g.Quotation))
}

func (f QuotationFilter) apply(q *gorm.DB) *gorm.DB {
	q = q.Where("quotations.deleted_at IS NULL")
	for _, c := range []struct{ sql, value string }{
		{"quotations.status = ?", string(f.Status)},
		{"quotations.company_id = ?", f.CompanyID},
		{"quotations.contact_id = ?", f.ContactID},
		{"quotations.deal_id = ?", f.DealID},
		{"quotations.owner_id = ?", f.OwnerID},
	} {
		if c.value != "" {
			q = q.Where(c.sql, c.value)
		}
	}
	if key := models.FoldName(f.Text); key != "" {
		q = where(q, namedLike(q, "quotations.id", models.TypeQuotation, key))
	}
	return q
}

// fillItems reads the items of a quotation.
func (r *Reader) fillItems(ctx context.Context, quotation *models.Quotation) error {
	return translate(r.q.WithContext(ctx).Where("quotation_id = ?", quotation.ID).Order("position").Find(&quotation.Items).Error)
}

// InsertQuotation adds a quotation with its items. One without a number gets the next of the year in which it is made,
// in the organisation's time zone: the numbers of a year have no gap, since a rollback gives the number back.
func (tx *Tx) InsertQuotation(ctx context.Context, g rbac.Grant, q *models.Quotation) error {
	if err := g.For(rbac.QuotationCreate); err != nil {
		return err
	}
	if q.Number == "" {
		if err := tx.number(ctx, q); err != nil {
			return err
		}
	}
	if err := tx.q.WithContext(ctx).Create(q).Error; err != nil {
		return translate(err)
	}
	if err := tx.insertItems(ctx, q); err != nil {
		return err
	}
	return tx.addNames(ctx, quotationNames(q))
}

// number counts the quotations of a year up. The row stays locked until the transaction ends.
func (tx *Tx) number(ctx context.Context, q *models.Quotation) error {
	year := q.CreatedAt.In(models.Zone()).Year()
	var last int64
	err := tx.q.WithContext(ctx).Raw(
		"INSERT INTO quotation_numbers (year, last) VALUES (?, 1) ON CONFLICT (year) DO UPDATE SET last = quotation_numbers.last + 1 RETURNING last", year,
	).Scan(&last).Error
	q.Number = models.QuotationNumber(year, last)
	return translate(err)
}

// LastRevision is the highest revision that a number has, those in the bin included. g is the right to add one.
func (r *Reader) LastRevision(ctx context.Context, g rbac.Grant, number string) (last int64, err error) {
	if err := g.For(rbac.QuotationCreate); err != nil {
		return 0, err
	}
	err = r.q.WithContext(ctx).Model(&models.Quotation{}).Where("number = ?", number).Select("COALESCE(MAX(revision), 0)").Scan(&last).Error
	return last, translate(err)
}

// UpdateQuotation writes all fields and items of a quotation at the version that q carries, and counts it up. Its number
// and revision stay.
func (tx *Tx) UpdateQuotation(ctx context.Context, g rbac.Grant, q *models.Quotation, now time.Time) error {
	if err := g.For(rbac.QuotationUpdate); err != nil {
		return err
	}
	err := tx.writeVersion(ctx, g, models.TypeQuotation, &q.Record, now, map[string]any{
		"status": q.Status, "company_id": q.CompanyID, "contact_id": q.ContactID, "deal_id": q.DealID, "owner_id": q.OwnerID,
		"valid_until": q.ValidUntil, "currency": q.Currency, "notes": q.Notes,
		"discount_rate_e4": q.DiscountRateE4, "discount_fixed_e4": q.DiscountFixedE4,
		"subtotal_minor": q.SubtotalMinor, "discount_minor": q.DiscountMinor, "tax_minor": q.TaxMinor, "total_minor": q.TotalMinor,
		"sent_at": q.SentAt, "decided_at": q.DecidedAt, "superseded_at": q.SupersededAt,
	})
	if err != nil {
		return err
	}
	if err := tx.q.WithContext(ctx).Where("quotation_id = ?", q.ID).Delete(&models.QuotationItem{}).Error; err != nil {
		return translate(err)
	}
	if err := tx.insertItems(ctx, q); err != nil {
		return err
	}
	return tx.putNames(ctx, quotationNames(q))
}

func (tx *Tx) insertItems(ctx context.Context, q *models.Quotation) error {
	if len(q.Items) == 0 {
		return nil
	}
	for i := range q.Items {
		q.Items[i].QuotationID, q.Items[i].Position = q.ID, i+1
	}
	return translate(tx.q.WithContext(ctx).Create(&q.Items).Error)
}

// Predecessors are the revisions of a quotation's number, whoever they belong to and in the bin or not, that sending it
// supersedes: those that were sent before and are not superseded yet. g is the right to send it.
func (r *Reader) Predecessors(ctx context.Context, g rbac.Grant, q *models.Quotation) ([]models.Quotation, error) {
	if err := g.For(rbac.QuotationSend); err != nil {
		return nil, err
	}
	var sent []models.Quotation
	err := r.q.WithContext(ctx).
		Where("number = ? AND id <> ? AND status <> ? AND superseded_at IS NULL", q.Number, q.ID, models.QuotationDraft).
		Order("revision").Find(&sent).Error
	return sent, translate(err)
}

// Supersede marks a predecessor, at the version that was read, as superseded at now, and counts it up: Stale when another
// write came first. g is the right to send its successor.
func (tx *Tx) Supersede(ctx context.Context, g rbac.Grant, q *models.Quotation, now time.Time) error {
	if err := g.For(rbac.QuotationSend); err != nil {
		return err
	}
	written := tx.q.WithContext(ctx).Model(&models.Quotation{}).Where("id = ? AND version = ?", q.ID, q.Version).
		UpdateColumns(map[string]any{"superseded_at": now, "updated_at": now, "version": q.Version + 1})
	if written.Error != nil {
		return translate(written.Error)
	}
	if written.RowsAffected != 1 {
		return errStale
	}
	q.SupersededAt, q.UpdatedAt, q.Version = &now, now, q.Version+1
	if q.DeletedAt != nil {
		return nil
	}
	if err := tx.touchNames(ctx, models.TypeQuotation, q.ID, now); err != nil {
		return err
	}
	return tx.putNames(ctx, quotationNames(q))
}

func quotationNames(q *models.Quotation) goesBy {
	return goesBy{models.TypeQuotation, q.ID, &q.OwnerID, q.UpdatedAt, q.Names()}
}
