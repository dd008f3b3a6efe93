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

type updateContactArgs struct {
	Contact  string   `json:"contact" kind:"contact" jsonschema:"The contact: ID, e-mail or name."`
	Name     string   `json:"name,omitempty" field:"name" jsonschema:"The new full name."`
	Company  string   `json:"company,omitempty" field:"companyId" kind:"company" jsonschema:"The company where the contact now works: ID or any of its names."`
	JobTitle string   `json:"job_title,omitempty" field:"jobTitle" jsonschema:"The new job title."`
	Email    string   `json:"email,omitempty" field:"email" jsonschema:"The e-mail address in full, never one with hidden letters."`
	Phone    string   `json:"phone,omitempty" field:"phone" jsonschema:"The phone number with its country code, never one with hidden digits."`
	WhatsApp string   `json:"whatsapp,omitempty" field:"whatsapp" jsonschema:"The WhatsApp number with its country code, never one with hidden digits."`
	Language string   `json:"language,omitempty" field:"language" enum:"en,zh-HK" jsonschema:"The language that the contact prefers."`
	Clear    []string `json:"clear,omitempty" enum:"company,job_title,email,phone,whatsapp,language" jsonschema:"What to empty. The only way to empty a field."`
	Reason   string   `json:"reason,omitempty" jsonschema:"Why you propose this, in one sentence for the user."`
}

// contactEditor is the tool update_contact.
type contactEditor struct {
	contacts *crm.Contacts
	resolver *resolve.Resolver
}

func newUpdateContact(contacts *crm.Contacts, resolver *resolve.Resolver) *Tool {
	e := contactEditor{contacts, resolver}
	return newProposingTool(Definition{
		Name: "update_contact", After: Finish, Permission: rbac.ContactUpdate,
		Main: "contact", Example: `/update_contact contact="Lee Siu Lan" job_title="Head of Purchasing"`,
	}, rbac.ContactUpdate, e.prepare, e.execute)
}

func (e contactEditor) prepare(ctx context.Context, actor models.Actor, in updateContactArgs) (proposals.Draft, error) {
	ref, err := namedForWrite(ctx, e.resolver, actor, models.TypeContact, in.Contact)
	if err != nil {
		return proposals.Draft{}, err
	}
	contact, err := e.contacts.ForUpdate(ctx, actor, ref.ID)
	if err != nil {
		return proposals.Draft{}, err
	}
	in.Contact = contact.ID
	if err := fixID(ctx, e.resolver, actor, models.TypeCompany, &in.Company); err != nil {
		return proposals.Draft{}, err
	}
	patch, err := in.patch(actor.Lang)
	if err != nil {
		return proposals.Draft{}, err
	}
	after, err := e.contacts.Preview(ctx, actor, contact, patch)
	if err != nil {
		return proposals.Draft{}, err
	}
	d := proposals.Draft{
		Title: i18n.T(actor.Lang, "proposal.update_contact"), Target: contactRefOf(*contact), TargetVersion: contact.Version, Reason: in.Reason,
		Changes: changesOf(actor.Lang, crm.ContactDifferences(contact, after)),
	}
	in.Reason = ""
	d.Args = in
	return d, refuseUnchanged(actor.Lang, d)
}

func (e contactEditor) execute(ctx context.Context, tx *store.Tx, actor models.Actor, in updateContactArgs, p *models.Proposal) (models.Outcome, error) {
	patch, err := in.patch(actor.Lang)
	if err != nil {
		return models.Outcome{}, err
	}
	contact, err := e.contacts.With(tx).Update(ctx, actor, in.Contact, p.TargetVersion, patch)
	if err != nil {
		return models.Outcome{}, err
	}
	return updated(actor.Lang, contactRefOf(*contact)), nil
}

// patch is the change that resolved arguments ask for.
func (in updateContactArgs) patch(lang string) (crm.ContactPatch, error) {
	given := clearing{lang: lang, fields: in.Clear}
	patch := crm.ContactPatch{
		Name:      given.text("name", in.Name),
		CompanyID: given.text("company", in.Company),
		JobTitle:  given.text("job_title", in.JobTitle),
		Email:     given.text("email", in.Email),
		Phone:     given.text("phone", in.Phone),
		WhatsApp:  given.text("whatsapp", in.WhatsApp),
	}
	if patch.Language.Set = given.sets("language", in.Language != ""); in.Language != "" {
		patch.Language = models.Some(models.ContactLanguage(in.Language))
	}
	return patch, given.err
}
