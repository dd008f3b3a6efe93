package agent

import (
	"context"
	"log/slog"

	"countersign/llm"
)

// adapt takes up what a refusal taught of this endpoint's requests, and reports whether the next one would be
// another one than that which was refused.
func (c *chat) adapt(failed *llm.Error) bool {
	if failed.Adapt == nil || c.assistant.Adapted == nil {
		return false
	}
	learned, changed := c.assistant.Learned.With(*failed.Adapt)
	if !changed {
		return false
	}
	c.assistant.Learned, c.assistant.Model, c.taught = learned, c.assistant.Adapted(learned), true
	return true
}

// keepLearned stores what made a request pass. It is learned again where it cannot be stored.
func (c *chat) keepLearned(ctx context.Context) {
	if !c.taught {
		return
	}
	c.taught = false
	if err := c.service.Assistants.Learn(ctx, c.actor, c.assistant); err != nil {
		slog.WarnContext(ctx, "what the endpoint taught of its requests was not stored", "turn_id", c.ID, "error", err)
	}
}
