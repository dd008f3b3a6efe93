package tools

import (
	"cmp"
	"context"
	"slices"
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
	Subject string `json:"subject" field:"subject" jsonschema:"What happened, in one line."`
	Kind    string `json:"kind,omitempty" field:"kind" enum:"CALL,MEETING,EMAIL,NOTE,WHATSAPP" jsonschema:"NOTE when left out."`
	Body    string `json:"body,omitempty" field:"body" max:"5000" jsonschema:"The details, if there are more."`
	Deal    string `json:"deal,omitempty" field:"dealId" kind:"deal" jsonschema:"The deal it is about: ID, external id or title."`
	Company string `json:"company,omitempty" field:"companyId" kind:"company" jsonschema:"The company it is about: ID or any of its names."`
	At      string `json:"at,omitempty" field:"at" jsonschema:"When it happened, as 2026-01-31T15:00:00+08:00; now when left out."`
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

// activityLogger is the tool log_activity.
type activityLogger struct {
	activities *crm.Activities
	resolver   *resolve.Resolver
}

func newLogActivity(s Services) *Tool {
	return newCreatingTool(Definition{
		Name: "log_activity", After: Continue, Permission: rbac.ActivityCreate,
		Main: "subject", Short: []string{"note"}, Example: `/note "They want a demo next Friday" deal="Acme renewal"`,
	}, s.Runner, activityLogger{s.Activities, s.Resolver})
}

func (l activityLogger) resolve(ctx context.Context, actor models.Actor, in logActivityArgs) (logActivityArgs, error) {
	if in.At != "" {
		if _, err := time.Parse(time.RFC3339, in.At); err != nil {
			return in, apperr.InvalidField("at", argText(actor.Lang, "args.time", "at"))
		}
	}
	if err := fixID(ctx, l.resolver, actor, models.TypeDeal, &in.Deal); err != nil {
		return in, err
	}
	if err := fixID(ctx, l.resolver, actor, models.TypeCompany, &in.Company); err != nil {
		return in, err
	}
	if in.Deal == "" && in.Company == "" {
		return in, apperr.InvalidField("deal", i18n.T(actor.Lang, "activity.no_target"))
	}
	in.Kind = cmp.Or(in.Kind, string(models.ActivityNote))
	return in, nil
}

func (l activityLogger) create(ctx context.Context, tx *store.Tx, actor models.Actor, in logActivityArgs) (creation, error) {
	input := crm.ActivityInput{
		Kind: models.ActivityKind(in.Kind), Subject: in.Subject, Body: in.Body, DealID: idOrNil(in.Deal), CompanyID: idOrNil(in.Company),
	}
	if in.At != "" {
		at, err := time.Parse(time.RFC3339, in.At)
		if err != nil {
			return creation{}, apperr.InvalidField("at", argText(actor.Lang, "args.time", "at"))
		}
		input.At = &at
	}
	activity, err := bound(l.activities, tx).Create(ctx, actor, input)
	if err != nil {
		return creation{}, err
	}
	fields := crm.ActivityDifferences(&store.ActivityView{}, activity)
	if in.At == "" { // it is the moment of the write, which is yet to come when this is a trial
		fields = slices.DeleteFunc(fields, func(d crm.Difference) bool { return d.Name == "at" })
	}
	return creation{Result: activityResult(actor.Lang, *activity), record: activityRefOf(*activity), fields: fields}, nil
}

func activityRefOf(v store.ActivityView) models.Ref {
	return models.Ref{Type: models.TypeActivity, ID: v.ID, Name: v.Subject}
}

func activityResult(lang string, v store.ActivityView) Result {
	refs := []models.Ref{activityRefOf(v)}
	if v.DealTitle != "" {
		refs = append(refs, models.Ref{Type: models.TypeDeal, ID: *v.DealID, Name: v.DealTitle})
	}
	if v.CompanyName != "" {
		refs = append(refs, models.Ref{Type: models.TypeCompany, ID: *v.CompanyID, Name: v.CompanyName})
	}
	summary := i18n.T(lang, "activity.logged", "subject", v.Subject, "on", dots(v.DealTitle, v.CompanyName))
	return Result{Data: activityRowOf(v), Summary: summary, Text: summary, Refs: refs}
}
