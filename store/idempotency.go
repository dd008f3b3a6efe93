package store

import (
	"context"
	"time"
)

// IdempotencyKey is the answer to a POST request under the key that its client chose. Status is 0
// while the request is still being answered.
type IdempotencyKey struct {
	UserID      string `gorm:"primaryKey"`
	Key         string `gorm:"primaryKey"`
	RequestHash string
	Status      int
	ContentType string
	Body        string
	CreatedAt   time.Time
}

// IdempotencyKey returns what is stored under a user's key, or nil.
func (r *Reader) IdempotencyKey(ctx context.Context, userID, key string) (*IdempotencyKey, error) {
	return firstOf[IdempotencyKey](r.q.WithContext(ctx).Where("user_id = ? AND key = ?", userID, key))
}

// InsertIdempotencyKey claims a key; Conflict when another request has.
func (tx *Tx) InsertIdempotencyKey(ctx context.Context, k *IdempotencyKey) error {
	return translate(tx.q.WithContext(ctx).Create(k).Error)
}

// FinishIdempotencyKey stores the answer.
func (tx *Tx) FinishIdempotencyKey(ctx context.Context, k *IdempotencyKey) error {
	return translate(tx.q.WithContext(ctx).Model(&IdempotencyKey{}).Where("user_id = ? AND key = ?", k.UserID, k.Key).
		Updates(map[string]any{"status": k.Status, "content_type": k.ContentType, "body": k.Body}).Error)
}

// DropIdempotencyKey forgets a key, so that the request can be sent again.
func (tx *Tx) DropIdempotencyKey(ctx context.Context, userID, key string) error {
	return translate(tx.q.WithContext(ctx).Where("user_id = ? AND key = ?", userID, key).Delete(&IdempotencyKey{}).Error)
}

// DeleteOldIdempotencyKeys removes keys older than before.
func (tx *Tx) DeleteOldIdempotencyKeys(ctx context.Context, before time.Time) error {
	return translate(tx.q.WithContext(ctx).Where("created_at < ?", before).Delete(&IdempotencyKey{}).Error)
}
