package crm

import (
	"context"

	"countersign/audit"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// removal is a record on its way into the bin: version is what the actor has seen, current the record
// for the answer when that is stale.
type removal struct {
	target  models.Ref
	record  *models.Record
	version int64
	current any
}

// remove puts a record that the actor sees into the bin, with history and audit.
func (b base) remove(ctx context.Context, tx *store.Tx, actor models.Actor, g rbac.Grant, r removal) error {
	if err := mayWrite(ctx, tx.Reader, g, r.target); err != nil {
		return err
	}
	if err := checkVersion(r.version, *r.record, r.current); err != nil {
		return err
	}
	now := b.now()
	if err := tx.SoftDelete(ctx, g, r.target.Type, r.record, now); err != nil {
		return err
	}
	return b.wrote(ctx, tx, actor, write{
		action: g.Permission(), target: r.target, record: *r.record, at: now,
		fields: []audit.Field{{Name: "deleted", Before: false, After: true}},
	})
}

// restore takes a record out of the bin, with history and audit.
func (b base) restore(ctx context.Context, tx *store.Tx, actor models.Actor, g rbac.Grant, target models.Ref, record *models.Record, names []string) error {
	now := b.now()
	if err := tx.Undelete(ctx, g, target.Type, record, now, names); err != nil {
		return err
	}
	return b.wrote(ctx, tx, actor, write{
		action: g.Permission(), target: target, record: *record, at: now,
		fields: []audit.Field{{Name: "deleted", Before: true, After: false}},
	})
}
