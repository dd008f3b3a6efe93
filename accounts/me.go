package accounts

import (
	"context"

	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// Me is what a signed-in person is told about themselves.
type Me struct {
	User        MeUser      `json:"user"`
	Permissions []rbac.Held `json:"permissions"`
	Demo        bool        `json:"demo"`
}

// MeUser is the person's own account.
type MeUser struct {
	ID       string  `json:"id"`
	Name     string  `json:"name"`
	Email    string  `json:"email"`
	Role     string  `json:"role"`
	RoleName string  `json:"roleName"`
	TeamID   *string `json:"teamId,omitempty"`
	TeamName string  `json:"teamName,omitempty"`
}

// Me describes the actor, with the permissions held at this moment. It needs no permission but a signed-in, active
// user; the error is Unauthenticated otherwise.
func (s *Service) Me(ctx context.Context, actor models.Actor) (Me, error) {
	held, err := s.gate.Held(ctx, actor)
	if err != nil {
		return Me{}, err
	}
	me := Me{Permissions: append([]rbac.Held{}, held...), Demo: s.demo} // a list, also when empty
	err = s.runner.View(ctx, func(r *store.Reader) error {
		u, err := r.UserByID(ctx, actor.UserID)
		if err != nil {
			return err
		}
		me.User = MeUser{
			ID: u.ID, Name: u.Name, Email: u.Email, Role: u.Role, RoleName: u.RoleName, TeamID: u.TeamID, TeamName: u.TeamName,
		}
		return nil
	})
	return me, err
}
