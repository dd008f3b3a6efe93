package api

import (
	"context"
	"time"

	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// AuditItem is one entry of the record. Hash is missing until the entry has been chained, a moment after it was written.
type AuditItem struct {
	ID        string      `json:"id"`
	At        time.Time   `json:"at"`
	Actor     AuditActor  `json:"actor"`
	Action    string      `json:"action"`
	Target    AuditTarget `json:"target"`
	Decision  string      `json:"decision" enum:"allowed,denied,proposed,failed"`
	Reason    string      `json:"reason,omitempty"`
	Detail    models.JSON `json:"detail"`
	RequestID string      `json:"requestId"`
	Hash      string      `json:"hash,omitempty"`
}

// AuditActor is who made an attempt, by what way and from where.
type AuditActor struct {
	Actor
	IP        string `json:"ip,omitempty"`
	UserAgent string `json:"userAgent,omitempty"`
}

// AuditTarget is what an attempt was about; empty where it was about nothing in particular.
type AuditTarget struct {
	Type string `json:"type"`
	ID   string `json:"id"`
}

// AuditList narrows the record.
type AuditList struct {
	Paged
	ActorID    string    `query:"actorId" maxLength:"100"`
	Action     string    `query:"action" maxLength:"100"`
	TargetType string    `query:"targetType" maxLength:"50"`
	TargetID   string    `query:"targetId" maxLength:"100"`
	Decision   string    `query:"decision" enum:"allowed,denied,proposed,failed"`
	From       time.Time `query:"from" doc:"Inclusive."`
	To         time.Time `query:"to" doc:"Exclusive."`
}

func (s *server) auditRoutes() {
	handle(s, get("/api/audit", "listAudit", "The record, newest first").needs(rbac.AuditRead), s.listAudit)
}

func (s *server) listAudit(ctx context.Context, actor models.Actor, in *AuditList) (*one[Page[AuditItem]], error) {
	f := store.AuditFilter{
		ActorID: in.ActorID, Action: in.Action, TargetType: models.RecordType(in.TargetType), TargetID: in.TargetID,
		Decision: models.Decision(in.Decision), From: given(in.From), To: given(in.To),
	}
	list, err := s.Audit.List(ctx, actor, f, in.page())
	return pageOf(list, err, auditItemOf)
}

func auditItemOf(e *models.AuditEntry) AuditItem {
	return AuditItem{
		ID: e.ID, At: e.At, Action: e.Action, Target: AuditTarget{string(e.TargetType), e.TargetID}, Decision: string(e.Decision),
		Reason: e.Reason, Detail: e.Detail, RequestID: e.RequestID, Hash: e.Hash,
		Actor: AuditActor{
			Actor: Actor{UserID: e.ActorID, Name: e.ActorName, Via: string(e.Via), Model: e.Model, Client: e.Client},
			IP:    e.IP, UserAgent: e.UserAgent,
		},
	}
}
