package store

import (
	"context"
	"slices"
	"time"

	"gorm.io/gorm"

	"countersign/models"
)

// goesBy is a record with the names that it is found by. A person is their own owner; nil is for records of
// nobody in particular.
type goesBy struct {
	kind    models.RecordType
	id      string
	owner   *string
	updated time.Time
	names   []string
}

// rows are what is stored of the names; one that folds to nothing, or like one before it, is left out.
func (n goesBy) rows() []models.RecordName {
	rows := make([]models.RecordName, 0, len(n.names))
	for i, name := range n.names {
		key := models.FoldName(name)
		if key == "" || slices.ContainsFunc(rows, func(r models.RecordName) bool { return r.NameKey == key }) {
			continue
		}
		rows = append(rows, models.RecordName{
			Kind: n.kind, RecordID: n.id, Position: i, Name: name, NameKey: key,
			OwnerID: n.owner, UpdatedAt: n.updated, Grams: nameGrams(n.kind, key, n.owner),
		})
	}
	return rows
}

// addNames stores the names of a record that has none.
func (tx *Tx) addNames(ctx context.Context, n goesBy) error { return tx.insertNames(ctx, n.rows()) }

func (tx *Tx) insertNames(ctx context.Context, rows []models.RecordName) error {
	if len(rows) == 0 {
		return nil
	}
	return translate(tx.q.WithContext(ctx).Create(&rows).Error)
}

// putNames replaces the names of a record, unless they are the same.
func (tx *Tx) putNames(ctx context.Context, n goesBy) error {
	var old []models.RecordName
	if err := tx.namesOf(ctx, n.kind, n.id).Order("position").Find(&old).Error; err != nil {
		return translate(err)
	}
	rows := n.rows()
	if slices.EqualFunc(rows, old, sameName) {
		return nil
	}
	if err := tx.dropNames(ctx, n.kind, n.id); err != nil {
		return err
	}
	return tx.insertNames(ctx, rows)
}

// renew replaces the names of a record that went by others before, unless they and the owner are the same.
func (tx *Tx) renew(ctx context.Context, before, after goesBy) error {
	if slices.Equal(before.names, after.names) && sameOwner(before.owner, after.owner) {
		return nil
	}
	return tx.putNames(ctx, after)
}

// sameName compares all but the row's id and time.
func sameName(a, b models.RecordName) bool {
	return a.Position == b.Position && a.Name == b.Name && a.Grams == b.Grams && sameOwner(a.OwnerID, b.OwnerID)
}

func sameOwner(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

// touching is the statement that tells the names of a record that it was updated; empty for what has none.
func touching(t models.RecordType, id string, now time.Time) condition {
	if kindMarks[t] == "" {
		return condition{}
	}
	return condition{"UPDATE record_names SET updated_at = ? WHERE kind = ? AND record_id = ?", []any{now, t, id}}
}

// touchNames tells the names of a record that it was updated.
func (tx *Tx) touchNames(ctx context.Context, t models.RecordType, id string, now time.Time) error {
	touch := touching(t, id, now)
	_, err := tx.exec(ctx, touch.sql, touch.args...)
	return err
}

func (tx *Tx) dropNames(ctx context.Context, t models.RecordType, id string) error {
	return translate(tx.namesOf(ctx, t, id).Delete(&models.RecordName{}).Error)
}

func (tx *Tx) namesOf(ctx context.Context, t models.RecordType, id string) *gorm.DB {
	return tx.q.WithContext(ctx).Model(&models.RecordName{}).Where("kind = ? AND record_id = ?", t, id)
}
