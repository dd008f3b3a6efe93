package tools

import (
	"context"
	"unicode/utf8"

	"countersign/crm"
	"countersign/i18n"
	"countersign/models"
	"countersign/rbac"
	"countersign/resolve"
	"countersign/store"
)

type getCompanyArgs struct {
	Company string `json:"company" kind:"company" jsonschema:"The company: its ID or any of its names."`
}

type companyDetail struct {
	companyRow
	Subsidiaries []recordRow `json:"subsidiaries,omitempty"`
	// NotesCut says how many characters the notes have when only their beginning is given.
	NotesCut int `json:"notesCutFrom,omitempty"`
}

// maxNotes bounds, in characters, what is given of a company's notes.
const maxNotes = 2000

func newGetCompany(companies *crm.Companies, resolver *resolve.Resolver) *Tool {
	return newTool(Definition{
		Name: "get_company", Effect: Read, After: Continue, Permission: rbac.CompanyRead,
		Main: "company", Short: []string{"company"}, Example: `/company "Harbour Lights"`,
	}, func(ctx context.Context, actor models.Actor, in getCompanyArgs) (Result, error) {
		ref, err := named(ctx, resolver, actor, models.TypeCompany, in.Company)
		if err != nil {
			return Result{}, err
		}
		company, err := companies.Get(ctx, actor, ref.ID)
		if err != nil {
			return Result{}, err
		}
		children, err := companies.List(ctx, actor, store.CompanyFilter{ParentID: ref.ID}, store.Page{Limit: defaultRows})
		if err != nil {
			return Result{}, err
		}
		result := companyResult(actor.Lang, *company, children.Items)
		if company.Notes == "" {
			return result, nil
		}
		own, err := companies.OwnNotes(ctx, actor, company.ID)
		if !own {
			result.Outside = &result.Refs[0]
		}
		return result, err
	})
}

func companyResult(lang string, c crm.Company, children []crm.Company) Result {
	detail := companyDetail{companyRow: companyRowOf(c)}
	if n := utf8.RuneCountInString(c.Notes); n > maxNotes {
		detail.Notes, detail.NotesCut = cutRunes(c.Notes, maxNotes), n
	}
	refs := []models.Ref{companyRefOf(c)}
	for _, child := range children {
		detail.Subsidiaries = append(detail.Subsidiaries, recordRow{Type: models.TypeCompany, ID: child.ID, Name: child.Name})
		refs = append(refs, companyRefOf(child))
	}
	lines := []string{}
	add := func(key, value string) {
		if value != "" {
			lines = append(lines, i18n.T(lang, "value.labelled", "label", i18n.T(lang, "field."+key), "value", value))
		}
	}
	for _, name := range c.OtherNames {
		add("other_name", name)
	}
	add("industry", c.Industry)
	add("status", i18n.T(lang, "company_status."+string(c.Status)))
	add("phone", c.Phone)
	add("website", c.Website)
	add("address", c.Address)
	add("owner", c.OwnerName)
	for _, child := range children {
		add("subsidiary", child.Name)
	}
	return Result{Data: detail, Summary: c.Name, Text: listText(c.Name, lines), Refs: refs}
}
