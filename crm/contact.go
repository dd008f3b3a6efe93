package crm

import (
	"context"
	"time"

	"countersign/apperr"
	"countersign/audit"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// Contacts is the service of contacts.
type Contacts struct{ base }

// NewContacts returns the service.
func NewContacts(runner store.Runner, gate *audit.Gate, now func() time.Time) *Contacts {
	return &Contacts{newBase(runner, gate, now)}
}

// With returns the service bound to a transaction.
func (s *Contacts) With(tx *store.Tx) *Contacts { return &Contacts{s.with(tx)} }

// Contact is a contact as an actor sees it. Masked names the fields that are hidden for want of contact:pii.
type Contact struct {
	store.ContactView
	Masked []string
}

// ContactInput is a new contact. An empty owner means the actor.
type ContactInput struct {
	CompanyID *string
	Name      string
	JobTitle  string
	Email     string
	Phone     string
	WhatsApp  string
	Language  models.ContactLanguage
	OwnerID   string
}

// ContactPatch changes fields of a contact.
type ContactPatch struct {
	CompanyID models.Optional[string]
	Name      models.Optional[string]
	JobTitle  models.Optional[string]
	Email     models.Optional[string]
	Phone     models.Optional[string]
	WhatsApp  models.Optional[string]
	Language  models.Optional[models.ContactLanguage]
	OwnerID   models.Optional[string]
}

// List returns a page of the contacts that the actor sees.
func (s *Contacts) List(ctx context.Context, actor models.Actor, f store.ContactFilter, p store.Page) (store.List[Contact], error) {
	g, mask, err := s.reading(ctx, actor)
	if err != nil {
		return store.List[Contact]{}, err
	}
	var list store.List[store.ContactView]
	err = s.runner.View(ctx, func(r *store.Reader) (err error) {
		list, err = r.Contacts(ctx, g, f, p)
		return err
	})
	seen := make([]Contact, len(list.Items))
	for i, view := range list.Items {
		seen[i] = mask.contact(view)
	}
	return store.List[Contact]{Items: seen, Next: list.Next, Total: list.Total}, err
}

// Get returns a contact that the actor sees.
func (s *Contacts) Get(ctx context.Context, actor models.Actor, id string) (*Contact, error) {
	g, mask, err := s.reading(ctx, actor)
	if err != nil {
		return nil, err
	}
	var seen Contact
	err = s.runner.View(ctx, func(r *store.Reader) error {
		view, err := r.Contact(ctx, g, id)
		if err == nil {
			seen = mask.contact(*view)
		}
		return err
	})
	return &seen, err
}

// Create adds a contact. It needs contact:create, and contact:assign for the owner's part of its scope.
func (s *Contacts) Create(ctx context.Context, actor models.Actor, in ContactInput) (*Contact, error) {
	g, mask, err := s.reading(ctx, actor)
	if err != nil {
		return nil, err
	}
	create, assign, err := s.writing(ctx, actor, rbac.ContactCreate)
	if err != nil {
		return nil, err
	}
	var seen Contact
	err = s.transact(ctx, actor, models.Ref{Type: models.TypeContact}, func(tx *store.Tx) error {
		now := s.now()
		contact, err := newContact(actor, in, now)
		if err != nil {
			return err
		}
		if err := mayOwn(ctx, tx.Reader, assign, rbac.ContactAssign, contact.OwnerID); err != nil {
			return err
		}
		if _, err := workplace(ctx, tx.Reader, g.Company, contact.CompanyID); err != nil {
			return err
		}
		if err := tx.InsertContact(ctx, create, contact); err != nil {
			return err
		}
		err = s.wrote(ctx, tx, actor, write{
			action: rbac.ContactCreate, target: contactRef(contact), record: contact.Record, at: now,
			fields: audit.Changed(contactFields(&models.Contact{}, contact)),
		})
		if err != nil {
			return err
		}
		seen, err = s.reread(ctx, tx, g, mask, contact)
		return err
	})
	return &seen, err
}

func newContact(actor models.Actor, in ContactInput, now time.Time) (*models.Contact, error) {
	var wrong problems
	c := &models.Contact{Record: models.NewRecord(now), CompanyID: in.CompanyID, Language: in.Language, OwnerID: in.OwnerID}
	c.Name = wrong.line("name", in.Name, true)
	c.JobTitle = wrong.line("jobTitle", in.JobTitle, false)
	c.Email = wrong.email("email", in.Email)
	c.Phone = wrong.number("phone", in.Phone)
	c.WhatsApp = wrong.number("whatsapp", in.WhatsApp)
	wrong.language(c.Language)
	if c.OwnerID == "" {
		c.OwnerID = actor.UserID
	}
	return c, wrong.err()
}

// language checks the language that a contact prefers.
func (p *problems) language(l models.ContactLanguage) {
	if !l.Valid() {
		p.add("language", "The language must be en or zh-HK.")
	}
}

// workplace returns the name of a contact's company, which the actor must see. company may be the zero Grant.
func workplace(ctx context.Context, r *store.Reader, company rbac.Grant, id *string) (name string, err error) {
	if id == nil {
		return "", nil
	}
	if err := holds(company, rbac.CompanyRead); err != nil {
		return "", err
	}
	view, err := r.Company(ctx, company, *id)
	if err != nil {
		return "", reference(err, "companyId", "company")
	}
	return view.Name, nil
}

// Delete puts a contact into the bin. It needs contact:delete over the contact.
func (s *Contacts) Delete(ctx context.Context, actor models.Actor, id string, version int64) error {
	g, mask, err := s.reading(ctx, actor)
	if err != nil {
		return err
	}
	remove, err := s.gate.Authorize(ctx, actor, rbac.ContactDelete)
	if err != nil {
		return err
	}
	return s.transact(ctx, actor, models.Ref{Type: models.TypeContact, ID: id}, func(tx *store.Tx) error {
		view, err := tx.Contact(ctx, g, id)
		if err != nil {
			return err
		}
		return s.remove(ctx, tx, actor, remove, removal{
			target: contactRef(&view.Contact), record: &view.Record, version: version, current: mask.contact(*view),
		})
	})
}

// Restore takes a contact out of the bin. It needs contact:restore.
func (s *Contacts) Restore(ctx context.Context, actor models.Actor, id string) (*Contact, error) {
	g, mask, err := s.reading(ctx, actor)
	if err != nil {
		return nil, err
	}
	restore, err := s.gate.Authorize(ctx, actor, rbac.ContactRestore)
	if err != nil {
		return nil, err
	}
	var seen Contact
	err = s.transact(ctx, actor, models.Ref{Type: models.TypeContact, ID: id}, func(tx *store.Tx) error {
		contact, err := tx.DeletedContact(ctx, restore, id)
		if err != nil {
			return err
		}
		if err := s.restore(ctx, tx, actor, restore, contactRef(contact), &contact.Record, contact.Names()); err != nil {
			return err
		}
		seen, err = s.reread(ctx, tx, g, mask, contact)
		return err
	})
	return &seen, err
}

// reading authorizes reading contacts and says how much of each the actor sees.
func (s *Contacts) reading(ctx context.Context, actor models.Actor) (g store.ContactGrants, mask masker, err error) {
	if g.Contact, err = s.gate.Authorize(ctx, actor, rbac.ContactRead); err != nil {
		return g, mask, err
	}
	if g.Company, err = s.gate.Try(ctx, actor, rbac.CompanyRead); err != nil {
		return g, mask, err
	}
	mask, err = newMasker(ctx, s.gate, actor)
	return g, mask, err
}

// writing authorizes a write of contacts and looks up the right to assign, which may be the zero Grant.
func (s *Contacts) writing(ctx context.Context, actor models.Actor, p rbac.Permission) (write, assign rbac.Grant, err error) {
	if write, err = s.gate.Authorize(ctx, actor, p); err != nil {
		return write, assign, err
	}
	assign, err = s.gate.Try(ctx, actor, rbac.ContactAssign)
	return write, assign, err
}

// reread returns the contact as the actor sees it after a write; one that was given away is told from memory.
func (s *Contacts) reread(ctx context.Context, tx *store.Tx, g store.ContactGrants, mask masker, memory *models.Contact) (Contact, error) {
	view, err := tx.Contact(ctx, g, memory.ID)
	if apperr.Is(err, apperr.NotFound) {
		return mask.contact(store.ContactView{Contact: *memory}), nil
	}
	if err != nil {
		return Contact{}, err
	}
	return mask.contact(*view), nil
}

func contactRef(c *models.Contact) models.Ref {
	return models.Ref{Type: models.TypeContact, ID: c.ID, Name: c.Name}
}

// contactFields are the fields of a contact that history tells, before and after a write.
func contactFields(before, after *models.Contact) []audit.Field {
	return []audit.Field{
		{Name: "name", Before: text(before.Name), After: text(after.Name)},
		{Name: "companyId", Before: before.CompanyID, After: after.CompanyID},
		{Name: "jobTitle", Before: text(before.JobTitle), After: text(after.JobTitle)},
		{Name: "email", Before: text(before.Email), After: text(after.Email)},
		{Name: "phone", Before: text(before.Phone), After: text(after.Phone)},
		{Name: "whatsapp", Before: text(before.WhatsApp), After: text(after.WhatsApp)},
		{Name: "language", Before: text(string(before.Language)), After: text(string(after.Language))},
		{Name: "ownerId", Before: text(before.OwnerID), After: text(after.OwnerID)},
	}
}
