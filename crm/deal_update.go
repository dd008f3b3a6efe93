package crm

import (
	"context"
	"time"

	"countersign/apperr"
	"countersign/audit"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// Update changes a deal at the version that the actor has seen. It needs deal:update over the deal and,
// for a new owner, deal:assign. A patch that changes nothing writes nothing.
func (s *Deals) Update(ctx context.Context, actor models.Actor, id string, version int64, patch DealPatch) (view *store.DealView, err error) {
	rights, err := s.rights(ctx, actor, rbac.DealUpdate)
	if err != nil {
		return nil, err
	}
	err = s.transact(ctx, actor, models.Ref{Type: models.TypeDeal, ID: id}, func(tx *store.Tx) error {
		before, err := s.changeable(ctx, tx.Reader, rights, id)
		if err != nil {
			return err
		}
		if err := checkVersion(version, before.Record, before); err != nil {
			return err
		}
		after, err := s.patched(ctx, tx.Reader, rights, before, patch)
		if err != nil {
			return err
		}
		view, err = s.save(ctx, tx, actor, rights, before, after)
		return err
	})
	return view, err
}

// ForUpdate returns a deal that the actor may change now: NotFound when they do not see it, Forbidden,
// which is recorded, when they see it only.
func (s *Deals) ForUpdate(ctx context.Context, actor models.Actor, id string) (view *store.DealView, err error) {
	rights, err := s.rights(ctx, actor, rbac.DealUpdate)
	if err != nil {
		return nil, err
	}
	err = s.runner.View(ctx, func(r *store.Reader) error {
		view, err = s.changeable(ctx, r, rights, id)
		return err
	})
	return view, s.refused(ctx, actor, models.Ref{Type: models.TypeDeal, ID: id}, err)
}

// Preview returns what a deal would become by a patch, with the names of what it would refer to, and writes
// nothing. It checks the patch as Update does.
func (s *Deals) Preview(ctx context.Context, actor models.Actor, before *store.DealView, patch DealPatch) (after *store.DealView, err error) {
	rights, err := s.rights(ctx, actor, rbac.DealUpdate)
	if err != nil {
		return nil, err
	}
	err = s.runner.View(ctx, func(r *store.Reader) error {
		after, err = s.patched(ctx, r, rights, before, patch)
		return err
	})
	return after, s.refused(ctx, actor, dealRef(&before.Deal), err)
}

// changeable returns a deal that the rights allow to change: NotFound when they do not reach to see it,
// Forbidden when they do.
func (s *Deals) changeable(ctx context.Context, r *store.Reader, rights dealRights, id string) (*store.DealView, error) {
	view, err := r.Deal(ctx, rights.read, id)
	if err != nil {
		return nil, err
	}
	if !store.Reaches(rights.write, view.OwnerID, view.OwnerTeamID) {
		return nil, apperr.Missing(string(rights.write.Permission()))
	}
	return view, nil
}

// patched applies a patch to a copy of a deal and checks the result. Fields that it leaves out stay exactly
// as they are, but for those that follow the stage.
func (s *Deals) patched(ctx context.Context, r *store.Reader, rights dealRights, before *store.DealView, patch DealPatch) (*store.DealView, error) {
	after := *before
	var wrong problems
	kept(&wrong, "stageId", patch.StageID)
	kept(&wrong, "ownerId", patch.OwnerID)
	wrong.setLine("title", &after.Title, patch.Title, true)
	if patch.Amount.Set {
		wrong.money("amount", patch.Amount.Value)
		after.SetAmount(patch.Amount.Value)
	}
	if patch.ExpectedCloseDate.Set {
		wrong.day("expectedCloseDate", patch.ExpectedCloseDate.Value)
		after.ExpectedCloseDate = patch.ExpectedCloseDate.Value
	}
	if err := s.move(ctx, r, rights, &after, patch.StageID.Or(before.StageID)); err != nil {
		return nil, err
	}
	if patch.LostReason.Set {
		wrong.setLine("lostReason", &after.LostReason, patch.LostReason, false)
		wrong.closing(&after)
	}
	if err := wrong.err(); err != nil {
		return nil, err
	}
	return &after, relink(ctx, r, rights, &after, patch)
}

// move puts a deal into another stage, and closes or opens it as the stage's kind says.
func (s *Deals) move(ctx context.Context, r *store.Reader, rights dealRights, d *store.DealView, stageID string) error {
	if stageID == d.StageID {
		return nil
	}
	if err := holds(rights.pipelines, rbac.PipelineRead); err != nil {
		return err
	}
	stage, err := r.Stage(ctx, rights.pipelines, stageID)
	if apperr.Is(err, apperr.NotFound) {
		return noSuchStage()
	}
	if err != nil {
		return err
	}
	wasOpen := d.StageKind == models.StageOpen
	enter(d, *stage)
	switch {
	case d.StageKind == models.StageOpen:
		d.ClosedAt = nil
	case wasOpen:
		now := s.now()
		d.ClosedAt = &now
	}
	if d.StageKind != models.StageLost {
		d.LostReason = ""
	}
	return nil
}

// relink gives a deal the owner, company and product of a patch. Those that it has already are not looked at
// again: the actor may change the rest of a deal whose company they do not see.
func relink(ctx context.Context, r *store.Reader, rights dealRights, d *store.DealView, patch DealPatch) (err error) {
	if owner := patch.OwnerID.Or(d.OwnerID); owner != d.OwnerID {
		if err := mayOwn(ctx, r, rights.assign, rbac.DealAssign, owner); err != nil {
			return err
		}
		d.OwnerID, d.OwnerName, d.OwnerTeamID = owner, "", ""
	}
	if company := patch.CompanyID.OrNil(d.CompanyID); !same(company, d.CompanyID) {
		d.CompanyID = company
		if d.CompanyName, err = rights.companyName(ctx, r, company); err != nil {
			return err
		}
	}
	if product := patch.ProductID.OrNil(d.ProductID); !same(product, d.ProductID) {
		d.ProductID = product
		if d.ProductName, err = rights.productName(ctx, r, product); err != nil {
			return err
		}
	}
	return nil
}

// save writes what has changed of a deal, with history, audit and the timeline's entry of a move.
func (s *Deals) save(ctx context.Context, tx *store.Tx, actor models.Actor, rights dealRights, before, after *store.DealView) (*store.DealView, error) {
	changed := audit.Changed(dealFields(&before.Deal, &after.Deal))
	if len(changed) == 0 {
		return before, nil
	}
	now := s.now()
	if err := tx.UpdateDeal(ctx, rights.write, &before.Deal, &after.Deal, now); err != nil {
		return nil, err
	}
	err := s.wrote(ctx, tx, actor, write{action: rbac.DealUpdate, target: dealRef(&after.Deal), record: after.Record, at: now, fields: changed})
	if err != nil {
		return nil, err
	}
	if err := s.stageActivity(ctx, tx, actor, rights.write, before, after, now); err != nil {
		return nil, err
	}
	if after.OwnerID == before.OwnerID {
		return after, nil
	}
	return s.reread(ctx, tx, rights.read, after)
}

// stageActivity tells the timeline that a deal has moved. The entry belongs to the deal alone: the owner of its
// company, who may not see the deal, must not learn of it there.
func (s *Deals) stageActivity(ctx context.Context, tx *store.Tx, actor models.Actor, g rbac.Grant, before, after *store.DealView, now time.Time) error {
	if before.StageID == after.StageID {
		return nil
	}
	return tx.InsertRecordActivity(ctx, g, &models.Activity{
		Record: models.NewRecord(now), Kind: entryKind(actor), At: now, OwnerID: actor.UserID,
		Subject: before.StageName + " → " + after.StageName, DealID: &after.ID,
	})
}
