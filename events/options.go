package events

import (
	"cmp"
	"time"
)

// Options tune a backend. The zero value is right for production.
type Options struct {
	// Now is the clock of [Memory]; time.Now if nil. [Redis] goes by the clock of its server.
	Now func() time.Time
	// TurnTTL is how long the log of a running turn is kept after its last frame; 1 h if zero.
	TurnTTL time.Duration
	// EndedTurnTTL is how long it is kept after the terminal frame; if zero 10 min in Memory and 1 h in Redis.
	EndedTurnTTL time.Duration
	// MaxTurnBytes bounds the log of one turn; 16 MiB if zero.
	MaxTurnBytes int
	// MaxEndedBytes bounds the logs of all ended turns in [Memory], the oldest going first; 64 MiB if zero.
	MaxEndedBytes int
	// Buffer is how many messages a subscriber may fall behind before it misses some; 64 if zero.
	Buffer int
}

func (o Options) withDefaults(endedTurnTTL time.Duration) Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.TurnTTL = cmp.Or(o.TurnTTL, time.Hour)
	o.EndedTurnTTL = cmp.Or(o.EndedTurnTTL, endedTurnTTL)
	o.MaxTurnBytes = cmp.Or(o.MaxTurnBytes, 16<<20)
	o.MaxEndedBytes = cmp.Or(o.MaxEndedBytes, 64<<20)
	o.Buffer = cmp.Or(o.Buffer, 64)
	return o
}
