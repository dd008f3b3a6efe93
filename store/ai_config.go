package store

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"countersign/models"
)

// AIConfig returns the model configuration, or nil when there is none.
func (r *Reader) AIConfig(ctx context.Context) (*models.AIConfig, error) {
	return firstOf[models.AIConfig](r.q.WithContext(ctx).Where("id = ?", models.AIConfigID))
}

// LockAIConfig waits until no other transaction writes the model configuration, and keeps others from it
// until this one ends. Without a configuration it does nothing.
func (tx *Tx) LockAIConfig(ctx context.Context) error {
	return translate(tx.q.WithContext(ctx).Model(&models.AIConfig{}).Where("id = ?", models.AIConfigID).
		UpdateColumn("version", gorm.Expr("version")).Error)
}

// PutAIConfig creates or replaces the model configuration.
func (tx *Tx) PutAIConfig(ctx context.Context, c *models.AIConfig) error {
	return translate(tx.q.WithContext(ctx).Clauses(clause.OnConflict{UpdateAll: true}).Create(c).Error)
}

// LearnAIConfig stores what the endpoint has taught of its requests, unless the configuration is of another version
// by now. It reports whether it did.
func (tx *Tx) LearnAIConfig(ctx context.Context, version int64, learned string) (bool, error) {
	done := tx.q.WithContext(ctx).Model(&models.AIConfig{}).Where("id = ? AND version = ?", models.AIConfigID, version).
		UpdateColumn("learned", learned)
	return done.RowsAffected == 1, translate(done.Error)
}

// DeleteAIConfig removes the model configuration.
func (tx *Tx) DeleteAIConfig(ctx context.Context) error {
	return translate(tx.q.WithContext(ctx).Where("id = ?", models.AIConfigID).Delete(&models.AIConfig{}).Error)
}
