package agent_test

import (
	"context"
	"encoding/json"
	"iter"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"countersign/agent"
	"countersign/apperr"
	"countersign/conversations"
	"countersign/crm"
	"countersign/events"
	"countersign/internal/dbtest"
	"countersign/internal/redistest"
	"countersign/llm"
	"countersign/models"
	"countersign/proposals"
	"countersign/resolve"
	"countersign/store"
	"countersign/tools"
)

func TestMain(m *testing.M) {
	code := redistest.Main(m).Run()
	if code == 0 {
		if err := goleak.Find(goleak.IgnoreAnyFunction("github.com/redis/go-redis/v9/internal/pool.(*ConnPool).tryDial")); err != nil {
			println(err.Error())
			code = 1
		}
	}
	os.Exit(code)
}

// modelConfig stands for the administrator's configuration.
type modelConfig struct {
	assistant atomic.Pointer[agent.Assistant]
	refusal   atomic.Pointer[apperr.Error]
}

// refuse lets no model be had, for a reason; nil ends that.
func (c *modelConfig) refuse(reason *apperr.Error) { c.refusal.Store(reason) }

func (c *modelConfig) Configured(context.Context) (bool, error) {
	return c.assistant.Load() != nil, nil
}

func (c *modelConfig) Assistant(context.Context) (agent.Assistant, error) {
	if reason := c.refusal.Load(); reason != nil {
		return agent.Assistant{}, reason
	}
	if a := c.assistant.Load(); a != nil {
		return *a, nil
	}
	return agent.Assistant{}, apperr.New(apperr.NotConfigured, "NOT_CONFIGURED", "The assistant has no model.")
}

func (c *modelConfig) Learn(_ context.Context, _ models.Actor, a agent.Assistant) error {
	c.assistant.Store(&a)
	return nil
}

// use sets a model up.
func (c *modelConfig) use(m llm.Model) {
	c.assistant.Store(&agent.Assistant{Model: m, Name: "openai/test", MaxRounds: 8})
}

// silent is a model that says nothing until it is stopped.
type silent struct{}

func (silent) Stream(ctx context.Context, _ llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		<-ctx.Done()
		yield(nil, ctx.Err())
	}
}

// people tells the prompt who somebody is.
type people struct{}

func (people) Subject(_ context.Context, a models.Actor) (agent.Subject, error) {
	return agent.Subject{Name: a.Name, Role: "sales"}, nil
}

// desk is the agent over a small organisation.
type desk struct {
	*dbtest.World
	*agent.Service
	conversations *conversations.Service
	proposals     *proposals.Service
	backend       events.Backend
	config        *modelConfig
}

func newDesk(t *testing.T, db *store.DB, backend events.Backend) *desk {
	t.Helper()
	w := dbtest.NewWorld(t, db)
	d := &desk{World: w, backend: backend, config: &modelConfig{}}
	d.conversations = conversations.NewService(db, w.Clock.Now)
	d.proposals = proposals.NewService(db, w.Gate, w.Clock.Now)
	resolver := resolve.New(db, w.Gate)
	registry := tools.Standard(tools.Services{
		Resolver: resolver, Search: crm.NewSearch(db, w.Gate, w.Clock.Now), Companies: crm.NewCompanies(db, w.Gate, w.Clock.Now),
		Deals: crm.NewDeals(db, w.Gate, w.Clock.Now), Activities: crm.NewActivities(db, w.Gate, w.Clock.Now),
		Products: crm.NewProducts(db, w.Gate, w.Clock.Now), Pipelines: crm.NewPipelines(db, w.Gate, w.Clock.Now), Proposals: d.proposals,
		Contacts: crm.NewContacts(db, w.Gate, w.Clock.Now), Tasks: crm.NewTasks(db, w.Gate, w.Clock.Now),
		Quotations: crm.NewQuotations(db, w.Gate, w.Clock.Now), Now: w.Clock.Now, Runner: db,
	})
	executor, err := tools.NewExecutor(tools.ExecutorOptions{Registry: registry, Gate: w.Gate, Proposals: d.proposals, Runner: db, Now: w.Clock.Now})
	require.NoError(t, err)
	d.Service, err = agent.New(agent.Options{
		Executor: executor, Gate: w.Gate, Conversations: d.conversations, Ledger: conversations.NewLedger(db, w.Gate, w.Clock.Now), Assistants: d.config, Prompter: people{}, Resolver: resolver,
		Proposals: d.proposals,
		Runner:    db, Now: w.Clock.Now,
		Limiter: backend, Locker: backend, Log: backend, Bus: backend,
	})
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		d.Close(ctx)
	})
	return d
}

// each runs a test on both databases and both event backends.
func each(t *testing.T, test func(t *testing.T, d *desk)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		t.Run("memory", func(t *testing.T) {
			backend := events.NewMemory(events.Options{})
			t.Cleanup(func() { require.NoError(t, backend.Close()) })
			test(t, newDesk(t, db, backend))
		})
	})
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		t.Run("redis", func(t *testing.T) {
			backend, err := events.NewRedis(redistest.Start(t), events.Options{})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, backend.Close()) })
			test(t, newDesk(t, db, backend))
		})
	})
}

// event is a frame with its decoded data.
type event struct {
	Seq  int64
	Type string
	Data map[string]any
}

// send starts a turn and follows it to its end.
func (d *desk) send(t *testing.T, actor models.Actor, r agent.Request) []event {
	t.Helper()
	r.Channel = models.ViaWeb
	id, err := d.Start(t.Context(), actor, r)
	require.NoError(t, err)
	return d.events(t, actor, id, 0)
}

func (d *desk) events(t *testing.T, actor models.Actor, turnID string, after int64) []event {
	t.Helper()
	var all []event
	frames, err := d.Follow(t.Context(), actor, turnID, after)
	require.NoError(t, err)
	for frame, err := range frames {
		require.NoError(t, err)
		e := event{Seq: frame.Seq, Type: frame.Type}
		require.NoError(t, json.Unmarshal(frame.Data, &e.Data))
		require.Equal(t, frame.Type, e.Data["type"])
		all = append(all, e)
	}
	return all
}

func types(all []event) []string {
	names := make([]string, len(all))
	for i, e := range all {
		names[i] = e.Type
	}
	return names
}

func only(t *testing.T, all []event, name string) map[string]any {
	t.Helper()
	var found []map[string]any
	for _, e := range all {
		if e.Type == name {
			found = append(found, e.Data)
		}
	}
	require.Len(t, found, 1, "events of type %s in %v", name, types(all))
	return found[0]
}
