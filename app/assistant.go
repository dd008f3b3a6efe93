package app

import (
	"context"
	"net/http"
	"net/netip"
	"syscall"

	"countersign/accounts"
	"countersign/agent"
	"countersign/llm"
	"countersign/llm/anthropic"
	"countersign/llm/openai"
	"countersign/models"
	"countersign/settings"
)

// assistants makes models: for a turn that of the stored configuration, which is read every time, so that a change
// counts at the next message on every replica.
type assistants struct {
	config *settings.AIConfig
	client *http.Client
}

var (
	_ agent.Assistants = (*assistants)(nil)
	_ agent.Dialects   = (*assistants)(nil)
)

// newAssistants returns assistants whose connections go only where the network guard allows, judged when an
// address is dialled.
func newAssistants(config *settings.AIConfig, allowPrivate bool) *assistants {
	guard := func(_, address string, _ syscall.RawConn) error {
		target, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		return settings.CheckAddr(target.Addr(), allowPrivate)
	}
	return &assistants{config: config, client: llm.NewHTTPClient(guard)}
}

// Configured implements agent.Assistants.
func (a *assistants) Configured(ctx context.Context) (bool, error) { return a.config.Configured(ctx) }

// Assistant implements agent.Assistants.
func (a *assistants) Assistant(ctx context.Context) (agent.Assistant, error) {
	config, err := a.config.Model(ctx)
	if err != nil {
		return agent.Assistant{}, err
	}
	model, err := a.Model(config)
	if err != nil {
		return agent.Assistant{}, err
	}
	return agent.Assistant{
		Model: model, Name: config.Provider + "/" + config.Model, SystemPrompt: config.SystemPrompt, MaxRounds: config.MaxRounds,
	}, nil
}

// Model implements agent.Dialects: it is the one place where a provider becomes a dialect.
func (a *assistants) Model(config settings.ModelConfig) (llm.Model, error) {
	normalize := llm.NormalizeEndpoint
	if config.Provider == settings.ProviderAnthropic {
		normalize = anthropic.NormalizeEndpoint
	}
	endpoint, err := normalize(config.EndpointURL)
	if err != nil {
		return nil, err
	}
	options := llm.Options{BaseURL: endpoint.URL, Key: config.APIKey.Reveal(), Model: config.Model, Client: a.client}
	if config.Provider == settings.ProviderAnthropic {
		return anthropic.New(options), nil
	}
	return openai.New(options), nil
}

// prompter tells the prompt who a person is.
type prompter struct{ accounts *accounts.Service }

// Subject implements agent.Prompter.
func (p prompter) Subject(ctx context.Context, actor models.Actor) (agent.Subject, error) {
	me, err := p.accounts.Me(ctx, actor)
	if err != nil {
		return agent.Subject{}, err
	}
	return agent.Subject{Name: me.User.Name, Role: me.User.RoleName, Team: me.User.TeamName}, nil
}
