package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"countersign/crm"
	"countersign/i18n"
	"countersign/models"
	"countersign/proposals"
	"countersign/rbac"
	"countersign/store"
)

// creator is what a tool that creates is made of.
type creator[In any] interface {
	// resolve puts ids in place of names, and refuses what is not to be made at all. It writes nothing.
	resolve(ctx context.Context, actor models.Actor, in In) (In, error)
	// create carries resolved arguments out: inside tx, or in a transaction of its own when tx is nil.
	create(ctx context.Context, tx *store.Tx, actor models.Actor, in In) (creation, error)
}

// creation is what a creator has done. Version is that of the record before: 0 for one that is new.
type creation struct {
	Result
	record  models.Ref
	version int64
	fields  []crm.Difference
}

// newCreatingTool makes a tool that creates. It runs at once; where that must wait for a person, it proposes
// the same. update is the right to change the record that it is about, empty when it makes a new one.
func newCreatingTool[In any](def Definition, runner store.Runner, c creator[In], update ...rbac.Permission) *Tool {
	def.Effect = Create
	tool := newTool(def, func(ctx context.Context, actor models.Actor, in In) (Result, error) {
		in, err := c.resolve(ctx, actor, in)
		if err != nil {
			return Result{}, err
		}
		made, err := c.create(ctx, nil, actor, in)
		return made.Result, err
	})
	tool.propose = &proposing{
		update: update, noUndo: "undo.created",
		prepare: func(ctx context.Context, actor models.Actor, raw json.RawMessage) (proposals.Draft, error) {
			var in In
			if err := json.Unmarshal(raw, &in); err != nil {
				return proposals.Draft{}, fmt.Errorf("tools: decode checked arguments of %s: %w", def.Name, err)
			}
			return draftCreation(ctx, runner, c, actor, def.Name, in)
		},
		execute: func(ctx context.Context, tx *store.Tx, actor models.Actor, p *models.Proposal) (models.Outcome, error) {
			var in In
			if err := p.Args.Into(&in); err != nil {
				return models.Outcome{}, fmt.Errorf("tools: decode stored arguments of %s: %w", def.Name, err)
			}
			made, err := c.create(ctx, tx, actor, in)
			return models.Outcome{Summary: made.Summary, Records: []models.Ref{made.record}}, err
		},
	}
	return tool
}

// errTried ends the transaction of a trial.
var errTried = errors.New("tools: a trial is undone")

// draftCreation shows what a creator would do by doing it in a transaction that is undone: what the service or the
// database refuses is refused here, and the card has every value as it would be stored.
func draftCreation[In any](ctx context.Context, runner store.Runner, c creator[In], actor models.Actor, name string, in In) (proposals.Draft, error) {
	in, err := c.resolve(ctx, actor, in)
	if err != nil {
		return proposals.Draft{}, err
	}
	var tried creation
	err = runner.InTx(ctx, func(tx *store.Tx) (err error) {
		if tried, err = c.create(ctx, tx, actor, in); err != nil {
			return err
		}
		return errTried
	})
	if !errors.Is(err, errTried) {
		return proposals.Draft{}, err
	}
	if tried.version == 0 {
		tried.record.ID = ""
	}
	d := proposals.Draft{
		Title: i18n.T(actor.Lang, "tool."+name+".label"), Target: tried.record, TargetVersion: tried.version,
		Args: in, Changes: changesOf(actor.Lang, tried.fields),
	}
	return d, refuseUnchanged(actor.Lang, d)
}

// bound is a service inside a transaction, if there is one.
func bound[S interface{ With(tx *store.Tx) S }](service S, tx *store.Tx) S {
	if tx == nil {
		return service
	}
	return service.With(tx)
}
