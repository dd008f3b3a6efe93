package api

import (
	"context"
	"time"

	"countersign/crm"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// Contact is a contact as the reader may see it. MaskedFields names the fields that are partly hidden.
type Contact struct {
	ID           string    `json:"id"`
	CompanyID    *string   `json:"companyId,omitempty"`
	CompanyName  string    `json:"companyName,omitempty"`
	Name         string    `json:"name"`
	JobTitle     string    `json:"jobTitle,omitempty"`
	Email        string    `json:"email,omitempty"`
	Phone        string    `json:"phone,omitempty" doc:"E.164."`
	WhatsApp     string    `json:"whatsapp,omitempty" doc:"E.164."`
	Language     string    `json:"language,omitempty" enum:"en,zh-HK"`
	OwnerID      string    `json:"ownerId"`
	OwnerName    string    `json:"ownerName"`
	Version      int64     `json:"version"`
	CreatedAt    time.Time `json:"createdAt"`
	UpdatedAt    time.Time `json:"updatedAt"`
	MaskedFields []string  `json:"maskedFields,omitempty"`
}

func contactOf(c *crm.Contact) Contact {
	return Contact{
		ID: c.ID, CompanyID: c.CompanyID, CompanyName: c.CompanyName, Name: c.Name, JobTitle: c.JobTitle, Email: c.Email, Phone: c.Phone,
		WhatsApp: c.WhatsApp, Language: string(c.Language), OwnerID: c.OwnerID, OwnerName: c.OwnerName, Version: c.Version,
		CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt, MaskedFields: c.Masked,
	}
}

func (c Contact) identity() (id string, version int64) { return c.ID, c.Version }

// ContactInput is a new contact.
type ContactInput struct {
	CompanyID *string `json:"companyId,omitempty"`
	Name      string  `json:"name"`
	JobTitle  string  `json:"jobTitle,omitempty"`
	Email     string  `json:"email,omitempty"`
	Phone     string  `json:"phone,omitempty" doc:"With the country code; spaces and hyphens are left out."`
	WhatsApp  string  `json:"whatsapp,omitempty" doc:"With the country code; spaces and hyphens are left out."`
	Language  string  `json:"language,omitempty" enum:"en,zh-HK"`
	OwnerID   string  `json:"ownerId,omitempty" doc:"You if left out."`
}

// ContactPatch changes what it names.
type ContactPatch struct {
	Version   int64                             `json:"version,omitempty" minimum:"1" doc:"The version that you have seen."`
	CompanyID Clearable[string]                 `json:"companyId,omitempty"`
	Name      Settable[string]                  `json:"name,omitempty"`
	JobTitle  Clearable[string]                 `json:"jobTitle,omitempty"`
	Email     Clearable[string]                 `json:"email,omitempty"`
	Phone     Clearable[string]                 `json:"phone,omitempty"`
	WhatsApp  Clearable[string]                 `json:"whatsapp,omitempty"`
	Language  Clearable[models.ContactLanguage] `json:"language,omitempty"`
	OwnerID   Settable[string]                  `json:"ownerId,omitempty"`
}

// ContactList narrows and orders a list of contacts.
type ContactList struct {
	Sorted
	Q         string `query:"q" maxLength:"300" doc:"A part of the name."`
	CompanyID string `query:"companyId" maxLength:"100"`
	OwnerID   string `query:"ownerId" maxLength:"100"`
}

func (s *server) contactRoutes() {
	addRecord(s, recordRoutes[Contact]{
		kind: models.TypeContact, plural: "contacts",
		read: rbac.ContactRead, remove: rbac.ContactDelete, restore: rbac.ContactRestore,
		get: func(ctx context.Context, actor models.Actor, id string) (Contact, error) {
			return shownOne(contactOf)(s.Contacts.Get(ctx, actor, id))
		},
		delete: s.Contacts.Delete,
		undelete: func(ctx context.Context, actor models.Actor, id string) (Contact, error) {
			return shownOne(contactOf)(s.Contacts.Restore(ctx, actor, id))
		},
	})
	handle(s, get("/api/contacts", "listContacts", "List contacts").needs(rbac.ContactRead), s.listContacts)
	handle(s, post("/api/contacts", "createContact", "Add a contact").needs(rbac.ContactCreate).creates().replays(), s.createContact)
	handle(s, patch("/api/contacts/{id}", "updateContact", "Change a contact").needs(rbac.ContactUpdate), s.updateContact)
}

func (s *server) listContacts(ctx context.Context, actor models.Actor, in *ContactList) (*one[Page[Contact]], error) {
	f := store.ContactFilter{CompanyID: in.CompanyID, OwnerID: in.OwnerID, Text: in.Q}
	list, err := s.Contacts.List(ctx, actor, f, in.page())
	return pageOf(list, err, contactOf)
}

func (s *server) createContact(ctx context.Context, actor models.Actor, in *one[ContactInput]) (*versioned[Contact], error) {
	b := &in.Body
	c, err := shownOne(contactOf)(s.Contacts.Create(ctx, actor, crm.ContactInput{
		CompanyID: b.CompanyID, Name: b.Name, JobTitle: b.JobTitle, Email: b.Email, Phone: b.Phone, WhatsApp: b.WhatsApp,
		Language: models.ContactLanguage(b.Language), OwnerID: b.OwnerID,
	}))
	return created(c, err, "contacts")
}

func (s *server) updateContact(ctx context.Context, actor models.Actor, in *patchOf[ContactPatch]) (*versioned[Contact], error) {
	b := &in.Body
	version, err := in.version(b.Version)
	if err != nil {
		return nil, err
	}
	return record(shownOne(contactOf)(s.Contacts.Update(ctx, actor, in.id(), version, crm.ContactPatch{
		CompanyID: b.CompanyID.Optional, Name: b.Name.Optional, JobTitle: b.JobTitle.Optional, Email: b.Email.Optional, Phone: b.Phone.Optional,
		WhatsApp: b.WhatsApp.Optional, Language: b.Language.Optional, OwnerID: b.OwnerID.Optional,
	})))
}
