package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"countersign/models"
	"countersign/rbac"
)

var auditSorts = map[string]sortKey{"updatedAt": {expr: "audit_entries.at", kind: sortTime}}

// AuditFilter narrows the record; zero fields do not.
type AuditFilter struct {
	ActorID    string
	Action     string
	TargetType models.RecordType
	TargetID   string
	Decision   models.Decision
	From, To   *time.Time
}

// AuditEntries lists the record, newest first.
func (r *Reader) AuditEntries(ctx context.Context, g rbac.Grant, f AuditFilter, p Page) (List[models.AuditEntry], error) {
	if err := g.For(rbac.AuditRead); err != nil {
		return List[models.AuditEntry]{}, err
	}
	keys, err := keysetOf(p, auditSorts, "audit_entries.id")
	if err != nil {
		return List[models.AuditEntry]{}, err
	}
	q := f.apply(r.q.WithContext(ctx).Model(&models.AuditEntry{}))
	return page(keys, q, q, func(v models.AuditEntry) (any, string) { return v.At, v.ID })
}

func (f AuditFilter) apply(q *gorm.DB) *gorm.DB {
	for _, c := range []struct{ sql, value string }{
		{"actor_id = ?", f.ActorID},
		{"action = ?", f.Action},
		{"target_type = ?", string(f.TargetType)},
		{"target_id = ?", f.TargetID},
		{"decision = ?", string(f.Decision)},
	} {
		if c.value != "" {
			q = q.Where(c.sql, c.value)
		}
	}
	if f.From != nil {
		q = q.Where("at >= ?", *f.From)
	}
	if f.To != nil {
		q = q.Where("at < ?", *f.To)
	}
	return q
}

// AddAuditEntry appends to the record, unsealed. What a transaction tells of its writes is written together, at the latest when
// it commits, and only then does a reader in it see it.
func (tx *Tx) AddAuditEntry(ctx context.Context, e *models.AuditEntry) error {
	return tx.note(ctx, journal{entries: []*models.AuditEntry{e}})
}

// AuditTail is the last sealed entry, nil before the first. It holds the seal of the record until the
// transaction ends: of several replicas one seals at a time.
func (tx *Tx) AuditTail(ctx context.Context) (*models.AuditEntry, error) {
	if tx.dialect == dialectPostgres {
		if err := tx.q.WithContext(ctx).Exec("SELECT pg_advisory_xact_lock(?)", auditSealLock).Error; err != nil {
			return nil, translate(err)
		}
	}
	return firstOf[models.AuditEntry](tx.q.WithContext(ctx).Where("seq IS NOT NULL").Order("seq DESC"))
}

// auditSealLock is the key of the advisory lock that the sealer takes.
const auditSealLock = 0x636f756e74 // "count"

// UnsealedAudit are entries that are not chained yet, in the order of their ids.
func (tx *Tx) UnsealedAudit(ctx context.Context, limit int) ([]models.AuditEntry, error) {
	var rows []models.AuditEntry
	err := tx.q.WithContext(ctx).Where("seq IS NULL").Order("id").Limit(limit).Find(&rows).Error
	return rows, translate(err)
}

// SealAudit writes an entry's place in the chain.
func (tx *Tx) SealAudit(ctx context.Context, e *models.AuditEntry) error {
	return oneRow(tx.q.WithContext(ctx).Model(&models.AuditEntry{}).Where("id = ? AND seq IS NULL", e.ID).
		Updates(map[string]any{"seq": e.Seq, "prev_hash": e.PrevHash, "hash": e.Hash}))
}

// SealedAudit are chained entries after a sequence number, in order.
func (r *Reader) SealedAudit(ctx context.Context, after int64, limit int) ([]models.AuditEntry, error) {
	var rows []models.AuditEntry
	err := r.q.WithContext(ctx).Where("seq > ?", after).Order("seq").Limit(limit).Find(&rows).Error
	return rows, translate(err)
}

// HasUnsealedAudit reports whether entries wait for the sealer.
func (r *Reader) HasUnsealedAudit(ctx context.Context) (bool, error) {
	var ids []string
	err := r.q.WithContext(ctx).Model(&models.AuditEntry{}).Where("seq IS NULL").Limit(1).Pluck("id", &ids).Error
	return len(ids) > 0, translate(err)
}
