package apitest

import (
	"context"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"countersign/accounts"
	"countersign/agent"
	"countersign/api"
	"countersign/audit"
	"countersign/confirm"
	"countersign/conversations"
	"countersign/crm"
	"countersign/deliveries"
	"countersign/events"
	"countersign/internal/dbtest"
	"countersign/llm"
	"countersign/llm/openai"
	"countersign/models"
	"countersign/proposals"
	"countersign/resolve"
	"countersign/secrets"
	"countersign/settings"
	"countersign/store"
	"countersign/tools"
)

// Server is the product, served.
type Server struct {
	*dbtest.World
	// Handler is what is served, URL where.
	Handler http.Handler
	URL     string
	// Services are those behind the routes.
	Services api.Services
	// Backend is the in-process one.
	Backend *events.Memory
}

// Cookie is the name of the session cookie.
const Cookie = "countersign_session"

// encryptionKey seals secrets in tests.
const encryptionKey = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

// New wires and serves the product over db, whose world it makes. adjust changes the options of the API before it is built.
func New(t testing.TB, db *store.DB, adjust ...func(*api.Options)) *Server {
	t.Helper()
	s := &Server{World: dbtest.NewWorld(t, db), Backend: events.NewMemory(events.Options{})}
	s.wire(t)
	o := api.Options{
		Services: s.Services, SessionCookie: Cookie, Demo: true, Version: "test", Now: s.Clock.Now, Logger: slog.New(slog.DiscardHandler),
		Frontend: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<!doctype html>") }),
	}
	for _, f := range adjust {
		f(&o)
	}
	handler, err := api.New(o)
	must(t, err)
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		s.Services.Agent.Close(ctx)
		_ = s.Backend.Close()
		server.Close()
	})
	s.Handler, s.URL = handler, server.URL
	return s
}

func (s *Server) wire(t testing.TB) {
	t.Helper()
	db, gate, now := s.DB, s.Gate, s.Clock.Now
	v := &s.Services
	v.Gate, v.Runner, v.Audit = gate, db, audit.NewLog(db, gate)
	var err error
	v.Accounts, err = accounts.New(accounts.Options{Runner: db, Gate: gate, Now: now, Throttle: s.throttle, Demo: true})
	must(t, err)
	v.AIConfig, err = settings.NewAIConfig(settings.Options{Runner: db, Gate: gate, Now: now, Keyring: secrets.NewKeyring(encryptionKey), AllowPrivate: true})
	must(t, err)
	v.Companies, v.Deals, v.Activities = crm.NewCompanies(db, gate, now), crm.NewDeals(db, gate, now), crm.NewActivities(db, gate, now)
	v.Quotations = crm.NewQuotations(db, gate, now)
	v.Contacts, v.Tasks = crm.NewContacts(db, gate, now), crm.NewTasks(db, gate, now)
	v.Pipelines, v.Products = crm.NewPipelines(db, gate, now), crm.NewProducts(db, gate, now)
	v.History, v.Search, v.Resolver = crm.NewHistory(db, gate, now), crm.NewSearch(db, gate, now), resolve.New(db, gate)
	v.Conversations, v.Proposals = conversations.NewService(db, now), proposals.NewService(db, gate, now)
	v.Deliveries = deliveries.NewService(deliveries.Options{Runner: db, Gate: gate, Now: now, Tell: v.Conversations.Tell})
	v.Ledger = conversations.NewLedger(db, gate, now)
	v.Prices, v.Budgets = settings.NewPrices(db, gate, now), settings.NewBudgets(db, gate, now)
	v.Tools = tools.Standard(tools.Services{
		Resolver: v.Resolver, Search: v.Search, Companies: v.Companies, Deals: v.Deals, Activities: v.Activities, Contacts: v.Contacts, Tasks: v.Tasks, Quotations: v.Quotations, Now: now,
		Products: v.Products, Pipelines: v.Pipelines, Proposals: v.Proposals, Runner: db, Deliveries: v.Deliveries, Conversations: v.Conversations,
	})
	v.ApprovalRules = settings.NewApprovalRules(db, gate, now, v.Tools.Ruled())
	v.Confirm = confirm.NewService(v.Proposals, tools.NewPerformer(v.Tools, gate), v.Conversations)
	executor, err := tools.NewExecutor(tools.ExecutorOptions{Registry: v.Tools, Gate: gate, Proposals: v.Proposals, Runner: db, Now: now})
	must(t, err)
	v.Agent, err = agent.New(agent.Options{
		Executor: executor, Gate: gate, Conversations: v.Conversations, Ledger: v.Ledger, Runner: db, Now: now,
		Assistants: assistants{v.AIConfig}, Prompter: prompter{v.Accounts}, Resolver: v.Resolver, Proposals: v.Proposals,
		Limiter: s.Backend, Locker: s.Backend, Log: s.Backend, Bus: s.Backend,
	})
	must(t, err)
	v.Prober, err = agent.NewProber(agent.ProberOptions{
		Config: v.AIConfig, Dialects: dialects{llm.NewHTTPClient(nil)}, Runner: db, Now: now, Limiter: s.Backend,
	})
	must(t, err)
}

func (s *Server) throttle(ctx context.Context, key string, limit int, window time.Duration) (time.Duration, func(context.Context) error, error) {
	d, err := s.Backend.Allow(ctx, key, limit, window)
	return d.RetryAfter, d.GiveBack, err
}

// assistants is the model of an installation whose endpoint answers nothing: the door's tests bring none.
type assistants struct{ *settings.AIConfig }

func (a assistants) Assistant(ctx context.Context) (agent.Assistant, error) {
	config, err := a.Model(ctx)
	return agent.Assistant{Model: absent{}, Name: config.Provider + "/" + config.Model, MaxRounds: config.MaxRounds}, err
}

func (assistants) Learn(context.Context, models.Actor, agent.Assistant) error { return nil }

// absent is a model that cannot be reached.
type absent struct{}

func (absent) Stream(context.Context, llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) { yield(nil, llm.Fail(llm.Unauthorized, "")) }
}

// dialects makes models that are there, for what tries them.
type dialects struct{ client *http.Client }

func (d dialects) Model(config settings.ModelConfig) (llm.Model, error) {
	return openai.New(openai.Options{BaseURL: config.EndpointURL, Key: config.APIKey.Reveal(), Model: config.Model, Client: d.client}), nil
}

type prompter struct{ *accounts.Service }

func (p prompter) Subject(ctx context.Context, actor models.Actor) (agent.Subject, error) {
	me, err := p.Me(ctx, actor)
	return agent.Subject{Name: me.User.Name, Role: me.User.RoleName, Team: me.User.TeamName}, err
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
