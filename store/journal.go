package store

import (
	"context"

	"countersign/models"
)

// journal is what a transaction tells of its own writes: history and record. Nothing in it reads them, so they are
// written together, at the latest when it commits.
type journal struct {
	changes []models.FieldChange
	entries []*models.AuditEntry
}

// journalBatch is how many rows of a kind one statement writes at most.
const journalBatch = 100

// note appends to the journal.
func (tx *Tx) note(ctx context.Context, more journal) error {
	j := &tx.kept.journal
	j.changes = append(j.changes, more.changes...)
	j.entries = append(j.entries, more.entries...)
	if max(len(j.changes), len(j.entries)) < journalBatch {
		return nil
	}
	return tx.flushJournal(ctx)
}

// flushJournal writes what waits.
func (tx *Tx) flushJournal(ctx context.Context) error {
	_, err := tx.execJournaled(ctx, condition{})
	return err
}

// execJournaled writes what waits together with a statement, and says how many rows that has written.
func (tx *Tx) execJournaled(ctx context.Context, last condition) (int64, error) {
	j := tx.kept.journal
	tx.kept.journal = journal{}
	changes, err := inserting(ctx, tx, j.changes, nil)
	if err != nil {
		return 0, err
	}
	entries, err := inserting(ctx, tx, j.entries, nil)
	if err != nil {
		return 0, err
	}
	return tx.execTogether(ctx, changes, entries, last)
}
