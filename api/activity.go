package api

import (
	"context"
	"time"

	"countersign/crm"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// Activity is an entry of the timeline, with the names of what it is about.
type Activity struct {
	ID            string    `json:"id"`
	Kind          string    `json:"kind" enum:"CALL,MEETING,EMAIL,NOTE,WHATSAPP,SYSTEM,ASSISTANT"`
	Subject       string    `json:"subject"`
	Body          string    `json:"body,omitempty"`
	At            time.Time `json:"at"`
	CompanyID     *string   `json:"companyId,omitempty"`
	CompanyName   string    `json:"companyName,omitempty"`
	DealID        *string   `json:"dealId,omitempty"`
	DealTitle     string    `json:"dealTitle,omitempty"`
	QuotationID   *string   `json:"quotationId,omitempty"`
	QuotationName string    `json:"quotationName,omitempty"`
	OwnerID       string    `json:"ownerId"`
	OwnerName     string    `json:"ownerName"`
	Version       int64     `json:"version"`
	CreatedAt     time.Time `json:"createdAt"`
	UpdatedAt     time.Time `json:"updatedAt"`
}

func activityOf(a *store.ActivityView) Activity {
	return Activity{
		ID: a.ID, Kind: string(a.Kind), Subject: a.Subject, Body: a.Body, At: a.At, CompanyID: a.CompanyID, CompanyName: a.CompanyName,
		DealID: a.DealID, DealTitle: a.DealTitle, QuotationID: a.QuotationID, QuotationName: a.QuotationName, OwnerID: a.OwnerID, OwnerName: a.OwnerName, Version: a.Version,
		CreatedAt: a.CreatedAt, UpdatedAt: a.UpdatedAt,
	}
}

func (a Activity) identity() (id string, version int64) { return a.ID, a.Version }

// ActivityInput is a new activity on a company, a deal or both.
type ActivityInput struct {
	Kind      string     `json:"kind" enum:"CALL,MEETING,EMAIL,NOTE,WHATSAPP"`
	Subject   string     `json:"subject"`
	Body      string     `json:"body,omitempty"`
	At        *time.Time `json:"at,omitempty" doc:"Now if left out."`
	CompanyID *string    `json:"companyId,omitempty"`
	DealID    *string    `json:"dealId,omitempty"`
}

// ActivityPatch changes what it names. What an activity is about stays.
type ActivityPatch struct {
	Version int64                         `json:"version,omitempty" minimum:"1" doc:"The version that you have seen."`
	Kind    Settable[models.ActivityKind] `json:"kind,omitempty"`
	Subject Settable[string]              `json:"subject,omitempty"`
	Body    Clearable[string]             `json:"body,omitempty"`
	At      Settable[time.Time]           `json:"at,omitempty"`
}

// ActivityList narrows and orders a list of activities.
type ActivityList struct {
	Sorted
	CompanyID   string `query:"companyId" maxLength:"100" doc:"Those on deals of the company are part of the list."`
	DealID      string `query:"dealId" maxLength:"100"`
	QuotationID string `query:"quotationId" maxLength:"100"`
	OwnerID     string `query:"ownerId" maxLength:"100"`
	Kind        string `query:"kind" enum:"CALL,MEETING,EMAIL,NOTE,WHATSAPP,SYSTEM,ASSISTANT"`
}

func (s *server) activityRoutes() {
	addRecord(s, recordRoutes[Activity]{
		kind: models.TypeActivity, plural: "activities",
		read: rbac.ActivityRead, remove: rbac.ActivityDelete, restore: rbac.ActivityRestore,
		get: func(ctx context.Context, actor models.Actor, id string) (Activity, error) {
			return shownOne(activityOf)(s.Activities.Get(ctx, actor, id))
		},
		delete: s.Activities.Delete,
		undelete: func(ctx context.Context, actor models.Actor, id string) (Activity, error) {
			return shownOne(activityOf)(s.Activities.Restore(ctx, actor, id))
		},
	})
	handle(s, get("/api/activities", "listActivities", "List activities").needs(rbac.ActivityRead), s.listActivities)
	handle(s, post("/api/activities", "createActivity", "Log an activity").needs(rbac.ActivityCreate).creates().replays(), s.createActivity)
	handle(s, patch("/api/activities/{id}", "updateActivity", "Change an activity").needs(rbac.ActivityUpdate), s.updateActivity)
}

func (s *server) listActivities(ctx context.Context, actor models.Actor, in *ActivityList) (*one[Page[Activity]], error) {
	f := store.ActivityFilter{CompanyID: in.CompanyID, DealID: in.DealID, QuotationID: in.QuotationID, OwnerID: in.OwnerID, Kind: models.ActivityKind(in.Kind)}
	list, err := s.Activities.List(ctx, actor, f, in.page())
	return pageOf(list, err, activityOf)
}

func (s *server) createActivity(ctx context.Context, actor models.Actor, in *one[ActivityInput]) (*versioned[Activity], error) {
	b := &in.Body
	activity, err := shownOne(activityOf)(s.Activities.Create(ctx, actor, crm.ActivityInput{
		Kind: models.ActivityKind(b.Kind), Subject: b.Subject, Body: b.Body, At: b.At, CompanyID: b.CompanyID, DealID: b.DealID,
	}))
	return created(activity, err, "activities")
}

func (s *server) updateActivity(ctx context.Context, actor models.Actor, in *patchOf[ActivityPatch]) (*versioned[Activity], error) {
	b := &in.Body
	version, err := in.version(b.Version)
	if err != nil {
		return nil, err
	}
	return record(shownOne(activityOf)(s.Activities.Update(ctx, actor, in.id(), version, crm.ActivityPatch{
		Kind: b.Kind.Optional, Subject: b.Subject.Optional, Body: b.Body.Optional, At: b.At.Optional,
	})))
}
