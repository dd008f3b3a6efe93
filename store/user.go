package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"countersign/apperr"
	"countersign/models"
	"countersign/rbac"
)

// Accounts are not CRM data: the methods of this file are for package accounts, which decides who may
// call them, and take no grant unless they list people.

// UserView is a user with the names of role and team, and the version of the policy at that moment.
type UserView struct {
	models.User
	RoleName      string
	TeamName      string
	PolicyVersion int64
}

// Subject is the user as rights are decided.
func (u *UserView) Subject() rbac.Subject {
	s := rbac.Subject{UserID: u.ID, Role: u.Role, Disabled: u.DisabledAt != nil, PolicyVersion: u.PolicyVersion}
	if u.TeamID != nil {
		s.TeamID = *u.TeamID
	}
	return s
}

// UserByID returns a user, disabled or not.
func (r *Reader) UserByID(ctx context.Context, id string) (*UserView, error) {
	return r.user(ctx, "users.id", id)
}

// UserByEmail returns a user by e-mail in lower case, disabled or not.
func (r *Reader) UserByEmail(ctx context.Context, email string) (*UserView, error) {
	return r.user(ctx, "users.email", email)
}

func (r *Reader) user(ctx context.Context, column, value string) (*UserView, error) {
	view, err := findOne[UserView](ctx, r, "SELECT "+userViewColumns+" FROM users "+userViewJoins+" WHERE "+column+" = ?", value)
	return mustFind(view, err, "user")
}

// userViewColumns are those of a UserView, of users with their userViewJoins.
const (
	userViewColumns = "users.*, roles.name AS role_name, COALESCE(teams.name, '') AS team_name, (SELECT version FROM policy_state WHERE id = 1) AS policy_version"
	userViewJoins   = "JOIN roles ON roles.slug = users.role LEFT JOIN teams ON teams.id = users.team_id"
)

// PersonByEmail resolves an active colleague by e-mail in lower case.
func (r *Reader) PersonByEmail(ctx context.Context, g rbac.Grant, email string) (*NameHit, error) {
	if err := g.For(rbac.UserRead); err != nil {
		return nil, err
	}
	var ids []string
	q := where(r.q.WithContext(ctx).Model(&models.User{}), ownedBy(g, "users.id"))
	if err := q.Where("email = ? AND disabled_at IS NULL", email).Pluck("id", &ids).Error; err != nil || len(ids) == 0 {
		return nil, translate(err)
	}
	return r.NameByID(ctx, g, models.TypePerson, ids[0], "")
}

// PersonInScope reports whether an active user is within the scope of a grant, as an owner to be.
func (r *Reader) PersonInScope(ctx context.Context, g rbac.Grant, userID string) (bool, error) {
	if g.Scope() == rbac.ScopeNone {
		return false, g.For()
	}
	n, err := count(where(r.q.WithContext(ctx).Model(&models.User{}), ownedBy(g, "users.id")).
		Where("users.id = ? AND users.disabled_at IS NULL", userID))
	return n == 1, err
}

// CountUsers counts all users; with role, those who hold it and are active.
func (r *Reader) CountUsers(ctx context.Context, role string) (int64, error) {
	q := r.q.WithContext(ctx).Model(&models.User{})
	if role != "" {
		q = q.Where("role = ? AND disabled_at IS NULL", role)
	}
	return count(q)
}

// InsertUser adds a user; Conflict when the e-mail is taken.
func (tx *Tx) InsertUser(ctx context.Context, u *models.User) error {
	if err := tx.q.WithContext(ctx).Create(u).Error; err != nil {
		return translate(err)
	}
	return tx.addNames(ctx, personNames(u))
}

// UpdateUser writes a user at the version that u carries and counts it up.
func (tx *Tx) UpdateUser(ctx context.Context, u *models.User, now time.Time) error {
	tx.kept.subjects = nil
	q := tx.q.WithContext(ctx).Model(&models.User{}).Where("id = ? AND version = ?", u.ID, u.Version).Updates(map[string]any{
		"email": u.Email, "name": u.Name, "name_key": u.NameKey, "password_hash": u.PasswordHash, "role": u.Role,
		"team_id": u.TeamID, "lang": u.Lang, "disabled_at": u.DisabledAt, "version": u.Version + 1, "updated_at": now,
	})
	if q.Error != nil {
		return translate(q.Error)
	}
	if q.RowsAffected != 1 {
		return apperr.New(apperr.Stale, "STALE", "Somebody changed this account in the meantime. Look at it again, then repeat your change.")
	}
	u.Version, u.UpdatedAt = u.Version+1, now
	if err := tx.touchNames(ctx, models.TypePerson, u.ID, now); err != nil {
		return err
	}
	return tx.putNames(ctx, personNames(u))
}

func personNames(u *models.User) goesBy {
	return goesBy{models.TypePerson, u.ID, &u.ID, u.UpdatedAt, []string{u.Name}}
}

// InsertTeam adds a team; Conflict when the name is taken.
func (tx *Tx) InsertTeam(ctx context.Context, t *models.Team) error {
	if err := tx.q.WithContext(ctx).Create(t).Error; err != nil {
		return translate(err)
	}
	return tx.addNames(ctx, goesBy{models.TypeTeam, t.ID, nil, t.UpdatedAt, []string{t.Name}})
}

// SetTeamManager names the manager of a team.
func (tx *Tx) SetTeamManager(ctx context.Context, teamID, userID string, now time.Time) error {
	err := mustMatch(tx.q.WithContext(ctx).Model(&models.Team{}).Where("id = ?", teamID).
		Updates(map[string]any{"manager_id": userID, "updated_at": now}), "team")
	if err != nil {
		return err
	}
	return tx.touchNames(ctx, models.TypeTeam, teamID, now)
}

// LockUser waits until no other transaction writes the user, and keeps others from it until this one
// ends. What is read of the user afterwards stays true that long.
func (tx *Tx) LockUser(ctx context.Context, id string) error {
	tx.kept.subjects = nil
	return mustMatch(tx.q.WithContext(ctx).Model(&models.User{}).Where("id = ?", id).
		UpdateColumn("version", gorm.Expr("version")), "user")
}

// LockRole makes transactions that take the last holder of a role away go one after the other: it waits
// for the one before and holds until this one ends.
func (tx *Tx) LockRole(ctx context.Context, slug string) error {
	return mustMatch(tx.q.WithContext(ctx).Model(&models.Role{}).Where("slug = ?", slug).
		UpdateColumn("is_system", gorm.Expr("is_system")), "role")
}

func mustMatch(q *gorm.DB, what string) error {
	if q.Error == nil && q.RowsAffected == 0 {
		return apperr.NotFoundf(what)
	}
	return translate(q.Error)
}
