package store

import (
	"context"

	"gorm.io/gorm/clause"
)

// metaRow is a fact about the installation itself.
type metaRow struct {
	Key   string `gorm:"primaryKey"`
	Value string
}

// TableName implements GORM's Tabler.
func (metaRow) TableName() string { return "app_meta" }

// Meta returns a fact about the installation; "" when it is not set.
func (r *Reader) Meta(ctx context.Context, key string) (string, error) {
	var rows []metaRow
	err := r.q.WithContext(ctx).Where("key = ?", key).Limit(1).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return "", translate(err)
	}
	return rows[0].Value, nil
}

// SetMeta sets a fact about the installation.
func (tx *Tx) SetMeta(ctx context.Context, key, value string) error {
	return translate(tx.q.WithContext(ctx).Clauses(clause.OnConflict{UpdateAll: true}).Create(&metaRow{key, value}).Error)
}

// TakeMeta removes a fact if it has exactly this value, and reports whether it did: of several
// concurrent callers one gets true.
func (tx *Tx) TakeMeta(ctx context.Context, key, value string) (bool, error) {
	q := tx.q.WithContext(ctx).Where("key = ? AND value = ?", key, value).Delete(&metaRow{})
	return q.RowsAffected == 1, translate(q.Error)
}
