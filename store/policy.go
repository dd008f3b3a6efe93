package store

import (
	"context"
	"database/sql"
	"errors"

	"countersign/models"
	"countersign/rbac"
)

var (
	_ rbac.PolicySource = (*DB)(nil)
	_ rbac.PolicySource = (*Reader)(nil)
	_ rbac.PolicySource = (*Tx)(nil)
)

// Policy implements rbac.PolicySource.
func (db *DB) Policy(ctx context.Context) (p rbac.Policy, err error) {
	err = db.View(ctx, func(r *Reader) error {
		p, err = r.Policy(ctx)
		return err
	})
	return p, err
}

// Subject implements rbac.PolicySource.
func (db *DB) Subject(ctx context.Context, userID string) (s rbac.Subject, found bool, err error) {
	err = db.View(ctx, func(r *Reader) error {
		s, found, err = r.Subject(ctx, userID)
		return err
	})
	return s, found, err
}

// Policy implements rbac.PolicySource.
func (r *Reader) Policy(ctx context.Context) (rbac.Policy, error) {
	p := rbac.Policy{}
	// The version is read first: a change in between makes the snapshot look older than it is, never newer.
	if err := r.q.WithContext(ctx).Table("policy_state").Select("version").Where("id = 1").Scan(&p.Version).Error; err != nil {
		return p, translate(err)
	}
	err := r.q.WithContext(ctx).Model(&models.RolePermission{}).
		Select("role_slug AS role, permission, scope").Order("role_slug, permission").Scan(&p.Rows).Error
	return p, translate(err)
}

// Subject implements rbac.PolicySource in one query.
func (r *Reader) Subject(ctx context.Context, userID string) (rbac.Subject, bool, error) {
	s, err := r.subject(ctx, userID)
	return s.Subject, s.UserID != "", err
}

// Subject implements rbac.PolicySource: all rights of a person that a transaction asks for are those of the first time. It
// asks anew after a write of a person.
func (tx *Tx) Subject(ctx context.Context, userID string) (rbac.Subject, bool, error) {
	s, err := tx.subject(ctx, userID)
	return s.Subject, s.UserID != "", err
}

// subject is what is asked of a person before anything else: their rights, and whether there are approval rules.
type subject struct {
	rbac.Subject
	ruled bool
}

// subject is the zero subject for somebody who does not exist.
func (r *Reader) subject(ctx context.Context, userID string) (s subject, err error) {
	err = r.row(ctx, "SELECT id, role, COALESCE(team_id, ''), disabled_at IS NOT NULL, (SELECT version FROM policy_state WHERE id = 1), "+
		"EXISTS (SELECT 1 FROM approval_rules) FROM users WHERE id = ?", userID).
		Scan(&s.UserID, &s.Role, &s.TeamID, &s.Disabled, &s.PolicyVersion, &s.ruled)
	if errors.Is(err, sql.ErrNoRows) {
		return subject{}, nil
	}
	return s, translate(err)
}

func (tx *Tx) subject(ctx context.Context, userID string) (subject, error) {
	if s, ok := tx.kept.subjects[userID]; ok {
		return s, nil
	}
	s, err := tx.Reader.subject(ctx, userID)
	if err != nil || s.UserID == "" {
		return s, err
	}
	if tx.kept.subjects == nil {
		tx.kept.subjects = map[string]subject{}
	}
	tx.kept.subjects[userID] = s
	return s, nil
}

// SystemRoles are the slugs of the roles that ship with the product.
func (r *Reader) SystemRoles(ctx context.Context) ([]string, error) {
	var slugs []string
	err := r.q.WithContext(ctx).Model(&models.Role{}).Where("is_system").Order("slug").Pluck("slug", &slugs).Error
	return slugs, translate(err)
}
