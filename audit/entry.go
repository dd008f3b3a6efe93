package audit

import (
	"context"
	"time"
	"unicode/utf8"

	"countersign/models"
	"countersign/store"
)

// Entry is what a service says about an attempt; the actor's own data is added by [Write].
type Entry struct {
	Action   string
	Target   models.Ref
	Decision models.Decision
	Reason   string
	// Detail is encoded as JSON and must hold neither secrets nor message texts.
	Detail any
}

// maxLine bounds, in bytes, what comes from outside.
const maxLine = 500

// Write appends an entry in the transaction of what it records: if the record cannot be kept, nothing happens.
func Write(ctx context.Context, tx *store.Tx, actor models.Actor, at time.Time, e Entry) error {
	row := &models.AuditEntry{
		ID: models.NewID(), At: at, ActorName: actor.Name, Via: actor.Via, Model: line(actor.Model), Client: line(actor.Client),
		IP: actor.IP, UserAgent: line(actor.UserAgent), RequestID: line(actor.RequestID),
		Action: e.Action, TargetType: e.Target.Type, TargetID: line(e.Target.ID), Decision: e.Decision, Reason: line(e.Reason),
	}
	if actor.UserID != "" {
		row.ActorID = &actor.UserID
	}
	if e.Detail != nil {
		row.Detail = models.ToJSON(e.Detail)
	}
	return tx.AddAuditEntry(ctx, row)
}

// line makes a text from outside storable, whatever it holds, and cuts it between characters: nobody gets
// around the record by sending what it cannot keep.
func line(s string) string {
	s = models.CleanLine(s)
	if len(s) <= maxLine {
		return s
	}
	n := maxLine
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
