package api

import (
	"context"
	"fmt"
	"time"

	"countersign/apperr"
	"countersign/crm"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// Quotation is an offer to a company, with the names of what it refers to. The server computes all amounts.
type Quotation struct {
	ID              string          `json:"id"`
	Number          string          `json:"number" example:"Q-2026-0001" doc:"All revisions have the same."`
	Revision        int64           `json:"revision"`
	Name            string          `json:"name" example:"Q-2026-0001-R2" doc:"What people call it: its number, from the second revision on with that."`
	Status          string          `json:"status" enum:"DRAFT,SENT,ACCEPTED,REJECTED,EXPIRED"`
	CompanyID       string          `json:"companyId"`
	CompanyName     string          `json:"companyName,omitempty"`
	ContactID       *string         `json:"contactId,omitempty"`
	ContactName     string          `json:"contactName,omitempty"`
	DealID          *string         `json:"dealId,omitempty"`
	DealTitle       string          `json:"dealTitle,omitempty"`
	OwnerID         string          `json:"ownerId"`
	OwnerName       string          `json:"ownerName"`
	ValidUntil      *models.Date    `json:"validUntil,omitempty" format:"date" doc:"The last day on which it is valid."`
	Currency        string          `json:"currency"`
	Notes           string          `json:"notes,omitempty"`
	Items           []QuotationItem `json:"items,omitempty" doc:"Missing in lists."`
	DiscountPercent string          `json:"discountPercent,omitempty" doc:"On all items, after their own discounts. At most one of the two discounts is there."`
	DiscountAmount  string          `json:"discountAmount,omitempty"`
	Subtotal        Money           `json:"subtotal" doc:"The sum of the items."`
	Discount        Money           `json:"discount" doc:"What the discount on all items takes off."`
	Net             Money           `json:"net" doc:"Before tax."`
	Tax             Money           `json:"tax"`
	Total           Money           `json:"total"`
	SentAt          *time.Time      `json:"sentAt,omitempty"`
	DecidedAt       *time.Time      `json:"decidedAt,omitempty" doc:"When it was accepted or rejected, or expired."`
	SupersededAt    *time.Time      `json:"supersededAt,omitempty" doc:"When a newer revision was sent."`
	Version         int64           `json:"version"`
	CreatedAt       time.Time       `json:"createdAt"`
	UpdatedAt       time.Time       `json:"updatedAt"`
}

// QuotationItem is a line of a quotation. What it says of its product is as it was when the line was written.
type QuotationItem struct {
	ProductID       *string `json:"productId,omitempty"`
	SKU             string  `json:"sku,omitempty"`
	Name            string  `json:"name"`
	Unit            string  `json:"unit,omitempty"`
	Quantity        string  `json:"quantity" example:"2.5"`
	UnitPrice       string  `json:"unitPrice" example:"1234.50" doc:"It may be finer than a minor unit of the currency."`
	DiscountPercent string  `json:"discountPercent,omitempty"`
	DiscountAmount  string  `json:"discountAmount,omitempty"`
	TaxPercent      string  `json:"taxPercent"`
	LineTotal       Money   `json:"lineTotal" doc:"After the line's discount, before tax."`
	Tax             Money   `json:"tax"`
}

func quotationOf(v *store.QuotationView) Quotation {
	amount := func(minor int64) Money { return *moneyOf(new(v.Money(minor))) }
	percent, fixed := discountTexts(v.Discount, v.Currency)
	return Quotation{
		ID: v.ID, Number: v.Number, Revision: v.Revision, Name: v.Label(), Status: string(v.Status), CompanyID: v.CompanyID, CompanyName: v.CompanyName,
		ContactID: v.ContactID, ContactName: v.ContactName, DealID: v.DealID, DealTitle: v.DealTitle, OwnerID: v.OwnerID, OwnerName: v.OwnerName,
		ValidUntil: v.ValidUntil, Currency: v.Currency, Notes: v.Notes, DiscountPercent: percent, DiscountAmount: fixed,
		Items: shown(v.Items, func(i *models.QuotationItem) QuotationItem {
			percent, fixed := discountTexts(i.Discount, v.Currency)
			return QuotationItem{
				ProductID: i.ProductID, SKU: i.SKU, Name: i.Name, Unit: i.Unit, Quantity: models.FormatE4(i.QuantityE4),
				UnitPrice: models.Price(i.PriceE4, v.Currency), DiscountPercent: percent, DiscountAmount: fixed,
				TaxPercent: models.FormatE4(i.TaxRateE4), LineTotal: amount(i.NetMinor), Tax: amount(i.TaxMinor),
			}
		}),
		Subtotal: amount(v.SubtotalMinor), Discount: amount(v.DiscountMinor), Net: amount(v.NetMinor()), Tax: amount(v.TaxMinor), Total: amount(v.TotalMinor),
		SentAt: v.SentAt, DecidedAt: v.DecidedAt, SupersededAt: v.SupersededAt, Version: v.Version, CreatedAt: v.CreatedAt, UpdatedAt: v.UpdatedAt,
	}
}

// discountTexts are the two ways to give a discount; the one that is not used is empty.
func discountTexts(d models.Discount, currency string) (percent, fixed string) {
	if d.DiscountRateE4 != 0 {
		percent = models.FormatE4(d.DiscountRateE4)
	}
	if d.DiscountFixedE4 != 0 {
		fixed = models.Price(d.DiscountFixedE4, currency)
	}
	return percent, fixed
}

func (q Quotation) identity() (id string, version int64) { return q.ID, q.Version }

// QuotationLine is an item to write. What is left out is the product's; a line without a product needs a name and a price.
type QuotationLine struct {
	ProductID       *string `json:"productId,omitempty"`
	Name            string  `json:"name,omitempty"`
	Unit            string  `json:"unit,omitempty"`
	Quantity        string  `json:"quantity" maxLength:"40" example:"2.5" doc:"At most four decimal places."`
	UnitPrice       *string `json:"unitPrice,omitempty" maxLength:"40" example:"1234.50" doc:"In the currency of the quotation, at most four decimal places."`
	DiscountPercent string  `json:"discountPercent,omitempty" maxLength:"40" example:"10"`
	DiscountAmount  string  `json:"discountAmount,omitempty" maxLength:"40" doc:"Instead of a percentage."`
	TaxPercent      *string `json:"taxPercent,omitempty" maxLength:"40" doc:"The product's if left out, or 0."`
}

// QuotationInput is a new draft.
type QuotationInput struct {
	CompanyID       *string         `json:"companyId,omitempty" doc:"That of the deal if left out."`
	ContactID       *string         `json:"contactId,omitempty"`
	DealID          *string         `json:"dealId,omitempty"`
	OwnerID         string          `json:"ownerId,omitempty" doc:"You if left out."`
	ValidUntil      *string         `json:"validUntil,omitempty" doc:"Such as 2026-11-29."`
	Currency        string          `json:"currency,omitempty" doc:"That of the deal's amount if left out, or HKD."`
	Notes           string          `json:"notes,omitempty"`
	DiscountPercent string          `json:"discountPercent,omitempty" maxLength:"40" example:"10"`
	DiscountAmount  string          `json:"discountAmount,omitempty" maxLength:"40" doc:"Instead of a percentage."`
	Items           []QuotationLine `json:"items,omitempty" maxItems:"100"`
}

// QuotationPatch changes what it names. Once it is no draft, only status and owner can change.
type QuotationPatch struct {
	Version         int64                     `json:"version,omitempty" minimum:"1" doc:"The version that you have seen."`
	CompanyID       Settable[string]          `json:"companyId,omitempty"`
	ContactID       Clearable[string]         `json:"contactId,omitempty"`
	DealID          Clearable[string]         `json:"dealId,omitempty"`
	OwnerID         Settable[string]          `json:"ownerId,omitempty"`
	ValidUntil      Clearable[string]         `json:"validUntil,omitempty" doc:"Such as 2026-11-29."`
	Currency        Settable[string]          `json:"currency,omitempty"`
	Notes           Clearable[string]         `json:"notes,omitempty"`
	DiscountPercent Clearable[string]         `json:"discountPercent,omitempty" doc:"It replaces a discount of either kind."`
	DiscountAmount  Clearable[string]         `json:"discountAmount,omitempty" doc:"It replaces a discount of either kind."`
	Items           Settable[[]QuotationLine] `json:"items,omitempty" doc:"All items, in their order."`
	Status          Settable[string]          `json:"status,omitempty" doc:"A draft can be SENT; what was sent can be ACCEPTED, REJECTED or EXPIRED."`
}

// QuotationList narrows and orders a list of quotations.
type QuotationList struct {
	Sorted
	Q         string `query:"q" maxLength:"300" doc:"A part of the number."`
	Status    string `query:"status" enum:"DRAFT,SENT,ACCEPTED,REJECTED,EXPIRED"`
	CompanyID string `query:"companyId" maxLength:"100"`
	ContactID string `query:"contactId" maxLength:"100"`
	DealID    string `query:"dealId" maxLength:"100"`
	OwnerID   string `query:"ownerId" maxLength:"100"`
}

func (s *server) quotationRoutes() {
	addRecord(s, recordRoutes[Quotation]{
		kind: models.TypeQuotation, plural: "quotations", read: rbac.QuotationRead, remove: rbac.QuotationDelete, restore: rbac.QuotationRestore,
		get: func(ctx context.Context, actor models.Actor, id string) (Quotation, error) {
			return shownOne(quotationOf)(s.Quotations.Get(ctx, actor, id))
		},
		delete: s.Quotations.Delete,
		undelete: func(ctx context.Context, actor models.Actor, id string) (Quotation, error) {
			return shownOne(quotationOf)(s.Quotations.Restore(ctx, actor, id))
		},
	})
	handle(s, get("/api/quotations", "listQuotations", "List quotations").needs(rbac.QuotationRead), s.listQuotations)
	handle(s, post("/api/quotations", "createQuotation", "Draft a quotation").needs(rbac.QuotationCreate).creates().replays(), s.createQuotation)
	handle(s, patch("/api/quotations/{id}", "updateQuotation", "Change a draft, or the status of a quotation").needs(rbac.QuotationUpdate), s.updateQuotation)
	handle(s, post("/api/quotations/{id}/revise", "reviseQuotation", "Draft the next revision").needs(rbac.QuotationCreate).creates().replays(), s.reviseQuotation)
	s.addTimeline(models.TypeQuotation, "quotations")
}

func (s *server) listQuotations(ctx context.Context, actor models.Actor, in *QuotationList) (*one[Page[Quotation]], error) {
	list, err := s.Quotations.List(ctx, actor, store.QuotationFilter{
		Status: models.QuotationStatus(in.Status), CompanyID: in.CompanyID, ContactID: in.ContactID, DealID: in.DealID, OwnerID: in.OwnerID, Text: in.Q,
	}, in.page())
	return pageOf(list, err, quotationOf)
}

func (s *server) createQuotation(ctx context.Context, actor models.Actor, in *one[QuotationInput]) (*versioned[Quotation], error) {
	b := &in.Body
	input := crm.QuotationInput{
		CompanyID: b.CompanyID, ContactID: b.ContactID, DealID: b.DealID, OwnerID: b.OwnerID, Currency: b.Currency, Notes: b.Notes,
	}
	var err error
	if b.ValidUntil != nil {
		if input.ValidUntil, err = dateParam("validUntil", *b.ValidUntil); err != nil {
			return nil, err
		}
	}
	if input.Discount, err = parseDiscount("", b.DiscountPercent, b.DiscountAmount); err != nil {
		return nil, err
	}
	if input.Items, err = parseLines(b.Items); err != nil {
		return nil, err
	}
	quotation, err := shownOne(quotationOf)(s.Quotations.Create(ctx, actor, input))
	return created(quotation, err, "quotations")
}

func (s *server) updateQuotation(ctx context.Context, actor models.Actor, in *patchOf[QuotationPatch]) (*versioned[Quotation], error) {
	b := &in.Body
	version, err := in.version(b.Version)
	if err != nil {
		return nil, err
	}
	change := crm.QuotationPatch{
		CompanyID: b.CompanyID.Optional, ContactID: b.ContactID.Optional, DealID: b.DealID.Optional, OwnerID: b.OwnerID.Optional,
		Currency: b.Currency.Optional, Notes: b.Notes.Optional,
	}
	if change.ValidUntil, err = convert(b.ValidUntil.Optional, func(text string) (models.Date, error) { return parseDate("validUntil", text) }); err != nil {
		return nil, err
	}
	if change.Items, err = convert(b.Items.Optional, parseLines); err != nil {
		return nil, err
	}
	if change.Status, err = convert(b.Status.Optional, func(text string) (models.QuotationStatus, error) { return models.QuotationStatus(text), nil }); err != nil {
		return nil, err
	}
	if b.DiscountPercent.Set || b.DiscountAmount.Set {
		discount, err := parseDiscount("", b.DiscountPercent.Or(""), b.DiscountAmount.Or(""))
		if err != nil {
			return nil, err
		}
		change.Discount = models.Some(discount)
	}
	return record(shownOne(quotationOf)(s.Quotations.Update(ctx, actor, in.id(), version, change)))
}

func (s *server) reviseQuotation(ctx context.Context, actor models.Actor, in *ByID) (*versioned[Quotation], error) {
	quotation, err := shownOne(quotationOf)(s.Quotations.Revise(ctx, actor, in.id(), crm.QuotationPatch{}))
	return created(quotation, err, "quotations")
}

func parseLines(lines []QuotationLine) ([]crm.QuotationLine, error) {
	parsed := make([]crm.QuotationLine, len(lines))
	for i := range lines {
		line, err := lines[i].parse(fmt.Sprintf("items[%d].", i))
		if err != nil {
			return nil, err
		}
		parsed[i] = line
	}
	return parsed, nil
}

// parse reads the numbers of a line; prefix is its path.
func (l *QuotationLine) parse(prefix string) (line crm.QuotationLine, err error) {
	line = crm.QuotationLine{ProductID: l.ProductID, Name: l.Name, Unit: l.Unit}
	if line.QuantityE4, err = parseE4(prefix+"quantity", l.Quantity); err != nil {
		return line, err
	}
	if line.PriceE4, err = optionalE4(prefix+"unitPrice", l.UnitPrice); err != nil {
		return line, err
	}
	if line.TaxRateE4, err = optionalE4(prefix+"taxPercent", l.TaxPercent); err != nil {
		return line, err
	}
	line.Discount, err = parseDiscount(prefix, l.DiscountPercent, l.DiscountAmount)
	return line, err
}

// parseDiscount reads a discount; empty texts are none.
func parseDiscount(prefix, percent, fixed string) (d models.Discount, err error) {
	if percent != "" {
		if d.DiscountRateE4, err = parseE4(prefix+"discountPercent", percent); err != nil {
			return d, err
		}
	}
	if fixed != "" {
		d.DiscountFixedE4, err = parseE4(prefix+"discountAmount", fixed)
	}
	return d, err
}

func optionalE4(path string, text *string) (*int64, error) {
	if text == nil {
		return nil, nil
	}
	e4, err := parseE4(path, *text)
	return &e4, err
}

// parseE4 reads a number that is stored times 10⁴.
func parseE4(path, text string) (int64, error) {
	e4, err := models.ParseE4(text)
	if err != nil {
		return 0, apperr.InvalidField(path, sentence(err.Error()))
	}
	return e4, nil
}
