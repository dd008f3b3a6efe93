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

// Deals is the service of deals.
type Deals struct{ base }

// NewDeals returns the service.
func NewDeals(runner store.Runner, gate *audit.Gate, now func() time.Time) *Deals {
	return &Deals{newBase(runner, gate, now)}
}

// With returns the service bound to a transaction.
func (s *Deals) With(tx *store.Tx) *Deals { return &Deals{s.with(tx)} }

// DealInput is a new deal. Empty pipeline and stage mean the first ones, an empty owner the actor.
type DealInput struct {
	Title             string
	ExternalID        string
	CompanyID         *string
	ProductID         *string
	PipelineID        string
	StageID           string
	Amount            *models.Money
	OpenedAt          *time.Time
	ExpectedCloseDate *models.Date
	ClosedAt          *time.Time
	OwnerID           string
	LostReason        string
}

// DealPatch changes fields of a deal. Moving to a stage of kind WON or LOST closes the deal now, moving to
// an OPEN one opens it again; a stage of another pipeline moves the deal there.
type DealPatch struct {
	Title             models.Optional[string]
	CompanyID         models.Optional[string]
	ProductID         models.Optional[string]
	StageID           models.Optional[string]
	Amount            models.Optional[models.Money]
	ExpectedCloseDate models.Optional[models.Date]
	OwnerID           models.Optional[string]
	LostReason        models.Optional[string]
}

// grants authorizes reading deals and, as far as the actor may, the names of their companies.
func (s *Deals) grants(ctx context.Context, actor models.Actor) (store.DealGrants, error) {
	ctx = rbac.AtOnce(ctx)
	deal, err := s.gate.Authorize(ctx, actor, rbac.DealRead)
	if err != nil {
		return store.DealGrants{}, err
	}
	company, err := s.gate.Try(ctx, actor, rbac.CompanyRead)
	return store.DealGrants{Deal: deal, Company: company}, err
}

// dealRights are the grants that a write of a deal may need. Those that it needs only in some cases may
// be zero Grants.
type dealRights struct {
	read                       store.DealGrants
	write                      rbac.Grant
	assign, pipelines, product rbac.Grant
}

// rights authorizes reading deals and a write of them, and looks up the rest.
func (s *Deals) rights(ctx context.Context, actor models.Actor, p rbac.Permission) (rights dealRights, err error) {
	ctx = rbac.AtOnce(ctx)
	if rights.read, err = s.grants(ctx, actor); err != nil {
		return rights, err
	}
	if rights.write, err = s.gate.Authorize(ctx, actor, p); err != nil {
		return rights, err
	}
	if rights.assign, err = s.gate.Try(ctx, actor, rbac.DealAssign); err != nil {
		return rights, err
	}
	if rights.pipelines, err = s.gate.Try(ctx, actor, rbac.PipelineRead); err != nil {
		return rights, err
	}
	rights.product, err = s.gate.Try(ctx, actor, rbac.ProductRead)
	return rights, err
}

// List returns a page of the deals that the actor sees.
func (s *Deals) List(ctx context.Context, actor models.Actor, f store.DealFilter, p store.Page) (list store.List[store.DealView], err error) {
	g, err := s.grants(ctx, actor)
	if err != nil {
		return list, err
	}
	err = s.runner.View(ctx, func(r *store.Reader) error {
		list, err = r.Deals(ctx, g, f, p)
		return err
	})
	return list, err
}

// Get returns a deal that the actor sees.
func (s *Deals) Get(ctx context.Context, actor models.Actor, id string) (view *store.DealView, err error) {
	g, err := s.grants(ctx, actor)
	if err != nil {
		return nil, err
	}
	err = s.runner.View(ctx, func(r *store.Reader) error {
		view, err = r.Deal(ctx, g, id)
		return err
	})
	return view, err
}

// Create adds a deal. It needs deal:create, and deal:assign for the owner's part of its scope.
func (s *Deals) Create(ctx context.Context, actor models.Actor, in DealInput) (view *store.DealView, err error) {
	rights, err := s.rights(ctx, actor, rbac.DealCreate)
	if err != nil {
		return nil, err
	}
	err = s.transact(ctx, actor, models.Ref{Type: models.TypeDeal}, func(tx *store.Tx) error {
		now := s.now()
		deal, err := s.build(ctx, tx.Reader, actor, rights, in, now)
		if err != nil {
			return err
		}
		if err := s.insert(ctx, tx, actor, rights.write, &deal.Deal, now); err != nil {
			return err
		}
		view, err = s.reread(ctx, tx, rights.read, deal)
		return err
	})
	return view, err
}

// insert adds a checked deal, with history and audit.
func (s *Deals) insert(ctx context.Context, tx *store.Tx, actor models.Actor, create rbac.Grant, d *models.Deal, now time.Time) error {
	if err := tx.InsertDeal(ctx, create, d); err != nil {
		return s.duplicate(err)
	}
	return s.wrote(ctx, tx, actor, write{
		action: rbac.DealCreate, target: dealRef(d), record: d.Record, at: now,
		fields: audit.Changed(dealFields(&models.Deal{}, d)),
	})
}

func (s *Deals) build(ctx context.Context, r *store.Reader, actor models.Actor, rights dealRights, in DealInput, now time.Time) (*store.DealView, error) {
	d, err := newDeal(actor, in, now)
	if err != nil {
		return nil, err
	}
	if err := mayOwn(ctx, r, rights.assign, rbac.DealAssign, d.OwnerID); err != nil {
		return nil, err
	}
	if d.CompanyName, err = rights.companyName(ctx, r, d.CompanyID); err != nil {
		return nil, err
	}
	if d.ProductName, err = rights.productName(ctx, r, d.ProductID); err != nil {
		return nil, err
	}
	pipelines, err := rights.placeable(ctx, r)
	if err != nil {
		return nil, err
	}
	return d, place(pipelines, d, in, now)
}

// newDeal is a deal with the values of an input, checked as far as they stand for themselves.
func newDeal(actor models.Actor, in DealInput, now time.Time) (*store.DealView, error) {
	d := &store.DealView{Deal: models.Deal{
		Record: models.NewRecord(now), CompanyID: in.CompanyID, ProductID: in.ProductID,
		ExpectedCloseDate: in.ExpectedCloseDate, OwnerID: in.OwnerID,
	}}
	if d.OwnerID == "" {
		d.OwnerID = actor.UserID
	}
	d.SetAmount(in.Amount)
	var wrong problems
	d.Title = wrong.line("title", in.Title, true)
	d.ExternalID = wrong.externalID(in.ExternalID)
	d.LostReason = wrong.line("lostReason", in.LostReason, false)
	d.OpenedAt = wrong.moment("openedAt", in.OpenedAt)
	d.ClosedAt = wrong.moment("closedAt", in.ClosedAt)
	wrong.money("amount", in.Amount)
	wrong.day("expectedCloseDate", in.ExpectedCloseDate)
	return d, wrong.err()
}

// place puts a new deal into its pipeline and stage.
func place(pipelines []models.Pipeline, d *store.DealView, in DealInput, now time.Time) error {
	stage := firstStage(pipelines, func(s models.Stage) bool {
		return (in.PipelineID == "" || s.PipelineID == in.PipelineID) && (in.StageID == "" || s.ID == in.StageID)
	})
	if stage.ID == "" {
		return noSuchStage()
	}
	enter(d, stage)
	var wrong problems
	wrong.closing(d)
	switch {
	case d.StageKind != models.StageOpen && d.ClosedAt == nil:
		d.ClosedAt = &now
	case d.StageKind == models.StageOpen && d.OpenedAt == nil && d.ExternalID == nil:
		d.OpenedAt = &now
	}
	return wrong.err()
}

// firstStage is the first stage that fits, the zero stage where none does.
func firstStage(pipelines []models.Pipeline, fits func(models.Stage) bool) store.StageView {
	for _, p := range pipelines {
		for _, s := range p.Stages {
			if fits(s) {
				return store.StageView{Stage: s, PipelineName: p.Name}
			}
		}
	}
	return store.StageView{}
}

// enter puts a deal into a stage.
func enter(d *store.DealView, s store.StageView) {
	d.PipelineID, d.PipelineName = s.PipelineID, s.PipelineName
	d.StageID, d.StageName, d.StageKind = s.ID, s.Name, s.Kind
}

func noSuchStage() error {
	return apperr.InvalidField("stageId", "There is no such stage in that pipeline. List the pipelines to see their stages.")
}

// closing checks that what is said of the end of a deal fits its stage.
func (p *problems) closing(d *store.DealView) {
	if d.ClosedAt != nil && d.StageKind == models.StageOpen {
		p.add("closedAt", "A deal in an open stage has no closing time. Leave it out, or choose a stage that closes the deal.")
	}
	if d.LostReason != "" && d.StageKind != models.StageLost {
		p.add("lostReason", "Only a lost deal has a lost reason. Leave it out, or choose a stage that loses the deal.")
	}
}

// placeable are the pipelines into which a deal can be put.
func (rights dealRights) placeable(ctx context.Context, r *store.Reader) ([]models.Pipeline, error) {
	if err := holds(rights.pipelines, rbac.PipelineRead); err != nil {
		return nil, err
	}
	return r.Pipelines(ctx, rights.pipelines)
}

// companyName is the name of the company that a deal is to have, which must exist for the actor.
func (rights dealRights) companyName(ctx context.Context, r *store.Reader, id *string) (string, error) {
	if id == nil {
		return "", nil
	}
	if err := holds(rights.read.Company, rbac.CompanyRead); err != nil {
		return "", err
	}
	company, err := r.Company(ctx, rights.read.Company, *id)
	if err != nil {
		return "", reference(err, "companyId", "company")
	}
	return company.Name, nil
}

// productName is the name of the product that a deal is to have, which must exist for the actor.
func (rights dealRights) productName(ctx context.Context, r *store.Reader, id *string) (string, error) {
	if id == nil {
		return "", nil
	}
	if err := holds(rights.product, rbac.ProductRead); err != nil {
		return "", err
	}
	product, err := r.Product(ctx, rights.product, *id)
	if err != nil {
		return "", reference(err, "productId", "product")
	}
	return product.Name, nil
}

// reread returns the deal as the actor sees it after a write; one that was given away is told from memory.
func (s *Deals) reread(ctx context.Context, tx *store.Tx, g store.DealGrants, memory *store.DealView) (*store.DealView, error) {
	view, err := tx.Deal(ctx, g, memory.ID)
	if apperr.Is(err, apperr.NotFound) {
		return memory, nil
	}
	return view, err
}

func (s *Deals) duplicate(err error) error {
	if apperr.HasCode(err, store.CodeDuplicate) {
		return apperr.New(apperr.Conflict, store.CodeDuplicate, "A deal with this external id exists already.").WithCause(err)
	}
	return err
}

func dealRef(d *models.Deal) models.Ref {
	return models.Ref{Type: models.TypeDeal, ID: d.ID, Name: d.Title}
}

// dealFields are the fields of a deal that history tells, before and after a write.
func dealFields(before, after *models.Deal) []audit.Field {
	return []audit.Field{
		{Name: "title", Before: text(before.Title), After: text(after.Title)},
		{Name: "externalId", Before: before.ExternalID, After: after.ExternalID},
		{Name: "companyId", Before: before.CompanyID, After: after.CompanyID},
		{Name: "productId", Before: before.ProductID, After: after.ProductID},
		{Name: "pipelineId", Before: text(before.PipelineID), After: text(after.PipelineID)},
		{Name: "stageId", Before: text(before.StageID), After: text(after.StageID)},
		{Name: "amount", Before: before.Amount(), After: after.Amount()},
		{Name: "openedAt", Before: before.OpenedAt, After: after.OpenedAt},
		{Name: "expectedCloseDate", Before: before.ExpectedCloseDate, After: after.ExpectedCloseDate},
		{Name: "closedAt", Before: before.ClosedAt, After: after.ClosedAt},
		{Name: "ownerId", Before: text(before.OwnerID), After: text(after.OwnerID)},
		{Name: "lostReason", Before: text(before.LostReason), After: text(after.LostReason)},
	}
}
