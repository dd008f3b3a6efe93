package tools

import (
	"context"

	"countersign/crm"
	"countersign/i18n"
	"countersign/models"
	"countersign/rbac"
	"countersign/resolve"
)

type getContactArgs struct {
	Contact string `json:"contact" kind:"contact" jsonschema:"The contact: ID, e-mail or name."`
}

func newGetContact(contacts *crm.Contacts, resolver *resolve.Resolver) *Tool {
	return newTool(Definition{
		Name: "get_contact", Effect: Read, After: Continue, Permission: rbac.ContactRead,
		Main: "contact", Short: []string{"contact"}, Example: `/contact "Lee Siu Lan"`,
	}, func(ctx context.Context, actor models.Actor, in getContactArgs) (Result, error) {
		ref, err := named(ctx, resolver, actor, models.TypeContact, in.Contact)
		if err != nil {
			return Result{}, err
		}
		contact, err := contacts.Get(ctx, actor, ref.ID)
		if err != nil {
			return Result{}, err
		}
		return contactResult(actor.Lang, *contact), nil
	})
}

func contactResult(lang string, c crm.Contact) Result {
	lines := []string{}
	add := func(key, value string) {
		if value != "" {
			lines = append(lines, i18n.T(lang, "value.labelled", "label", i18n.T(lang, "field."+key), "value", value))
		}
	}
	add("job_title", c.JobTitle)
	add("company", c.CompanyName)
	add("email", c.Email)
	add("phone", c.Phone)
	add("whatsapp", c.WhatsApp)
	if c.Language != "" {
		add("language", i18n.T(lang, languageNames[c.Language]))
	}
	add("owner", c.OwnerName)
	refs := []models.Ref{contactRefOf(c)}
	if c.CompanyName != "" {
		refs = append(refs, models.Ref{Type: models.TypeCompany, ID: *c.CompanyID, Name: c.CompanyName})
	}
	return Result{Data: contactRowOf(c), Summary: c.Name, Text: listText(c.Name, lines), Refs: refs}
}

// languageNames are the texts that name the languages of contacts.
var languageNames = map[models.ContactLanguage]string{models.ContactEnglish: "language.en", models.ContactChinese: "language.zh-HK"}
