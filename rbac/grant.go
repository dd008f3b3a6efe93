package rbac

import (
	"fmt"

	"countersign/apperr"
	"countersign/models"
)

// Grant proves that an actor may use a permission, and carries the rows over which. Only an
// [Authorizer] makes one; the zero Grant opens nothing.
type Grant struct {
	actor      models.Actor
	permission Permission
	scope      Scope
	teamID     string
}

// Actor is the actor who was authorized.
func (g Grant) Actor() models.Actor { return g.actor }

// Permission is what was granted.
func (g Grant) Permission() Permission { return g.permission }

// Scope says over whose records; ScopeNone for the zero Grant.
func (g Grant) Scope() Scope { return g.scope }

// UserID is the owner that ScopeOwn means, TeamID the team that ScopeTeam means ("" without a team).
func (g Grant) UserID() string { return g.actor.UserID }

// TeamID is the team that ScopeTeam means; empty for a user without one.
func (g Grant) TeamID() string { return g.teamID }

// For returns an error unless the grant is one of the permissions: a store method calls it first,
// so that a grant for one thing never opens another.
func (g Grant) For(permissions ...Permission) error {
	for _, p := range permissions {
		if g.scope != ScopeNone && g.permission == p {
			return nil
		}
	}
	return apperr.As(fmt.Errorf("rbac: a grant of %q was used for %v", g.permission, permissions))
}
