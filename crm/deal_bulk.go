package crm

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"countersign/apperr"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// CreateMany adds deals as [Deals.Create] does, all or none. It is for importers: it authorizes once, and looks each
// owner, company and product up once. The fields of an Invalid error begin with the index, as in "[3].title".
func (s *Deals) CreateMany(ctx context.Context, actor models.Actor, in []DealInput) error {
	rights, err := s.rights(ctx, actor, rbac.DealCreate)
	if err != nil {
		return err
	}
	return s.transact(ctx, actor, models.Ref{Type: models.TypeDeal}, func(tx *store.Tx) error {
		pipelines, err := rights.placeable(ctx, tx.Reader)
		if err != nil {
			return err
		}
		batch := &dealBatch{Deals: s.With(tx), tx: tx, actor: actor, rights: rights, pipelines: pipelines, known: map[models.Ref]bool{}}
		for i := range in {
			if err := batch.add(ctx, in[i]); err != nil {
				return atIndex(i, err)
			}
		}
		return nil
	})
}

// dealBatch adds deals in one transaction. known are the records that were found to be fit to refer to.
type dealBatch struct {
	*Deals
	tx        *store.Tx
	actor     models.Actor
	rights    dealRights
	pipelines []models.Pipeline
	known     map[models.Ref]bool
}

func (b *dealBatch) add(ctx context.Context, in DealInput) error {
	now := b.now()
	deal, err := newDeal(b.actor, in, now)
	if err != nil {
		return err
	}
	if err := b.refers(ctx, &deal.Deal); err != nil {
		return err
	}
	if err := place(b.pipelines, deal, in, now); err != nil {
		return err
	}
	return b.insert(ctx, b.tx, b.actor, b.rights.write, &deal.Deal, now)
}

// refers checks what a deal refers to and no deal of the batch before it did.
func (b *dealBatch) refers(ctx context.Context, d *models.Deal) error {
	if b.isNew(models.TypePerson, &d.OwnerID) {
		if err := mayOwn(ctx, b.tx.Reader, b.rights.assign, rbac.DealAssign, d.OwnerID); err != nil {
			return err
		}
	}
	if b.isNew(models.TypeCompany, d.CompanyID) {
		if _, err := b.rights.companyName(ctx, b.tx.Reader, d.CompanyID); err != nil {
			return err
		}
	}
	if b.isNew(models.TypeProduct, d.ProductID) {
		_, err := b.rights.productName(ctx, b.tx.Reader, d.ProductID)
		return err
	}
	return nil
}

// isNew reports whether an id comes for the first time.
func (b *dealBatch) isNew(t models.RecordType, id *string) bool {
	if id == nil {
		return false
	}
	ref := models.Ref{Type: t, ID: *id}
	known := b.known[ref]
	b.known[ref] = true
	return !known
}

// atIndex says which element of a list an error is about.
func atIndex(i int, err error) error {
	var e *apperr.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("crm: element %d: %w", i, err)
	}
	placed := *e
	placed.Fields = slices.Clone(e.Fields)
	for f := range placed.Fields {
		placed.Fields[f].Path = fmt.Sprintf("[%d].%s", i, placed.Fields[f].Path)
	}
	return &placed
}
