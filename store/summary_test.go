package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/store"
)

func TestSummariesReachFurtherAndFurther(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		c := models.Conversation{ID: models.NewID(), UserID: w.Sales1.UserID, Channel: models.ViaWeb, CreatedAt: w.Clock.Now(), UpdatedAt: w.Clock.Now()}
		first := models.ConversationSummary{ConversationID: c.ID, UpToSeq: 4, Text: "海 'quoted'", Model: "openai/test", Told: true, CreatedAt: w.Clock.Now()}
		requireFull(t, first)
		second, late := first, first
		second.UpToSeq, second.Text, second.Told = 8, "more", false
		late.UpToSeq, late.Text = 6, "late"
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.InsertConversation(t.Context(), &c))
			none, err := tx.Summary(t.Context(), c.ID)
			require.NoError(t, err)
			require.Nil(t, none)
			for _, step := range []struct{ put, want models.ConversationSummary }{{first, first}, {second, second}, {late, second}} {
				require.NoError(t, tx.PutSummary(t.Context(), &step.put))
				got, err := tx.Summary(t.Context(), c.ID)
				require.NoError(t, err)
				require.Equal(t, step.want, *got)
			}
			require.NoError(t, tx.MarkSummaryTold(t.Context(), c.ID))
			got, err := tx.Summary(t.Context(), c.ID)
			require.NoError(t, err)
			require.True(t, got.Told)
		})
	})
}
