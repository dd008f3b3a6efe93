package tools

import (
	"context"

	"countersign/crm"
	"countersign/i18n"
	"countersign/models"
	"countersign/rbac"
	"countersign/resolve"
	"countersign/store"
)

type listActivitiesArgs struct {
	Company string `json:"company,omitempty" kind:"company" jsonschema:"Only on this company and its deals: ID or any of its names."`
	Deal    string `json:"deal,omitempty" kind:"deal" jsonschema:"Only on this deal: ID, external id or title."`
	Owner   string `json:"owner,omitempty" kind:"person" jsonschema:"Only of this person: ID, e-mail, name, or \"me\"."`
	Kind    string `json:"kind,omitempty" enum:"CALL,MEETING,EMAIL,NOTE,WHATSAPP,SYSTEM,ASSISTANT" jsonschema:"Only of this kind."`
	Limit   int    `json:"limit,omitempty" max:"50" jsonschema:"How many to show; 20 when left out."`
}

// maxBody bounds, in characters, what a list gives of an activity's body.
const maxBody = 300

func newListActivities(activities *crm.Activities, resolver *resolve.Resolver) *Tool {
	return newTool(Definition{
		Name: "list_activities", Effect: Read, After: Continue, Permission: rbac.ActivityRead,
		Main: "company", Example: `/list_activities deal="Acme renewal"`,
	}, func(ctx context.Context, actor models.Actor, in listActivitiesArgs) (Result, error) {
		filter, err := in.filter(ctx, resolver, actor)
		if err != nil {
			return Result{}, err
		}
		page, err := activities.List(ctx, actor, filter, store.Page{Limit: rowLimit(in.Limit), Sort: "-at"})
		if err != nil {
			return Result{}, err
		}
		return activitiesResult(actor, page), nil
	})
}

// filter resolves the names to ids.
func (in listActivitiesArgs) filter(ctx context.Context, r *resolve.Resolver, actor models.Actor) (store.ActivityFilter, error) {
	f := store.ActivityFilter{Kind: models.ActivityKind(in.Kind)}
	for _, ref := range []struct {
		kind models.RecordType
		text string
		id   *string
	}{
		{models.TypeCompany, in.Company, &f.CompanyID},
		{models.TypeDeal, in.Deal, &f.DealID},
		{models.TypePerson, in.Owner, &f.OwnerID},
	} {
		id, err := optionalID(ctx, r, actor, ref.kind, ref.text)
		if err != nil {
			return f, err
		}
		*ref.id = id
	}
	return f, nil
}

func activitiesResult(actor models.Actor, page store.List[store.ActivityView]) Result {
	lang := actor.Lang
	var outside *models.Ref
	list := make([]activityRow, len(page.Items))
	lines := make([]string, len(page.Items))
	refs := make([]models.Ref, len(page.Items))
	for i, v := range page.Items {
		list[i], refs[i] = activityRowOf(v), activityRefOf(v)
		list[i].Body, list[i].Owner = cutRunes(v.Body, maxBody), v.OwnerName
		if outside == nil && outsideActivity(actor, v) {
			outside = &refs[i]
		}
		at := v.At.In(models.Zone()).Format("2006-01-02 15:04")
		lines[i] = dots(at, i18n.T(lang, "activity_kind."+string(v.Kind)), v.Subject, v.DealTitle, v.CompanyName, v.OwnerName)
	}
	summary := shownOf(lang, "activities.found", len(list), page.Total)
	return Result{Data: rowsOf(list, page.Total), Summary: summary, Text: listText(summary, lines), Refs: refs, Outside: outside}
}
