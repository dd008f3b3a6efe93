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

// base is what every service works with.
type base struct {
	runner store.Runner
	gate   *audit.Gate
	now    func() time.Time
}

// newBase makes a clock tell times as databases keep them, so that what is written and what is read agree.
func newBase(runner store.Runner, gate *audit.Gate, now func() time.Time) base {
	return base{runner: runner, gate: gate, now: func() time.Time { return stored(now()) }}
}

// stored is a moment as databases keep it.
func stored(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// with is for a part of a transaction, which its caller undoes after an error.
func (b base) with(tx *store.Tx) base {
	return base{runner: tx.Joined(), gate: b.gate.With(tx), now: b.now}
}

// transact runs a write of a record in one transaction, and records the refusal that ended it after its
// rollback. When another write of the record came between reading and writing, fn runs once more: it then
// finds the record as it is now, and answers with that.
func (b base) transact(ctx context.Context, actor models.Actor, target models.Ref, fn func(*store.Tx) error) error {
	err := b.runner.InTx(ctx, fn)
	if apperr.Is(err, apperr.Stale) && apperr.As(err).Extra["current"] == nil {
		err = b.runner.InTx(ctx, fn)
	}
	return b.refused(ctx, actor, target, err)
}

// refused records a refusal that came up while a service worked on a record, and returns err.
func (b base) refused(ctx context.Context, actor models.Actor, target models.Ref, err error) error {
	if !apperr.Is(err, apperr.Forbidden) {
		return err
	}
	return b.gate.Refuse(ctx, actor, target, apperr.As(err))
}

// mayWrite answers Forbidden when a record that the actor sees is outside the scope of the right to change it.
func mayWrite(ctx context.Context, r *store.Reader, write rbac.Grant, target models.Ref) error {
	covered, err := r.Covers(ctx, write, target.Type, target.ID)
	if err != nil || covered {
		return err
	}
	return apperr.Missing(string(write.Permission()))
}

// holds answers Forbidden for the zero Grant of a right that turned out to be needed.
func holds(g rbac.Grant, p rbac.Permission) error {
	if g.Scope() == rbac.ScopeNone {
		return apperr.Missing(string(p))
	}
	return nil
}

// mayOwn checks that a record may be given to an owner: an active user within the scope of the right p to assign.
func mayOwn(ctx context.Context, r *store.Reader, assign rbac.Grant, p rbac.Permission, ownerID string) error {
	if err := holds(assign, p); err != nil {
		return err
	}
	ok, err := r.PersonInScope(ctx, assign, ownerID)
	if err != nil || ok {
		return err
	}
	return apperr.InvalidField("ownerId", "You cannot give this record to that person. Choose an active colleague whom you may assign to.")
}

// reference turns the NotFound of a record that an input refers to into a wrong field of that input.
func reference(err error, path, what string) error {
	if apperr.Is(err, apperr.NotFound) {
		return apperr.InvalidField(path, "There is no such "+what+", or you have no access to it.")
	}
	return err
}

// same reports whether two optional ids are equal.
func same(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// write is one write of a record, as history and audit tell it.
type write struct {
	action rbac.Permission
	target models.Ref
	record models.Record
	at     time.Time
	fields []audit.Field
}

// wrote appends history and audit of one write of a record.
func (b base) wrote(ctx context.Context, tx *store.Tx, actor models.Actor, w write) error {
	if err := audit.History(ctx, tx, actor, w.target.Type, w.record, w.at, w.fields); err != nil {
		return err
	}
	names := make([]string, len(w.fields))
	for i, f := range w.fields {
		names[i] = f.Name
	}
	detail := map[string]any{"version": w.record.Version, "fields": names}
	if actor.ProposalID != "" {
		detail["proposalId"] = actor.ProposalID
	}
	if actor.ApproverID != "" {
		detail["approvedBy"] = actor.ApproverID
	}
	return audit.Write(ctx, tx, actor, w.at, audit.Entry{
		Action: string(w.action), Target: w.target, Decision: models.DecisionAllowed, Detail: detail,
	})
}

// checkVersion compares the version that a caller has seen with the record's; Stale with the current
// record as the member "current" when they differ.
func checkVersion(seen int64, r models.Record, current any) error {
	if seen == r.Version {
		return nil
	}
	return apperr.New(apperr.Stale, "STALE", "Somebody changed this record in the meantime. Look at it again, then repeat your change.").
		WithExtra("current", current)
}
