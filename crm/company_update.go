package crm

import (
	"context"

	"countersign/audit"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// companyRights are the grants that a write of a company may need, and how much of it the actor sees.
// assign may be the zero Grant.
type companyRights struct {
	read, write, assign rbac.Grant
	mask                masker
}

func (s *Companies) updating(ctx context.Context, actor models.Actor) (rights companyRights, err error) {
	if rights.read, rights.mask, err = s.reading(ctx, actor); err != nil {
		return rights, err
	}
	rights.write, rights.assign, err = s.writing(ctx, actor, rbac.CompanyUpdate)
	return rights, err
}

// Update changes a company at the version that the actor has seen. It needs company:update over the
// company and, for a new owner, company:assign. A patch that changes nothing writes nothing.
func (s *Companies) Update(ctx context.Context, actor models.Actor, id string, version int64, patch CompanyPatch) (*Company, error) {
	rights, err := s.updating(ctx, actor)
	if err != nil {
		return nil, err
	}
	var seen Company
	err = s.transact(ctx, actor, models.Ref{Type: models.TypeCompany, ID: id}, func(tx *store.Tx) error {
		before, err := s.changeable(ctx, tx.Reader, rights, id)
		if err != nil {
			return err
		}
		if err := checkVersion(version, before.Record, rights.mask.apply(*before)); err != nil {
			return err
		}
		after, err := s.patched(ctx, tx.Reader, rights, before, patch)
		if err != nil {
			return err
		}
		if err := s.save(ctx, tx, actor, rights.write, &before.Company, &after.Company); err != nil {
			return err
		}
		seen, err = s.reread(ctx, tx, rights.read, rights.mask, *after)
		return err
	})
	return &seen, err
}

// ForUpdate returns a company that the actor may change now, as the actor sees it: NotFound when they do not
// see it, Forbidden, which is recorded, when they see it only.
func (s *Companies) ForUpdate(ctx context.Context, actor models.Actor, id string) (*Company, error) {
	rights, err := s.updating(ctx, actor)
	if err != nil {
		return nil, err
	}
	var view *store.CompanyView
	err = s.runner.View(ctx, func(r *store.Reader) error {
		view, err = s.changeable(ctx, r, rights, id)
		return err
	})
	if err != nil {
		return nil, s.refused(ctx, actor, models.Ref{Type: models.TypeCompany, ID: id}, err)
	}
	seen := rights.mask.apply(*view)
	return &seen, nil
}

// Preview returns what a company that the actor has from ForUpdate would become by a patch, with the names of
// what it would refer to, and writes nothing. It checks the patch as Update does. A field that is hidden from
// the actor stays hidden unless the patch gives it a value.
func (s *Companies) Preview(ctx context.Context, actor models.Actor, before *Company, patch CompanyPatch) (*Company, error) {
	rights, err := s.updating(ctx, actor)
	if err != nil {
		return nil, err
	}
	known := before.CompanyView
	if len(before.Masked) > 0 {
		known.Phone = "" // a mask is no value that a patch could keep
	}
	after := *before
	err = s.runner.View(ctx, func(r *store.Reader) error {
		view, err := s.patched(ctx, r, rights, &known, patch)
		if err == nil {
			after.CompanyView = *view
		}
		return err
	})
	if err != nil {
		return nil, s.refused(ctx, actor, companyRef(&before.Company), err)
	}
	if patch.Phone.Set {
		after.Masked = nil
	} else {
		after.Phone = before.Phone
	}
	return &after, nil
}

// changeable returns a company that the rights allow to change: NotFound when they do not reach to see it,
// Forbidden when they do.
func (s *Companies) changeable(ctx context.Context, r *store.Reader, rights companyRights, id string) (*store.CompanyView, error) {
	view, err := r.Company(ctx, rights.read, id)
	if err != nil {
		return nil, err
	}
	return view, mayWrite(ctx, r, rights.write, companyRef(&view.Company))
}

// patched applies a patch to a copy of a company and checks the result. Fields that it leaves out stay
// exactly as they are.
func (s *Companies) patched(ctx context.Context, r *store.Reader, rights companyRights, before *store.CompanyView, patch CompanyPatch) (*store.CompanyView, error) {
	after := *before
	var wrong problems
	wrong.setLine("name", &after.Name, patch.Name, true)
	wrong.setLines("otherNames", &after.OtherNames, patch.OtherNames)
	wrong.setLine("industry", &after.Industry, patch.Industry, false)
	wrong.setLine("website", &after.Website, patch.Website, false)
	wrong.setLine("phone", &after.Phone, patch.Phone, false)
	wrong.setLine("address", &after.Address, patch.Address, false)
	wrong.setLines("tags", &after.Tags, patch.Tags)
	wrong.setText("notes", &after.Notes, patch.Notes)
	kept(&wrong, "status", patch.Status)
	after.Status = patch.Status.Or(before.Status)
	after.ParentID = patch.ParentID.OrNil(before.ParentID)
	after.OwnerID = patch.OwnerID.OrNil(before.OwnerID)
	wrong.company(&before.Company, &after.Company)
	if err := wrong.err(); err != nil {
		return nil, err
	}
	if !same(before.ParentID, after.ParentID) {
		parent, err := parentName(ctx, r, rights.read, &after.Company)
		if err != nil {
			return nil, err
		}
		after.ParentName = parent
	}
	if !same(before.OwnerID, after.OwnerID) {
		after.OwnerName, after.OwnerTeamID = "", ""
	}
	return &after, reassign(ctx, r, rights.assign, before.OwnerID, after.OwnerID)
}

// reassign checks that a company may go from one owner to another; nil is nobody.
func reassign(ctx context.Context, r *store.Reader, assign rbac.Grant, from, to *string) error {
	switch {
	case same(from, to):
		return nil
	case to == nil:
		return mayShare(assign)
	default:
		return mayOwn(ctx, r, assign, rbac.CompanyAssign, *to)
	}
}

func (s *Companies) save(ctx context.Context, tx *store.Tx, actor models.Actor, update rbac.Grant, before, after *models.Company) error {
	changed := audit.Changed(companyFields(before, after))
	if len(changed) == 0 {
		return nil
	}
	now := s.now()
	if err := tx.UpdateCompany(ctx, update, after, now); err != nil {
		return s.duplicate(err)
	}
	return s.wrote(ctx, tx, actor, write{action: rbac.CompanyUpdate, target: companyRef(after), record: after.Record, at: now, fields: changed})
}
