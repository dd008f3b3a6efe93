package proposals_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/proposals"
)

func TestReap(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		over := h.propose(t, h.Sales1, h.AcmeRenewal, h.Won)
		done := h.propose(t, h.Sales1, h.AcmeExpansion, h.Won)
		h.executed(t, h.Sales1, done)
		h.Clock.Advance(proposals.TTL - time.Microsecond)
		n, err := h.Reap(t.Context())
		require.NoError(t, err)
		require.Zero(t, n)
		h.Clock.Advance(time.Microsecond)
		n, err = h.Reap(t.Context())
		require.NoError(t, err)
		require.Equal(t, 1, n)
		require.Equal(t, models.ProposalExpired, h.status(t, over))
		require.Equal(t, models.ProposalExecuted, h.status(t, done))

		entries := h.entries(t, "proposal:expire", h.AcmeRenewal.ID)
		require.Len(t, entries, 1)
		require.Equal(t, models.DecisionAllowed, entries[0].Decision)
		require.Equal(t, models.ViaSystem, entries[0].Via)
		require.Contains(t, string(entries[0].Detail), over.ID)
		require.Contains(t, string(entries[0].Detail), `"status":"expired"`)

		next := h.propose(t, h.Sales1, h.AcmeRenewal, h.Won)
		require.NotEqual(t, over.ID, next.ID)
	})
}

// More than one batch, on two replicas at once: each proposal expires once and has one entry.
func TestReapersAtOnceShareTheWork(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		const overdue = 120
		for _, deal := range h.newDeals(t, overdue) {
			h.propose(t, h.Sales1, deal, h.Won)
		}
		h.Clock.Advance(proposals.TTL)
		reapers := []*proposals.Service{h.Service, proposals.NewService(dbtest.Again(t, h.DB), h.Gate, h.Clock.Now)}
		reaped, errs := make([]int, len(reapers)), make([]error, len(reapers))
		var all sync.WaitGroup
		for i, r := range reapers {
			all.Go(func() { reaped[i], errs[i] = r.Reap(t.Context()) })
		}
		all.Wait()
		require.Equal(t, []error{nil, nil}, errs)
		require.Equal(t, overdue, reaped[0]+reaped[1])
		var entries, proposalsOf int
		require.NoError(t, h.raw.QueryRow("SELECT COUNT(*), COUNT(DISTINCT target_id) FROM audit_entries WHERE action = 'proposal:expire'").Scan(&entries, &proposalsOf))
		require.Equal(t, overdue, entries)
		require.Equal(t, overdue, proposalsOf)
	})
}
