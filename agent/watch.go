package agent

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// grace is how long a turn goes on that nobody follows any more.
const grace = 30 * time.Second

// watchEvery is how often a replica tells which turns are followed on it.
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

// followed counts who follows which turn on this replica.
type followed struct {
	mu    sync.Mutex
	turns map[string]int
}

func (f *followed) add(turnID string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.turns[turnID]++
}

func (f *followed) remove(turnID string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.turns[turnID]--; f.turns[turnID] == 0 {
		delete(f.turns, turnID)
	}
}

func (f *followed) ids() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Collect(maps.Keys(f.turns))
}

// tellWatched makes known that a turn is followed. A message that is lost is made up for by the next one.
func (s *Service) tellWatched(ctx context.Context, turnID string) {
	_ = s.Bus.Publish(ctx, watchTopic, []byte(turnID))
}

// tellAllWatched makes known again and again which turns are followed here, until the service is closed. It is one for
// all followers: there may be thousands.
func (s *Service) tellAllWatched() {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for {
		select {
		case <-s.life.Done():
			return
		case <-ticker.C:
			for _, turnID := range s.followed.ids() {
				s.tellWatched(s.life, turnID)
			}
		}
	}
}
