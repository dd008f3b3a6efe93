package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"countersign/accounts"
	"countersign/agent"
	"countersign/api"
	"countersign/audit"
	"countersign/config"
	"countersign/confirm"
	"countersign/conversations"
	"countersign/crm"
	"countersign/deliveries"
	"countersign/events"
	"countersign/frontend"
	"countersign/mail"
	"countersign/proposals"
	"countersign/rbac"
	"countersign/resolve"
	"countersign/secrets"
	"countersign/settings"
	"countersign/store"
	"countersign/tools"
	"countersign/workers"
)

// App is the wired product over an open, migrated database.
type App struct {
	Config        config.Config
	Version       string
	DB            *store.DB
	Gate          *audit.Gate
	Accounts      *accounts.Service
	AIConfig      *settings.AIConfig
	Companies     *crm.Companies
	Contacts      *crm.Contacts
	Deals         *crm.Deals
	Activities    *crm.Activities
	Tasks         *crm.Tasks
	Quotations    *crm.Quotations
	Pipelines     *crm.Pipelines
	Products      *crm.Products
	History       *crm.History
	Search        *crm.Search
	Resolver      *resolve.Resolver
	Registry      *tools.Registry
	Executor      *tools.Executor
	Proposals     *proposals.Service
	Conversations *conversations.Service
	Deliveries    *deliveries.Service
	Ledger        *conversations.Ledger
	Prices        *settings.Prices
	Budgets       *settings.Budgets
	ApprovalRules *settings.ApprovalRules
	Confirm       *confirm.Service
	Agent         *agent.Service
	Prober        *agent.Prober
	Handler       http.Handler

	backend  events.Backend
	limiter  events.Limiter
	stopping atomic.Bool
	closers  []func() error
}

// Now is the clock of the product: UTC, in the microseconds that databases keep.
func Now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// Open opens the database, brings its schema up to date and wires everything. Close the App afterwards.
func Open(ctx context.Context, cfg config.Config, version string) (*App, error) {
	a := &App{Config: cfg, Version: version}
	for _, step := range []func(context.Context) error{a.openData, a.openEvents, a.wireRights, a.wireServices, a.wireAssistant, a.wireDoors} {
		if err := step(ctx); err != nil {
			return nil, errors.Join(err, a.Close())
		}
	}
	return a, nil
}

// Close gives everything back, the last thing opened first.
func (a *App) Close() error {
	var errs []error
	for i := len(a.closers) - 1; i >= 0; i-- {
		errs = append(errs, a.closers[i]())
	}
	a.closers = nil
	return errors.Join(errs...)
}

func (a *App) onClose(closer func() error) { a.closers = append(a.closers, closer) }

func (a *App) openData(ctx context.Context) error {
	if err := os.MkdirAll(a.Config.DataDir, 0o700); err != nil {
		return fmt.Errorf("the data dir %s cannot be made: %w; set COUNTERSIGN_DATA_DIR to a folder that can be written", a.Config.DataDir, err)
	}
	db, err := store.Open(ctx, store.Options{URL: a.Config.Database.Reveal(), Dir: a.Config.DataDir})
	if err != nil {
		return err
	}
	a.DB = db
	a.onClose(db.Close)
	if err := migrate(ctx, db); err != nil {
		return err
	}
	inserter, err := workers.NewInserter(db)
	db.EnqueueThrough(inserter)
	return err
}

func (a *App) openEvents(context.Context) error {
	if !a.Config.Redis.IsSet() {
		memory := events.NewMemory(events.Options{})
		a.backend, a.limiter = memory, memory
		a.onClose(memory.Close)
		return nil
	}
	redis, err := events.NewRedis(a.Config.Redis.Reveal(), events.Options{})
	if err != nil {
		return err
	}
	a.onClose(redis.Close)
	fallback := events.NewFallback(redis, events.FallbackOptions{})
	a.onClose(fallback.Close)
	a.backend, a.limiter = redis, fallback
	return nil
}

// wireRights loads the policy and refuses to go on when code and database differ.
func (a *App) wireRights(ctx context.Context) error {
	authorizer, err := rbac.NewAuthorizer(ctx, a.DB)
	if err != nil {
		return err
	}
	a.Gate = audit.NewGate(authorizer, a.DB, Now)
	return nil
}

func (a *App) wireServices(context.Context) (err error) {
	a.Accounts, err = accounts.New(accounts.Options{Runner: a.DB, Gate: a.Gate, Now: Now, Throttle: a.throttle, Demo: a.Config.Demo})
	if err != nil {
		return err
	}
	keyring, err := a.keyring()
	if err != nil {
		return err
	}
	a.AIConfig, err = settings.NewAIConfig(settings.Options{
		Runner: a.DB, Gate: a.Gate, Now: Now, Keyring: keyring, Normalize: normalized, AllowPrivate: a.Config.AllowPrivateEndpoints,
	})
	if err != nil {
		return err
	}
	a.Companies = crm.NewCompanies(a.DB, a.Gate, Now)
	a.Deals = crm.NewDeals(a.DB, a.Gate, Now)
	a.Quotations = crm.NewQuotations(a.DB, a.Gate, Now)
	a.Activities = crm.NewActivities(a.DB, a.Gate, Now)
	a.Contacts, a.Tasks = crm.NewContacts(a.DB, a.Gate, Now), crm.NewTasks(a.DB, a.Gate, Now)
	a.Pipelines = crm.NewPipelines(a.DB, a.Gate, Now)
	a.Products = crm.NewProducts(a.DB, a.Gate, Now)
	a.History = crm.NewHistory(a.DB, a.Gate, Now)
	a.Search = crm.NewSearch(a.DB, a.Gate, Now)
	a.Resolver = resolve.New(a.DB, a.Gate)
	a.Proposals = proposals.NewService(a.DB, a.Gate, Now)
	a.Conversations = conversations.NewService(a.DB, Now)
	mailer, err := a.mailer()
	if err != nil {
		return err
	}
	a.Deliveries = deliveries.NewService(deliveries.Options{Runner: a.DB, Gate: a.Gate, Now: Now, Mailer: mailer, Tell: a.Conversations.Tell})
	a.Ledger = conversations.NewLedger(a.DB, a.Gate, Now)
	a.Prices, a.Budgets = settings.NewPrices(a.DB, a.Gate, Now), settings.NewBudgets(a.DB, a.Gate, Now)
	return nil
}

// mailer hands e-mails to the mail server of the configuration; nil without one.
func (a *App) mailer() (deliveries.Mailer, error) {
	if !a.Config.SMTP.IsSet() {
		return nil, nil
	}
	var host string
	if public, err := url.Parse(a.Config.PublicURL); err == nil {
		host = public.Hostname()
	}
	return mail.NewServer(mail.Options{URL: a.Config.SMTP.Reveal(), Host: host})
}

// throttle counts failed logins by the shared limiter.
func (a *App) throttle(ctx context.Context, key string, limit int, window time.Duration) (time.Duration, func(context.Context) error, error) {
	place, err := a.limiter.Allow(ctx, key, limit, window)
	return place.RetryAfter, place.GiveBack, err
}

// keyring holds the key that seals secrets; in demo mode one is made when none is given.
func (a *App) keyring() (*secrets.Keyring, error) {
	key := a.Config.EncryptionKey.Reveal()
	if a.Config.Demo && !a.Config.EncryptionKey.IsSet() {
		made, err := secrets.KeyFile(filepath.Join(a.Config.DataDir, "demo-encryption-key"))
		if err != nil {
			return nil, err
		}
		key = made
	}
	return secrets.NewKeyring(key), nil
}

func (a *App) wireAssistant(ctx context.Context) (err error) {
	a.Registry = tools.Standard(tools.Services{
		Resolver: a.Resolver, Search: a.Search, Companies: a.Companies, Deals: a.Deals, Activities: a.Activities,
		Contacts: a.Contacts, Tasks: a.Tasks, Quotations: a.Quotations, Now: Now,
		Products: a.Products, Pipelines: a.Pipelines, Proposals: a.Proposals, Runner: a.DB,
		Deliveries: a.Deliveries, Conversations: a.Conversations,
	})
	a.Executor, err = tools.NewExecutor(tools.ExecutorOptions{
		Registry: a.Registry, Gate: a.Gate, Proposals: a.Proposals, Runner: a.DB, Now: Now,
	})
	if err != nil {
		return err
	}
	a.ApprovalRules = settings.NewApprovalRules(a.DB, a.Gate, Now, a.Registry.Ruled())
	a.Confirm = confirm.NewService(a.Proposals, tools.NewPerformer(a.Registry, a.Gate), a.Conversations)
	if err := a.checkDrift(ctx); err != nil {
		return err
	}
	assistants := newAssistants(a.AIConfig, a.Config.AllowPrivateEndpoints)
	a.Prober, err = agent.NewProber(agent.ProberOptions{
		Config: a.AIConfig, Dialects: assistants, Runner: a.DB, Now: Now, Limiter: a.limiter,
	})
	if err != nil {
		return err
	}
	a.Agent, err = agent.New(agent.Options{
		Executor: a.Executor, Gate: a.Gate, Conversations: a.Conversations, Ledger: a.Ledger, Runner: a.DB, Now: Now,
		Assistants: assistants, Prompter: prompter{a.Accounts}, Resolver: a.Resolver, Proposals: a.Proposals,
		Limiter: a.limiter, Locker: a.backend, Log: a.backend, Bus: a.backend,
	})
	if err != nil {
		return err
	}
	a.onClose(func() error {
		ctx, cancel := context.WithTimeout(context.Background(), drainTimeout)
		defer cancel()
		a.Agent.Close(ctx)
		return nil
	})
	return nil
}

// checkDrift compares the permissions of code, routes and tools with the stored policy.
func (a *App) checkDrift(ctx context.Context) error {
	policy, err := a.DB.Policy(ctx)
	if err != nil {
		return err
	}
	var system []string
	err = a.DB.View(ctx, func(r *store.Reader) error {
		system, err = r.SystemRoles(ctx)
		return err
	})
	if err != nil {
		return err
	}
	return rbac.Drift(policy, system, append(a.Registry.Permissions(), api.Permissions()...))
}

// checks are what readiness means: people can sign in and chat when the database answers at the schema of
// this binary, and the event bus answers too.
func (a *App) checks() []api.Check {
	return []api.Check{
		{Name: "serving", Run: func(context.Context) error {
			if a.stopping.Load() {
				return errors.New("the server is stopping")
			}
			return nil
		}},
		{Name: "database", Run: a.DB.Ping},
		{Name: "schema", Run: a.checkSchema},
		{Name: "events", Run: a.backend.Ping},
	}
}

func (a *App) checkSchema(ctx context.Context) error {
	current, wanted, err := a.DB.SchemaVersion(ctx)
	if err == nil && current != wanted {
		err = fmt.Errorf("the database has schema version %d, this binary wants %d", current, wanted)
	}
	return err
}

func (a *App) wireDoors(context.Context) (err error) {
	a.Handler, err = api.New(api.Options{
		Services: api.Services{
			Accounts: a.Accounts, Companies: a.Companies, Deals: a.Deals, Activities: a.Activities, Pipelines: a.Pipelines,
			Contacts: a.Contacts, Tasks: a.Tasks, Quotations: a.Quotations, Deliveries: a.Deliveries,
			Products: a.Products, History: a.History, Search: a.Search, Resolver: a.Resolver, Tools: a.Registry, Agent: a.Agent, Prober: a.Prober,
			Conversations: a.Conversations, Proposals: a.Proposals, Confirm: a.Confirm, AIConfig: a.AIConfig,
			Ledger: a.Ledger, Prices: a.Prices, Budgets: a.Budgets, ApprovalRules: a.ApprovalRules,
			Audit: audit.NewLog(a.DB, a.Gate), Gate: a.Gate, Runner: a.DB,
		},
		PublicURL: a.Config.PublicURL, SessionCookie: a.Config.SessionCookie(), TrustedProxies: a.Config.TrustedProxies,
		Demo: a.Config.Demo, Version: a.Version, Now: Now, Frontend: frontend.Handler(), Checks: a.checks(),
	})
	return err
}
