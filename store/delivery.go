package store

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"countersign/models"
	"countersign/rbac"
)

// A delivery belongs to its quotation: who may read or send that may read it, or say that it has arrived. Jobs carry on with
// deliveries without a grant, since the right was asked for when they were queued.

// DeliveryView is a delivery with what its quotation is called.
type DeliveryView struct {
	models.Delivery
	QuotationName string
}

// DeliveryFilter narrows a list of deliveries; zero fields do not.
type DeliveryFilter struct {
	Status      models.DeliveryStatus
	QuotationID string
}

// deliveryColumns are those of a DeliveryView.
var deliveryColumns = "deliveries.*, " + quotationLabel("quotations") + " AS quotation_name"

var deliverySorts = map[string]sortKey{"updatedAt": {expr: "deliveries.updated_at", kind: sortTime}}

// Deliveries lists the deliveries of live quotations that the grant sees, those that last moved first.
func (r *Reader) Deliveries(ctx context.Context, g rbac.Grant, f DeliveryFilter, p Page) (List[DeliveryView], error) {
	if err := g.For(rbac.QuotationRead); err != nil {
		return List[DeliveryView]{}, err
	}
	keys, err := keysetOf(p, deliverySorts, "deliveries.id")
	if err != nil {
		return List[DeliveryView]{}, err
	}
	q := r.deliveries(ctx, g)
	if f.Status != "" {
		q = q.Where("deliveries.status = ?", f.Status)
	}
	if f.QuotationID != "" {
		q = q.Where("deliveries.quotation_id = ?", f.QuotationID)
	}
	views := q.Session(&gorm.Session{}).Select(deliveryColumns)
	return page(keys, q, views, func(v DeliveryView) (any, string) { return v.UpdatedAt, v.ID })
}

// DeliveryToMark is a delivery of a live quotation that the grant lets one send.
func (tx *Tx) DeliveryToMark(ctx context.Context, g rbac.Grant, id string) (*DeliveryView, error) {
	if err := g.For(rbac.QuotationSend); err != nil {
		return nil, err
	}
	var v DeliveryView
	err := tx.deliveries(ctx, g).Select(deliveryColumns).Where("deliveries.id = ?", id).Take(&v).Error
	return &v, notFound(translate(err), "e-mail")
}

func (r *Reader) deliveries(ctx context.Context, g rbac.Grant) *gorm.DB {
	q := r.q.WithContext(ctx).Model(&models.Delivery{}).
		Joins("JOIN quotations ON quotations.id = deliveries.quotation_id AND quotations.deleted_at IS NULL")
	return where(q, visible(models.TypeQuotation, g))
}

// InsertDelivery adds a delivery. A proposal has one.
func (tx *Tx) InsertDelivery(ctx context.Context, g rbac.Grant, d *models.Delivery) error {
	if err := g.For(rbac.QuotationSend); err != nil {
		return err
	}
	return translate(tx.q.WithContext(ctx).Create(d).Error)
}

// ClaimDelivery makes a queued delivery one that is being sent, and returns it: nil when it is not queued, so that of many
// one gets it.
func (tx *Tx) ClaimDelivery(ctx context.Context, id string, now time.Time) (*models.Delivery, error) {
	var claimed []models.Delivery
	err := tx.q.WithContext(ctx).Model(&claimed).Clauses(clause.Returning{}).Where("id = ? AND status = ?", id, models.DeliveryQueued).
		Updates(map[string]any{"status": models.DeliverySending, "problem": "", "attempts": gorm.Expr("attempts + 1"), "updated_at": now}).Error
	if err != nil || len(claimed) == 0 {
		return nil, translate(err)
	}
	return &claimed[0], nil
}

// MoveDelivery writes how far a delivery has come, if it still is where it was: Conflict otherwise.
func (tx *Tx) MoveDelivery(ctx context.Context, d *models.Delivery, from models.DeliveryStatus) error {
	return oneRow(tx.q.WithContext(ctx).Model(&models.Delivery{}).Where("id = ? AND status = ?", d.ID, from).Updates(map[string]any{
		"status": d.Status, "problem": d.Problem, "updated_at": d.UpdatedAt, "sent_at": d.SentAt, "marked_by": d.MarkedBy,
	}))
}

// DeliveriesLeft are some of the deliveries of a status that have not moved since a time, oldest first.
func (r *Reader) DeliveriesLeft(ctx context.Context, status models.DeliveryStatus, since time.Time) ([]models.Delivery, error) {
	var left []models.Delivery
	err := r.q.WithContext(ctx).Where("status = ? AND updated_at < ?", status, since).Order("updated_at").Limit(100).Find(&left).Error
	return left, translate(err)
}

// SetOutcome writes what has become of an executed proposal's effect outside.
func (tx *Tx) SetOutcome(ctx context.Context, id string, outcome models.JSON) error {
	return oneRow(tx.proposal(ctx, id, models.ProposalExecuted).Updates(map[string]any{"outcome": outcome}))
}
