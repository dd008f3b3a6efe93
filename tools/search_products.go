package tools

import (
	"context"

	"countersign/crm"
	"countersign/i18n"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

type searchProductsArgs struct {
	Query string `json:"query,omitempty" jsonschema:"A part of the product's name or SKU, in any script."`
	Limit int    `json:"limit,omitempty" max:"50" jsonschema:"How many to show; 20 when left out."`
}

type productRow struct {
	ID         string         `json:"id"`
	SKU        string         `json:"sku"`
	Name       string         `json:"name"`
	OtherNames models.Strings `json:"otherNames,omitempty"`
	Unit       string         `json:"unit"`
	Price      *priceRow      `json:"price,omitempty"`
	Active     bool           `json:"active"`
}

// priceRow is a price of one unit, which may be finer than money.
type priceRow struct {
	Amount   string `json:"amount"`
	Currency string `json:"currency"`
}

func productRowOf(p models.Product) productRow {
	row := productRow{ID: p.ID, SKU: p.SKU, Name: p.Name, OtherNames: p.OtherNames, Unit: p.Unit, Active: p.Active}
	if amount, currency := p.UnitPrice(); amount != "" {
		row.Price = &priceRow{amount, currency}
	}
	return row
}

func newSearchProducts(products *crm.Products) *Tool {
	return newTool(Definition{
		Name: "search_products", Effect: Read, After: Continue, Permission: rbac.ProductRead,
		Main: "query", Example: `/search_products crane`,
	}, func(ctx context.Context, actor models.Actor, in searchProductsArgs) (Result, error) {
		page, err := products.List(ctx, actor, in.Query, store.Page{Limit: rowLimit(in.Limit), Sort: "name"})
		if err != nil {
			return Result{}, err
		}
		list := make([]productRow, len(page.Items))
		lines := make([]string, len(page.Items))
		refs := make([]models.Ref, len(page.Items))
		for i, p := range page.Items {
			list[i], refs[i] = productRowOf(p), models.Ref{Type: models.TypeProduct, ID: p.ID, Name: p.Name}
			lines[i] = productText(actor.Lang, p)
		}
		summary := shownOf(actor.Lang, "products.found", len(list), page.Total)
		return Result{Data: rowsOf(list, page.Total), Summary: summary, Text: listText(summary, lines), Refs: refs}, nil
	})
}

func productText(lang string, p models.Product) string {
	price, inactive := p.UnitPriceText(), ""
	if price == "" {
		price = i18n.T(lang, "value.no_price")
	}
	if !p.Active {
		inactive = i18n.T(lang, "value.not_sold")
	}
	return dots(p.Name, p.SKU, price, inactive)
}
