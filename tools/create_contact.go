package tools

import (
	"context"

	"countersign/crm"
	"countersign/i18n"
	"countersign/models"
	"countersign/rbac"
	"countersign/resolve"
)

type createContactArgs struct {
	Name           string `json:"name" jsonschema:"The full name."`
	Company        string `json:"company,omitempty" kind:"company" jsonschema:"The company where the contact works: ID or any of its names."`
	JobTitle       string `json:"job_title,omitempty" jsonschema:"The job title."`
	Email          string `json:"email,omitempty" jsonschema:"The e-mail address."`
	Phone          string `json:"phone,omitempty" jsonschema:"The phone number with its country code, like +85223456789."`
	WhatsApp       string `json:"whatsapp,omitempty" jsonschema:"The WhatsApp number with its country code."`
	Language       string `json:"language,omitempty" enum:"en,zh-HK" jsonschema:"The language that the contact prefers."`
	AllowDuplicate bool   `json:"allow_duplicate,omitempty" jsonschema:"true only after the user has said that a contact of the same name or e-mail is really another one."`
}

func newCreateContact(contacts *crm.Contacts, resolver *resolve.Resolver) *Tool {
	return newTool(Definition{
		Name: "create_contact", Effect: Create, After: Continue, Permission: rbac.ContactCreate,
		Main: "name", Example: `/create_contact name="Lee Siu Lan" company="Harbour Lights" email=lan@harbour.example`,
	}, func(ctx context.Context, actor models.Actor, in createContactArgs) (Result, error) {
		if !in.AllowDuplicate {
			if err := refuseDuplicate(ctx, resolver, actor, models.TypeContact, []string{in.Email, in.Name}); err != nil {
				return Result{}, err
			}
		}
		input := crm.ContactInput{
			Name: in.Name, JobTitle: in.JobTitle, Email: in.Email, Phone: in.Phone, WhatsApp: in.WhatsApp, Language: models.ContactLanguage(in.Language),
		}
		if in.Company != "" {
			company, err := namedForWrite(ctx, resolver, actor, models.TypeCompany, in.Company)
			if err != nil {
				return Result{}, err
			}
			input.CompanyID = &company.ID
		}
		contact, err := contacts.Create(ctx, actor, input)
		if err != nil {
			return Result{}, err
		}
		result := contactResult(actor.Lang, *contact)
		result.Summary = i18n.T(actor.Lang, "contact.created", "name", dots(contact.Name, contact.CompanyName))
		result.Text = result.Summary
		return result, nil
	})
}
