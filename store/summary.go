package store

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"countersign/models"
)

// Summary is the summary of the older part of a conversation, or nil while there is none.
func (r *Reader) Summary(ctx context.Context, conversationID string) (*models.ConversationSummary, error) {
	return findOne[models.ConversationSummary](ctx, r, "SELECT * FROM conversation_summaries WHERE conversation_id = ?", conversationID)
}

// PutSummary stores a summary in place of one that reaches less far.
func (tx *Tx) PutSummary(ctx context.Context, s *models.ConversationSummary) error {
	return translate(tx.q.WithContext(ctx).Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "conversation_id"}},
		DoUpdates: clause.AssignmentColumns([]string{"up_to_seq", "text", "model", "told", "created_at"}),
		Where:     clause.Where{Exprs: []clause.Expression{gorm.Expr("conversation_summaries.up_to_seq < excluded.up_to_seq")}},
	}).Create(s).Error)
}

// MarkSummaryTold remembers that its person has been told of a summary.
func (tx *Tx) MarkSummaryTold(ctx context.Context, conversationID string) error {
	return translate(tx.q.WithContext(ctx).Model(&models.ConversationSummary{}).Where("conversation_id = ?", conversationID).
		Updates(map[string]any{"told": true}).Error)
}
