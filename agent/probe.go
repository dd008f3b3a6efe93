package agent

import (
	"context"
	"errors"
	"iter"
	"net/url"
	"strconv"
	"time"

	"countersign/apperr"
	"countersign/audit"
	"countersign/events"
	"countersign/llm"
	"countersign/models"
	"countersign/settings"
	"countersign/store"
)

// TestsPerWindow is how many tests of a connection a user may start in any [Window].
const TestsPerWindow = 5

// defaultTestLimit leaves the page, which gives up after 15 s, time to hear the end.
const defaultTestLimit = 14 * time.Second

const actionTest = "ai-config:test"

// Dialects makes the model of a configuration, in the dialect of its provider. Errors: NotConfigured for a
// provider that this version cannot speak to, Invalid for an address that cannot be one.
type Dialects interface {
	Model(config settings.ModelConfig) (llm.Model, error)
}

// ProberOptions are what a Prober works with. All but TestLimit are needed.
type ProberOptions struct {
	Config   *settings.AIConfig
	Dialects Dialects
	// Runner and Now are for the record of tests.
	Runner  store.Runner
	Now     func() time.Time
	Limiter events.Limiter
	// TestLimit bounds a test; 14 s if zero.
	TestLimit time.Duration
}

func (o ProberOptions) validate() error {
	if o.Config == nil || o.Dialects == nil || o.Runner == nil || o.Now == nil || o.Limiter == nil {
		return errors.New("agent: configuration, dialects, runner, clock and limiter are needed to test a connection")
	}
	return nil
}

// Prober tries what an administrator has set up or is about to. It is safe for concurrent use.
type Prober struct {
	ProberOptions
	lists modelLists
}

// NewProber returns a Prober. It fails when a part is missing.
func NewProber(o ProberOptions) (*Prober, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	if o.TestLimit == 0 {
		o.TestLimit = defaultTestLimit
	}
	return &Prober{ProberOptions: o}, nil
}

// Test tries a configuration by a few tiny calls, saves nothing, and gives the steps one by one as they are
// decided, always all of them unless ctx ends. The actor needs ai-config:update; what is refused comes as err,
// before any step: Invalid as of [settings.AIConfig.Draft], RateLimited with the time after which a try passes.
// The test is recorded when it ends, also when nobody listens any more; failing that is the sequence's last error.
func (p *Prober) Test(ctx context.Context, actor models.Actor, in settings.AIConfigInput) (iter.Seq2[Step, error], error) {
	config, err := p.Config.Draft(ctx, actor, in)
	if err != nil {
		return nil, err
	}
	model, err := p.Dialects.Model(config)
	if err != nil {
		return nil, err
	}
	place, err := p.Limiter.Allow(ctx, "ai-test:"+actor.UserID, TestsPerWindow, Window)
	if err != nil {
		return nil, err
	}
	if !place.Allowed {
		return nil, apperr.Limited(place.RetryAfter)
	}
	return func(yield func(Step, error) bool) {
		trial := newTrial(model, config.APIKey.IsSet(), actor.Lang, func(s Step) bool { return yield(s, nil) })
		trial.run(ctx, p.TestLimit)
		if err := p.recordTest(ctx, actor, config, trial); err != nil && !trial.left {
			yield(Step{}, err)
		}
	}, nil
}

// recordTest keeps who sent the key where, and what came of it.
func (p *Prober) recordTest(ctx context.Context, actor models.Actor, config settings.ModelConfig, t *trial) error {
	ctx, cancel := aside(ctx)
	defer cancel()
	entry := audit.Entry{
		Action: actionTest, Target: models.Ref{Type: models.TypeAIConfig, ID: strconv.Itoa(models.AIConfigID)},
		Decision: models.DecisionAllowed,
		Detail: map[string]any{
			"provider": config.Provider, "host": hostOf(config.EndpointURL), "model": config.Model,
			"result": t.result(), "failed": t.failed,
		},
	}
	if !t.connected() {
		entry.Decision = models.DecisionFailed
	}
	return p.Runner.InTx(ctx, func(tx *store.Tx) error { return audit.Write(ctx, tx, actor, p.Now(), entry) })
}

// hostOf is an address without its path and query, which may hold secrets.
func hostOf(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil {
		return ""
	}
	return u.Host
}
