package tools

import (
	"context"

	"countersign/crm"
	"countersign/models"
	"countersign/rbac"
	"countersign/resolve"
)

type getQuotationArgs struct {
	Quotation string `json:"quotation" kind:"quotation" jsonschema:"The quotation: its ID or number, such as Q-2026-0001, or Q-2026-0001-R2 for its second revision."`
}

func newGetQuotation(quotations *crm.Quotations, resolver *resolve.Resolver) *Tool {
	return newTool(Definition{
		Name: "get_quotation", Effect: Read, After: Continue, Permission: rbac.QuotationRead,
		Main: "quotation", Short: []string{"quote"}, Example: `/quote Q-2026-0001`,
	}, func(ctx context.Context, actor models.Actor, in getQuotationArgs) (Result, error) {
		ref, err := named(ctx, resolver, actor, models.TypeQuotation, in.Quotation)
		if err != nil {
			return Result{}, err
		}
		v, err := quotations.Get(ctx, actor, ref.ID)
		if err != nil {
			return Result{}, err
		}
		headline := dots(v.Label(), statusText(actor.Lang, v.Status), v.CompanyName, v.Money(v.TotalMinor).String())
		result := quotationResult(actor.Lang, headline, *v)
		if v.Notes != "" && v.OwnerID != actor.UserID {
			result.Outside = &ref
		}
		return result, nil
	})
}
