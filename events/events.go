package events

import (
	"context"
	"iter"
	"time"
)

// Backend is everything that replicas share. [Memory] and [Redis] implement it.
//
// Unless a method says more, its errors are of kind apperr.Unavailable when the backend cannot be reached or is
// closed, with the cause (such as the end of ctx) in the chain.
type Backend interface {
	Limiter
	Locker
	TurnLog
	Bus
	// Ping reports whether the backend can be reached.
	Ping(ctx context.Context) error
	// Close ends all followers and subscriptions and releases connections. A second call does nothing.
	Close() error
}

// Limiter admits at most limit events in any window, wherever the window begins.
type Limiter interface {
	// Allow asks for a place. A refused try uses none. Key and window together name one log of events; the limit
	// may differ between calls. The limit must be at least
	// 1 and the window a millisecond (apperr.Invalid).
	Allow(ctx context.Context, key string, limit int, window time.Duration) (Decision, error)
}

// Decision is the answer of a [Limiter].
type Decision struct {
	Allowed bool
	// RetryAfter is how long a refused caller has to wait: a try at that time passes if nobody else took the place.
	RetryAfter time.Duration

	giveBack func(context.Context) error
}

// GiveBack returns the place of an allowed event that in the end does not count, such as a successful login.
// Of a refused one it does nothing. Call it at most once.
func (d Decision) GiveBack(ctx context.Context) error {
	if d.giveBack == nil {
		return nil
	}
	return d.giveBack(ctx)
}

// Locker gives leases: locks that end by themselves when their holder is gone.
type Locker interface {
	// Acquire takes the lease of a key for the time ttl, which must be at least a millisecond (apperr.Invalid).
	// It does not wait: while somebody holds it the error is apperr.Conflict with [CodeLocked].
	Acquire(ctx context.Context, key string, ttl time.Duration) (Lease, error)
}

// Lease is a held lock. Its methods may be called from several goroutines.
type Lease interface {
	// Fence is higher than that of every earlier lease of any key, also over restarts and loss of the backend's
	// data as long as its clock goes forward. A store that keeps the highest fence it saw can refuse a holder
	// who does not know yet that his lease is lost.
	Fence() int64
	// Renew lets the lease end ttl from now. Once lost it stays lost: apperr.Conflict with [CodeLockLost].
	Renew(ctx context.Context, ttl time.Duration) error
	// Release ends the lease. Of a lost one it does nothing, whoever holds the key now.
	Release(ctx context.Context) error
}

// Frame is one event of a turn.
type Frame struct {
	// Seq counts from 1 without gaps within a turn. The log gives it.
	Seq int64
	// Type and Data are kept byte by byte. Neither may hold a line break, Type must not be empty.
	// Readers share Data and must not change it.
	Type string
	Data []byte
	// Terminal marks the last frame of a turn.
	Terminal bool
	// More says, to a follower, that another frame is there already.
	More bool
}

// TurnLog keeps the events of turns for readers who come late or come back.
type TurnLog interface {
	// Append adds a frame to a turn, which begins with its first frame, and gives the frame back with its Seq.
	// After a terminal frame nothing is added: apperr.Conflict with [CodeTurnEnded]. A log that has reached
	// Options.MaxTurnBytes takes nothing but a terminal frame: apperr.TooLarge. A malformed frame is apperr.Invalid.
	Append(ctx context.Context, turnID string, frame Frame) (Frame, error)
	// Known answers apperr.NotFound for a turn that is unknown or whose log has expired.
	Known(ctx context.Context, turnID string) error
	// Follow gives the frames after a Seq (0 for all), past and coming, until the terminal one. Every reader gets
	// the same bytes. It ends without an error when ctx ends, and with one as its last pair when the turn is
	// unknown or its log has expired (apperr.NotFound).
	Follow(ctx context.Context, turnID string, after int64) iter.Seq2[Frame, error]
}

// Bus carries messages to whoever listens at that moment: delivered at most once to each, kept for nobody.
type Bus interface {
	// Publish sends the payload to all subscribers of the topic in all processes and waits for none of them.
	Publish(ctx context.Context, topic string, payload []byte) error
	// Subscribe listens until ctx ends or the subscription is closed. What is published after it returned arrives,
	// unless the subscriber falls more than Options.Buffer messages behind or the connection breaks meanwhile.
	Subscribe(ctx context.Context, topic string) (*Subscription, error)
}
