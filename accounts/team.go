package accounts

import (
	"context"

	"countersign/apperr"
	"countersign/models"
	"countersign/store"
)

// CreateTeam adds a team without members. For the operator only. Errors: Invalid, Conflict with [CodeTeamExists].
func (s *Service) CreateTeam(ctx context.Context, name string) (models.Team, error) {
	name, field := parseName(name)
	if field != nil {
		return models.Team{}, apperr.InvalidFields([]apperr.FieldError{*field})
	}
	now := s.now()
	team := models.Team{ID: models.NewID(), Name: name, NameKey: models.FoldName(name), CreatedAt: now, UpdatedAt: now}
	err := s.runner.InTx(ctx, func(tx *store.Tx) error {
		if err := tx.InsertTeam(ctx, &team); err != nil {
			return err
		}
		return s.record(ctx, tx, "team:create", refToTeam(team.ID), nil)
	})
	if apperr.HasCode(err, store.CodeDuplicate) {
		return models.Team{}, errTeamExists.WithCause(err)
	}
	return team, err
}

// SetTeamManager names the manager of a team. For the operator only. Errors: NotFound of the team or the user.
func (s *Service) SetTeamManager(ctx context.Context, teamID, userID string) error {
	return s.runner.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.UserByID(ctx, userID); err != nil {
			return err
		}
		if err := tx.SetTeamManager(ctx, teamID, userID, s.now()); err != nil {
			return err
		}
		return s.record(ctx, tx, "team:set-manager", refToTeam(teamID), map[string]any{"userId": userID})
	})
}

func refToTeam(id string) models.Ref { return models.Ref{Type: models.TypeTeam, ID: id} }
