package tools

import (
	"context"
	"fmt"
	"slices"
	"time"

	"countersign/apperr"
	"countersign/crm"
	"countersign/i18n"
	"countersign/models"
	"countersign/resolve"
	"countersign/store"
)

// What the tools of quotations have in common: lines as a model gives them, and quotations as results show them.

type quotationLineArgs struct {
	Product         string `json:"product,omitempty" jsonschema:"The product: ID, SKU or name. Leave it out for a line of free text."`
	Name            string `json:"name,omitempty" jsonschema:"What a line without a product is for."`
	Quantity        string `json:"quantity" max:"40" jsonschema:"How many, such as 3 or 2.5."`
	UnitPrice       string `json:"unit_price,omitempty" max:"40" jsonschema:"In the currency of the quotation, as 1234.50. The product's own price when left out; a line without a product needs it."`
	DiscountPercent string `json:"discount_percent,omitempty" max:"40" jsonschema:"Off this line alone, in percent: 10 for 九折."`
}

// fixProducts puts ids in place of the products' names.
func fixProducts(ctx context.Context, r *resolve.Resolver, actor models.Actor, lines []quotationLineArgs) ([]quotationLineArgs, error) {
	lines = slices.Clone(lines)
	for i := range lines {
		if err := fixID(ctx, r, actor, models.TypeProduct, &lines[i].Product); err != nil {
			return nil, err
		}
	}
	return lines, nil
}

// quotationLines reads the numbers of lines.
func quotationLines(lang string, args []quotationLineArgs) ([]crm.QuotationLine, error) {
	lines := make([]crm.QuotationLine, len(args))
	for i, a := range args {
		path := fmt.Sprintf("items.%d.", i)
		line := crm.QuotationLine{ProductID: idOrNil(a.Product), Name: a.Name}
		var err error
		if line.QuantityE4, err = numberArg(lang, path+"quantity", a.Quantity); err != nil {
			return nil, err
		}
		if line.DiscountRateE4, err = numberArg(lang, path+"discount_percent", a.DiscountPercent); err != nil {
			return nil, err
		}
		if a.UnitPrice != "" {
			price, err := numberArg(lang, path+"unit_price", a.UnitPrice)
			if err != nil {
				return nil, err
			}
			line.PriceE4 = &price
		}
		lines[i] = line
	}
	return lines, nil
}

// numberArg reads an argument that is stored times 10⁴; an empty one is 0.
func numberArg(lang, name, text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	e4, err := models.ParseE4(text)
	if err != nil {
		return 0, apperr.InvalidField(name, argText(lang, "args.number", name))
	}
	return e4, nil
}

// quotationRow is a quotation in a result.
type quotationRow struct {
	ID         string             `json:"id"`
	Number     string             `json:"number"`
	Status     string             `json:"status"`
	Superseded bool               `json:"superseded,omitempty"`
	Company    string             `json:"company,omitempty"`
	Contact    string             `json:"contact,omitempty"`
	Deal       string             `json:"deal,omitempty"`
	Owner      string             `json:"owner"`
	DraftedOn  string             `json:"draftedOn"`
	SentOn     string             `json:"sentOn,omitempty"`
	ValidUntil string             `json:"validUntil,omitempty"`
	Items      []quotationItemRow `json:"items,omitempty"`
	Subtotal   models.Money       `json:"subtotal"`
	Discount   string             `json:"discount,omitempty"`
	Net        models.Money       `json:"net"`
	Tax        models.Money       `json:"tax"`
	Total      models.Money       `json:"total"`
	Notes      string             `json:"notes,omitempty"`
}

type quotationItemRow struct {
	SKU       string       `json:"sku,omitempty"`
	Name      string       `json:"name"`
	Quantity  string       `json:"quantity"`
	UnitPrice string       `json:"unitPrice"`
	Discount  string       `json:"discount,omitempty"`
	Tax       string       `json:"taxPercent"`
	Total     models.Money `json:"lineTotal"`
}

func quotationRowOf(v store.QuotationView) quotationRow {
	day := func(t *time.Time) string {
		if t == nil {
			return ""
		}
		return string(models.DateOf(*t))
	}
	row := quotationRow{
		ID: v.ID, Number: v.Label(), Status: string(v.Status), Superseded: v.SupersededAt != nil, Company: v.CompanyName, Contact: v.ContactName,
		Deal: v.DealTitle, Owner: v.OwnerName, DraftedOn: day(&v.CreatedAt), SentOn: day(v.SentAt),
		Subtotal: v.Money(v.SubtotalMinor), Discount: v.Discount.Text(v.Currency), Net: v.Money(v.NetMinor()), Tax: v.Money(v.TaxMinor),
		Total: v.Money(v.TotalMinor), Notes: v.Notes,
	}
	if v.ValidUntil != nil {
		row.ValidUntil = string(*v.ValidUntil)
	}
	for _, i := range v.Items {
		row.Items = append(row.Items, quotationItemRow{
			SKU: i.SKU, Name: i.Name, Quantity: models.FormatE4(i.QuantityE4), UnitPrice: models.Price(i.PriceE4, v.Currency),
			Discount: i.Discount.Text(v.Currency), Tax: models.FormatE4(i.TaxRateE4), Total: v.Money(i.NetMinor),
		})
	}
	return row
}

func statusText(lang string, s models.QuotationStatus) string {
	return i18n.T(lang, "quotation_status."+string(s))
}

func quotationRefOf(v store.QuotationView) models.Ref {
	return models.Ref{Type: models.TypeQuotation, ID: v.ID, Name: v.Label()}
}

// quotationRefs are a quotation and the records that it is for, as far as their names show.
func quotationRefs(v store.QuotationView) []models.Ref {
	refs := []models.Ref{quotationRefOf(v)}
	for _, link := range []struct {
		kind models.RecordType
		id   *string
		name string
	}{{models.TypeCompany, &v.CompanyID, v.CompanyName}, {models.TypeContact, v.ContactID, v.ContactName}, {models.TypeDeal, v.DealID, v.DealTitle}} {
		if link.name != "" {
			refs = append(refs, models.Ref{Type: link.kind, ID: *link.id, Name: link.name})
		}
	}
	return refs
}

// quotationResult tells of a quotation, under a headline.
func quotationResult(lang, headline string, v store.QuotationView) Result {
	row := quotationRowOf(v)
	var lines []string
	for _, item := range v.Items {
		lines = append(lines, i18n.T(lang, "quotation.line", "item", item.Text(v.Currency), "total", v.Money(item.NetMinor)))
	}
	for _, f := range []struct{ key, value string }{
		{"company", row.Company},
		{"contact", row.Contact},
		{"deal", row.Deal},
		{"valid_until", row.ValidUntil},
		{"subtotal", row.Subtotal.String()},
		{"discount", row.Discount},
		{"tax", row.Tax.String()},
		{"total", row.Total.String()},
		{"status", statusText(lang, v.Status)},
		{"owner", row.Owner},
		{"notes", row.Notes},
	} {
		if f.value != "" {
			lines = append(lines, i18n.T(lang, "value.labelled", "label", i18n.T(lang, "field."+f.key), "value", f.value))
		}
	}
	return Result{Data: row, Summary: headline, Text: listText(headline, lines), Refs: quotationRefs(v)}
}
