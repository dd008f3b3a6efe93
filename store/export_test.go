package store

import "context"

// NameGrams lets a benchmark fill the table of names past the services.
var NameGrams = nameGrams

// What the tables of conversations hold.
type (
	FoldedConversation = foldedConversation
	FoldedMessage      = foldedMessage
)

// KeptPlans is how many statements with a text in them this connection to PostgreSQL has prepared.
func KeptPlans(ctx context.Context, r *Tx, text string) (n int) {
	r.q.WithContext(ctx).Raw("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE ?", "%"+text+"%").Scan(&n)
	return n
}
