package store

import (
	"context"
	"time"

	"countersign/models"
)

// ModelPrices are all prices, model by model, the latest start first.
func (r *Reader) ModelPrices(ctx context.Context) ([]models.ModelPrice, error) {
	var rows []models.ModelPrice
	err := r.q.WithContext(ctx).Order("provider, model, starts_at DESC").Find(&rows).Error
	return rows, translate(err)
}

// ModelPrice returns a price.
func (r *Reader) ModelPrice(ctx context.Context, id string) (*models.ModelPrice, error) {
	var p models.ModelPrice
	return &p, notFound(translate(r.q.WithContext(ctx).Where("id = ?", id).Take(&p).Error), "price")
}

// ModelPriceAt is the price of a model at a moment, or nil when there is none.
func (r *Reader) ModelPriceAt(ctx context.Context, provider, model string, at time.Time) (*models.ModelPrice, error) {
	return findOne[models.ModelPrice](ctx, r, "SELECT * FROM model_prices WHERE provider = ? AND model = ? AND starts_at <= ? ORDER BY starts_at DESC",
		provider, model, at)
}

// InsertModelPrice adds a price. Conflict with CodeDuplicate when one of the same model starts at the same moment.
func (tx *Tx) InsertModelPrice(ctx context.Context, p *models.ModelPrice) error {
	return translate(tx.q.WithContext(ctx).Create(p).Error)
}

// DeleteFuturePrice removes a price that has not started at now; NotFound for any other.
func (tx *Tx) DeleteFuturePrice(ctx context.Context, id string, now time.Time) error {
	q := tx.q.WithContext(ctx).Where("id = ? AND starts_at > ?", id, now)
	return mustMatch(q.Delete(&models.ModelPrice{}), "price that has not started")
}
