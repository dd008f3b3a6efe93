package tools

import (
	"context"

	"countersign/crm"
	"countersign/models"
	"countersign/rbac"
	"countersign/resolve"
	"countersign/store"
)

type listQuotationsArgs struct {
	Company string `json:"company,omitempty" kind:"company" jsonschema:"Only quotations for this company: ID or any of its names."`
	Contact string `json:"contact,omitempty" kind:"contact" jsonschema:"Only quotations for this contact: ID, e-mail or name."`
	Deal    string `json:"deal,omitempty" kind:"deal" jsonschema:"Only quotations of this deal: ID, external id or title."`
	Owner   string `json:"owner,omitempty" kind:"person" jsonschema:"Only quotations of this person: ID, e-mail, name, or \"me\"."`
	Status  string `json:"status,omitempty" enum:"DRAFT,SENT,ACCEPTED,REJECTED,EXPIRED" jsonschema:"Only quotations of this status."`
	Limit   int    `json:"limit,omitempty" max:"50" jsonschema:"How many to show; 20 when left out."`
}

func newListQuotations(quotations *crm.Quotations, resolver *resolve.Resolver) *Tool {
	return newTool(Definition{
		Name: "list_quotations", Effect: Read, After: Continue, Permission: rbac.QuotationRead,
		Main: "company", Example: `/list_quotations company=Acme status=SENT`,
	}, func(ctx context.Context, actor models.Actor, in listQuotationsArgs) (Result, error) {
		filter := store.QuotationFilter{Status: models.QuotationStatus(in.Status)}
		for _, ref := range []struct {
			kind models.RecordType
			text string
			id   *string
		}{
			{models.TypeCompany, in.Company, &filter.CompanyID},
			{models.TypeContact, in.Contact, &filter.ContactID},
			{models.TypeDeal, in.Deal, &filter.DealID},
			{models.TypePerson, in.Owner, &filter.OwnerID},
		} {
			var err error
			if *ref.id, err = optionalID(ctx, resolver, actor, ref.kind, ref.text); err != nil {
				return Result{}, err
			}
		}
		page, err := quotations.List(ctx, actor, filter, store.Page{Limit: rowLimit(in.Limit)})
		if err != nil {
			return Result{}, err
		}
		return quotationsResult(actor.Lang, page), nil
	})
}

func quotationsResult(lang string, page store.List[store.QuotationView]) Result {
	list := make([]quotationRow, len(page.Items))
	lines := make([]string, len(page.Items))
	refs := make([]models.Ref, len(page.Items))
	for i, v := range page.Items {
		v.Notes = ""
		list[i], refs[i] = quotationRowOf(v), quotationRefOf(v)
		lines[i] = dots(v.Label(), v.CompanyName, statusText(lang, v.Status), v.Money(v.TotalMinor).String(), v.OwnerName)
	}
	summary := shownOf(lang, "quotations.found", len(list), page.Total)
	return Result{Data: rowsOf(list, page.Total), Summary: summary, Text: listText(summary, lines), Refs: refs}
}
