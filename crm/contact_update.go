package crm

import (
	"context"
	"slices"

	"countersign/audit"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// contactRights are the grants that a write of a contact may need, and how much of it the actor sees.
// assign may be the zero Grant.
type contactRights struct {
	read          store.ContactGrants
	write, assign rbac.Grant
	mask          masker
}

func (s *Contacts) updating(ctx context.Context, actor models.Actor) (rights contactRights, err error) {
	if rights.read, rights.mask, err = s.reading(ctx, actor); err != nil {
		return rights, err
	}
	rights.write, rights.assign, err = s.writing(ctx, actor, rbac.ContactUpdate)
	return rights, err
}

// Update changes a contact at the version that the actor has seen. It needs contact:update over the contact
// and, for a new owner, contact:assign. A patch that changes nothing writes nothing.
func (s *Contacts) Update(ctx context.Context, actor models.Actor, id string, version int64, patch ContactPatch) (*Contact, error) {
	rights, err := s.updating(ctx, actor)
	if err != nil {
		return nil, err
	}
	var seen Contact
	err = s.transact(ctx, actor, models.Ref{Type: models.TypeContact, ID: id}, func(tx *store.Tx) error {
		before, err := changeableContact(ctx, tx.Reader, rights, id)
		if err != nil {
			return err
		}
		if err := checkVersion(version, before.Record, rights.mask.contact(*before)); err != nil {
			return err
		}
		after, err := patchedContact(ctx, tx.Reader, rights, before, patch)
		if err != nil {
			return err
		}
		if err := s.save(ctx, tx, actor, rights.write, &before.Contact, &after.Contact); err != nil {
			return err
		}
		seen, err = s.reread(ctx, tx, rights.read, rights.mask, &after.Contact)
		return err
	})
	return &seen, err
}

// ForUpdate returns a contact that the actor may change now, as the actor sees it: NotFound when they do not
// see it, Forbidden, which is recorded, when they see it only.
func (s *Contacts) ForUpdate(ctx context.Context, actor models.Actor, id string) (*Contact, error) {
	rights, err := s.updating(ctx, actor)
	if err != nil {
		return nil, err
	}
	var view *store.ContactView
	err = s.runner.View(ctx, func(r *store.Reader) error {
		view, err = changeableContact(ctx, r, rights, id)
		return err
	})
	if err != nil {
		return nil, s.refused(ctx, actor, models.Ref{Type: models.TypeContact, ID: id}, err)
	}
	seen := rights.mask.contact(*view)
	return &seen, nil
}

// Preview returns what a contact that the actor has from ForUpdate would become by a patch, with the names of
// what it would refer to, and writes nothing. It checks the patch as Update does. A field that is hidden from
// the actor stays hidden unless the patch gives it a value.
func (s *Contacts) Preview(ctx context.Context, actor models.Actor, before *Contact, patch ContactPatch) (*Contact, error) {
	rights, err := s.updating(ctx, actor)
	if err != nil {
		return nil, err
	}
	given := map[string]bool{"email": patch.Email.Set, "phone": patch.Phone.Set, "whatsapp": patch.WhatsApp.Set}
	after := *before
	err = s.runner.View(ctx, func(r *store.Reader) error {
		view, err := patchedContact(ctx, r, rights, &before.ContactView, patch)
		if err == nil {
			after.ContactView = *view
		}
		return err
	})
	if err != nil {
		return nil, s.refused(ctx, actor, contactRef(&before.Contact), err)
	}
	after.Masked = slices.DeleteFunc(slices.Clone(before.Masked), func(field string) bool { return given[field] })
	return &after, nil
}

// changeableContact returns a contact that the rights allow to change: NotFound when they do not reach to see
// it, Forbidden when they do.
func changeableContact(ctx context.Context, r *store.Reader, rights contactRights, id string) (*store.ContactView, error) {
	view, err := r.Contact(ctx, rights.read, id)
	if err != nil {
		return nil, err
	}
	return view, mayWrite(ctx, r, rights.write, contactRef(&view.Contact))
}

func (s *Contacts) save(ctx context.Context, tx *store.Tx, actor models.Actor, update rbac.Grant, before, after *models.Contact) error {
	changed := audit.Changed(contactFields(before, after))
	if len(changed) == 0 {
		return nil
	}
	now := s.now()
	if err := tx.UpdateContact(ctx, update, after, now); err != nil {
		return err
	}
	return s.wrote(ctx, tx, actor, write{action: rbac.ContactUpdate, target: contactRef(after), record: after.Record, at: now, fields: changed})
}

// patchedContact applies a patch to a copy of a contact and checks the result. Fields that it leaves out stay
// exactly as they are.
func patchedContact(ctx context.Context, r *store.Reader, rights contactRights, before *store.ContactView, patch ContactPatch) (*store.ContactView, error) {
	after := *before
	var wrong problems
	wrong.patchContact(&after.Contact, patch)
	if err := wrong.err(); err != nil {
		return nil, err
	}
	if !same(before.CompanyID, after.CompanyID) {
		name, err := workplace(ctx, r, rights.read.Company, after.CompanyID)
		if err != nil {
			return nil, err
		}
		after.CompanyName = name
	}
	if before.OwnerID != after.OwnerID {
		after.OwnerName, after.OwnerTeamID = "", ""
		if err := mayOwn(ctx, r, rights.assign, rbac.ContactAssign, after.OwnerID); err != nil {
			return nil, err
		}
	}
	return &after, nil
}

// patchContact sets the fields that a patch gives, and notes what is wrong with them.
func (p *problems) patchContact(c *models.Contact, patch ContactPatch) {
	p.setLine("name", &c.Name, patch.Name, true)
	p.setLine("jobTitle", &c.JobTitle, patch.JobTitle, false)
	if patch.Email.Set {
		c.Email = p.email("email", orZero(patch.Email.Value))
	}
	if patch.Phone.Set {
		c.Phone = p.number("phone", orZero(patch.Phone.Value))
	}
	if patch.WhatsApp.Set {
		c.WhatsApp = p.number("whatsapp", orZero(patch.WhatsApp.Value))
	}
	if patch.Language.Set {
		c.Language = orZero(patch.Language.Value)
	}
	p.language(c.Language)
	kept(p, "ownerId", patch.OwnerID)
	c.OwnerID = patch.OwnerID.Or(c.OwnerID)
	c.CompanyID = patch.CompanyID.OrNil(c.CompanyID)
}
