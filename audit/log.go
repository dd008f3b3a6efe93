package audit

import (
	"context"

	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// Log lets people read the record.
type Log struct {
	runner store.Runner
	gate   *Gate
}

// NewLog returns a Log.
func NewLog(runner store.Runner, gate *Gate) *Log { return &Log{runner: runner, gate: gate} }

// List returns a page of the record, newest first. It needs audit:read.
func (l *Log) List(ctx context.Context, actor models.Actor, f store.AuditFilter, p store.Page) (list store.List[models.AuditEntry], err error) {
	g, err := l.gate.Authorize(ctx, actor, rbac.AuditRead)
	if err != nil {
		return list, err
	}
	err = l.runner.View(ctx, func(r *store.Reader) error {
		list, err = r.AuditEntries(ctx, g, f, p)
		return err
	})
	return list, err
}
