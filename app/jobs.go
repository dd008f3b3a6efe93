package app

import (
	"context"
	"time"

	"countersign/store"
	"countersign/workers"
)

const (
	// idempotencyTTL is how long the answer to a request is kept for those who send it again.
	idempotencyTTL = 24 * time.Hour
	// summaryTimeout is how long a model has for a summary.
	summaryTimeout = 2 * time.Minute
	// deliveryTimeout is how long an e-mail may take on its way to the mail server.
	deliveryTimeout = 2 * time.Minute
)

// staff makes the workers for what the services enqueue and for what comes up at an interval.
func (a *App) staff() (*workers.Workers, error) {
	return workers.New(workers.Options{DB: a.DB, Jobs: []workers.Job{
		workers.On(summaryTimeout, a.Agent.Summarize),
		workers.On(deliveryTimeout, a.Deliveries.Deliver),
	}, Chores: []workers.Chore{
		{Name: "expire proposals", Every: time.Minute, Run: func(ctx context.Context) error {
			_, err := a.Proposals.Reap(ctx)
			return err
		}},
		{Name: "take care of e-mails left behind", Every: time.Minute, Run: a.Deliveries.Recover},
		{Name: "close abandoned turns", Every: time.Minute, Run: func(ctx context.Context) error {
			_, err := a.Conversations.CloseAbandoned(ctx, Now().Add(-abandonedAfter))
			return err
		}},
		{Name: "remove ended sessions", Every: time.Hour, Run: a.Accounts.RemoveEndedSessions},
		{Name: "remove old texts of model calls", Every: time.Hour, Run: a.Ledger.RemoveOldTexts},
		{Name: "remove old idempotency keys", Every: time.Hour, Run: a.removeIdempotencyKeys},
	}})
}

func (a *App) removeIdempotencyKeys(ctx context.Context) error {
	return a.DB.InTx(ctx, func(tx *store.Tx) error { return tx.DeleteOldIdempotencyKeys(ctx, Now().Add(-idempotencyTTL)) })
}
