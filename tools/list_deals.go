package tools

import (
	"context"

	"countersign/crm"
	"countersign/models"
	"countersign/rbac"
	"countersign/resolve"
	"countersign/store"
)

type listDealsArgs struct {
	dealFilterArgs
	Sort  string `json:"sort,omitempty" enum:"updated,amount,due,title" jsonschema:"Most recently updated first (the default), highest amount first, soonest due first, or by title."`
	Limit int    `json:"limit,omitempty" max:"50" jsonschema:"How many to show; 20 when left out."`
}

var dealOrders = map[string]string{"": "-updatedAt", "updated": "-updatedAt", "amount": "-amount", "due": "expectedCloseDate", "title": "title"}

func newListDeals(deals *crm.Deals, resolver *resolve.Resolver) *Tool {
	return newTool(Definition{
		Name: "list_deals", Effect: Read, After: Finish, Permission: rbac.DealRead,
		Main: "text", Example: `/list_deals status=open owner=me sort=amount`,
	}, func(ctx context.Context, actor models.Actor, in listDealsArgs) (Result, error) {
		filter, err := in.filter(ctx, resolver, actor)
		if err != nil {
			return Result{}, err
		}
		page, err := deals.List(ctx, actor, filter, store.Page{Limit: rowLimit(in.Limit), Sort: dealOrders[in.Sort]})
		if err != nil {
			return Result{}, err
		}
		list := make([]dealRow, len(page.Items))
		lines := make([]string, len(page.Items))
		refs := make([]models.Ref, len(page.Items))
		for i, v := range page.Items {
			list[i], refs[i] = dealRowOf(v), dealRefOf(v)
			lines[i] = dots(v.Title, v.CompanyName, v.StageName, amountText(actor.Lang, v.Amount()), v.OwnerName)
		}
		summary := shownOf(actor.Lang, "deals.found", len(list), page.Total)
		return Result{Data: rowsOf(list, page.Total), Summary: summary, Text: listText(summary, lines), Refs: refs}, nil
	})
}
