package tools

import (
	"context"

	"countersign/crm"
	"countersign/models"
	"countersign/rbac"
	"countersign/resolve"
	"countersign/store"
)

type reviseQuotationArgs struct {
	Quotation       string              `json:"quotation" kind:"quotation" jsonschema:"The quotation to revise: its ID or number, such as Q-2026-0001."`
	Items           []quotationLineArgs `json:"items,omitempty" jsonschema:"All lines of the new revision, in their order. The lines stay as they are when left out."`
	DiscountPercent string              `json:"discount_percent,omitempty" max:"40" jsonschema:"Off the whole quotation, in percent, instead of the discount that it has."`
	ValidUntil      string              `json:"valid_until,omitempty" jsonschema:"The last day on which it is valid, as 2026-01-31."`
	Notes           string              `json:"notes,omitempty" max:"2000" jsonschema:"Terms that the customer reads on it, instead of those that it has."`
}

// quotationReviser is the tool revise_quotation. What it makes is a draft: the quotation itself stays in force.
type quotationReviser struct {
	quotations *crm.Quotations
	resolver   *resolve.Resolver
}

func newReviseQuotation(s Services) *Tool {
	return newCreatingTool(Definition{
		Name: "revise_quotation", After: Continue, Permission: rbac.QuotationCreate,
		Main: "quotation", Example: `/revise_quotation Q-2026-0001 discount_percent=15`,
	}, s.Runner, quotationReviser{s.Quotations, s.Resolver})
}

func (r quotationReviser) resolve(ctx context.Context, actor models.Actor, in reviseQuotationArgs) (reviseQuotationArgs, error) {
	ref, err := namedForWrite(ctx, r.resolver, actor, models.TypeQuotation, in.Quotation)
	if err != nil {
		return in, err
	}
	in.Quotation = ref.ID
	if len(in.Items) > 0 {
		in.Items, err = fixProducts(ctx, r.resolver, actor, in.Items)
	}
	return in, err
}

func (r quotationReviser) create(ctx context.Context, tx *store.Tx, actor models.Actor, in reviseQuotationArgs) (creation, error) {
	patch, err := in.patch(actor.Lang)
	if err != nil {
		return creation{}, err
	}
	v, err := bound(r.quotations, tx).Revise(ctx, actor, in.Quotation, patch)
	if err != nil {
		return creation{}, err
	}
	return quotationCreation(actor.Lang, "quotation.revised", v), nil
}

// patch is what the new revision is to have instead of what the quotation has.
func (in reviseQuotationArgs) patch(lang string) (patch crm.QuotationPatch, err error) {
	if len(in.Items) > 0 {
		lines, err := quotationLines(lang, in.Items)
		if err != nil {
			return patch, err
		}
		patch.Items = models.Some(lines)
	}
	if in.DiscountPercent != "" {
		percent, err := numberArg(lang, "discount_percent", in.DiscountPercent)
		if err != nil {
			return patch, err
		}
		patch.Discount = models.Some(models.Discount{DiscountRateE4: percent})
	}
	if in.Notes != "" {
		patch.Notes = models.Some(in.Notes)
	}
	valid, err := dateArg("valid_until", in.ValidUntil, lang)
	if valid != nil {
		patch.ValidUntil = models.Some(*valid)
	}
	return patch, err
}
