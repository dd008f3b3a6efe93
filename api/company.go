package api

import (
	"context"
	"time"

	"countersign/crm"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// Company is a company as the reader may see it. MaskedFields names the fields that are partly hidden.
type Company struct {
	ID           string    `json:"id"`
	Name         string    `json:"name"`
	OtherNames   []string  `json:"otherNames"`
	Industry     string    `json:"industry,omitempty"`
	Status       string    `json:"status" enum:"LEAD,ACTIVE,INACTIVE,CHURNED"`
	Website      string    `json:"website,omitempty"`
	Phone        string    `json:"phone,omitempty"`
	Address      string    `json:"address,omitempty"`
	OwnerID      *string   `json:"ownerId,omitempty" doc:"Missing for a company that is shared."`
	OwnerName    string    `json:"ownerName,omitempty"`
	Tags         []string  `json:"tags"`
	Notes        string    `json:"notes,omitempty"`
	Version      int64     `json:"version"`
	CreatedAt    time.Time `json:"createdAt"`
	UpdatedAt    time.Time `json:"updatedAt"`
	MaskedFields []string  `json:"maskedFields,omitempty"`
}

func companyOf(c *crm.Company) Company {
	return Company{
		ID: c.ID, Name: c.Name, OtherNames: texts(c.OtherNames), Industry: c.Industry, Status: string(c.Status),
		Website: c.Website, Phone: c.Phone, Address: c.Address, OwnerID: c.OwnerID, OwnerName: c.OwnerName,
		Tags: texts(c.Tags), Notes: c.Notes, Version: c.Version, CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt,
		MaskedFields: c.Masked,
	}
}

func (c Company) identity() (id string, version int64) { return c.ID, c.Version }

// texts is a list that is never null.
func texts(s models.Strings) []string { return append([]string{}, s...) }

// CompanyInput is a new company.
type CompanyInput struct {
	Name       string            `json:"name"`
	OtherNames []string          `json:"otherNames,omitempty"`
	Industry   string            `json:"industry,omitempty"`
	Status     string            `json:"status,omitempty" enum:"LEAD,ACTIVE,INACTIVE,CHURNED" doc:"LEAD if left out."`
	Website    string            `json:"website,omitempty"`
	Phone      string            `json:"phone,omitempty"`
	Address    string            `json:"address,omitempty"`
	OwnerID    Clearable[string] `json:"ownerId,omitempty" doc:"You if left out; null for nobody, which makes it shared."`
	Tags       []string          `json:"tags,omitempty"`
	Notes      string            `json:"notes,omitempty"`
}

// CompanyPatch changes what it names.
type CompanyPatch struct {
	Version    int64                          `json:"version,omitempty" minimum:"1" doc:"The version that you have seen."`
	Name       Settable[string]               `json:"name,omitempty"`
	OtherNames Clearable[[]string]            `json:"otherNames,omitempty"`
	Industry   Clearable[string]              `json:"industry,omitempty"`
	Status     Settable[models.CompanyStatus] `json:"status,omitempty"`
	Website    Clearable[string]              `json:"website,omitempty"`
	Phone      Clearable[string]              `json:"phone,omitempty"`
	Address    Clearable[string]              `json:"address,omitempty"`
	OwnerID    Clearable[string]              `json:"ownerId,omitempty" doc:"null makes the company shared."`
	Tags       Clearable[[]string]            `json:"tags,omitempty"`
	Notes      Clearable[string]              `json:"notes,omitempty"`
}

// CompanyList narrows and orders a list of companies.
type CompanyList struct {
	Sorted
	Q       string `query:"q" maxLength:"300" doc:"A part of one of its names."`
	OwnerID string `query:"ownerId" maxLength:"100"`
	Status  string `query:"status" enum:"LEAD,ACTIVE,INACTIVE,CHURNED"`
}

func (s *server) companyRoutes() {
	addRecord(s, recordRoutes[Company]{
		kind: models.TypeCompany, plural: "companies",
		read: rbac.CompanyRead, remove: rbac.CompanyDelete, restore: rbac.CompanyRestore,
		get: func(ctx context.Context, actor models.Actor, id string) (Company, error) {
			return shownOne(companyOf)(s.Companies.Get(ctx, actor, id))
		},
		delete: s.Companies.Delete,
		undelete: func(ctx context.Context, actor models.Actor, id string) (Company, error) {
			return shownOne(companyOf)(s.Companies.Restore(ctx, actor, id))
		},
	})
	handle(s, get("/api/companies", "listCompanies", "List companies").needs(rbac.CompanyRead), s.listCompanies)
	handle(s, post("/api/companies", "createCompany", "Add a company").needs(rbac.CompanyCreate).creates().replays(), s.createCompany)
	handle(s, patch("/api/companies/{id}", "updateCompany", "Change a company").needs(rbac.CompanyUpdate), s.updateCompany)
	s.addTimeline(models.TypeCompany, "companies")
}

func (s *server) listCompanies(ctx context.Context, actor models.Actor, in *CompanyList) (*one[Page[Company]], error) {
	f := store.CompanyFilter{OwnerID: in.OwnerID, Status: models.CompanyStatus(in.Status), Text: in.Q}
	list, err := s.Companies.List(ctx, actor, f, in.page())
	return pageOf(list, err, companyOf)
}

func (s *server) createCompany(ctx context.Context, actor models.Actor, in *one[CompanyInput]) (*versioned[Company], error) {
	b := &in.Body
	c, err := shownOne(companyOf)(s.Companies.Create(ctx, actor, crm.CompanyInput{
		Name: b.Name, OtherNames: b.OtherNames, Industry: b.Industry, Status: models.CompanyStatus(b.Status), Website: b.Website,
		Phone: b.Phone, Address: b.Address, OwnerID: b.OwnerID.Value, Unowned: b.OwnerID.Set && b.OwnerID.Value == nil,
		Tags: b.Tags, Notes: b.Notes,
	}))
	return created(c, err, "companies")
}

func (s *server) updateCompany(ctx context.Context, actor models.Actor, in *patchOf[CompanyPatch]) (*versioned[Company], error) {
	b := &in.Body
	version, err := in.version(b.Version)
	if err != nil {
		return nil, err
	}
	return record(shownOne(companyOf)(s.Companies.Update(ctx, actor, in.id(), version, crm.CompanyPatch{
		Name: b.Name.Optional, OtherNames: b.OtherNames.Optional, Industry: b.Industry.Optional, Status: b.Status.Optional,
		Website: b.Website.Optional, Phone: b.Phone.Optional, Address: b.Address.Optional, OwnerID: b.OwnerID.Optional,
		Tags: b.Tags.Optional, Notes: b.Notes.Optional,
	})))
}
