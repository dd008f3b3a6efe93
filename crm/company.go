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

// Companies is the service of companies.
type Companies struct{ base }

// NewCompanies returns the service.
func NewCompanies(runner store.Runner, gate *audit.Gate, now func() time.Time) *Companies {
	return &Companies{newBase(runner, gate, now)}
}

// With returns the service bound to a transaction.
func (s *Companies) With(tx *store.Tx) *Companies { return &Companies{s.with(tx)} }

// Company is a company as an actor sees it. Masked names the fields that are hidden for want of contact:pii.
type Company struct {
	store.CompanyView
	Masked []string
}

// CompanyInput is a new company. An empty status means LEAD. OwnerID nil means the actor; Unowned makes
// it shared, which takes the right to assign to everybody.
type CompanyInput struct {
	Name       string
	ExternalID string
	OtherNames []string
	Industry   string
	Status     models.CompanyStatus
	Website    string
	Phone      string
	Address    string
	ParentID   *string
	OwnerID    *string
	Unowned    bool
	Tags       []string
	Notes      string
}

// CompanyPatch changes fields of a company; clearing the owner makes it shared.
type CompanyPatch struct {
	Name       models.Optional[string]
	OtherNames models.Optional[[]string]
	Industry   models.Optional[string]
	Status     models.Optional[models.CompanyStatus]
	Website    models.Optional[string]
	Phone      models.Optional[string]
	Address    models.Optional[string]
	ParentID   models.Optional[string]
	OwnerID    models.Optional[string]
	Tags       models.Optional[[]string]
	Notes      models.Optional[string]
}

// List returns a page of the companies that the actor sees.
func (s *Companies) List(ctx context.Context, actor models.Actor, f store.CompanyFilter, p store.Page) (store.List[Company], error) {
	g, mask, err := s.reading(ctx, actor)
	if err != nil {
		return store.List[Company]{}, err
	}
	var list store.List[store.CompanyView]
	err = s.runner.View(ctx, func(r *store.Reader) (err error) {
		list, err = r.Companies(ctx, g, f, p)
		return err
	})
	seen := make([]Company, len(list.Items))
	for i, view := range list.Items {
		seen[i] = mask.apply(view)
	}
	return store.List[Company]{Items: seen, Next: list.Next, Total: list.Total}, err
}

// Get returns a company that the actor sees.
func (s *Companies) Get(ctx context.Context, actor models.Actor, id string) (*Company, error) {
	g, mask, err := s.reading(ctx, actor)
	if err != nil {
		return nil, err
	}
	var seen Company
	err = s.runner.View(ctx, func(r *store.Reader) error {
		view, err := r.Company(ctx, g, id)
		if err == nil {
			seen = mask.apply(*view)
		}
		return err
	})
	return &seen, err
}

// OwnNotes reports whether the notes of a company that the actor sees are the actor's own words, or the product's:
// nobody else wrote them last, and no import brought them.
func (s *Companies) OwnNotes(ctx context.Context, actor models.Actor, id string) (own bool, err error) {
	read, err := s.gate.Authorize(ctx, actor, rbac.CompanyRead)
	if err != nil {
		return false, err
	}
	err = s.runner.View(ctx, func(r *store.Reader) error {
		last, err := r.LastChange(ctx, read, models.TypeCompany, id, "notes")
		own = last != nil && (last.Via == models.ViaSystem || last.Via != models.ViaImport && last.ActorUserID != nil && *last.ActorUserID == actor.UserID)
		return err
	})
	return own, err
}

// Create adds a company. It needs company:create, and company:assign for the owner's part of its scope.
func (s *Companies) Create(ctx context.Context, actor models.Actor, in CompanyInput) (*Company, error) {
	read, mask, err := s.reading(ctx, actor)
	if err != nil {
		return nil, err
	}
	create, assign, err := s.writing(ctx, actor, rbac.CompanyCreate)
	if err != nil {
		return nil, err
	}
	var seen Company
	err = s.transact(ctx, actor, models.Ref{Type: models.TypeCompany}, func(tx *store.Tx) error {
		now := s.now()
		company, err := newCompany(in, now)
		if err != nil {
			return err
		}
		if err := s.own(ctx, tx, actor, assign, company, in); err != nil {
			return err
		}
		parent, err := parentName(ctx, tx.Reader, read, company)
		if err != nil {
			return err
		}
		if err := tx.InsertCompany(ctx, create, company); err != nil {
			return s.duplicate(err)
		}
		err = s.wrote(ctx, tx, actor, write{
			action: rbac.CompanyCreate, target: companyRef(company), record: company.Record, at: now,
			fields: audit.Changed(companyFields(&models.Company{}, company)),
		})
		if err != nil {
			return err
		}
		seen, err = s.reread(ctx, tx, read, mask, store.CompanyView{Company: *company, ParentName: parent})
		return err
	})
	return &seen, err
}

func newCompany(in CompanyInput, now time.Time) (*models.Company, error) {
	var wrong problems
	c := &models.Company{Record: models.NewRecord(now), Status: in.Status, ParentID: in.ParentID}
	c.Name = wrong.line("name", in.Name, true)
	c.OtherNames = wrong.lines("otherNames", in.OtherNames)
	c.Industry = wrong.line("industry", in.Industry, false)
	c.Website = wrong.line("website", in.Website, false)
	c.Phone = wrong.line("phone", in.Phone, false)
	c.Address = wrong.line("address", in.Address, false)
	c.Tags = wrong.lines("tags", in.Tags)
	c.Notes = wrong.text("notes", in.Notes)
	c.ExternalID = wrong.externalID(in.ExternalID)
	if c.Status == "" {
		c.Status = models.CompanyLead
	}
	wrong.company(&models.Company{}, c)
	return c, wrong.err()
}

// company checks what both new and changed companies must hold to.
func (p *problems) company(before, c *models.Company) {
	if !c.Status.Valid() {
		p.add("status", "The status must be LEAD, ACTIVE, INACTIVE or CHURNED.")
	}
	if c.Website != before.Website {
		p.website(c.Website)
	}
	if c.Phone != before.Phone {
		p.retyped("phone", c.Phone)
	}
	if c.ParentID != nil && *c.ParentID == c.ID {
		p.add("parentId", "A company cannot be its own parent.")
	}
}

// own gives a new company its owner.
func (s *Companies) own(ctx context.Context, tx *store.Tx, actor models.Actor, assign rbac.Grant, c *models.Company, in CompanyInput) error {
	if in.Unowned {
		return mayShare(assign)
	}
	c.OwnerID = in.OwnerID
	if c.OwnerID == nil {
		c.OwnerID = &actor.UserID
	}
	return mayOwn(ctx, tx.Reader, assign, rbac.CompanyAssign, *c.OwnerID)
}

// mayShare checks that an actor may leave a company without an owner.
func mayShare(assign rbac.Grant) error {
	if assign.Scope() != rbac.ScopeAll {
		return apperr.InvalidField("ownerId", "Only somebody who may assign to everybody can leave a company without an owner.")
	}
	return nil
}

// parentName is the name of the company that a company is to belong to, which must exist for the actor.
func parentName(ctx context.Context, r *store.Reader, read rbac.Grant, c *models.Company) (string, error) {
	if c.ParentID == nil {
		return "", nil
	}
	parent, err := r.Company(ctx, read, *c.ParentID)
	if err != nil {
		return "", reference(err, "parentId", "company")
	}
	return parent.Name, nil
}

// Delete puts a company into the bin. It needs company:delete over the company.
func (s *Companies) Delete(ctx context.Context, actor models.Actor, id string, version int64) error {
	read, mask, err := s.reading(ctx, actor)
	if err != nil {
		return err
	}
	remove, err := s.gate.Authorize(ctx, actor, rbac.CompanyDelete)
	if err != nil {
		return err
	}
	return s.transact(ctx, actor, models.Ref{Type: models.TypeCompany, ID: id}, func(tx *store.Tx) error {
		view, err := tx.Company(ctx, read, id)
		if err != nil {
			return err
		}
		return s.remove(ctx, tx, actor, remove, removal{
			target: companyRef(&view.Company), record: &view.Record, version: version, current: mask.apply(*view),
		})
	})
}

// Restore takes a company out of the bin. It needs company:restore.
func (s *Companies) Restore(ctx context.Context, actor models.Actor, id string) (*Company, error) {
	read, mask, err := s.reading(ctx, actor)
	if err != nil {
		return nil, err
	}
	restore, err := s.gate.Authorize(ctx, actor, rbac.CompanyRestore)
	if err != nil {
		return nil, err
	}
	var seen Company
	err = s.transact(ctx, actor, models.Ref{Type: models.TypeCompany, ID: id}, func(tx *store.Tx) error {
		company, err := tx.DeletedCompany(ctx, restore, id)
		if err != nil {
			return err
		}
		if err := s.restore(ctx, tx, actor, restore, companyRef(company), &company.Record, company.Names()); err != nil {
			return s.duplicate(err)
		}
		seen, err = s.reread(ctx, tx, read, mask, store.CompanyView{Company: *company})
		return err
	})
	return &seen, err
}

// reading authorizes reading companies and says how much of each the actor sees.
func (s *Companies) reading(ctx context.Context, actor models.Actor) (rbac.Grant, masker, error) {
	read, err := s.gate.Authorize(ctx, actor, rbac.CompanyRead)
	if err != nil {
		return rbac.Grant{}, masker{}, err
	}
	mask, err := newMasker(ctx, s.gate, actor)
	return read, mask, err
}

// writing authorizes a write of companies and looks up the right to assign, which may be the zero Grant.
func (s *Companies) writing(ctx context.Context, actor models.Actor, p rbac.Permission) (write, assign rbac.Grant, err error) {
	if write, err = s.gate.Authorize(ctx, actor, p); err != nil {
		return write, assign, err
	}
	assign, err = s.gate.Try(ctx, actor, rbac.CompanyAssign)
	return write, assign, err
}

// reread returns the company as the actor sees it after a write; one that was given away is told from memory.
func (s *Companies) reread(ctx context.Context, tx *store.Tx, read rbac.Grant, mask masker, fallback store.CompanyView) (Company, error) {
	view, err := tx.Company(ctx, read, fallback.ID)
	if apperr.Is(err, apperr.NotFound) {
		return mask.apply(fallback), nil
	}
	if err != nil {
		return Company{}, err
	}
	return mask.apply(*view), nil
}

func (s *Companies) duplicate(err error) error {
	if apperr.HasCode(err, store.CodeDuplicate) {
		return apperr.New(apperr.Conflict, store.CodeDuplicate, "A company with this external id exists already.").WithCause(err)
	}
	return err
}

func companyRef(c *models.Company) models.Ref {
	return models.Ref{Type: models.TypeCompany, ID: c.ID, Name: c.Name}
}

// companyFields are the fields of a company that history tells, before and after a write.
func companyFields(before, after *models.Company) []audit.Field {
	return []audit.Field{
		{Name: "name", Before: text(before.Name), After: text(after.Name)},
		{Name: "externalId", Before: before.ExternalID, After: after.ExternalID},
		{Name: "otherNames", Before: list(before.OtherNames), After: list(after.OtherNames)},
		{Name: "industry", Before: text(before.Industry), After: text(after.Industry)},
		{Name: "status", Before: text(string(before.Status)), After: text(string(after.Status))},
		{Name: "website", Before: text(before.Website), After: text(after.Website)},
		{Name: "phone", Before: text(before.Phone), After: text(after.Phone)},
		{Name: "address", Before: text(before.Address), After: text(after.Address)},
		{Name: "parentId", Before: before.ParentID, After: after.ParentID},
		{Name: "ownerId", Before: before.OwnerID, After: after.OwnerID},
		{Name: "tags", Before: list(before.Tags), After: list(after.Tags)},
		{Name: "notes", Before: text(before.Notes), After: text(after.Notes)},
	}
}
