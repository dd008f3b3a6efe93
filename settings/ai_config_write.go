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
	maxHoldBack      = 20
	defaultMaxRounds = 8

	// A conversation may use defaultConversationTokens unless an administrator says otherwise.
	maxConversationTokens     = 1_000_000_000
	defaultConversationTokens = 50_000

	actionUpdate = "ai-config:update"
	actionDelete = "ai-config:delete"
	actionLearn  = "ai-config:learn"
)

// AIConfigInput replaces the configuration. Without an APIKey the present one stays, as long as the endpoint keeps
// its scheme, host and port; RemoveKey takes it away. MaxRounds nil means the default; ConversationTokens and ShowCost nil
// stay as they are.
type AIConfigInput struct {
	Provider     string `json:"provider"`
	EndpointURL  string `json:"endpointUrl"`
	Model        string `json:"model"`
	APIKey       APIKey `json:"apiKey"`
	RemoveKey    bool   `json:"removeKey,omitempty"`
	SystemPrompt string `json:"systemPrompt,omitempty"`
	MaxRounds    *int   `json:"maxRounds,omitempty"`
	// HoldBack is how many chunks of an answer are held back until it is clear that no tool call follows; nil holds
	// back for a model that was seen to speak before its calls.
	HoldBack           *int   `json:"holdBack,omitempty"`
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
		if before.Provider == next.Provider && before.EndpointURL == next.EndpointURL && before.Model == next.Model {
			next.Learned = before.Learned
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
	view, err := s.view(ctx)
	if err == nil {
		_, view.EndpointHint, err = s.normalize(in.Provider, in.EndpointURL)
	}
	return view, err
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
	c, wrong := s.check(in)
	if in.APIKey.IsSet() {
		if refusal := s.seal(c, in.APIKey); refusal != "" {
			wrong = append(wrong, apperr.FieldError{Path: "apiKey", Message: refusal})
		}
	}
	return c, apperr.InvalidFields(wrong)
}

// check gives the fields but the API key in their normal form, and says what is wrong with any.
func (s *AIConfig) check(in AIConfigInput) (c *models.AIConfig, wrong []apperr.FieldError) {
	note := func(bad bool, path, message string) {
		if bad {
			wrong = append(wrong, apperr.FieldError{Path: path, Message: message})
		}
	}
	c = &models.AIConfig{
		ID: models.AIConfigID, Provider: in.Provider, Model: models.CleanLine(in.Model),
		SystemPrompt: models.CleanText(in.SystemPrompt), MaxRounds: defaultMaxRounds, HoldBack: in.HoldBack,
	}
	if in.MaxRounds != nil {
		c.MaxRounds = *in.MaxRounds
	}
	note(c.Provider != ProviderOpenAI && c.Provider != ProviderAnthropic, "provider", `The provider is "openai" or "anthropic".`)
	var refusal string
	c.EndpointURL, refusal = s.endpoint(in)
	note(refusal != "", "endpointUrl", refusal)
	note(c.Model == "" || utf8.RuneCountInString(c.Model) > maxModelName, "model",
		fmt.Sprintf("Give the model's name as the provider writes it, at most %d characters.", maxModelName))
	note(utf8.RuneCountInString(c.SystemPrompt) > maxSystemPrompt, "systemPrompt",
		fmt.Sprintf("The system prompt may have at most %d characters.", maxSystemPrompt))
	note(c.MaxRounds < 1 || c.MaxRounds > maxRounds, "maxRounds", fmt.Sprintf("The number of rounds is 1 to %d.", maxRounds))
	note(c.HoldBack != nil && (*c.HoldBack < 0 || *c.HoldBack > maxHoldBack), "holdBack", fmt.Sprintf("The number of chunks to hold back is 0 to %d.", maxHoldBack))
	note(in.ConversationTokens != nil && (*in.ConversationTokens < 0 || *in.ConversationTokens > maxConversationTokens), "conversationTokens",
		"Give a number of tokens, or 0 for no limit.")
	note(in.RemoveKey && in.APIKey.IsSet(), "removeKey", "Either enter a new API key or remove the present one.")
	return c, wrong
}

// endpoint gives the address as it is used, or says what is wrong with it.
func (s *AIConfig) endpoint(in AIConfigInput) (address, refusal string) {
	address, _, err := s.normalize(in.Provider, in.EndpointURL)
	if err != nil {
		return "", apperr.As(err).Message
	}
	address, err = CheckEndpoint(address, s.allowPrivate)
	if err != nil {
		return "", err.Error()
	}
	return address, ""
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
		return errNewHost
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

// Learn keeps what the endpoint of a configuration has taught in a turn of the actor's, as text that only the caller
// reads. It asks for no right: what it keeps comes from the endpoint that an administrator chose. When the
// configuration is of another version by now, nothing is kept.
func (s *AIConfig) Learn(ctx context.Context, actor models.Actor, version int64, learned string) error {
	return s.runner.InTx(ctx, func(tx *store.Tx) error {
		kept, err := tx.LearnAIConfig(ctx, version, learned)
		if err != nil || !kept {
			return err
		}
		return s.record(ctx, tx, actor, actionLearn, map[string]any{"learned": learned})
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
		{"holdBack", !equal(before.HoldBack, next.HoldBack)},
		{"conversationTokens", before.ConversationTokens != next.ConversationTokens},
		{"showCost", before.ShowCost != next.ShowCost},
	} {
		if f.differs {
			names = append(names, f.name)
		}
	}
	return names
}

func equal[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }
