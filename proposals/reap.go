package proposals

import (
	"context"

	"countersign/models"
	"countersign/store"
)

// reapBatch is how many proposals are expired in one transaction.
const reapBatch = 100

// reaper is the actor in the record of what expired without anybody looking.
var reaper = models.System("expiry")

// Reap writes "expired" to every pending proposal whose time is over, each with its own entry in the record, and says
// how many. Replicas that reap at the same time share the work.
func (s *Service) Reap(ctx context.Context) (n int, err error) {
	for {
		overdue, expired, err := s.reapSome(ctx)
		n += expired
		if err != nil || overdue < reapBatch {
			return n, err
		}
	}
}

// reapSome expires one batch. overdue is how many it found, expired how many nobody else expired meanwhile.
func (s *Service) reapSome(ctx context.Context) (overdue, expired int, err error) {
	err = s.runner.InTx(ctx, func(tx *store.Tx) error {
		rows, err := tx.OverdueProposals(ctx, s.now(), reapBatch)
		if err != nil {
			return err
		}
		overdue, expired = len(rows), 0
		for i := range rows {
			done, err := s.expire(ctx, tx, reaper, &rows[i], models.DecisionAllowed)
			if err != nil {
				return err
			}
			if done {
				expired++
			}
		}
		return nil
	})
	return overdue, expired, err
}

// expire ends a pending proposal whose time is over, and says whether this call has. decision is what the record says
// about the actor.
func (s *Service) expire(ctx context.Context, tx *store.Tx, actor models.Actor, p *models.Proposal, decision models.Decision) (bool, error) {
	expired, err := tx.ExpireProposal(ctx, p.ID, s.now())
	if err != nil || !expired {
		return false, err
	}
	p.Status = models.ProposalExpired
	return true, s.record(ctx, tx, actor, p, "proposal:expire", decision, CodeExpired)
}
