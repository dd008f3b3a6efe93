package agent

import (
	"context"
	"strings"
	"time"

	"countersign/llm"
)

// defaultHoldBack is how many chunks are held back for a model that was seen to speak before it calls a tool. It is a
// float64, as it is when it has been stored.
const defaultHoldBack float64 = 3

// speech is the text of one model call on its way to the person. The first chunks are held back for a model that
// speaks before it calls a tool: what precedes a call is no answer.
type speech struct {
	c *chat
	// before is how long the reply was, hold how many chunks are held back, held those that are.
	before, hold int
	held         []string
	text         strings.Builder
	// shown says that the person has seen some of it.
	shown bool
	saved time.Time
}

func (c *chat) speech() *speech {
	return &speech{c: c, before: c.text.Len(), hold: c.assistant.holdBack(), saved: time.Now()}
}

// holdBack is how many chunks of a model call are held back: what the configuration says, or what was learned.
func (a Assistant) holdBack() int {
	if a.HoldBack != nil {
		return *a.HoldBack
	}
	n, _ := a.Learned.Set[learnedHoldBack].(float64)
	return int(n)
}

func (s *speech) add(ctx context.Context, delta string) error {
	s.text.WriteString(delta)
	if !s.shown && len(s.held) < s.hold {
		s.held = append(s.held, delta)
		return nil
	}
	return s.show(ctx, delta)
}

// show passes on what is held back, then more.
func (s *speech) show(ctx context.Context, more string) error {
	text := strings.Join(s.held, "") + more
	if s.held = nil; text == "" {
		return nil
	}
	s.shown = true
	if err := s.c.say(ctx, text); err != nil {
		return err
	}
	s.saved = s.c.saveNow(ctx, s.saved)
	return nil
}

// reset withdraws everything.
func (s *speech) reset(ctx context.Context) error {
	s.text.Reset()
	if s.held = nil; !s.shown {
		return nil
	}
	return s.c.takeBack(ctx, s.before)
}

// end withdraws what a call followed, so that the next time it is held back, and passes on the rest otherwise.
func (s *speech) end(ctx context.Context, called bool) error {
	switch {
	case !called:
		return s.show(ctx, "")
	case !s.shown:
		return nil
	}
	s.c.learn(llm.Adaptation{Set: map[string]any{learnedHoldBack: defaultHoldBack}})
	return s.c.takeBack(ctx, s.before)
}
