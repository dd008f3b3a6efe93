package app

import (
	"context"
	"encoding/json"
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
	options, err := a.options(config)
	if err != nil {
		return agent.Assistant{}, err
	}
	adapted := func(learned llm.Adaptation) llm.Model {
		options.Learned = learned
		return speak(config.Provider, options)
	}
	return agent.Assistant{
		Model: adapted(options.Learned), Name: config.Provider + "/" + config.Model, SystemPrompt: config.SystemPrompt, MaxRounds: config.MaxRounds,
		HoldBack: config.HoldBack, Version: config.Version, Learned: options.Learned, Adapted: adapted,
		ConversationTokens: config.ConversationTokens,
	}, nil
}

// Learn implements agent.Assistants.
func (a *assistants) Learn(ctx context.Context, actor models.Actor, taught agent.Assistant) error {
	learned, err := json.Marshal(taught.Learned)
	if err != nil {
		return err
	}
	return a.config.Learn(ctx, actor, taught.Version, string(learned))
}

// Model implements agent.Dialects.
func (a *assistants) Model(config settings.ModelConfig) (llm.Model, error) {
	options, err := a.options(config)
	if err != nil {
		return nil, err
	}
	return speak(config.Provider, options), nil
}

func (a *assistants) options(config settings.ModelConfig) (options llm.Options, err error) {
	address, _, err := normalized(config.Provider, config.EndpointURL)
	if err != nil {
		return options, err
	}
	options = llm.Options{BaseURL: address, Key: config.APIKey.Reveal(), Model: config.Model, Client: a.client}
	if config.Learned != "" {
		err = json.Unmarshal([]byte(config.Learned), &options.Learned)
	}
	return options, err
}

// speak is the one place where a provider becomes a dialect.
func speak(provider string, options llm.Options) llm.Model {
	if provider == settings.ProviderAnthropic {
		return anthropic.New(options)
	}
	return openai.New(options)
}

// normalized gives the base address that a provider's dialect needs, and what was changed for it.
func normalized(provider, typed string) (address, hint string, err error) {
	normalize := llm.NormalizeEndpoint
	if provider == settings.ProviderAnthropic {
		normalize = anthropic.NormalizeEndpoint
	}
	endpoint, err := normalize(typed)
	return endpoint.URL, string(endpoint.Hint), err
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
