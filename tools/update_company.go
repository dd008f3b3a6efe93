package tools

import (
	"context"

	"countersign/crm"
	"countersign/i18n"
	"countersign/models"
	"countersign/proposals"
	"countersign/rbac"
	"countersign/resolve"
	"countersign/store"
)

type updateCompanyArgs struct {
	Company  string   `json:"company" kind:"company" jsonschema:"The company: its ID or any of its names."`
	Name     string   `json:"name,omitempty" field:"name" jsonschema:"The new main name."`
	Industry string   `json:"industry,omitempty" field:"industry" jsonschema:"The industry, in a word or two."`
	Status   string   `json:"status,omitempty" field:"status" enum:"LEAD,ACTIVE,INACTIVE,CHURNED" jsonschema:"The new status."`
	Website  string   `json:"website,omitempty" field:"website" jsonschema:"The website's address."`
	Phone    string   `json:"phone,omitempty" field:"phone" jsonschema:"The main phone number in full, never one with hidden digits."`
	Address  string   `json:"address,omitempty" field:"address" jsonschema:"The postal address."`
	Notes    string   `json:"notes,omitempty" field:"notes" max:"5000" jsonschema:"The whole of the new notes, which replace the old ones."`
	Parent   string   `json:"parent,omitempty" field:"parentId" kind:"company" jsonschema:"The parent company: ID or name."`
	Tags     []string `json:"tags,omitempty" field:"tags" jsonschema:"All tags that the company shall have."`
	Clear    []string `json:"clear,omitempty" enum:"industry,website,phone,address,notes,parent,tags" jsonschema:"What to empty. The only way to empty a field."`
	Reason   string   `json:"reason,omitempty" jsonschema:"Why you propose this, in one sentence for the user."`
}

// companyEditor is the tool update_company.
type companyEditor struct {
	companies *crm.Companies
	resolver  *resolve.Resolver
}

func newUpdateCompany(companies *crm.Companies, resolver *resolve.Resolver) *Tool {
	e := companyEditor{companies, resolver}
	return newProposingTool(Definition{
		Name: "update_company", After: Finish, Permission: rbac.CompanyUpdate,
		Main: "company", Example: `/update_company company="Harbour Lights" status=ACTIVE`,
	}, rbac.CompanyUpdate, e.prepare, e.execute)
}

func (e companyEditor) prepare(ctx context.Context, actor models.Actor, in updateCompanyArgs) (proposals.Draft, error) {
	ref, err := namedForWrite(ctx, e.resolver, actor, models.TypeCompany, in.Company)
	if err != nil {
		return proposals.Draft{}, err
	}
	company, err := e.companies.ForUpdate(ctx, actor, ref.ID)
	if err != nil {
		return proposals.Draft{}, err
	}
	in.Company = company.ID
	if err := fixID(ctx, e.resolver, actor, models.TypeCompany, &in.Parent); err != nil {
		return proposals.Draft{}, err
	}
	patch, err := in.patch(actor.Lang)
	if err != nil {
		return proposals.Draft{}, err
	}
	after, err := e.companies.Preview(ctx, actor, company, patch)
	if err != nil {
		return proposals.Draft{}, err
	}
	d := proposals.Draft{
		Title: i18n.T(actor.Lang, "proposal.update_company"), Target: companyRefOf(*company), TargetVersion: company.Version, Reason: in.Reason,
		Changes: changesOf(actor.Lang, crm.CompanyDifferences(company, after)),
	}
	in.Reason = ""
	d.Args = in
	return d, refuseUnchanged(actor.Lang, d)
}

func (e companyEditor) execute(ctx context.Context, tx *store.Tx, actor models.Actor, in updateCompanyArgs, p *models.Proposal) (models.Outcome, error) {
	patch, err := in.patch(actor.Lang)
	if err != nil {
		return models.Outcome{}, err
	}
	company, err := e.companies.With(tx).Update(ctx, actor, in.Company, p.TargetVersion, patch)
	if err != nil {
		return models.Outcome{}, err
	}
	return updated(actor.Lang, companyRefOf(*company)), nil
}

// patch is the change that resolved arguments ask for.
func (in updateCompanyArgs) patch(lang string) (crm.CompanyPatch, error) {
	given := clearing{lang: lang, fields: in.Clear}
	patch := crm.CompanyPatch{
		Name:     given.text("name", in.Name),
		Industry: given.text("industry", in.Industry),
		Website:  given.text("website", in.Website),
		Phone:    given.text("phone", in.Phone),
		Address:  given.text("address", in.Address),
		Notes:    given.text("notes", in.Notes),
		ParentID: given.text("parent", in.Parent),
	}
	if in.Status != "" {
		patch.Status = models.Some(models.CompanyStatus(in.Status))
	}
	if patch.Tags.Set = given.sets("tags", len(in.Tags) > 0); len(in.Tags) > 0 {
		patch.Tags.Value = &in.Tags
	}
	return patch, given.err
}
