package tools

import (
	"context"
	"slices"

	"countersign/audit"
	"countersign/crm"
	"countersign/i18n"
	"countersign/models"
	"countersign/proposals"
	"countersign/rbac"
	"countersign/resolve"
	"countersign/store"
)

type draftQuotationArgs struct {
	Company         string              `json:"company,omitempty" kind:"company" jsonschema:"The company it is for: ID or any of its names. That of the deal when left out."`
	Contact         string              `json:"contact,omitempty" kind:"contact" jsonschema:"The person it is for: ID, e-mail or name."`
	Deal            string              `json:"deal,omitempty" kind:"deal" jsonschema:"The deal it belongs to: ID, external id or title."`
	Items           []quotationLineArgs `json:"items" jsonschema:"The lines, in their order."`
	DiscountPercent string              `json:"discount_percent,omitempty" max:"40" jsonschema:"Off the whole quotation, in percent: 10 for 九折."`
	ValidUntil      string              `json:"valid_until,omitempty" jsonschema:"The last day on which it is valid, as 2026-01-31."`
	Currency        string              `json:"currency,omitempty" max:"3" jsonschema:"Such as HKD. That of the deal or of the products when left out."`
	Notes           string              `json:"notes,omitempty" max:"2000" jsonschema:"Terms that the customer reads on it."`
}

// quotationDrafter is the tool draft_quotation.
type quotationDrafter struct {
	quotations *crm.Quotations
	resolver   *resolve.Resolver
}

func newDraftQuotation(s Services) *Tool {
	return newCreatingTool(Definition{
		Name: "draft_quotation", After: Continue, Permission: rbac.QuotationCreate,
		Main: "company", Example: `/draft_quotation Acme items="3 x PL-1, 1 x CR-100" discount_percent=10`,
	}, s.Runner, quotationDrafter{s.Quotations, s.Resolver})
}

func (d quotationDrafter) resolve(ctx context.Context, actor models.Actor, in draftQuotationArgs) (_ draftQuotationArgs, err error) {
	for _, link := range []struct {
		kind models.RecordType
		text *string
	}{{models.TypeCompany, &in.Company}, {models.TypeContact, &in.Contact}, {models.TypeDeal, &in.Deal}} {
		if err := fixID(ctx, d.resolver, actor, link.kind, link.text); err != nil {
			return in, err
		}
	}
	in.Items, err = fixProducts(ctx, d.resolver, actor, in.Items)
	return in, err
}

func (d quotationDrafter) create(ctx context.Context, tx *store.Tx, actor models.Actor, in draftQuotationArgs) (creation, error) {
	lines, err := quotationLines(actor.Lang, in.Items)
	if err != nil {
		return creation{}, err
	}
	percent, err := numberArg(actor.Lang, "discount_percent", in.DiscountPercent)
	if err != nil {
		return creation{}, err
	}
	valid, err := dateArg("valid_until", in.ValidUntil, actor.Lang)
	if err != nil {
		return creation{}, err
	}
	v, err := bound(d.quotations, tx).Create(ctx, actor, crm.QuotationInput{
		CompanyID: idOrNil(in.Company), ContactID: idOrNil(in.Contact), DealID: idOrNil(in.Deal), Items: lines,
		Discount: models.Discount{DiscountRateE4: percent}, ValidUntil: valid, Currency: in.Currency, Notes: in.Notes,
	})
	if err != nil {
		return creation{}, err
	}
	made := quotationCreation(actor.Lang, "quotation.drafted", v)
	// Until it is drafted, somebody else may get the number first.
	made.fields = slices.DeleteFunc(made.fields, func(d crm.Difference) bool { return d.Name == "number" })
	return made, nil
}

// quotationCreation tells of a new draft.
func quotationCreation(lang, key string, v *store.QuotationView) creation {
	headline := i18n.T(lang, key, "name", v.Label(), "company", v.CompanyName, "total", v.Money(v.TotalMinor))
	fields := crm.QuotationDifferences(&store.QuotationView{}, v)
	if share := v.DiscountShareE4(); share > 0 {
		fields = append(fields, crm.Difference{Field: audit.Field{Name: proposals.DiscountField, After: share}})
	}
	return creation{Result: quotationResult(lang, headline, *v), record: quotationRefOf(*v), fields: fields}
}
