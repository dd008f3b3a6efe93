package crm

import (
	"context"

	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// Delete puts a deal into the bin. It needs deal:delete over the deal.
func (s *Deals) Delete(ctx context.Context, actor models.Actor, id string, version int64) error {
	g, err := s.grants(ctx, actor)
	if err != nil {
		return err
	}
	remove, err := s.gate.Authorize(ctx, actor, rbac.DealDelete)
	if err != nil {
		return err
	}
	return s.transact(ctx, actor, models.Ref{Type: models.TypeDeal, ID: id}, func(tx *store.Tx) error {
		view, err := tx.Deal(ctx, g, id)
		if err != nil {
			return err
		}
		return s.remove(ctx, tx, actor, remove, removal{target: dealRef(&view.Deal), record: &view.Record, version: version, current: view})
	})
}

// Restore takes a deal out of the bin. It needs deal:restore.
func (s *Deals) Restore(ctx context.Context, actor models.Actor, id string) (view *store.DealView, err error) {
	g, err := s.grants(ctx, actor)
	if err != nil {
		return nil, err
	}
	restore, err := s.gate.Authorize(ctx, actor, rbac.DealRestore)
	if err != nil {
		return nil, err
	}
	err = s.transact(ctx, actor, models.Ref{Type: models.TypeDeal, ID: id}, func(tx *store.Tx) error {
		deal, err := tx.DeletedDeal(ctx, restore, id)
		if err != nil {
			return err
		}
		if err := s.restore(ctx, tx, actor, restore, dealRef(deal), &deal.Record, deal.Names()); err != nil {
			return s.duplicate(err)
		}
		view, err = tx.Deal(ctx, g, id)
		return err
	})
	return view, err
}
