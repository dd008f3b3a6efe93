package tools

import (
	"context"

	"countersign/apperr"
	"countersign/crm"
	"countersign/i18n"
	"countersign/models"
	"countersign/rbac"
	"countersign/resolve"
	"countersign/store"
)

type createCompanyArgs struct {
	Name           string   `json:"name" field:"name" jsonschema:"The company's main name."`
	OtherNames     []string `json:"other_names,omitempty" field:"otherNames" jsonschema:"Other names, such as the Chinese one."`
	Industry       string   `json:"industry,omitempty" field:"industry" jsonschema:"The industry, in a word or two."`
	Status         string   `json:"status,omitempty" field:"status" enum:"LEAD,ACTIVE,INACTIVE,CHURNED" jsonschema:"LEAD when left out."`
	Website        string   `json:"website,omitempty" field:"website" jsonschema:"The website's address."`
	Phone          string   `json:"phone,omitempty" field:"phone" jsonschema:"The main phone number."`
	Address        string   `json:"address,omitempty" field:"address" jsonschema:"The postal address."`
	Notes          string   `json:"notes,omitempty" field:"notes" max:"5000" jsonschema:"Anything else that the user said about the company."`
	Parent         string   `json:"parent,omitempty" field:"parentId" kind:"company" jsonschema:"The parent company: ID or name."`
	AllowDuplicate bool     `json:"allow_duplicate,omitempty" jsonschema:"true only after the user has said that a company of the same name is really another one."`
}

// companyCreator is the tool create_company.
type companyCreator struct {
	companies *crm.Companies
	resolver  *resolve.Resolver
}

func newCreateCompany(s Services) *Tool {
	return newCreatingTool(Definition{
		Name: "create_company", After: Continue, Permission: rbac.CompanyCreate,
		Main: "name", Example: `/create_company name="Harbour Lights Trading" industry=retail`,
	}, s.Runner, companyCreator{s.Companies, s.Resolver})
}

func (c companyCreator) resolve(ctx context.Context, actor models.Actor, in createCompanyArgs) (createCompanyArgs, error) {
	if !in.AllowDuplicate {
		if err := refuseDuplicate(ctx, c.resolver, actor, models.TypeCompany, append([]string{in.Name}, in.OtherNames...)); err != nil {
			return in, err
		}
	}
	err := fixID(ctx, c.resolver, actor, models.TypeCompany, &in.Parent)
	return in, err
}

func (c companyCreator) create(ctx context.Context, tx *store.Tx, actor models.Actor, in createCompanyArgs) (creation, error) {
	company, err := bound(c.companies, tx).Create(ctx, actor, crm.CompanyInput{
		Name: in.Name, OtherNames: in.OtherNames, Industry: in.Industry, Status: models.CompanyStatus(in.Status),
		Website: in.Website, Phone: in.Phone, Address: in.Address, Notes: in.Notes, ParentID: idOrNil(in.Parent),
	})
	if err != nil {
		return creation{}, err
	}
	ref, summary := companyRefOf(*company), i18n.T(actor.Lang, "company.created", "name", company.Name)
	return creation{
		Result: Result{Data: companyRowOf(*company), Summary: summary, Text: summary, Refs: []models.Ref{ref}},
		record: ref, fields: crm.CompanyDifferences(&crm.Company{}, company),
	}, nil
}

// duplicateTexts ask about a likely duplicate of a kind.
var duplicateTexts = map[models.RecordType]string{models.TypeCompany: "company.duplicate", models.TypeContact: "contact.duplicate"}

// refuseDuplicate answers with the records of a kind that go by exactly one of the names, or have one of them as
// their e-mail address, as far as the actor sees them.
func refuseDuplicate(ctx context.Context, r *resolve.Resolver, actor models.Actor, kind models.RecordType, names []string) error {
	for _, name := range names {
		if models.FoldName(name) == "" {
			continue
		}
		found, err := r.Lookup(ctx, actor, resolve.Query{Kind: kind, Text: name})
		if err != nil {
			return err
		}
		if found.How != resolve.HowExact && found.How != resolve.HowEmail {
			continue
		}
		refusal := apperr.New(apperr.Conflict, "LIKELY_DUPLICATE", i18n.T(actor.Lang, duplicateTexts[kind], "name", found.Match.Name))
		if refusal.Candidates = found.Candidates; len(found.Candidates) == 0 {
			refusal.Candidates = []apperr.Candidate{*found.Match}
		}
		return refusal
	}
	return nil
}
