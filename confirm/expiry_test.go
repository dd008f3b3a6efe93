package confirm_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/proposals"
)

// APR-16: a confirm that has to wait for the card's row, held by somebody else, has the time that there is when its turn
// comes, not the time when it began to wait. On SQLite a transaction waits before it begins.
func TestAPR16WaitingForTheRowIsNoExtraTime(t *testing.T) {
	t.Parallel()
	o := newOffice(t, dbtest.NewWorld(t, dbtest.Open(t, "postgres")))
	card := o.cards(t, 1)[0]
	raw := dbtest.Raw(t, o.DB)
	holder, err := raw.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	_, err = holder.ExecContext(t.Context(), "SELECT 1 FROM proposals WHERE id = $1 FOR UPDATE", card.ID)
	require.NoError(t, err)

	answer := make(chan error, 1)
	go func() {
		_, err := o.Confirm(t.Context(), o.Sales1, card.ID, card.Digest)
		answer <- err
	}()
	require.Eventually(t, func() bool {
		var waiting int
		err := raw.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'").Scan(&waiting)
		return err == nil && waiting == 1
	}, 10*time.Second, 5*time.Millisecond)
	o.Clock.Advance(proposals.TTL)
	require.NoError(t, holder.Rollback())

	require.True(t, apperr.HasCode(<-answer, proposals.CodeExpired))
	require.Equal(t, models.ProposalExpired, o.traces(t)[card.ID].status)
	require.Equal(t, int64(1), o.version(t, models.Ref{Type: models.TypeDeal, ID: card.TargetID}))
}
