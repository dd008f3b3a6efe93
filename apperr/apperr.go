package apperr

import (
	"errors"
	"maps"
	"time"
)

// Kind says what went wrong in terms that every door understands.
type Kind string

// The kinds. A Kind decides the HTTP status, a Code tells cases of one Kind apart.
const (
	Internal        Kind = "internal"
	Invalid         Kind = "invalid"
	NotFound        Kind = "not_found"
	Ambiguous       Kind = "ambiguous"
	Conflict        Kind = "conflict"
	Stale           Kind = "stale"
	Gone            Kind = "gone"
	Forbidden       Kind = "forbidden"
	Unauthenticated Kind = "unauthenticated"
	RateLimited     Kind = "rate_limited"
	TooLarge        Kind = "too_large"
	NotConfigured   Kind = "not_configured"
	Unavailable     Kind = "unavailable"
)

// FieldError is one wrong value of a request. Path is in the caller's terms, such as "amount.currency".
type FieldError struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// Candidate is a record that the caller may have meant. Detail tells records of the same name apart.
type Candidate struct {
	Type   string `json:"type"`
	ID     string `json:"id"`
	Name   string `json:"name"`
	Detail string `json:"detail,omitempty"`
}

// Error is what services return. Message is a sentence for a person that says what to do;
// it never holds a cause, SQL or personal data of others.
type Error struct {
	Kind       Kind
	Code       string
	Message    string
	Fields     []FieldError
	Candidates []Candidate
	RetryAfter time.Duration
	// Extra holds members that a problem document carries besides the standard ones,
	// such as the current record of a stale write.
	Extra map[string]any
	cause error
}

// New makes an error of a kind with a code in SCREAMING_SNAKE_CASE and a sentence for a person.
func New(kind Kind, code, message string) *Error {
	return &Error{Kind: kind, Code: code, Message: message}
}

// Error gives code and message, and the cause for the log.
func (e *Error) Error() string {
	s := e.Code + ": " + e.Message
	if e.cause != nil {
		s += ": " + e.cause.Error()
	}
	return s
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.cause }

// WithCause returns a copy that keeps err for the log.
func (e *Error) WithCause(err error) *Error {
	c := *e
	c.cause = err
	return &c
}

// WithFields returns a copy that names the wrong values.
func (e *Error) WithFields(fields ...FieldError) *Error {
	c := *e
	c.Fields = append(append([]FieldError(nil), e.Fields...), fields...)
	return &c
}

// WithExtra returns a copy with one more member for the problem document.
func (e *Error) WithExtra(key string, value any) *Error {
	c := *e
	c.Extra = maps.Clone(e.Extra)
	if c.Extra == nil {
		c.Extra = map[string]any{}
	}
	c.Extra[key] = value
	return &c
}

// As gives the service error in err's chain. Any other non-nil error becomes Internal with err as its cause.
func As(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return New(Internal, "INTERNAL", "Something went wrong on our side. Try again, and quote the request id if it happens again.").WithCause(err)
}

// Is reports whether err is a service error of the kind.
func Is(err error, kind Kind) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == kind
}

// HasCode reports whether err is a service error with the code.
func HasCode(err error, code string) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}
