package settings

import (
	"context"
	"fmt"
	"strconv"
	"unicode/utf8"

	"countersign/apperr"
	"countersign/audit"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

const (
	maxModelName     = 200    // characters
	maxSystemPrompt  = 20_000 // characters
	maxRounds        = 20
	defaultMaxRounds = 8

	// A conversation may use defaultConversationTokens unless an administrator says otherwise.
	maxConversationTokens     = 1_000_000_000
	defaultConversationTokens = 50_000

	actionUpdate = "ai-config:update"
	actionDelete = "ai-config:delete"
)

// AIConfigInput replaces the configuration. Without an APIKey the present one stays, as long as the endpoint keeps
// its scheme, host and port; RemoveKey takes it away. MaxRounds nil means the default; ConversationTokens and ShowCost nil
// stay as they are.
type AIConfigInput struct {
	Provider           string `json:"provider"`
	EndpointURL        string `json:"endpointUrl"`
	Model              string `json:"model"`
	APIKey             APIKey `json:"apiKey"`
	RemoveKey          bool   `json:"removeKey,omitempty"`
	SystemPrompt       string `json:"systemPrompt,omitempty"`
	MaxRounds          *int   `json:"maxRounds,omitempty"`
	ConversationTokens *int64 `json:"conversationTokens,omitempty"`
	ShowCost           *bool  `json:"showCost,omitempty"`
}

// Put creates or replaces the configuration. It needs ai-config:update, and no working endpoint. Errors: Invalid, also
// for an API key that cannot be kept because the encryption key is missing or malformed: then nothing is written.
func (s *AIConfig) Put(ctx context.Context, actor models.Actor, in AIConfigInput) (AIConfigView, error) {
	if _, err := s.gate.Authorize(ctx, actor, rbac.AIConfigUpdate); err != nil {
		return AIConfigView{}, err
	}
	next, err := s.validate(in)
	if err != nil {
		return AIConfigView{}, err
	}
	err = s.runner.InTx(ctx, func(tx *store.Tx) error {
		before, err := lockedConfig(ctx, tx)
		if err != nil {
			return err
		}
		if err := s.keepKey(before, next, in); err != nil {
			return err
		}
		keepLimits(before, next, in)
		next.Version, next.UpdatedAt, next.UpdatedBy = before.Version+1, s.now(), actor.UserID
		if err := tx.PutAIConfig(ctx, next); err != nil {
			return err
		}
		return s.record(ctx, tx, actor, actionUpdate, map[string]any{"changed": changed(before, next)})
	})
	if err != nil {
		return AIConfigView{}, err
	}
	return s.view(ctx)
}

// lockedConfig is the present configuration, empty when there is none. It stays until tx ends: a key that somebody
// removes meanwhile does not come back.
func lockedConfig(ctx context.Context, tx *store.Tx) (*models.AIConfig, error) {
	if err := tx.LockAIConfig(ctx); err != nil {
		return nil, err
	}
	config, err := tx.AIConfig(ctx)
	if config == nil {
		config = &models.AIConfig{}
	}
	return config, err
}

// validate checks all fields at once and seals a new key.
func (s *AIConfig) validate(in AIConfigInput) (*models.AIConfig, error) {
	var wrong []apperr.FieldError
	note := func(bad bool, path, message string) {
		if bad {
			wrong = append(wrong, apperr.FieldError{Path: path, Message: message})
		}
	}
	c := &models.AIConfig{
		ID: models.AIConfigID, Provider: in.Provider, Model: models.CleanLine(in.Model),
		SystemPrompt: models.CleanText(in.SystemPrompt), MaxRounds: defaultMaxRounds,
	}
	if in.MaxRounds != nil {
		c.MaxRounds = *in.MaxRounds
	}
	note(c.Provider != ProviderOpenAI && c.Provider != ProviderAnthropic, "provider", `The provider is "openai" or "anthropic".`)
	endpoint, err := CheckEndpoint(in.EndpointURL, s.allowPrivate)
	if c.EndpointURL = endpoint; err != nil {
		note(true, "endpointUrl", err.Error())
	}
	note(c.Model == "" || utf8.RuneCountInString(c.Model) > maxModelName, "model",
		fmt.Sprintf("Give the model's name as the provider writes it, at most %d characters.", maxModelName))
	note(utf8.RuneCountInString(c.SystemPrompt) > maxSystemPrompt, "systemPrompt",
		fmt.Sprintf("The system prompt may have at most %d characters.", maxSystemPrompt))
	note(c.MaxRounds < 1 || c.MaxRounds > maxRounds, "maxRounds", fmt.Sprintf("The number of rounds is 1 to %d.", maxRounds))
	note(in.ConversationTokens != nil && (*in.ConversationTokens < 0 || *in.ConversationTokens > maxConversationTokens), "conversationTokens",
		"Give a number of tokens, or 0 for no limit.")
	note(in.RemoveKey && in.APIKey.IsSet(), "removeKey", "Either enter a new API key or remove the present one.")
	if in.APIKey.IsSet() {
		refusal := s.seal(c, in.APIKey)
		note(refusal != "", "apiKey", refusal)
	}
	return c, apperr.InvalidFields(wrong)
}

// seal puts a new key into the configuration, or says why it cannot.
func (s *AIConfig) seal(c *models.AIConfig, key APIKey) (refusal string) {
	if refusal = key.refusal(); refusal != "" {
		return refusal
	}
	sealed, err := s.keyring.Seal([]byte(key.Reveal()), keyPlace)
	if err != nil {
		return "The API key cannot be kept. " + err.Error() + "."
	}
	c.SealedKey = sealed
	return ""
}

// keepKey carries the present key over, but never to another host: who points the endpoint elsewhere must know the
// key, or it would be sent there.
func (s *AIConfig) keepKey(before, next *models.AIConfig, in AIConfigInput) error {
	if in.APIKey.IsSet() || in.RemoveKey || before.SealedKey == "" {
		return nil
	}
	if origin(before.EndpointURL) != origin(next.EndpointURL) {
		return apperr.InvalidField("apiKey", "The endpoint's host has changed: enter the API key again.")
	}
	next.SealedKey = before.SealedKey
	return nil
}

// keepLimits carries over what was left out, or the defaults of a first configuration.
func keepLimits(before, next *models.AIConfig, in AIConfigInput) {
	next.ConversationTokens, next.ShowCost = before.ConversationTokens, before.ShowCost
	if before.Version == 0 {
		next.ConversationTokens = defaultConversationTokens
	}
	if in.ConversationTokens != nil {
		next.ConversationTokens = *in.ConversationTokens
	}
	if in.ShowCost != nil {
		next.ShowCost = *in.ShowCost
	}
}

// Delete removes the configuration, key included. It needs ai-config:update. That there is none is no error.
func (s *AIConfig) Delete(ctx context.Context, actor models.Actor) error {
	if _, err := s.gate.Authorize(ctx, actor, rbac.AIConfigUpdate); err != nil {
		return err
	}
	return s.runner.InTx(ctx, func(tx *store.Tx) error {
		before, err := tx.AIConfig(ctx)
		if err != nil || before == nil {
			return err
		}
		if err := tx.DeleteAIConfig(ctx); err != nil {
			return err
		}
		return s.record(ctx, tx, actor, actionDelete, nil)
	})
}

func (s *AIConfig) record(ctx context.Context, tx *store.Tx, actor models.Actor, action string, detail any) error {
	return audit.Write(ctx, tx, actor, s.now(), audit.Entry{
		Action: action, Decision: models.DecisionAllowed, Detail: detail,
		Target: models.Ref{Type: models.TypeAIConfig, ID: strconv.Itoa(models.AIConfigID)},
	})
}

// changed names the fields that differ, and no values: among them are secrets and instructions.
func changed(before, next *models.AIConfig) []string {
	names := []string{}
	for _, f := range []struct {
		name    string
		differs bool
	}{
		{"provider", before.Provider != next.Provider},
		{"endpointUrl", before.EndpointURL != next.EndpointURL},
		{"model", before.Model != next.Model},
		{"apiKey", before.SealedKey != next.SealedKey},
		{"systemPrompt", before.SystemPrompt != next.SystemPrompt},
		{"maxRounds", before.MaxRounds != next.MaxRounds},
		{"conversationTokens", before.ConversationTokens != next.ConversationTokens},
		{"showCost", before.ShowCost != next.ShowCost},
	} {
		if f.differs {
			names = append(names, f.name)
		}
	}
	return names
}
