package rbac

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"countersign/apperr"
	"countersign/models"
)

// Authorizer answers whether an actor may do something, by the user, role, team and policy as they are
// in the database at that moment. It is safe for concurrent use.
type Authorizer struct {
	source PolicySource
	shared *shared
	// bound means that source is a transaction, whose policy may never be committed.
	bound bool
}

// shared is what an Authorizer and those bound to a transaction have in common.
type shared struct {
	snapshot atomic.Pointer[Snapshot]
	reload   sync.Mutex
}

// NewAuthorizer loads the policy. It fails when the policy cannot be read or has a bad row, so that
// nothing is served without one.
func NewAuthorizer(ctx context.Context, source PolicySource) (*Authorizer, error) {
	a := &Authorizer{source: source, shared: &shared{}}
	snapshot, err := a.read(ctx)
	if err != nil {
		return nil, err
	}
	a.shared.snapshot.Store(snapshot)
	return a, nil
}

// With returns an Authorizer that reads users and policies through an open transaction. It sees a policy
// that the transaction has changed, and keeps it to itself.
func (a *Authorizer) With(source PolicySource) *Authorizer {
	return &Authorizer{source: source, shared: a.shared, bound: true}
}

// Authorize returns the Grant of a permission. Errors: Unauthenticated for nobody or for a user that is
// missing or disabled, Forbidden with the missing permission, Internal for a permission never declared
// and for a policy that cannot be read. In every case of doubt the answer is no.
func (a *Authorizer) Authorize(ctx context.Context, actor models.Actor, p Permission) (Grant, error) {
	if !p.Declared() {
		return Grant{}, apperr.As(fmt.Errorf("rbac: permission %q is not declared", p))
	}
	if actor.System != "" {
		return authorizeSystem(actor, p)
	}
	subject, snapshot, err := a.subject(ctx, actor.UserID)
	if err != nil {
		return Grant{}, err
	}
	scope := snapshot.Scope(subject.Role, p)
	if scope == ScopeNone {
		return Grant{}, apperr.Missing(string(p))
	}
	return Grant{actor: actor, permission: p, scope: scope, teamID: subject.TeamID}, nil
}

// Holds reports whether a user who was read before holds a permission in any scope. It reads nothing unless the policy
// is a newer one.
func (a *Authorizer) Holds(ctx context.Context, s Subject, p Permission) bool {
	return !s.Disabled && a.current(ctx, s.PolicyVersion).Scope(s.Role, p) != ScopeNone
}

// Held lists what a user holds now, in the order of the registry.
func (a *Authorizer) Held(ctx context.Context, userID string) ([]Held, error) {
	subject, snapshot, err := a.subject(ctx, userID)
	if err != nil {
		return nil, err
	}
	var held []Held
	for _, p := range Registry() {
		if scope := snapshot.Scope(subject.Role, p); scope != ScopeNone {
			held = append(held, Held{p, scope})
		}
	}
	return held, nil
}

// Held is a permission with the scope in which a user holds it.
type Held struct {
	Permission Permission `json:"permission"`
	Scope      Scope      `json:"scope" enum:"own,team,all"`
}

func authorizeSystem(actor models.Actor, p Permission) (Grant, error) {
	if actor.UserID != "" || !slices.Contains(systemActors[actor.System], p) {
		return Grant{}, apperr.Missing(string(p))
	}
	return Grant{actor: actor, permission: p, scope: ScopeAll}, nil
}

func (a *Authorizer) subject(ctx context.Context, userID string) (Subject, *Snapshot, error) {
	if userID == "" {
		return Subject{}, nil, apperr.New(apperr.Unauthenticated, "UNAUTHENTICATED", "Sign in first.")
	}
	subject, found, err := a.look(ctx, userID)
	if err != nil {
		return Subject{}, nil, apperr.As(fmt.Errorf("rbac: read user: %w", err))
	}
	if !found || subject.Disabled || subject.Role == "" {
		return Subject{}, nil, apperr.New(apperr.Unauthenticated, "ACCOUNT_DISABLED", "This account is not active. Ask an administrator.")
	}
	return subject, a.current(ctx, subject.PolicyVersion), nil
}

// current is the snapshot at a policy version, read anew when the stored policy has moved on. Where that
// fails the last good policy stays in force, and the log says so.
func (a *Authorizer) current(ctx context.Context, version int64) *Snapshot {
	if last := a.shared.snapshot.Load(); last.version >= version {
		return last
	}
	s, err := a.renew(ctx, version)
	if err != nil {
		slog.ErrorContext(ctx, "policy not reloaded, the last good one stays in force",
			slog.Any("error", err), slog.Int64("policy_version", version))
		return a.shared.snapshot.Load()
	}
	return s
}

func (a *Authorizer) renew(ctx context.Context, version int64) (*Snapshot, error) {
	if a.bound {
		return a.read(ctx)
	}
	a.shared.reload.Lock()
	defer a.shared.reload.Unlock()
	if s := a.shared.snapshot.Load(); s.version >= version {
		return s, nil
	}
	s, err := a.read(ctx)
	if err == nil {
		a.shared.snapshot.Store(s)
	}
	return s, err
}

// read compiles the policy as it is stored.
func (a *Authorizer) read(ctx context.Context) (*Snapshot, error) {
	policy, err := a.source.Policy(ctx)
	if err != nil {
		return nil, fmt.Errorf("rbac: read the policy: %w", err)
	}
	return Compile(policy)
}
