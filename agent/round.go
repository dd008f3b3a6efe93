package agent

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"time"

	"countersign/llm"
)

// answer is one complete answer of the model.
type answer struct {
	text  string
	calls []llm.ToolCall
	done  llm.Done
}

// saveEvery is how often the text of a running reply is stored.
const saveEvery = time.Second

// waits are the times before a model call is tried again.
var waits = [...]time.Duration{2 * time.Second, 5 * time.Second, 12 * time.Second}

// ask calls the model, again after a while where that makes sense and nothing was shown yet.
func (c *chat) ask(ctx context.Context) (answer, error) {
	for try := 0; ; try++ {
		a, shown, err := c.stream(ctx)
		var failed *llm.Error
		if err == nil || shown || !errors.As(err, &failed) || !failed.Retryable || try == len(waits) || failed.RetryAfter > llm.MaxRetryWait {
			return a, err
		}
		if err := c.note(ctx, "RETRYING", "notice.retrying", ""); err != nil {
			return a, err
		}
		if err := pause(ctx, max(failed.RetryAfter, jitter(waits[try]))); err != nil {
			return a, err
		}
	}
}

// jitter spreads a wait over the quarter around it, so that many do not come back at once.
func jitter(d time.Duration) time.Duration {
	return d - d/8 + time.Duration(rand.Int64N(int64(d/4))) //nolint:gosec // no secret: it only spreads waits
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// stream makes one model call and passes its text on as it comes. shown says that a person has seen some of it.
func (c *chat) stream(ctx context.Context) (a answer, shown bool, err error) {
	before, saved := c.text.Len(), time.Now()
	var text strings.Builder
	counted := false
	for event, err := range c.assistant.Stream(ctx, readable(c.request)) {
		if err != nil {
			return a, shown, err
		}
		switch e := event.(type) {
		case llm.TextDelta:
			text.WriteString(e.Text)
			shown = true
			if err := c.say(ctx, e.Text); err != nil {
				return a, shown, err
			}
			saved = c.saveNow(ctx, saved)
		case llm.TextReset:
			text.Reset()
			if err := c.takeBack(ctx, before); err != nil {
				return a, shown, err
			}
		case llm.ToolCall:
			a.calls = append(a.calls, e)
		case llm.Usage:
			counted = true
			c.usage.add(e)
		case llm.Done:
			a.done = e
		}
	}
	a.text = text.String()
	c.usage.Rounds++
	c.usage.Known = c.usage.Known && counted
	if err := c.out.emit(ctx, "usage", usageEvent{Type: "usage", Usage: c.usage}); err != nil {
		return a, shown, err
	}
	if len(a.calls) > 0 && a.text != "" {
		return a, shown, c.takeBack(ctx, before)
	}
	return a, shown, nil
}

// takeBack drops what this call of the model has said: it was no answer, since a tool call followed it.
func (c *chat) takeBack(ctx context.Context, before int) error {
	kept := c.text.String()[:before]
	c.text.Reset()
	c.text.WriteString(kept)
	return c.out.emit(ctx, "reset", resetEvent{Type: "reset"})
}

// saveNow stores the text so far when the last time was long enough ago, and gives the time of the last save.
// A save that fails is made up for by the next one.
func (c *chat) saveNow(ctx context.Context, saved time.Time) time.Time {
	if time.Since(saved) < saveEvery {
		return saved
	}
	c.fill()
	_ = c.service.Conversations.SaveReply(ctx, &c.reply)
	return time.Now()
}

func (u *Usage) add(e llm.Usage) {
	u.PromptTokens += int64(e.InputTokens)
	u.CompletionTokens += int64(e.OutputTokens)
	u.CachedTokens += int64(e.CachedTokens)
}
