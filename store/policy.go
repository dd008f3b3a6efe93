package store

import (
	"context"

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
	rbac.Subject `gorm:"embedded;embeddedPrefix:subject_"`
	Ruled        bool
}

// subjectColumns are those of a subject, of users.
const subjectColumns = "users.id AS subject_user_id, users.role AS subject_role, COALESCE(users.team_id, '') AS subject_team_id, " +
	"users.disabled_at IS NOT NULL AS subject_disabled, (SELECT version FROM policy_state WHERE id = 1) AS subject_policy_version, " +
	"EXISTS (SELECT 1 FROM approval_rules) AS ruled"

// subject is the zero subject for somebody who does not exist.
func (r *Reader) subject(ctx context.Context, userID string) (subject, error) {
	s, err := findOne[subject](ctx, r, "SELECT "+subjectColumns+" FROM users WHERE id = ?", userID)
	if err != nil || s == nil {
		return subject{}, err
	}
	return *s, nil
}

func (tx *Tx) subject(ctx context.Context, userID string) (subject, error) {
	if s, ok := tx.kept.subjects[userID]; ok {
		return s, nil
	}
	s, err := tx.Reader.subject(ctx, userID)
	if err != nil || s.UserID == "" {
		return s, err
	}
	tx.keep(s)
	return s, nil
}

// keep remembers a subject for the transaction.
func (tx *Tx) keep(s subject) {
	if tx.kept.subjects == nil {
		tx.kept.subjects = map[string]subject{}
	}
	tx.kept.subjects[s.UserID] = s
}

// SystemRoles are the slugs of the roles that ship with the product.
func (r *Reader) SystemRoles(ctx context.Context) ([]string, error) {
	var slugs []string
	err := r.q.WithContext(ctx).Model(&models.Role{}).Where("is_system").Order("slug").Pluck("slug", &slugs).Error
	return slugs, translate(err)
}
