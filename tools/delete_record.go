package tools

import (
	"context"

	"countersign/i18n"
	"countersign/models"
	"countersign/rbac"
	"countersign/resolve"
)

type deleteRecordArgs struct {
	Type   string `json:"type" enum:"company,deal,quotation" jsonschema:"The kind of record."`
	Record string `json:"record" jsonschema:"The record: its ID or name."`
}

// recordPages are the pages on which a person works with a record.
var recordPages = map[models.RecordType]string{models.TypeCompany: "/companies/", models.TypeDeal: "/deals/", models.TypeQuotation: "/quotations/"}

// newDeleteRecord makes the tool that a model calls instead of deleting: it cannot delete.
func newDeleteRecord(resolver *resolve.Resolver) *Tool {
	return newTool(Definition{
		Name: "delete_record", Effect: Destructive, After: Finish, Permission: rbac.AssistantUse,
		Main: "record", Example: `/delete_record type=deal record="Acme renewal"`,
	}, func(ctx context.Context, actor models.Actor, in deleteRecordArgs) (Result, error) {
		ref, err := namedForWrite(ctx, resolver, actor, models.RecordType(in.Type), in.Record)
		if err != nil {
			return Result{}, err
		}
		link := recordPages[ref.Type] + ref.ID
		text := i18n.T(actor.Lang, "delete.link", "name", ref.Name, "link", link)
		return Result{
			Data: map[string]any{"deleted": false, "link": link, "record": ref}, Summary: text, Text: text, Refs: []models.Ref{ref},
		}, nil
	})
}
