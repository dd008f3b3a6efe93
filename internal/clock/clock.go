package clock

import (
	"sync"
	"time"
)

// Clock is a time that only [Clock.Advance] moves. It is safe for concurrent use.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// At returns a Clock that shows now, in UTC and whole microseconds as databases keep them.
func At(now time.Time) *Clock {
	return &Clock{now: now.UTC().Truncate(time.Microsecond)}
}

// Now is the time that the clock shows; its method value is what constructors take as their clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock by d.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
