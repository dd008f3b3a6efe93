package app

import (
	"context"
	"net/http"
	"net/netip"
	"syscall"

	"countersign/accounts"
	"countersign/agent"
	"countersign/apperr"
	"countersign/llm"
	"countersign/llm/openai"
	"countersign/models"
	"countersign/settings"
)

// assistants makes the model that an administrator has set up. The configuration is read for every turn, so
// that a change counts at the next message on every replica.
type assistants struct {
	config *settings.AIConfig
	client *http.Client
}

var _ agent.Assistants = (*assistants)(nil)

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
	model, err := a.model(config)
	if err != nil {
		return agent.Assistant{}, err
	}
	return agent.Assistant{
		Model: model, Name: config.Provider + "/" + config.Model, SystemPrompt: config.SystemPrompt, MaxRounds: config.MaxRounds,
		ConversationTokens: config.ConversationTokens,
	}, nil
}

func (a *assistants) model(config settings.ModelConfig) (llm.Model, error) {
	if config.Provider != settings.ProviderOpenAI {
		return nil, apperr.New(apperr.NotConfigured, "PROVIDER_NOT_SUPPORTED",
			"This version speaks to OpenAI-compatible endpoints only. Ask an administrator to choose that provider at /admin/ai-config.")
	}
	endpoint, err := llm.NormalizeEndpoint(config.EndpointURL)
	if err != nil {
		return nil, err
	}
	return openai.New(openai.Options{BaseURL: endpoint.URL, Key: config.APIKey.Reveal(), Model: config.Model, Client: a.client}), nil
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
