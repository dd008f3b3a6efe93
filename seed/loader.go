package seed

import (
	"context"
	"time"

	"countersign/accounts"
	"countersign/apperr"
	"countersign/audit"
	"countersign/crm"
	"countersign/models"
	"countersign/rbac"
	"countersign/resolve"
	"countersign/store"
)

// loader adds records in a transaction and counts them.
type loader struct {
	tx         *store.Tx
	now        func() time.Time
	accounts   *accounts.Service
	resolver   *resolve.Resolver
	companies  *crm.Companies
	contacts   *crm.Contacts
	deals      *crm.Deals
	activities *crm.Activities
	tasks      *crm.Tasks
	quotations *crm.Quotations
	products   *crm.Products
	pipelines  *crm.Pipelines
	report     Report
}

func newLoader(o Options, tx *store.Tx) loader {
	gate := o.Gate.With(tx)
	return loader{
		tx: tx, now: func() time.Time { return o.Now().UTC().Truncate(time.Microsecond) },
		accounts: o.Accounts.With(tx), resolver: resolve.New(tx, gate),
		companies: crm.NewCompanies(tx, gate, o.Now), deals: crm.NewDeals(tx, gate, o.Now), activities: crm.NewActivities(tx, gate, o.Now),
		contacts: crm.NewContacts(tx, gate, o.Now), tasks: crm.NewTasks(tx, gate, o.Now), quotations: crm.NewQuotations(tx, gate, o.Now),
		products: crm.NewProducts(tx, gate, o.Now), pipelines: crm.NewPipelines(tx, gate, o.Now),
	}
}

// alone makes loaders go one after the other: what is found missing stays missing until it is added.
func (l *loader) alone(ctx context.Context) error { return l.tx.LockRole(ctx, rbac.AdminRole) }

// record writes down that something was loaded; loading nothing leaves no trace.
func (l *loader) record(ctx context.Context, action string) error {
	if !l.report.Changed() {
		return nil
	}
	return audit.Write(ctx, l.tx, importer(), l.now(), audit.Entry{
		Action: action, Decision: models.DecisionAllowed, Detail: l.report.detail(),
	})
}

// findTeam gives the id of the team with a name; "" when there is none.
func (l *loader) findTeam(ctx context.Context, name string) (string, error) {
	match, err := l.resolver.Resolve(ctx, importer(), resolve.Query{Kind: models.TypeTeam, Text: name})
	if apperr.Is(err, apperr.NotFound) || (err == nil && match.How != resolve.HowExact) {
		return "", nil
	}
	return match.Ref.ID, err
}

// findUser gives the user with an e-mail address; one without an ID when there is none.
func (l *loader) findUser(ctx context.Context, email string) (models.User, error) {
	user, err := l.accounts.FindUser(ctx, email)
	if apperr.Is(err, apperr.NotFound) {
		return models.User{}, nil
	}
	return user, err
}

// addTeam adds a team.
func (l *loader) addTeam(ctx context.Context, name string) (id string, err error) {
	team, err := l.accounts.CreateTeam(ctx, name)
	l.report.Teams.New++
	return team.ID, err
}

// addUsers adds users.
func (l *loader) addUsers(ctx context.Context, in []accounts.UserInput) ([]models.User, error) {
	l.report.Users.New += len(in)
	return l.accounts.CreateUsers(ctx, in)
}

// addProduct adds a product that is on sale at a price, which may be nil.
func (l *loader) addProduct(ctx context.Context, p models.Product, price *models.Money) (id string, err error) {
	p.Record, p.Active = models.NewRecord(l.now()), true
	if price != nil {
		e4 := price.Decimal().Shift(4).IntPart()
		p.PriceE4, p.Currency = &e4, &price.Currency
	}
	l.report.Products.New++
	return p.ID, l.tx.InsertProduct(ctx, &p)
}

// addPipeline adds a pipeline after those that there are, its stages in their order.
func (l *loader) addPipeline(ctx context.Context, name string, stages []models.Stage) (*models.Pipeline, error) {
	existing, err := l.pipelines.List(ctx, importer())
	if err != nil {
		return nil, err
	}
	now := l.now()
	p := &models.Pipeline{ID: models.NewID(), Name: name, Position: 1, CreatedAt: now, UpdatedAt: now, Stages: stages}
	for _, other := range existing {
		p.Position = max(p.Position, other.Position+1)
	}
	for i := range p.Stages {
		p.Stages[i].ID, p.Stages[i].PipelineID, p.Stages[i].Position = models.NewID(), p.ID, i+1
	}
	l.report.Pipelines.New++
	return p, l.tx.InsertPipeline(ctx, p)
}

// walk visits a list page by page.
func walk[T any](list func(store.Page) (store.List[T], error), visit func(T)) error {
	page := store.Page{Limit: 200}
	for {
		part, err := list(page)
		if err != nil {
			return err
		}
		for _, item := range part.Items {
			visit(item)
		}
		if page.Cursor = part.Next; page.Cursor == "" {
			return nil
		}
	}
}
