package tools

import (
	"context"

	"countersign/crm"
	"countersign/models"
	"countersign/rbac"
	"countersign/resolve"
	"countersign/store"
)

type searchCompaniesArgs struct {
	Query  string `json:"query,omitempty" jsonschema:"A part of any of the company's names, in any script."`
	Status string `json:"status,omitempty" enum:"LEAD,ACTIVE,INACTIVE,CHURNED" jsonschema:"Only companies of this status."`
	Owner  string `json:"owner,omitempty" kind:"person" jsonschema:"Only companies of this person: ID, e-mail, name, or \"me\"."`
	Parent string `json:"parent,omitempty" kind:"company" jsonschema:"Only subsidiaries of this company: ID or name."`
	Limit  int    `json:"limit,omitempty" max:"50" jsonschema:"How many to show; 20 when left out."`
}

type companyRow struct {
	ID         string         `json:"id"`
	Name       string         `json:"name"`
	OtherNames models.Strings `json:"otherNames,omitempty"`
	Industry   string         `json:"industry,omitempty"`
	Status     string         `json:"status"`
	Phone      string         `json:"phone,omitempty"`
	Website    string         `json:"website,omitempty"`
	Address    string         `json:"address,omitempty"`
	Owner      string         `json:"owner,omitempty"`
	Tags       models.Strings `json:"tags,omitempty"`
	Notes      string         `json:"notes,omitempty"`
}

func companyRowOf(c crm.Company) companyRow {
	return companyRow{
		ID: c.ID, Name: c.Name, OtherNames: c.OtherNames, Industry: c.Industry, Status: string(c.Status), Phone: c.Phone,
		Website: c.Website, Address: c.Address, Owner: c.OwnerName, Tags: c.Tags, Notes: c.Notes,
	}
}

func companyRefOf(c crm.Company) models.Ref {
	return models.Ref{Type: models.TypeCompany, ID: c.ID, Name: c.Name}
}

func newSearchCompanies(companies *crm.Companies, resolver *resolve.Resolver) *Tool {
	return newTool(Definition{
		Name: "search_companies", Effect: Read, After: Continue, Permission: rbac.CompanyRead,
		Main: "query", Example: `/search_companies 海港`,
	}, func(ctx context.Context, actor models.Actor, in searchCompaniesArgs) (Result, error) {
		owner, err := optionalID(ctx, resolver, actor, models.TypePerson, in.Owner)
		if err != nil {
			return Result{}, err
		}
		parent, err := optionalID(ctx, resolver, actor, models.TypeCompany, in.Parent)
		if err != nil {
			return Result{}, err
		}
		filter := store.CompanyFilter{OwnerID: owner, ParentID: parent, Status: models.CompanyStatus(in.Status), Text: in.Query}
		page, err := companies.List(ctx, actor, filter, store.Page{Limit: rowLimit(in.Limit)})
		if err != nil {
			return Result{}, err
		}
		return companiesResult(actor.Lang, page), nil
	})
}

func companiesResult(lang string, page store.List[crm.Company]) Result {
	list := make([]companyRow, len(page.Items))
	lines := make([]string, len(page.Items))
	refs := make([]models.Ref, len(page.Items))
	for i, c := range page.Items {
		list[i], refs[i] = companyRowOf(c), companyRefOf(c)
		list[i].Notes, list[i].Address = "", ""
		lines[i] = dots(c.Name, c.Industry, c.OwnerName)
	}
	summary := shownOf(lang, "companies.found", len(list), page.Total)
	return Result{Data: rowsOf(list, page.Total), Summary: summary, Text: listText(summary, lines), Refs: refs}
}
