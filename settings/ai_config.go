package settings

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"countersign/apperr"
	"countersign/audit"
	"countersign/models"
	"countersign/rbac"
	"countersign/secrets"
	"countersign/store"
)

// The providers: dialects that endpoints speak.
const (
	ProviderOpenAI    = "openai"
	ProviderAnthropic = "anthropic"
)

// Codes that tell the refusals of [AIConfig.Model] apart.
const (
	CodeNotConfigured = "NOT_CONFIGURED"
	CodeKeyUnreadable = "AI_KEY_UNREADABLE"
)

var (
	errNotConfigured = apperr.New(apperr.NotConfigured, CodeNotConfigured,
		"The assistant has no model yet. Ask an administrator to set it up at /admin/ai-config.")
	errKeyUnreadable = apperr.New(apperr.NotConfigured, CodeKeyUnreadable,
		"The assistant's API key cannot be read. Ask an administrator to look at /admin/ai-config.")
	errNewHost = apperr.InvalidField("apiKey", "The endpoint's host has changed: enter the API key again.")
	errOldKey  = apperr.InvalidField("apiKey", "The stored API key cannot be read with the present encryption key: enter it again.")
)

// Options are the parts that [AIConfig] works with. All but Normalize and AllowPrivate are needed.
type Options struct {
	Runner  store.Runner
	Gate    *audit.Gate
	Now     func() time.Time
	Keyring *secrets.Keyring
	// Normalize gives an address as the provider's calls need it, and a code for what it changed; nil keeps
	// addresses as they are typed. Its errors are Invalid.
	Normalize func(provider, typed string) (address, hint string, err error)
	// AllowPrivate lets the endpoint be on this machine or in a private network.
	AllowPrivate bool
}

func (o Options) validate() error {
	if o.Runner == nil || o.Gate == nil || o.Now == nil || o.Keyring == nil {
		return errors.New("settings: Runner, Gate, Now and Keyring are needed")
	}
	return nil
}

// AIConfig is the one door to the model configuration. It is safe for concurrent use.
type AIConfig struct {
	runner       store.Runner
	gate         *audit.Gate
	now          func() time.Time
	keyring      *secrets.Keyring
	normalize    func(provider, typed string) (address, hint string, err error)
	allowPrivate bool
}

// NewAIConfig returns the service. It fails when a part is missing.
func NewAIConfig(o Options) (*AIConfig, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	if o.Normalize == nil {
		o.Normalize = func(_, typed string) (string, string, error) { return typed, "", nil }
	}
	return &AIConfig{
		runner: o.Runner, gate: o.Gate, keyring: o.Keyring, normalize: o.Normalize, allowPrivate: o.AllowPrivate,
		now: func() time.Time { return stored(o.Now()) },
	}, nil
}

// With returns a service that works inside tx.
func (s *AIConfig) With(tx *store.Tx) *AIConfig {
	bound := *s
	bound.runner, bound.gate = tx, s.gate.With(tx)
	return &bound
}

// AIConfigView is the configuration as an administrator sees it: never with the key. Without a configuration all
// but Secrets is zero.
type AIConfigView struct {
	Configured  bool   `json:"configured"`
	APIKeySet   bool   `json:"apiKeySet"`
	Provider    string `json:"provider,omitempty" enum:"openai,anthropic"`
	EndpointURL string `json:"endpointUrl,omitempty"`
	// EndpointHint says, after a save, what was changed of the address that was typed.
	EndpointHint string `json:"endpointHint,omitempty" enum:"added_scheme,added_version,cut_path"`
	Model        string `json:"model,omitempty"`
	SystemPrompt string `json:"systemPrompt,omitempty"`
	MaxRounds    int    `json:"maxRounds,omitempty"`
	HoldBack     *int   `json:"holdBack,omitempty"`
	// ConversationTokens is after how many tokens a conversation takes no more questions; 0 is never.
	ConversationTokens *int64 `json:"conversationTokens,omitempty"`
	// ShowCost lets everybody see what answers cost.
	ShowCost  bool       `json:"showCost,omitempty"`
	UpdatedAt *time.Time `json:"updatedAt,omitempty"`
	// Failing is the last call to the model since the last change, where it failed for a reason that an administrator
	// may have to see to.
	Failing *Failing `json:"failing,omitempty"`
	// UpdatedBy is a person's name.
	UpdatedBy string `json:"updatedBy,omitempty"`
	// Secrets says whether the API key, if one is set, can be used, and one entered now could be kept.
	Secrets secrets.State `json:"secrets" enum:"ok,missing_key,malformed_key,wrong_key"`
}

// Failing tells of a failed call to the model. Code is that of the error event of its turn.
type Failing struct {
	Code string    `json:"code"`
	At   time.Time `json:"at"`
}

// ofOneMessage are the kinds of failures that say nothing of the configuration.
var ofOneMessage = []string{"context_too_long", "content_filter"}

// failing is what a call tells of, or nil.
func failing(call *models.ModelCall) *Failing {
	if call == nil || call.ErrorKind == "" || slices.Contains(ofOneMessage, call.ErrorKind) {
		return nil
	}
	return &Failing{Code: "MODEL_" + strings.ToUpper(call.ErrorKind), At: call.StartedAt}
}

// Get needs ai-config:read. That nothing is configured is not an error.
func (s *AIConfig) Get(ctx context.Context, actor models.Actor) (AIConfigView, error) {
	if _, err := s.gate.Authorize(ctx, actor, rbac.AIConfigRead); err != nil {
		return AIConfigView{}, err
	}
	return s.view(ctx)
}

func (s *AIConfig) view(ctx context.Context) (AIConfigView, error) {
	var config *models.AIConfig
	var by string
	var last *models.ModelCall
	err := s.runner.View(ctx, func(r *store.Reader) (err error) {
		if config, err = r.AIConfig(ctx); err != nil || config == nil {
			return err
		}
		if last, err = r.LastModelCall(ctx, config.UpdatedAt); err != nil {
			return err
		}
		by, err = nameOf(ctx, r, config.UpdatedBy)
		return err
	})
	if err != nil || config == nil {
		return AIConfigView{Secrets: s.keyring.State()}, err
	}
	return AIConfigView{
		Configured: true, APIKeySet: config.SealedKey != "", Provider: config.Provider, EndpointURL: config.EndpointURL,
		Model: config.Model, SystemPrompt: config.SystemPrompt, MaxRounds: config.MaxRounds, HoldBack: config.HoldBack,
		ConversationTokens: &config.ConversationTokens, ShowCost: config.ShowCost,
		UpdatedAt: &config.UpdatedAt, UpdatedBy: by, Failing: failing(last), Secrets: s.secretsState(config),
	}, nil
}

func nameOf(ctx context.Context, r *store.Reader, userID string) (string, error) {
	user, err := r.UserByID(ctx, userID)
	if apperr.Is(err, apperr.NotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return user.Name, nil
}

// secretsState judges the encryption key by the stored API key, if there is one.
func (s *AIConfig) secretsState(config *models.AIConfig) secrets.State {
	if s.keyring.State() != secrets.OK {
		return s.keyring.State()
	}
	if _, err := s.open(config); err != nil {
		return secrets.WrongKey
	}
	return secrets.OK
}

// Configured reports whether there is a configuration. Anybody may know.
func (s *AIConfig) Configured(ctx context.Context) (bool, error) {
	config, err := s.load(ctx)
	return config != nil, err
}

// ModelConfig is the configuration as the agent needs it. Without an API key the endpoint wants none.
type ModelConfig struct {
	Provider     string
	EndpointURL  string
	Model        string
	APIKey       APIKey
	SystemPrompt string
	MaxRounds    int
	HoldBack     *int
	Version      int64
	// Learned is what was given to [AIConfig.Learn] last.
	Learned string
	// ConversationTokens is after how many tokens a conversation takes no more questions; 0 is never.
	ConversationTokens int64
}

// Model is for the agent, which calls it for every turn. It asks for no right: what it gives is used, not shown.
// Errors: NotConfigured with [CodeNotConfigured] when there is no configuration, with [CodeKeyUnreadable] when the
// encryption key does not open the API key.
func (s *AIConfig) Model(ctx context.Context) (ModelConfig, error) {
	config, err := s.load(ctx)
	if err != nil {
		return ModelConfig{}, err
	}
	if config == nil {
		return ModelConfig{}, errNotConfigured
	}
	key, err := s.open(config)
	if err != nil {
		return ModelConfig{}, errKeyUnreadable.WithCause(err)
	}
	return modelConfig(config, key), nil
}

func modelConfig(config *models.AIConfig, key APIKey) ModelConfig {
	return ModelConfig{
		Provider: config.Provider, EndpointURL: config.EndpointURL, Model: config.Model, APIKey: key,
		SystemPrompt: config.SystemPrompt, MaxRounds: config.MaxRounds, HoldBack: config.HoldBack,
		Version: config.Version, Learned: config.Learned, ConversationTokens: config.ConversationTokens,
	}
}

func (s *AIConfig) load(ctx context.Context) (config *models.AIConfig, err error) {
	err = s.runner.View(ctx, func(r *store.Reader) error {
		config, err = r.AIConfig(ctx)
		return err
	})
	return config, err
}

// keyPlace is where the API key is stored: a sealed key opens nowhere else.
var keyPlace = fmt.Sprintf("ai_config|%d|api_key", models.AIConfigID)

func (s *AIConfig) open(config *models.AIConfig) (APIKey, error) {
	if config.SealedKey == "" {
		return APIKey{}, nil
	}
	text, err := s.keyring.Open(config.SealedKey, keyPlace)
	return NewAPIKey(string(text)), err
}
