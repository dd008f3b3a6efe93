package agent

import (
	"context"

	"countersign/llm"
	"countersign/models"
)

// Assistant is the model as an administrator has set it up, for one turn.
type Assistant struct {
	llm.Model
	// Name is "provider/model", as history and audit tell it.
	Name string
	// SystemPrompt is the administrator's own addition to the prompt.
	SystemPrompt string
	// Version is that of the configuration.
	Version int64
	// Learned is what the endpoint has taught of its requests. Adapted gives the model with such requests; nil
	// for a model that learns nothing.
	Learned llm.Adaptation
	Adapted func(learned llm.Adaptation) llm.Model
	// HoldBack is how many chunks of each model call are held back until it is clear that no tool call follows; nil
	// leaves it to what was learned.
	HoldBack *int
	// MaxRounds bounds the model calls of a turn before the last one, which must answer.
	MaxRounds int
	// ConversationTokens is after how many tokens a conversation takes no more questions; 0 is never.
	ConversationTokens int64
}

// Assistants gives the model for a turn. Errors: NotConfigured, with a sentence that says whom to ask.
type Assistants interface {
	// Configured tells whether a model is set up.
	Configured(ctx context.Context) (bool, error)
	Assistant(ctx context.Context) (Assistant, error)
	// Learn keeps what the endpoint has taught in a turn of the actor's, for all later turns, unless the
	// configuration has changed meanwhile.
	Learn(ctx context.Context, actor models.Actor, a Assistant) error
}
