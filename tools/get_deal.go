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

type getDealArgs struct {
	Deal string `json:"deal" kind:"deal" jsonschema:"The deal: its ID, external id or title."`
}

func newGetDeal(deals *crm.Deals, resolver *resolve.Resolver) *Tool {
	return newTool(Definition{
		Name: "get_deal", Effect: Read, After: Continue, Permission: rbac.DealRead,
		Main: "deal", Short: []string{"deal"}, Example: `/deal "Acme renewal"`,
	}, func(ctx context.Context, actor models.Actor, in getDealArgs) (Result, error) {
		ref, err := named(ctx, resolver, actor, models.TypeDeal, in.Deal)
		if err != nil {
			return Result{}, err
		}
		deal, err := deals.Get(ctx, actor, ref.ID)
		if err != nil {
			return Result{}, err
		}
		return dealResult(actor.Lang, *deal), nil
	})
}

func dealResult(lang string, v store.DealView) Result {
	row := dealRowOf(v)
	refs := []models.Ref{dealRefOf(v)}
	if v.CompanyName != "" {
		refs = append(refs, models.Ref{Type: models.TypeCompany, ID: *v.CompanyID, Name: v.CompanyName})
	}
	lines := []string{}
	for _, f := range []struct{ key, value string }{
		{"company", row.Company},
		{"product", row.Product},
		{"pipeline", row.Pipeline},
		{"stage", row.Stage},
		{"amount", amountText(lang, row.Amount)},
		{"expected_close", row.ExpectedCloseDate},
		{"closed", row.ClosedOn},
		{"lost_reason", row.LostReason},
		{"owner", row.Owner},
	} {
		if f.value != "" {
			lines = append(lines, i18n.T(lang, "value.labelled", "label", i18n.T(lang, "field."+f.key), "value", f.value))
		}
	}
	return Result{Data: row, Summary: dots(v.Title, v.StageName, amountText(lang, v.Amount())), Text: listText(v.Title, lines), Refs: refs}
}
