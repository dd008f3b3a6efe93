package conversations

import (
	"context"

	"countersign/apperr"
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

// carried is the summary with which a new conversation begins that takes it over from another one of the actor's: the
// assistant's own words, and with them the mark of what text they come from.
func (s *Service) carried(ctx context.Context, tx *store.Tx, actor models.Actor, c *models.Conversation, from string) (*models.ConversationSummary, error) {
	source, err := tx.Conversation(ctx, actor.UserID, from)
	if err != nil {
		return nil, err
	}
	summary, err := tx.Summary(ctx, from)
	if err != nil {
		return nil, err
	}
	if summary == nil {
		return nil, apperr.InvalidField("carryFrom", "That conversation has no summary to carry over. Start a new one without it.")
	}
	c.Outside = source.Outside
	return &models.ConversationSummary{ConversationID: c.ID, Text: summary.Text, Model: summary.Model, Told: true, CreatedAt: c.CreatedAt}, nil
}
