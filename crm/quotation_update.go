package crm

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"countersign/apperr"
	"countersign/audit"
	"countersign/models"
	"countersign/quoting"
	"countersign/rbac"
	"countersign/store"
)

// Update changes a quotation at the version that the actor has seen. It needs quotation:update over it; for a new owner
// quotation:assign, and to send it quotation:send. A patch that changes nothing writes nothing. Sending a revision
// supersedes those that were sent before it.
func (s *Quotations) Update(ctx context.Context, actor models.Actor, id string, version int64, patch QuotationPatch) (view *store.QuotationView, err error) {
	rights, err := s.rights(ctx, actor, rbac.QuotationUpdate)
	if err != nil {
		return nil, err
	}
	err = s.transact(ctx, actor, models.Ref{Type: models.TypeQuotation, ID: id}, func(tx *store.Tx) error {
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

// ForUpdate returns a quotation that the actor may change now: NotFound when they do not see it, Forbidden,
// which is recorded, when they see it only.
func (s *Quotations) ForUpdate(ctx context.Context, actor models.Actor, id string) (view *store.QuotationView, err error) {
	rights, err := s.rights(ctx, actor, rbac.QuotationUpdate)
	if err != nil {
		return nil, err
	}
	err = s.runner.View(ctx, func(r *store.Reader) error {
		view, err = s.changeable(ctx, r, rights, id)
		return err
	})
	return view, s.refused(ctx, actor, models.Ref{Type: models.TypeQuotation, ID: id}, err)
}

// Preview returns what a quotation would become by a patch, with the names of what it would refer to, and writes
// nothing. It checks the patch as Update does.
func (s *Quotations) Preview(ctx context.Context, actor models.Actor, before *store.QuotationView, patch QuotationPatch) (after *store.QuotationView, err error) {
	rights, err := s.rights(ctx, actor, rbac.QuotationUpdate)
	if err != nil {
		return nil, err
	}
	err = s.runner.View(ctx, func(r *store.Reader) error {
		after, err = s.patched(ctx, r, rights, before, patch)
		return err
	})
	return after, s.refused(ctx, actor, quotationRef(&before.Quotation), err)
}

// changeable returns a quotation that the rights allow to change: NotFound when they do not reach to see it,
// Forbidden when they do.
func (s *Quotations) changeable(ctx context.Context, r *store.Reader, rights quotationRights, id string) (*store.QuotationView, error) {
	view, err := r.Quotation(ctx, rights.read, id)
	if err != nil {
		return nil, err
	}
	return view, mayWrite(ctx, r, rights.write, quotationRef(&view.Quotation))
}

// patched applies a patch to a copy of a quotation and checks the result.
func (s *Quotations) patched(ctx context.Context, r *store.Reader, rights quotationRights, before *store.QuotationView, patch QuotationPatch) (*store.QuotationView, error) {
	after, err := rights.edited(ctx, r, before, patch)
	if err != nil {
		return nil, err
	}
	if err := rights.relink(ctx, r, before, after); err != nil {
		return nil, err
	}
	if before.Status != models.QuotationDraft && contentDiffers(&before.Quotation, &after.Quotation) {
		return nil, apperr.New(apperr.Conflict, CodeNotADraft, "Only a draft can be edited. Revise the quotation to get a new draft of it.")
	}
	return after, s.advance(ctx, r, rights, &after.Quotation, patch.Status.Or(before.Status))
}

// edited applies all of a patch but its status, and computes the amounts.
func (rights quotationRights) edited(ctx context.Context, r *store.Reader, before *store.QuotationView, patch QuotationPatch) (*store.QuotationView, error) {
	after := *before
	after.Items = slices.Clone(before.Items)
	var wrong problems
	kept(&wrong, "companyId", patch.CompanyID)
	kept(&wrong, "ownerId", patch.OwnerID)
	kept(&wrong, "currency", patch.Currency)
	kept(&wrong, "status", patch.Status)
	after.CompanyID = patch.CompanyID.Or(before.CompanyID)
	after.ContactID = patch.ContactID.OrNil(before.ContactID)
	after.DealID = patch.DealID.OrNil(before.DealID)
	after.OwnerID = patch.OwnerID.Or(before.OwnerID)
	after.ValidUntil = patch.ValidUntil.OrNil(before.ValidUntil)
	after.Currency = patch.Currency.Or(before.Currency)
	wrong.setText("notes", &after.Notes, patch.Notes)
	if patch.Discount.Set {
		after.Discount = orZero(patch.Discount.Value)
	}
	wrong.terms(&after.Quotation)
	if after.Currency != before.Currency && len(before.Items) > 0 && !patch.Items.Set {
		wrong.add("currency", "Prices do not change with the currency. Send the items with their prices in %s.", after.Currency)
	}
	if err := wrong.err(); err != nil {
		return nil, err
	}
	switch {
	case patch.Items.Set:
		return &after, rights.fill(ctx, r, &before.Quotation, &after.Quotation, orZero(patch.Items.Value))
	case patch.Discount.Set:
		return &after, quoting.Calculate(&after.Quotation)
	default:
		return &after, nil
	}
}

// contentDiffers reports whether something differs that only a draft can change.
func contentDiffers(before, after *models.Quotation) bool {
	return slices.ContainsFunc(audit.Changed(quotationFields(before, after)), func(f audit.Field) bool { return f.Name != "ownerId" })
}

// relink checks the owner, company, contact and deal that a quotation gets, and gives it their names. Those that it has
// already are not looked at again: the actor may change the rest of a quotation whose company they do not see.
func (rights quotationRights) relink(ctx context.Context, r *store.Reader, before, after *store.QuotationView) (err error) {
	if before.OwnerID != "" && before.OwnerID != after.OwnerID {
		if err := mayOwn(ctx, r, rights.assign, rbac.QuotationAssign, after.OwnerID); err != nil {
			return err
		}
		after.OwnerName, after.OwnerTeamID = "", ""
	}
	moved := before.CompanyID != after.CompanyID
	if moved {
		if after.CompanyName, err = workplace(ctx, r, rights.read.Company, &after.CompanyID); err != nil {
			return err
		}
	}
	if !same(before.ContactID, after.ContactID) {
		after.ContactName = ""
		if after.ContactID != nil {
			contact, err := seenContact(ctx, r, rights.read.Contact, *after.ContactID)
			if err != nil {
				return err
			}
			after.ContactName = contact.Name
		}
	}
	if moved || !same(before.DealID, after.DealID) {
		return rights.linkDeal(ctx, r, after)
	}
	return nil
}

// linkDeal checks that the deal of a quotation is one of its company, and names it.
func (rights quotationRights) linkDeal(ctx context.Context, r *store.Reader, q *store.QuotationView) error {
	q.DealTitle = ""
	if q.DealID == nil {
		return nil
	}
	deal, err := seenDeal(ctx, r, rights.read.Deal, *q.DealID)
	if err != nil {
		return err
	}
	if deal.CompanyID != nil && *deal.CompanyID != q.CompanyID {
		return apperr.InvalidField("dealId", "This deal is with another company. Choose a deal of the quotation's company, or leave it out.")
	}
	q.DealTitle = deal.Title
	return nil
}

// advance gives a quotation another status, as far as its present one and the right to send allow.
func (s *Quotations) advance(ctx context.Context, r *store.Reader, rights quotationRights, q *models.Quotation, to models.QuotationStatus) error {
	switch {
	case to == q.Status:
		return nil
	case !to.Valid():
		return apperr.InvalidField("status", "The status must be DRAFT, SENT, ACCEPTED, REJECTED or EXPIRED.")
	case !slices.Contains(q.Status.Next(), to):
		return apperr.New(apperr.Conflict, CodeStatus, notNext(q.Status, to))
	case q.SupersededAt != nil:
		return errSuperseded()
	}
	now := s.now()
	if to == models.QuotationSent {
		if err := rights.sendable(ctx, r, q, now); err != nil {
			return err
		}
		q.SentAt = &now
	} else {
		q.DecidedAt = &now
	}
	q.Status = to
	return nil
}

func errSuperseded() error {
	return apperr.New(apperr.Conflict, CodeSuperseded, "A newer revision of this quotation was sent. Look at that one.")
}

// notNext says what can follow a status instead of another one.
func notNext(from, to models.QuotationStatus) string {
	next := from.Next()
	if len(next) == 0 {
		return fmt.Sprintf("A quotation that is %s stays so. Revise it to go on.", from)
	}
	names := make([]string, len(next))
	for i, s := range next {
		names[i] = string(s)
	}
	return fmt.Sprintf("A quotation that is %s cannot become %s. Possible next: %s.", from, to, strings.Join(names, ", "))
}

// sendable checks that a draft can go to the customer.
func (rights quotationRights) sendable(ctx context.Context, r *store.Reader, q *models.Quotation, now time.Time) error {
	if err := holds(rights.send, rbac.QuotationSend); err != nil {
		return err
	}
	if err := mayWrite(ctx, r, rights.send, quotationRef(q)); err != nil {
		return err
	}
	if len(q.Items) == 0 {
		return apperr.InvalidField("items", "This quotation has no lines. Add at least one before it is sent.")
	}
	if q.ValidUntil != nil && *q.ValidUntil < models.DateOf(now) {
		return apperr.InvalidField("validUntil", "The day until which this quotation is valid has passed. Choose a later one before it is sent.")
	}
	predecessors, err := r.Predecessors(ctx, rights.send, q)
	if err != nil {
		return err
	}
	for _, p := range predecessors {
		if p.Status == models.QuotationAccepted {
			return apperr.New(apperr.Conflict, CodeAccepted, "Another revision of this quotation was accepted. Draft a new quotation instead.")
		}
	}
	return nil
}

// save writes what has changed of a quotation, with history, audit and the timeline's entry of a new status.
func (s *Quotations) save(ctx context.Context, tx *store.Tx, actor models.Actor, rights quotationRights, before, after *store.QuotationView) (*store.QuotationView, error) {
	changed := audit.Changed(quotationFields(&before.Quotation, &after.Quotation))
	if len(changed) == 0 {
		return before, nil
	}
	now, action := s.now(), rbac.QuotationUpdate
	if before.Status != after.Status && after.Status == models.QuotationSent {
		action = rbac.QuotationSend
		if err := s.supersede(ctx, tx, actor, rights.send, &after.Quotation, now); err != nil {
			return nil, err
		}
	}
	if err := tx.UpdateQuotation(ctx, rights.write, &after.Quotation, now); err != nil {
		return nil, err
	}
	err := s.wrote(ctx, tx, actor, write{action: action, target: quotationRef(&after.Quotation), record: after.Record, at: now, fields: changed})
	if err != nil {
		return nil, err
	}
	if before.Status != after.Status {
		err := tx.InsertRecordActivity(ctx, rights.write, &models.Activity{
			Record: models.NewRecord(now), Kind: entryKind(actor), At: now, OwnerID: actor.UserID,
			Subject: statusMove(before.Status, after.Status), QuotationID: &after.ID,
		})
		if err != nil {
			return nil, err
		}
	}
	return s.reread(ctx, tx, rights.read, after)
}

// supersede marks the revisions that were sent before the one that is sent now.
func (s *Quotations) supersede(ctx context.Context, tx *store.Tx, actor models.Actor, send rbac.Grant, q *models.Quotation, now time.Time) error {
	predecessors, err := tx.Predecessors(ctx, send, q)
	if err != nil {
		return err
	}
	for i := range predecessors {
		p := &predecessors[i]
		if err := tx.Supersede(ctx, send, p, now); err != nil {
			return err
		}
		err := s.wrote(ctx, tx, actor, write{
			action: rbac.QuotationSend, target: quotationRef(p), record: p.Record, at: now,
			fields: []audit.Field{{Name: "supersededAt", After: p.SupersededAt}},
		})
		if err != nil {
			return err
		}
	}
	return nil
}
