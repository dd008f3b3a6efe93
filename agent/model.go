package agent

import (
	"context"

	"countersign/llm"
)

// Assistant is the model as an administrator has set it up, for one turn.
type Assistant struct {
	llm.Model
	// Name is "provider/model", as history and audit tell it.
	Name string
	// SystemPrompt is the administrator's own addition to the prompt.
	SystemPrompt string
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
}
