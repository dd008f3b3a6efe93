package audit

import (
	"context"
	"fmt"
	"time"

	"countersign/apperr"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// Gate authorizes, and records every refusal. Services call it and never the authorizer itself.
type Gate struct {
	authorizer *rbac.Authorizer
	runner     store.Runner
	now        func() time.Time
}

// NewGate returns a Gate that records refusals through runner, in transactions of their own.
func NewGate(authorizer *rbac.Authorizer, runner store.Runner, now func() time.Time) *Gate {
	return &Gate{authorizer: authorizer, runner: runner, now: now}
}

// With returns a Gate that reads users and records refusals inside tx.
func (g *Gate) With(tx *store.Tx) *Gate {
	return &Gate{authorizer: g.authorizer.With(tx), runner: tx, now: g.now}
}

// Authorize returns the Grant of a permission, or records the refusal and returns it.
func (g *Gate) Authorize(ctx context.Context, actor models.Actor, p rbac.Permission) (rbac.Grant, error) {
	grant, err := g.authorizer.Authorize(ctx, actor, p)
	if err == nil {
		return grant, nil
	}
	return rbac.Grant{}, g.refuse(ctx, actor, p, models.Ref{}, err)
}

// Try returns the Grant of a permission, or the zero Grant, which opens nothing, when the actor does not
// hold it. It is for rights that only decide how much of something is shown, and records nothing.
func (g *Gate) Try(ctx context.Context, actor models.Actor, p rbac.Permission) (rbac.Grant, error) {
	grant, err := g.authorizer.Authorize(ctx, actor, p)
	if apperr.Is(err, apperr.Forbidden) {
		return rbac.Grant{}, nil
	}
	return grant, err
}

// SeesPersonal reports whether an actor may see the personal data of at least some records.
func (g *Gate) SeesPersonal(ctx context.Context, actor models.Actor) (bool, error) {
	grant, err := g.Try(ctx, actor, rbac.ContactPII)
	return grant.Scope() != rbac.ScopeNone, err
}

// Holds is [rbac.Authorizer.Holds]. It is for rights that only decide how much of something is shown, and records nothing.
func (g *Gate) Holds(ctx context.Context, s rbac.Subject, p rbac.Permission) bool {
	return g.authorizer.Holds(ctx, s, p)
}

// Refuse records a refusal that came up while a service worked on a record, such as one outside the scope
// of a right, and returns it. Call it after the transaction that it ended.
func (g *Gate) Refuse(ctx context.Context, actor models.Actor, target models.Ref, refusal *apperr.Error) error {
	p, _ := refusal.Extra["permission"].(string)
	return g.refuse(ctx, actor, rbac.Permission(p), target, refusal)
}

// Held lists what an actor holds.
func (g *Gate) Held(ctx context.Context, actor models.Actor) ([]rbac.Held, error) {
	return g.authorizer.Held(ctx, actor.UserID)
}

func (g *Gate) refuse(ctx context.Context, actor models.Actor, p rbac.Permission, target models.Ref, refusal error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	err := g.runner.InTx(ctx, func(tx *store.Tx) error {
		return Write(ctx, tx, actor, g.now(), Entry{
			Action: string(p), Target: target, Decision: models.DecisionDenied, Reason: apperr.As(refusal).Code,
		})
	})
	if err != nil {
		return apperr.As(fmt.Errorf("audit: record refusal of %s: %w", p, err))
	}
	return refusal
}
