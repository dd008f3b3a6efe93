package crm

import (
	"context"

	"countersign/apperr"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// Revise adds a draft that continues a quotation under its number, with the next revision and the changes of a patch.
// The quotation itself stays as it is until the new revision is sent. It needs quotation:create over the quotation.
func (s *Quotations) Revise(ctx context.Context, actor models.Actor, id string, patch QuotationPatch) (view *store.QuotationView, err error) {
	rights, err := s.rights(ctx, actor, rbac.QuotationCreate)
	if err != nil {
		return nil, err
	}
	err = s.transact(ctx, actor, models.Ref{Type: models.TypeQuotation, ID: id}, func(tx *store.Tx) error {
		source, err := s.changeable(ctx, tx.Reader, rights, id)
		if err != nil {
			return err
		}
		draft, err := s.revision(ctx, tx.Reader, rights, source)
		if err != nil {
			return err
		}
		patch.Status = models.Optional[models.QuotationStatus]{}
		after, err := s.patched(ctx, tx.Reader, rights, draft, patch)
		if err != nil {
			return err
		}
		view, err = s.insert(ctx, tx, actor, rights, after)
		return err
	})
	return view, err
}

// revision is the next revision of a quotation, which must have left the draft and not be accepted.
func (s *Quotations) revision(ctx context.Context, r *store.Reader, rights quotationRights, source *store.QuotationView) (*store.QuotationView, error) {
	switch source.Status {
	case models.QuotationDraft:
		return nil, apperr.New(apperr.Conflict, CodeStillADraft, "This quotation is still a draft. Edit it instead of revising it.")
	case models.QuotationAccepted:
		return nil, apperr.New(apperr.Conflict, CodeAccepted, "This quotation was accepted. Draft a new quotation instead.")
	}
	last, err := r.LastRevision(ctx, rights.write, source.Number)
	draft := *source
	draft.Record, draft.Revision, draft.Status = models.NewRecord(s.now()), last+1, models.QuotationDraft
	draft.SentAt, draft.DecidedAt, draft.SupersededAt = nil, nil, nil
	return &draft, err
}

// Delete puts a quotation into the bin; its number is not given out again. It needs quotation:delete over the quotation.
// Whoever holds that for their own alone deletes drafts only.
func (s *Quotations) Delete(ctx context.Context, actor models.Actor, id string, version int64) error {
	g, err := s.grants(ctx, actor)
	if err != nil {
		return err
	}
	remove, err := s.gate.Authorize(ctx, actor, rbac.QuotationDelete)
	if err != nil {
		return err
	}
	return s.transact(ctx, actor, models.Ref{Type: models.TypeQuotation, ID: id}, func(tx *store.Tx) error {
		view, err := tx.Quotation(ctx, g, id)
		if err != nil {
			return err
		}
		if remove.Scope() == rbac.ScopeOwn && view.Status != models.QuotationDraft {
			return apperr.Missing(string(rbac.QuotationDelete))
		}
		return s.remove(ctx, tx, actor, remove, removal{target: quotationRef(&view.Quotation), record: &view.Record, version: version, current: view})
	})
}

// Restore takes a quotation out of the bin. It needs quotation:restore.
func (s *Quotations) Restore(ctx context.Context, actor models.Actor, id string) (view *store.QuotationView, err error) {
	g, err := s.grants(ctx, actor)
	if err != nil {
		return nil, err
	}
	restore, err := s.gate.Authorize(ctx, actor, rbac.QuotationRestore)
	if err != nil {
		return nil, err
	}
	err = s.transact(ctx, actor, models.Ref{Type: models.TypeQuotation, ID: id}, func(tx *store.Tx) error {
		quotation, err := tx.DeletedQuotation(ctx, restore, id)
		if err != nil {
			return err
		}
		if err := s.restore(ctx, tx, actor, restore, quotationRef(quotation), &quotation.Record, quotation.Names()); err != nil {
			return otherRevision(err)
		}
		view, err = tx.Quotation(ctx, g, id)
		return err
	})
	return view, err
}
