package api

import (
	"context"
	"time"

	"countersign/crm"
	"countersign/models"
	"countersign/rbac"
)

// HistoryItem is one change of one field. BeforeName and AfterName are the names of records that the values are
// ids of, as far as the reader may see them.
type HistoryItem struct {
	ID         string      `json:"id"`
	At         time.Time   `json:"at"`
	Field      string      `json:"field"`
	Before     models.JSON `json:"before" doc:"null for no value."`
	After      models.JSON `json:"after" doc:"null for no value."`
	BeforeName string      `json:"beforeName,omitempty"`
	AfterName  string      `json:"afterName,omitempty"`
	Actor      Actor       `json:"actor"`
	ProposalID *string     `json:"proposalId,omitempty"`
	ApprovedBy *Person     `json:"approvedBy,omitempty" doc:"Who approved it, where a rule demanded that."`
}

// Actor is who did something, and by what way.
type Actor struct {
	UserID *string `json:"userId,omitempty"`
	Name   string  `json:"name"`
	Via    string  `json:"via"`
	Model  string  `json:"model,omitempty"`
	Client string  `json:"client,omitempty"`
}

// Person is somebody by the name of the time.
type Person struct {
	UserID string `json:"userId"`
	Name   string `json:"name"`
}

func historyItemOf(i *crm.HistoryItem) HistoryItem {
	item := HistoryItem{
		ID: i.ID, At: i.At, Field: i.Field, Before: i.BeforeValue, After: i.AfterValue, BeforeName: i.BeforeName, AfterName: i.AfterName,
		Actor:      Actor{UserID: i.ActorUserID, Name: i.ActorName, Via: string(i.Via), Model: i.Model, Client: i.Client},
		ProposalID: i.ProposalID,
	}
	if i.ApproverID != nil {
		item.ApprovedBy = &Person{UserID: *i.ApproverID, Name: i.ApproverName}
	}
	return item
}

// timeline asks for the activities of a record.
type timeline struct {
	ByID
	Paged
}

func (s *server) addTimeline(kind models.RecordType, plural string) {
	route := get("/api/"+plural+"/{id}/timeline", "get"+titleOf(kind)+"Timeline", "What happened, the latest first").needs(rbac.ActivityRead)
	handle(s, route, func(ctx context.Context, actor models.Actor, in *timeline) (*one[Page[Activity]], error) {
		list, err := s.Activities.Timeline(ctx, actor, models.Ref{Type: kind, ID: in.id()}, in.page())
		return pageOf(list, err, activityOf)
	})
}
