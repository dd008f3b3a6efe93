package store

import (
	"context"
	"maps"
	"slices"
	"time"

	"gorm.io/gorm"

	"countersign/models"
	"countersign/rbac"
)

// writeVersion writes columns of a live record, counts its version up, and tells its names the time. It demands the version
// that the caller has read: Stale when another write came first.
func (tx *Tx) writeVersion(ctx context.Context, g rbac.Grant, t models.RecordType, r *models.Record, now time.Time, columns map[string]any) error {
	return tx.write(ctx, g, t, r, now, columns, recordTables[t]+".deleted_at IS NULL")
}

func (tx *Tx) write(ctx context.Context, g rbac.Grant, t models.RecordType, r *models.Record, now time.Time, columns map[string]any, state string) error {
	table, seen := recordTables[t], visible(t, g)
	statement, args := "UPDATE "+table+" SET version = ?, updated_at = ?", []any{r.Version + 1, now}
	for _, name := range slices.Sorted(maps.Keys(columns)) {
		statement, args = statement+", "+name+" = ?", append(args, columns[name])
	}
	statement += " WHERE " + table + ".id = ? AND " + table + ".version = ? AND " + state + " AND " + seen.sql
	n, err := tx.execTogether(ctx, touching(t, r.ID, now), condition{statement, append(append(args, r.ID, r.Version), seen.args...)})
	if err != nil {
		return err
	}
	if n != 1 {
		return errStale
	}
	r.Version, r.UpdatedAt = r.Version+1, now
	return nil
}

// SoftDelete puts a record into the bin. g must be the delete grant of the record's type.
func (tx *Tx) SoftDelete(ctx context.Context, g rbac.Grant, t models.RecordType, r *models.Record, now time.Time) error {
	if g.Permission().Action() != "delete" || g.Permission().Resource() != string(t) {
		return g.For()
	}
	var by *string
	if id := g.UserID(); id != "" {
		by = &id
	}
	if err := tx.writeVersion(ctx, g, t, r, now, map[string]any{"deleted_at": now, "deleted_by": by}); err != nil {
		return err
	}
	r.DeletedAt, r.DeletedBy = &now, by
	return tx.dropNames(ctx, t, r.ID)
}

// Undelete takes a record out of the bin and gives it its names back. g must be the restore grant of its type.
func (tx *Tx) Undelete(ctx context.Context, g rbac.Grant, t models.RecordType, r *models.Record, now time.Time, names []string) error {
	if g.Permission().Action() != "restore" || g.Permission().Resource() != string(t) {
		return g.For()
	}
	err := tx.write(ctx, g, t, r, now, map[string]any{"deleted_at": nil, "deleted_by": nil}, recordTables[t]+".deleted_at IS NOT NULL")
	if err != nil {
		return err
	}
	r.DeletedAt, r.DeletedBy = nil, nil
	var owner *string
	if err := tx.q.WithContext(ctx).Table(recordTables[t]).Select(ownerColumn(t)).Where("id = ?", r.ID).Scan(&owner).Error; err != nil {
		return translate(err)
	}
	return tx.addNames(ctx, goesBy{t, r.ID, owner, now, names})
}

// RecordState is the version of a record and whether it is in the bin; found is false when it never was.
// It says nothing of the record's content and asks for no grant: proposals compare versions with it.
func (r *Reader) RecordState(ctx context.Context, t models.RecordType, id string) (version int64, deleted, found bool, err error) {
	var rows []struct {
		Version   int64
		DeletedAt *time.Time
	}
	err = r.q.WithContext(ctx).Table(recordTables[t]).Select("version, deleted_at").Where("id = ?", id).Limit(1).Scan(&rows).Error
	if err != nil || len(rows) == 0 {
		return 0, false, false, translate(err)
	}
	return rows[0].Version, rows[0].DeletedAt != nil, true, nil
}

// AddFieldChanges appends to the field history, like [Tx.AddAuditEntry].
func (tx *Tx) AddFieldChanges(ctx context.Context, changes []models.FieldChange) error {
	return tx.note(ctx, journal{changes: changes})
}

// FieldChanges is the history of one record, in the bin or not, newest first; nothing for a record that
// the grant does not see. g is the read grant of its type.
func (r *Reader) FieldChanges(ctx context.Context, g rbac.Grant, t models.RecordType, id string, limit int) ([]models.FieldChange, error) {
	q, err := r.history(ctx, g, t, id)
	if err != nil {
		return nil, err
	}
	var changes []models.FieldChange
	err = q.Limit(limit).Find(&changes).Error
	return changes, translate(err)
}

// LastChange is the latest change of a field of a record, nil for one that has none or that the grant does not
// see. g is the read grant of its type.
func (r *Reader) LastChange(ctx context.Context, g rbac.Grant, t models.RecordType, id, field string) (*models.FieldChange, error) {
	q, err := r.history(ctx, g, t, id)
	if err != nil {
		return nil, err
	}
	var changes []models.FieldChange
	err = q.Where("field = ?", field).Limit(1).Find(&changes).Error
	if err != nil || len(changes) == 0 {
		return nil, translate(err)
	}
	return &changes[0], nil
}

// history selects the changes of one record, newest first.
func (r *Reader) history(ctx context.Context, g rbac.Grant, t models.RecordType, id string) (*gorm.DB, error) {
	if g.Permission().Resource() != string(t) || g.Permission().Action() != "read" {
		return nil, g.For()
	}
	q := r.q.WithContext(ctx).Where("record_type = ? AND record_id = ?", t, id)
	if table, ok := recordTables[t]; ok {
		seen := visible(t, g)
		q = q.Where("EXISTS (SELECT 1 FROM "+table+" WHERE "+table+".id = record_id AND "+seen.sql+")", seen.args...)
	}
	return q.Order("id DESC"), nil
}

// FieldChangesSince are the changes of a record after a version, oldest first, without a grant: the
// requester of a stale proposal saw this record when it was proposed, and is told what changed of the
// fields shown.
func (r *Reader) FieldChangesSince(ctx context.Context, t models.RecordType, id string, version int64) ([]models.FieldChange, error) {
	var changes []models.FieldChange
	err := r.q.WithContext(ctx).Where("record_type = ? AND record_id = ? AND record_version > ?", t, id, version).
		Order("id").Limit(100).Find(&changes).Error
	return changes, translate(err)
}

// count counts the rows of a query without its order and limit.
func count(q *gorm.DB) (int64, error) {
	var n int64
	err := q.Session(&gorm.Session{}).Count(&n).Error
	return n, translate(err)
}
