package api

import (
	"context"
	"time"

	"countersign/apperr"
	"countersign/crm"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// Deal is a deal with the names of what it refers to.
type Deal struct {
	ID                string       `json:"id"`
	Title             string       `json:"title"`
	ExternalID        *string      `json:"externalId,omitempty"`
	CompanyID         *string      `json:"companyId,omitempty"`
	CompanyName       string       `json:"companyName,omitempty"`
	ProductID         *string      `json:"productId,omitempty"`
	ProductName       string       `json:"productName,omitempty"`
	PipelineID        string       `json:"pipelineId"`
	PipelineName      string       `json:"pipelineName"`
	StageID           string       `json:"stageId"`
	StageName         string       `json:"stageName"`
	StageKind         string       `json:"stageKind" enum:"OPEN,WON,LOST"`
	Amount            *Money       `json:"amount,omitempty" doc:"Missing while it is unknown."`
	OpenedAt          *time.Time   `json:"openedAt,omitempty"`
	ExpectedCloseDate *models.Date `json:"expectedCloseDate,omitempty" format:"date"`
	ClosedAt          *time.Time   `json:"closedAt,omitempty"`
	OwnerID           string       `json:"ownerId"`
	OwnerName         string       `json:"ownerName"`
	LostReason        string       `json:"lostReason,omitempty"`
	Version           int64        `json:"version"`
	CreatedAt         time.Time    `json:"createdAt"`
	UpdatedAt         time.Time    `json:"updatedAt"`
}

func dealOf(d *store.DealView) Deal {
	return Deal{
		ID: d.ID, Title: d.Title, ExternalID: d.ExternalID, CompanyID: d.CompanyID, CompanyName: d.CompanyName,
		ProductID: d.ProductID, ProductName: d.ProductName, PipelineID: d.PipelineID, PipelineName: d.PipelineName,
		StageID: d.StageID, StageName: d.StageName, StageKind: string(d.StageKind), Amount: moneyOf(d.Amount()),
		OpenedAt: d.OpenedAt, ExpectedCloseDate: d.ExpectedCloseDate, ClosedAt: d.ClosedAt, OwnerID: d.OwnerID,
		OwnerName: d.OwnerName, LostReason: d.LostReason, Version: d.Version, CreatedAt: d.CreatedAt, UpdatedAt: d.UpdatedAt,
	}
}

func (d Deal) identity() (id string, version int64) { return d.ID, d.Version }

// DealInput is a new deal.
type DealInput struct {
	Title             string     `json:"title"`
	ExternalID        string     `json:"externalId,omitempty"`
	CompanyID         *string    `json:"companyId,omitempty"`
	ProductID         *string    `json:"productId,omitempty"`
	PipelineID        string     `json:"pipelineId,omitempty" doc:"The first pipeline if left out."`
	StageID           string     `json:"stageId,omitempty" doc:"The first stage if left out."`
	Amount            *Money     `json:"amount,omitempty"`
	OpenedAt          *time.Time `json:"openedAt,omitempty"`
	ExpectedCloseDate *string    `json:"expectedCloseDate,omitempty" doc:"Such as 2026-11-29."`
	OwnerID           string     `json:"ownerId,omitempty" doc:"You if left out."`
	LostReason        string     `json:"lostReason,omitempty"`
}

// DealPatch changes what it names.
type DealPatch struct {
	Version           int64             `json:"version,omitempty" minimum:"1" doc:"The version that you have seen."`
	Title             Settable[string]  `json:"title,omitempty"`
	CompanyID         Clearable[string] `json:"companyId,omitempty"`
	ProductID         Clearable[string] `json:"productId,omitempty"`
	StageID           Settable[string]  `json:"stageId,omitempty" doc:"A stage of another pipeline moves the deal there."`
	Amount            Clearable[Money]  `json:"amount,omitempty"`
	ExpectedCloseDate Clearable[string] `json:"expectedCloseDate,omitempty" doc:"Such as 2026-11-29."`
	OwnerID           Settable[string]  `json:"ownerId,omitempty"`
	LostReason        Clearable[string] `json:"lostReason,omitempty"`
}

// DealList narrows and orders a list of deals.
type DealList struct {
	Sorted
	Q            string    `query:"q" maxLength:"300" doc:"A part of the title or external id."`
	PipelineID   string    `query:"pipelineId" maxLength:"100"`
	StageID      []string  `query:"stageId" maxItems:"50" doc:"One stage or several, separated by commas."`
	StageKind    string    `query:"stageKind" enum:"OPEN,WON,LOST"`
	OwnerID      string    `query:"ownerId" maxLength:"100"`
	TeamID       string    `query:"teamId" maxLength:"100"`
	CompanyID    string    `query:"companyId" maxLength:"100"`
	ProductID    string    `query:"productId" maxLength:"100"`
	ClosedFrom   time.Time `query:"closedFrom" doc:"Inclusive."`
	ClosedBefore time.Time `query:"closedBefore" doc:"Exclusive."`
	ExpectedFrom string    `query:"expectedFrom" doc:"A date, inclusive."`
	ExpectedTo   string    `query:"expectedTo" doc:"A date, inclusive."`
}

func (s *server) dealRoutes() {
	addRecord(s, recordRoutes[Deal]{
		kind: models.TypeDeal, plural: "deals", read: rbac.DealRead, remove: rbac.DealDelete, restore: rbac.DealRestore,
		get: func(ctx context.Context, actor models.Actor, id string) (Deal, error) {
			return shownOne(dealOf)(s.Deals.Get(ctx, actor, id))
		},
		delete: s.Deals.Delete,
		undelete: func(ctx context.Context, actor models.Actor, id string) (Deal, error) {
			return shownOne(dealOf)(s.Deals.Restore(ctx, actor, id))
		},
	})
	handle(s, get("/api/deals", "listDeals", "List deals").needs(rbac.DealRead), s.listDeals)
	handle(s, post("/api/deals", "createDeal", "Add a deal").needs(rbac.DealCreate).creates().replays(), s.createDeal)
	handle(s, patch("/api/deals/{id}", "updateDeal", "Change a deal").needs(rbac.DealUpdate), s.updateDeal)
	s.addTimeline(models.TypeDeal, "deals")
}

func (s *server) listDeals(ctx context.Context, actor models.Actor, in *DealList) (*one[Page[Deal]], error) {
	f := store.DealFilter{
		PipelineID: in.PipelineID, StageIDs: in.StageID, StageKind: models.StageKind(in.StageKind), OwnerID: in.OwnerID,
		TeamID: in.TeamID, CompanyID: in.CompanyID, ProductID: in.ProductID, Text: in.Q,
		ClosedFrom: given(in.ClosedFrom), ClosedBefore: given(in.ClosedBefore),
	}
	var err error
	if f.ExpectedFrom, err = dateParam("expectedFrom", in.ExpectedFrom); err != nil {
		return nil, err
	}
	if f.ExpectedTo, err = dateParam("expectedTo", in.ExpectedTo); err != nil {
		return nil, err
	}
	list, err := s.Deals.List(ctx, actor, f, in.page())
	return pageOf(list, err, dealOf)
}

func (s *server) createDeal(ctx context.Context, actor models.Actor, in *one[DealInput]) (*versioned[Deal], error) {
	b := &in.Body
	input := crm.DealInput{
		Title: b.Title, ExternalID: b.ExternalID, CompanyID: b.CompanyID, ProductID: b.ProductID, PipelineID: b.PipelineID,
		StageID: b.StageID, OpenedAt: b.OpenedAt, OwnerID: b.OwnerID, LostReason: b.LostReason,
	}
	if b.Amount != nil {
		amount, err := b.Amount.parse()
		if err != nil {
			return nil, err
		}
		input.Amount = &amount
	}
	if b.ExpectedCloseDate != nil {
		day, err := parseDate("expectedCloseDate", *b.ExpectedCloseDate)
		if err != nil {
			return nil, err
		}
		input.ExpectedCloseDate = &day
	}
	deal, err := shownOne(dealOf)(s.Deals.Create(ctx, actor, input))
	return created(deal, err, "deals")
}

func (s *server) updateDeal(ctx context.Context, actor models.Actor, in *patchOf[DealPatch]) (*versioned[Deal], error) {
	b := &in.Body
	version, err := in.version(b.Version)
	if err != nil {
		return nil, err
	}
	amount, err := convert(b.Amount.Optional, Money.parse)
	if err != nil {
		return nil, err
	}
	expected, err := convert(b.ExpectedCloseDate.Optional, func(text string) (models.Date, error) { return parseDate("expectedCloseDate", text) })
	if err != nil {
		return nil, err
	}
	return record(shownOne(dealOf)(s.Deals.Update(ctx, actor, in.id(), version, crm.DealPatch{
		Title: b.Title.Optional, CompanyID: b.CompanyID.Optional, ProductID: b.ProductID.Optional, StageID: b.StageID.Optional,
		Amount: amount, ExpectedCloseDate: expected, OwnerID: b.OwnerID.Optional, LostReason: b.LostReason.Optional,
	})))
}

// Money is an exact amount as a decimal text.
type Money struct {
	Amount   string `json:"amount" maxLength:"40" example:"1234.50"`
	Currency string `json:"currency" maxLength:"3" example:"HKD"`
}

func moneyOf(m *models.Money) *Money {
	if m == nil {
		return nil
	}
	return &Money{Amount: m.Amount(), Currency: m.Currency}
}

func (m Money) parse() (models.Money, error) {
	amount, err := models.ParseMoney(m.Amount, m.Currency)
	if err != nil {
		return models.Money{}, apperr.InvalidField("amount", sentence(err.Error()))
	}
	return amount, nil
}

func parseDate(path, text string) (models.Date, error) {
	day, err := models.ParseDate(text)
	if err != nil {
		return "", apperr.InvalidField(path, humaWords(path, "expected string to be RFC 3339 date"))
	}
	return day, nil
}

// dateParam is a date of a query; nil when it is left out.
func dateParam(path, text string) (*models.Date, error) {
	if text == "" {
		return nil, nil
	}
	day, err := parseDate(path, text)
	return &day, err
}

// given is a time of a query; nil when it is left out.
func given(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}
