package agent

import (
	"context"
	"log/slog"

	"countersign/llm"
)

// What an endpoint teaches of the model behind it, beside the form of requests.
const (
	// learnedNoTools is a model that cannot use tools.
	learnedNoTools = "no_tools"
	// learnedHoldBack is a model that speaks before it calls a tool.
	learnedHoldBack = "hold_back"
)

// adapt takes up what a refusal taught of this endpoint's requests, and reports whether the next one would be
// another one than that which was refused.
func (c *chat) adapt(failed *llm.Error) bool {
	switch {
	case failed.Kind == llm.NoTools && len(c.request.Tools) > 0:
		c.learn(llm.Adaptation{Set: map[string]any{learnedNoTools: true}})
		c.withoutTools()
		return true
	case failed.Adapt == nil || c.assistant.Adapted == nil:
		return false
	}
	return c.learn(*failed.Adapt)
}

// learn adds to what is known of the endpoint, and reports whether it was new.
func (c *chat) learn(lesson llm.Adaptation) bool {
	learned, changed := c.assistant.Learned.With(lesson)
	if !changed {
		return false
	}
	c.assistant.Learned, c.taught = learned, true
	if c.assistant.Adapted != nil {
		c.assistant.Model = c.assistant.Adapted(learned)
	}
	return true
}

// noToolsInstruction keeps a model that sees nothing of the CRM from inventing it.
const noToolsInstruction = "\n\nYou have no tools, so you cannot look anything up and cannot change anything. Say so when the person asks for it. " +
	"They can type / for commands that look things up. Never state a fact about a record."

// withoutTools lets a model answer that cannot use tools: it says what it cannot do.
func (c *chat) withoutTools() {
	c.request.Tools = nil
	c.request.System += noToolsInstruction
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
