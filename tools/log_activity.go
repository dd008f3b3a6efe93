package tools

import (
	"context"
	"time"

	"countersign/apperr"
	"countersign/crm"
	"countersign/i18n"
	"countersign/models"
	"countersign/rbac"
	"countersign/resolve"
	"countersign/store"
)

type logActivityArgs struct {
	Subject string `json:"subject" jsonschema:"What happened, in one line."`
	Kind    string `json:"kind,omitempty" enum:"CALL,MEETING,EMAIL,NOTE,WHATSAPP" jsonschema:"NOTE when left out."`
	Body    string `json:"body,omitempty" max:"5000" jsonschema:"The details, if there are more."`
	Deal    string `json:"deal,omitempty" kind:"deal" jsonschema:"The deal it is about: ID, external id or title."`
	Company string `json:"company,omitempty" kind:"company" jsonschema:"The company it is about: ID or any of its names."`
	At      string `json:"at,omitempty" jsonschema:"When it happened, as 2026-01-31T15:00:00+08:00; now when left out."`
}

type activityRow struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	Subject string `json:"subject"`
	Body    string `json:"body,omitempty"`
	At      string `json:"at"`
	Company string `json:"company,omitempty"`
	Deal    string `json:"deal,omitempty"`
	Owner   string `json:"owner,omitempty"`
}

func activityRowOf(v store.ActivityView) activityRow {
	return activityRow{
		ID: v.ID, Kind: string(v.Kind), Subject: v.Subject, At: v.At.In(models.Zone()).Format(time.RFC3339),
		Company: v.CompanyName, Deal: v.DealTitle,
	}
}

func newLogActivity(activities *crm.Activities, resolver *resolve.Resolver) *Tool {
	return newTool(Definition{
		Name: "log_activity", Effect: Create, After: Continue, Permission: rbac.ActivityCreate,
		Main: "subject", Short: []string{"note"}, Example: `/note "They want a demo next Friday" deal="Acme renewal"`,
	}, func(ctx context.Context, actor models.Actor, in logActivityArgs) (Result, error) {
		input, err := in.input(ctx, resolver, actor)
		if err != nil {
			return Result{}, err
		}
		activity, err := activities.Create(ctx, actor, input)
		if err != nil {
			return Result{}, err
		}
		return activityResult(actor.Lang, *activity), nil
	})
}

// input resolves the arguments of a new activity.
func (in logActivityArgs) input(ctx context.Context, r *resolve.Resolver, actor models.Actor) (crm.ActivityInput, error) {
	input := crm.ActivityInput{Kind: models.ActivityKind(in.Kind), Subject: in.Subject, Body: in.Body}
	if in.Kind == "" {
		input.Kind = models.ActivityNote
	}
	if in.At != "" {
		at, err := time.Parse(time.RFC3339, in.At)
		if err != nil {
			return input, apperr.InvalidField("at", argText(actor.Lang, "args.time", "at"))
		}
		input.At = &at
	}
	if in.Deal != "" {
		deal, err := namedForWrite(ctx, r, actor, models.TypeDeal, in.Deal)
		if err != nil {
			return input, err
		}
		input.DealID = &deal.ID
	}
	if in.Company != "" {
		company, err := namedForWrite(ctx, r, actor, models.TypeCompany, in.Company)
		if err != nil {
			return input, err
		}
		input.CompanyID = &company.ID
	}
	if input.DealID == nil && input.CompanyID == nil {
		return input, apperr.InvalidField("deal", i18n.T(actor.Lang, "activity.no_target"))
	}
	return input, nil
}

func activityResult(lang string, v store.ActivityView) Result {
	refs := []models.Ref{{Type: models.TypeActivity, ID: v.ID, Name: v.Subject}}
	if v.DealTitle != "" {
		refs = append(refs, models.Ref{Type: models.TypeDeal, ID: *v.DealID, Name: v.DealTitle})
	}
	if v.CompanyName != "" {
		refs = append(refs, models.Ref{Type: models.TypeCompany, ID: *v.CompanyID, Name: v.CompanyName})
	}
	summary := i18n.T(lang, "activity.logged", "subject", v.Subject, "on", dots(v.DealTitle, v.CompanyName))
	return Result{Data: activityRowOf(v), Summary: summary, Text: summary, Refs: refs}
}
