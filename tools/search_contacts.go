package tools

import (
	"context"

	"countersign/crm"
	"countersign/models"
	"countersign/rbac"
	"countersign/resolve"
	"countersign/store"
)

type searchContactsArgs struct {
	Query   string `json:"query,omitempty" jsonschema:"A part of the contact's name, in any script."`
	Company string `json:"company,omitempty" kind:"company" jsonschema:"Only contacts at this company: ID or any of its names."`
	Owner   string `json:"owner,omitempty" kind:"person" jsonschema:"Only contacts of this colleague: ID, e-mail, name, or \"me\"."`
	Limit   int    `json:"limit,omitempty" max:"50" jsonschema:"How many to show; 20 when left out."`
}

type contactRow struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	JobTitle string `json:"jobTitle,omitempty"`
	Company  string `json:"company,omitempty"`
	Email    string `json:"email,omitempty"`
	Phone    string `json:"phone,omitempty"`
	WhatsApp string `json:"whatsapp,omitempty"`
	Language string `json:"language,omitempty"`
	Owner    string `json:"owner"`
}

func contactRowOf(c crm.Contact) contactRow {
	return contactRow{
		ID: c.ID, Name: c.Name, JobTitle: c.JobTitle, Company: c.CompanyName, Email: c.Email, Phone: c.Phone, WhatsApp: c.WhatsApp,
		Language: string(c.Language), Owner: c.OwnerName,
	}
}

func contactRefOf(c crm.Contact) models.Ref {
	return models.Ref{Type: models.TypeContact, ID: c.ID, Name: c.Name}
}

func newSearchContacts(contacts *crm.Contacts, resolver *resolve.Resolver) *Tool {
	return newTool(Definition{
		Name: "search_contacts", Effect: Read, After: Continue, Permission: rbac.ContactRead,
		Main: "query", Example: `/search_contacts company="Harbour Lights"`,
	}, func(ctx context.Context, actor models.Actor, in searchContactsArgs) (Result, error) {
		company, err := optionalID(ctx, resolver, actor, models.TypeCompany, in.Company)
		if err != nil {
			return Result{}, err
		}
		owner, err := optionalID(ctx, resolver, actor, models.TypePerson, in.Owner)
		if err != nil {
			return Result{}, err
		}
		filter := store.ContactFilter{CompanyID: company, OwnerID: owner, Text: in.Query}
		page, err := contacts.List(ctx, actor, filter, store.Page{Limit: rowLimit(in.Limit)})
		if err != nil {
			return Result{}, err
		}
		return contactsResult(actor.Lang, page), nil
	})
}

func contactsResult(lang string, page store.List[crm.Contact]) Result {
	list := make([]contactRow, len(page.Items))
	lines := make([]string, len(page.Items))
	refs := make([]models.Ref, len(page.Items))
	for i, c := range page.Items {
		list[i], refs[i] = contactRowOf(c), contactRefOf(c)
		lines[i] = dots(c.Name, c.JobTitle, c.CompanyName, c.OwnerName)
	}
	summary := shownOf(lang, "contacts.found", len(list), page.Total)
	return Result{Data: rowsOf(list, page.Total), Summary: summary, Text: listText(summary, lines), Refs: refs}
}
