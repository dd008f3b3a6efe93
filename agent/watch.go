package agent

import (
	"context"
	"sync"
	"time"
)

// grace is how long a turn goes on that nobody follows any more.
const grace = 30 * time.Second

// watchEvery is how often a follower makes itself known to the replica on which the turn runs.
const watchEvery = 10 * time.Second

// watchTopic carries the ids of turns that somebody follows, on whichever replica.
const watchTopic = "turn-watched"

// watched keeps when each running turn was last followed.
type watched struct {
	mu   sync.Mutex
	seen map[string]time.Time
}

func (w *watched) mark(turnID string, at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, running := w.seen[turnID]; running {
		w.seen[turnID] = at
	}
}

func (w *watched) begin(turnID string, at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[turnID] = at
}

func (w *watched) end(turnID string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.seen, turnID)
}

func (w *watched) last(turnID string) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen[turnID]
}

// whileWatched ends a turn once nobody has followed it for the time of grace.
func (s *Service) whileWatched(ctx context.Context, turnID string, leave context.CancelFunc) {
	ticker := time.NewTicker(grace / 6)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if time.Since(s.watched.last(turnID)) > grace {
				leave()
				return
			}
		}
	}
}

// tellWatched makes known that a turn is followed, until ctx ends.
func (s *Service) tellWatched(ctx context.Context, turnID string) {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for {
		// A message that is lost is made up for by the next one.
		_ = s.Bus.Publish(ctx, watchTopic, []byte(turnID))
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
