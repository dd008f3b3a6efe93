package mail

import (
	"errors"
	"fmt"

	gomail "github.com/wneessen/go-mail"
)

// Fate is what has become of a message that Send has returned an error for.
type Fate string

// The fates.
const (
	// Delayed was surely not sent, and may be sent again.
	Delayed Fate = "delayed"
	// Refused was surely not sent: the server does not want it.
	Refused Fate = "refused"
	// Unknown may have been sent: the server was given all of it, or some, and did not say what it did with it.
	Unknown Fate = "unknown"
)

// Failure is why a message was not sent. Step is where it failed, Code the server's reply there, 0 without one.
type Failure struct {
	Step string
	Code int
	Fate Fate
}

// Error implements error. It holds neither addresses nor what the server said.
func (f *Failure) Error() string {
	return fmt.Sprintf("mail: %s at the step %q, reply %d", f.Fate, f.Step, f.Code)
}

// firstPermanent is the lowest reply of a server that has made up its mind.
const firstPermanent = 500

func failureOf(err error) error {
	var cause *gomail.SendError
	if !errors.As(err, &cause) {
		return &Failure{Step: "connection", Fate: Delayed}
	}
	f := &Failure{Step: cause.Reason.String(), Code: cause.ErrorCode(), Fate: Delayed}
	switch {
	case f.Code >= firstPermanent, cause.Reason == gomail.ErrNoUnencoded:
		f.Fate = Refused
	case f.Code == 0 && (cause.Reason == gomail.ErrSMTPDataClose || cause.Reason == gomail.ErrWriteContent):
		f.Fate = Unknown
	}
	return f
}
