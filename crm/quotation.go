package crm

import (
	"context"
	"time"

	"countersign/apperr"
	"countersign/audit"
	"countersign/models"
	"countersign/quoting"
	"countersign/rbac"
	"countersign/store"
)

// Quotations is the service of quotations. It alone computes their amounts, and gives them their numbers.
type Quotations struct{ base }

// NewQuotations returns the service.
func NewQuotations(runner store.Runner, gate *audit.Gate, now func() time.Time) *Quotations {
	return &Quotations{newBase(runner, gate, now)}
}

// With returns the service bound to a transaction.
func (s *Quotations) With(tx *store.Tx) *Quotations { return &Quotations{s.with(tx)} }

// QuotationInput is a new draft. Without a company it is for that of the deal. An empty currency means that of the deal's
// amount, else of the first product with a price, else [models.DefaultCurrency]; an empty owner the actor.
type QuotationInput struct {
	CompanyID  *string
	ContactID  *string
	DealID     *string
	OwnerID    string
	ValidUntil *models.Date
	Currency   string
	Notes      string
	Discount   models.Discount
	Items      []QuotationLine
}

// QuotationPatch changes fields of a quotation; Items replaces all of them. Once it is no draft, only its owner and
// its status can change.
type QuotationPatch struct {
	CompanyID  models.Optional[string]
	ContactID  models.Optional[string]
	DealID     models.Optional[string]
	OwnerID    models.Optional[string]
	ValidUntil models.Optional[models.Date]
	Currency   models.Optional[string]
	Notes      models.Optional[string]
	Discount   models.Optional[models.Discount]
	Items      models.Optional[[]QuotationLine]
	Status     models.Optional[models.QuotationStatus]
}

// The codes of conflicts with the state of a quotation.
const (
	CodeNotADraft     = "NOT_A_DRAFT"
	CodeStillADraft   = "STILL_A_DRAFT"
	CodeStatus        = "STATUS_NOT_ALLOWED"
	CodeSuperseded    = "SUPERSEDED"
	CodeAccepted      = "ACCEPTED"
	CodeOtherRevision = "OTHER_REVISION"
)

// grants authorizes reading quotations and, as far as the actor may, the names of what they refer to.
func (s *Quotations) grants(ctx context.Context, actor models.Actor) (g store.QuotationGrants, err error) {
	ctx = rbac.AtOnce(ctx)
	if g.Quotation, err = s.gate.Authorize(ctx, actor, rbac.QuotationRead); err != nil {
		return g, err
	}
	for _, linked := range []struct {
		grant *rbac.Grant
		right rbac.Permission
	}{{&g.Company, rbac.CompanyRead}, {&g.Contact, rbac.ContactRead}, {&g.Deal, rbac.DealRead}} {
		if *linked.grant, err = s.gate.Try(ctx, actor, linked.right); err != nil {
			return g, err
		}
	}
	return g, nil
}

// quotationRights are the grants that a write of a quotation may need. Those that it needs only in some cases may be
// zero Grants.
type quotationRights struct {
	read                  store.QuotationGrants
	write                 rbac.Grant
	assign, send, product rbac.Grant
}

// rights authorizes reading quotations and a write of them, and looks up the rest.
func (s *Quotations) rights(ctx context.Context, actor models.Actor, p rbac.Permission) (rights quotationRights, err error) {
	ctx = rbac.AtOnce(ctx)
	if rights.read, err = s.grants(ctx, actor); err != nil {
		return rights, err
	}
	if rights.write, err = s.gate.Authorize(ctx, actor, p); err != nil {
		return rights, err
	}
	for _, other := range []struct {
		grant *rbac.Grant
		right rbac.Permission
	}{{&rights.assign, rbac.QuotationAssign}, {&rights.send, rbac.QuotationSend}, {&rights.product, rbac.ProductRead}} {
		if *other.grant, err = s.gate.Try(ctx, actor, other.right); err != nil {
			return rights, err
		}
	}
	return rights, nil
}

// List returns a page of the quotations that the actor sees, without their items.
func (s *Quotations) List(ctx context.Context, actor models.Actor, f store.QuotationFilter, p store.Page) (list store.List[store.QuotationView], err error) {
	g, err := s.grants(ctx, actor)
	if err != nil {
		return list, err
	}
	err = s.runner.View(ctx, func(r *store.Reader) error {
		list, err = r.Quotations(ctx, g, f, p)
		return err
	})
	return list, err
}

// Get returns a quotation that the actor sees, with its items.
func (s *Quotations) Get(ctx context.Context, actor models.Actor, id string) (view *store.QuotationView, err error) {
	g, err := s.grants(ctx, actor)
	if err != nil {
		return nil, err
	}
	err = s.runner.View(ctx, func(r *store.Reader) error {
		view, err = r.Quotation(ctx, g, id)
		return err
	})
	return view, err
}

// Create adds a draft, which gets the next number of the year. It needs quotation:create, and quotation:assign for the
// owner's part of its scope.
func (s *Quotations) Create(ctx context.Context, actor models.Actor, in QuotationInput) (view *store.QuotationView, err error) {
	rights, err := s.rights(ctx, actor, rbac.QuotationCreate)
	if err != nil {
		return nil, err
	}
	err = s.transact(ctx, actor, models.Ref{Type: models.TypeQuotation}, func(tx *store.Tx) error {
		quotation, err := s.build(ctx, tx.Reader, actor, rights, in)
		if err != nil {
			return err
		}
		view, err = s.insert(ctx, tx, actor, rights, quotation)
		return err
	})
	return view, err
}

// insert adds a checked quotation, with history and audit.
func (s *Quotations) insert(ctx context.Context, tx *store.Tx, actor models.Actor, rights quotationRights, quotation *store.QuotationView) (*store.QuotationView, error) {
	if err := tx.InsertQuotation(ctx, rights.write, &quotation.Quotation); err != nil {
		return nil, otherRevision(err)
	}
	err := s.wrote(ctx, tx, actor, write{
		action: rbac.QuotationCreate, target: quotationRef(&quotation.Quotation), record: quotation.Record, at: quotation.CreatedAt,
		fields: audit.Changed(quotationFields(&models.Quotation{}, &quotation.Quotation)),
	})
	if err != nil {
		return nil, err
	}
	return s.reread(ctx, tx, rights.read, quotation)
}

func (s *Quotations) build(ctx context.Context, r *store.Reader, actor models.Actor, rights quotationRights, in QuotationInput) (*store.QuotationView, error) {
	q := &store.QuotationView{Quotation: models.Quotation{
		Record: models.NewRecord(s.now()), Revision: 1, Status: models.QuotationDraft, CompanyID: orZero(in.CompanyID), ContactID: in.ContactID,
		DealID: in.DealID, OwnerID: in.OwnerID, ValidUntil: in.ValidUntil, Currency: in.Currency, Discount: in.Discount,
	}}
	if q.OwnerID == "" {
		q.OwnerID = actor.UserID
	}
	if err := mayOwn(ctx, r, rights.assign, rbac.QuotationAssign, q.OwnerID); err != nil {
		return nil, err
	}
	if err := fromDeal(ctx, r, rights.read.Deal, &q.Quotation); err != nil {
		return nil, err
	}
	if q.Currency == "" {
		q.Currency = rights.currencyOf(ctx, r, in.Items)
	}
	var wrong problems
	q.Notes = wrong.text("notes", in.Notes)
	wrong.terms(&q.Quotation)
	if err := wrong.err(); err != nil {
		return nil, err
	}
	if err := rights.fill(ctx, r, &models.Quotation{}, &q.Quotation, in.Items); err != nil {
		return nil, err
	}
	return q, rights.relink(ctx, r, &store.QuotationView{}, q)
}

// fromDeal takes from the deal what a new quotation leaves out.
func fromDeal(ctx context.Context, r *store.Reader, g rbac.Grant, q *models.Quotation) error {
	if q.DealID != nil {
		deal, err := seenDeal(ctx, r, g, *q.DealID)
		if err != nil {
			return err
		}
		if q.CompanyID == "" {
			q.CompanyID = orZero(deal.CompanyID)
		}
		if q.Currency == "" {
			q.Currency = orZero(deal.Currency)
		}
	}
	return nil
}

// currencyOf is the currency of the first product with a price, or [models.DefaultCurrency].
func (rights quotationRights) currencyOf(ctx context.Context, r *store.Reader, lines []QuotationLine) string {
	for _, line := range lines {
		if line.ProductID == nil {
			continue
		}
		if product, err := r.Product(ctx, rights.product, *line.ProductID); err == nil && product.Currency != nil {
			return *product.Currency
		}
	}
	return models.DefaultCurrency
}

// terms checks what of a quotation stands for itself.
func (p *problems) terms(q *models.Quotation) {
	if q.CompanyID == "" {
		p.add("companyId", "Say which company the quotation is for.")
	}
	if !models.KnownCurrency(q.Currency) {
		p.add("currency", "Give the currency as a code such as HKD or USD.")
	}
	p.day("validUntil", q.ValidUntil)
	p.discount("", q.Discount)
}

// fill gives a quotation its items, and computes its amounts.
func (rights quotationRights) fill(ctx context.Context, r *store.Reader, before, after *models.Quotation, lines []QuotationLine) (err error) {
	if after.Items, err = rights.items(ctx, r, before, after.Currency, lines); err != nil {
		return err
	}
	return quoting.Calculate(after)
}

// reread returns the quotation as the actor sees it after a write; one that was given away is told from memory.
func (s *Quotations) reread(ctx context.Context, tx *store.Tx, g store.QuotationGrants, memory *store.QuotationView) (*store.QuotationView, error) {
	view, err := tx.Quotation(ctx, g, memory.ID)
	if apperr.Is(err, apperr.NotFound) {
		return memory, nil
	}
	return view, err
}

// otherRevision explains that a number can have one draft at a time.
func otherRevision(err error) error {
	if apperr.HasCode(err, store.CodeDuplicate) {
		return apperr.New(apperr.Conflict, CodeOtherRevision, "This quotation has a draft of another revision already. Change or delete that one.").WithCause(err)
	}
	return err
}

func quotationRef(q *models.Quotation) models.Ref {
	return models.Ref{Type: models.TypeQuotation, ID: q.ID, Name: q.Label()}
}

// quotationFields are the fields of a quotation that history tells, before and after a write. When it was sent and decided
// follows from its status.
func quotationFields(before, after *models.Quotation) []audit.Field {
	return []audit.Field{
		{Name: "number", Before: text(before.Number), After: text(after.Number)},
		{Name: "revision", Before: figure(before.Revision), After: figure(after.Revision)},
		{Name: "status", Before: text(string(before.Status)), After: text(string(after.Status))},
		{Name: "companyId", Before: text(before.CompanyID), After: text(after.CompanyID)},
		{Name: "contactId", Before: before.ContactID, After: after.ContactID},
		{Name: "dealId", Before: before.DealID, After: after.DealID},
		{Name: "ownerId", Before: text(before.OwnerID), After: text(after.OwnerID)},
		{Name: "validUntil", Before: before.ValidUntil, After: after.ValidUntil},
		{Name: "notes", Before: text(before.Notes), After: text(after.Notes)},
		{Name: "items", Before: itemTexts(before), After: itemTexts(after)},
		{Name: "discount", Before: text(before.Discount.Text(before.Currency)), After: text(after.Discount.Text(after.Currency))},
		{Name: "total", Before: quotationTotal(before), After: quotationTotal(after)},
		{Name: "supersededAt", Before: before.SupersededAt, After: after.SupersededAt},
	}
}

// figure is a number as history tells it: none instead of zero.
func figure(n int64) any {
	if n == 0 {
		return nil
	}
	return n
}

// quotationTotal is the total with its currency; none for a quotation that is not yet there.
func quotationTotal(q *models.Quotation) *models.Money {
	if q.Currency == "" {
		return nil
	}
	total := q.Money(q.TotalMinor)
	return &total
}

func itemTexts(q *models.Quotation) any {
	texts := make(models.Strings, len(q.Items))
	for i, item := range q.Items {
		texts[i] = item.Text(q.Currency)
	}
	return list(texts)
}
