package events

import (
	"strings"
	"time"

	"countersign/apperr"
)

// Codes that tell the conflicts of this package apart.
const (
	CodeLocked    = "LOCKED"
	CodeLockLost  = "LOCK_LOST"
	CodeTurnEnded = "TURN_ENDED"
)

func errLocked() error {
	return apperr.New(apperr.Conflict, CodeLocked, "Somebody is working on this right now. Wait a moment and try again.")
}

func errLockLost() error {
	return apperr.New(apperr.Conflict, CodeLockLost, "This took too long and was given up. Try again.")
}

func errTurnEnded() error {
	return apperr.New(apperr.Conflict, CodeTurnEnded, "This answer has ended. Send a new message.")
}

func errTurnUnknown() error { return apperr.NotFoundf("running answer") }

func errTurnFull() error {
	return apperr.New(apperr.TooLarge, "TURN_TOO_LARGE", "The answer became too long. Ask for less at once.")
}

func errUnavailable(cause error) error {
	return apperr.New(apperr.Unavailable, "EVENTS_UNAVAILABLE", "A part of the system is out of reach. Try again in a moment.").
		WithCause(cause)
}

func checkLimit(limit int, window time.Duration) error {
	if limit < 1 {
		return apperr.InvalidField("limit", "A limit must be at least 1.")
	}
	if window < time.Millisecond {
		return apperr.InvalidField("window", "A window must be at least a millisecond.")
	}
	return nil
}

func checkTTL(ttl time.Duration) error {
	if ttl < time.Millisecond {
		return apperr.InvalidField("ttl", "A lease must last at least a millisecond.")
	}
	return nil
}

// checkFrame keeps out what would break a frame in two where each is written on a line of its own.
func checkFrame(f Frame) error {
	if f.Type == "" || strings.ContainsAny(f.Type, "\r\n") {
		return apperr.InvalidField("type", "A frame needs a type of one line.")
	}
	for _, b := range f.Data {
		if b == '\n' || b == '\r' {
			return apperr.InvalidField("data", "The data of a frame must be on one line.")
		}
	}
	return nil
}
