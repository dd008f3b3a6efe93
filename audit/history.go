package audit

import (
	"bytes"
	"context"
	"time"

	"countersign/models"
	"countersign/store"
)

// Field is one field of a record before and after a write, as values that encode to JSON.
type Field struct {
	Name          string
	Before, After any
}

// Changed keeps the fields whose values differ as JSON.
func Changed(fields []Field) []Field {
	var changed []Field
	for _, f := range fields {
		if !bytes.Equal(value(f.Before), value(f.After)) {
			changed = append(changed, f)
		}
	}
	return changed
}

// History appends field changes of one write of a record. record carries the version that the write made.
func History(ctx context.Context, tx *store.Tx, actor models.Actor, t models.RecordType, record models.Record, at time.Time, fields []Field) error {
	changes := make([]models.FieldChange, 0, len(fields))
	for _, f := range fields {
		change := models.FieldChange{
			ID: models.NewID(), RecordType: t, RecordID: record.ID, RecordVersion: record.Version, Field: f.Name,
			BeforeValue: value(f.Before), AfterValue: value(f.After), At: at,
			ActorName: actor.Name, Via: actor.Via, Model: actor.Model, Client: actor.Client,
		}
		if actor.UserID != "" {
			change.ActorUserID = &actor.UserID
		}
		if actor.ProposalID != "" {
			change.ProposalID = &actor.ProposalID
		}
		if actor.ApproverID != "" {
			change.ApproverID, change.ApproverName = &actor.ApproverID, actor.ApproverName
		}
		changes = append(changes, change)
	}
	return tx.AddFieldChanges(ctx, changes)
}

// value is the JSON of a field's value; nil when there is none.
func value(v any) models.JSON {
	j := models.ToJSON(v)
	if bytes.Equal(j, []byte("null")) {
		return nil
	}
	return j
}
