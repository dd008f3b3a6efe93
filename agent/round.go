package agent

import (
	"context"
	"errors"
	"math/rand/v2"
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

// ask calls the model, again where that makes sense and nothing was shown yet: at once in the form that the endpoint
// asks for, or after a while.
func (c *chat) ask(ctx context.Context) (answer, error) {
	for try, number := 0, 1; ; number++ {
		a, shown, err := c.attempt(ctx, number)
		var failed *llm.Error
		switch {
		case err == nil:
			c.keepLearned(ctx)
			return a, nil
		case shown || !errors.As(err, &failed):
			return a, err
		case c.adapt(failed):
			continue
		case failed.Code == llm.CodeEmptyResponse && (try > 0 || c.request.ToolChoice == llm.ToolsForbidden):
			return answer{}, nil // it has nothing to say, or only calls that it may not make
		case !failed.Retryable || try == len(waits) || failed.RetryAfter > llm.MaxRetryWait:
			return a, err
		}
		if err := c.note(ctx, "RETRYING", "notice.retrying", ""); err != nil {
			return a, err
		}
		if err := pause(ctx, max(failed.RetryAfter, jitter(waits[try]))); err != nil {
			return a, err
		}
		try++
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

// attempt makes one model call, on account. shown says that a person has seen some of its answer.
func (c *chat) attempt(ctx context.Context, number int) (a answer, shown bool, err error) {
	m, err := c.reserve(ctx, number)
	if err != nil {
		return a, false, err
	}
	said := c.speech()
	a, err = c.stream(ctx, m, said)
	if failed := c.settle(ctx, m, a.done.Finish, err); err == nil {
		err = failed
	}
	if err != nil {
		return a, said.shown, err
	}
	if err := c.out.emit(ctx, "usage", usageEvent{Type: "usage", Usage: c.usage}); err != nil {
		return a, said.shown, err
	}
	return a, said.shown, said.end(ctx, len(a.calls) > 0)
}

// stream passes the text of one answer on as it comes.
func (c *chat) stream(ctx context.Context, m *meter, said *speech) (a answer, err error) {
	for event, err := range c.assistant.Stream(ctx, readable(c.request)) {
		if err != nil {
			return a, err
		}
		m.see(event)
		switch e := event.(type) {
		case llm.TextDelta:
			err = said.add(ctx, e.Text)
		case llm.TextReset:
			err = said.reset(ctx)
		case llm.ToolCall:
			a.calls = append(a.calls, e)
		case llm.Done:
			a.done = e
		}
		if err != nil {
			return a, err
		}
	}
	a.text = said.text.String()
	return a, nil
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
