package conversations

import (
	"context"

	"countersign/jobs"
	"countersign/models"
	"countersign/store"
)

// RequestSummary has the turn's conversation summarised up to a message, that one included, in a job of which there is
// one for each such message.
func (s *Service) RequestSummary(ctx context.Context, turn models.Turn, upToSeq int64) error {
	return s.runner.InTx(ctx, func(tx *store.Tx) error {
		return tx.Enqueue(ctx, jobs.Summarize{
			ConversationID: turn.ConversationID, UpToSeq: upToSeq, TurnID: turn.ID, UserID: turn.UserID,
		})
	})
}

// KeepSummary stores a summary that has been made. One that reaches further stays.
func (s *Service) KeepSummary(ctx context.Context, job jobs.Summarize, model, text string) error {
	summary := models.ConversationSummary{
		ConversationID: job.ConversationID, UpToSeq: job.UpToSeq, Text: models.CleanText(text), Model: model, CreatedAt: s.now(),
	}
	return s.runner.InTx(ctx, func(tx *store.Tx) error { return tx.PutSummary(ctx, &summary) })
}

// SummaryTold remembers that its person has been told of a conversation's summary.
func (s *Service) SummaryTold(ctx context.Context, conversationID string) error {
	return s.runner.InTx(ctx, func(tx *store.Tx) error { return tx.MarkSummaryTold(ctx, conversationID) })
}
