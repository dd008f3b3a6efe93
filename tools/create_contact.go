package tools

import (
	"context"

	"countersign/crm"
	"countersign/i18n"
	"countersign/models"
	"countersign/rbac"
	"countersign/resolve"
	"countersign/store"
)

type createContactArgs struct {
	Name           string `json:"name" field:"name" jsonschema:"The full name."`
	Company        string `json:"company,omitempty" field:"companyId" kind:"company" jsonschema:"The company where the contact works: ID or any of its names."`
	JobTitle       string `json:"job_title,omitempty" field:"jobTitle" jsonschema:"The job title."`
	Email          string `json:"email,omitempty" field:"email" jsonschema:"The e-mail address."`
	Phone          string `json:"phone,omitempty" field:"phone" jsonschema:"The phone number with its country code, like +85223456789."`
	WhatsApp       string `json:"whatsapp,omitempty" field:"whatsapp" jsonschema:"The WhatsApp number with its country code."`
	Language       string `json:"language,omitempty" field:"language" enum:"en,zh-HK" jsonschema:"The language that the contact prefers."`
	AllowDuplicate bool   `json:"allow_duplicate,omitempty" jsonschema:"true only after the user has said that a contact of the same name or e-mail is really another one."`
}

// contactCreator is the tool create_contact.
type contactCreator struct {
	contacts *crm.Contacts
	resolver *resolve.Resolver
}

func newCreateContact(s Services) *Tool {
	return newCreatingTool(Definition{
		Name: "create_contact", After: Continue, Permission: rbac.ContactCreate,
		Main: "name", Example: `/create_contact name="Lee Siu Lan" company="Harbour Lights" email=lan@harbour.example`,
	}, s.Runner, contactCreator{s.Contacts, s.Resolver})
}

func (c contactCreator) resolve(ctx context.Context, actor models.Actor, in createContactArgs) (createContactArgs, error) {
	if !in.AllowDuplicate {
		if err := refuseDuplicate(ctx, c.resolver, actor, models.TypeContact, []string{in.Email, in.Name}); err != nil {
			return in, err
		}
	}
	err := fixID(ctx, c.resolver, actor, models.TypeCompany, &in.Company)
	return in, err
}

func (c contactCreator) create(ctx context.Context, tx *store.Tx, actor models.Actor, in createContactArgs) (creation, error) {
	contact, err := bound(c.contacts, tx).Create(ctx, actor, crm.ContactInput{
		Name: in.Name, JobTitle: in.JobTitle, Email: in.Email, Phone: in.Phone, WhatsApp: in.WhatsApp,
		Language: models.ContactLanguage(in.Language), CompanyID: idOrNil(in.Company),
	})
	if err != nil {
		return creation{}, err
	}
	result := contactResult(actor.Lang, *contact)
	result.Summary = i18n.T(actor.Lang, "contact.created", "name", dots(contact.Name, contact.CompanyName))
	result.Text = result.Summary
	return creation{Result: result, record: contactRefOf(*contact), fields: crm.ContactDifferences(&crm.Contact{}, contact)}, nil
}
