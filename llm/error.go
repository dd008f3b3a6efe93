package llm

import (
	"fmt"
	"time"
)

// Kind says what went wrong with a model call, in terms that decide what happens next.
type Kind string

// The kinds.
const (
	// Unauthorized is a key that is missing, wrong or not allowed.
	Unauthorized  Kind = "unauthorized"
	ModelNotFound Kind = "model_not_found"
	// RateLimited passes by itself; Quota does not.
	RateLimited    Kind = "rate_limited"
	Quota          Kind = "quota"
	ContextTooLong Kind = "context_too_long"
	// InvalidRequest is a request that this endpoint will never accept as it is.
	InvalidRequest Kind = "invalid_request"
	// Unavailable is a server that cannot be reached or cannot answer now.
	Unavailable Kind = "unavailable"
	Timeout     Kind = "timeout"
	// CutStream is an answer that broke off before it was finished.
	CutStream Kind = "cut_stream"
	// Malformed is an answer that is not what the dialect prescribes.
	Malformed     Kind = "malformed"
	NoTools       Kind = "no_tools"
	ContentFilter Kind = "content_filter"
)

// Codes tell cases of one kind apart, for the admin who sets up an endpoint.
const (
	CodeEndpointNotFound = "endpoint_not_found"
	CodeRedirected       = "redirected"
	CodeRoles            = "roles_must_alternate"
	CodeNotEventStream   = "not_event_stream"
	CodeEmptyStream      = "empty_stream"
	CodeEmptyResponse    = "empty_response"
	CodeBadFrame         = "bad_frame"
	CodeTooLarge         = "too_large"
	CodeBadToolCall      = "model_tool_call_malformed"
	CodeLeakedMarkup     = "leaked_tool_markup"
	CodePaused           = "paused"
	CodeDNS              = "dns"
	CodeTLS              = "tls"
	CodeConnect          = "connect"
	CodeBlockedAddress   = "blocked_address"
	CodeHeaderTimeout    = "header_timeout"
	CodeIdleTimeout      = "idle_timeout"
	CodeTotalTimeout     = "total_timeout"
	CodeNoModelList      = "no_model_list"
)

// MaxRetryWait is the longest RetryAfter that a person is made to wait for; above it they are told.
const MaxRetryWait = 20 * time.Second

// Error is a failed model call. It prints no word of the provider's.
type Error struct {
	Kind Kind
	// Code is one of the Code constants, or empty.
	Code string
	// Status is the HTTP status, or zero when none came.
	Status int
	// Retryable says that the same request may succeed later. Whether it is sent again is the caller's policy.
	Retryable bool
	// RetryAfter is how long the provider asks to wait, or zero when it did not say.
	RetryAfter time.Duration
	// RequestID is the provider's name for the request, by which its support finds it. It may be empty.
	RequestID string
	// Detail is the provider's own message, shortened, without the key. Only an admin may read it.
	Detail string
	// Leak is the format of the leaked markup under CodeLeakedMarkup.
	Leak string
	// Adapt is a change of the request with which this endpoint would accept it, or nil.
	Adapt *Adaptation

	cause error
}

// Error gives kind, code, status and our own cause, never the provider's message.
func (e *Error) Error() string {
	s := "llm: " + string(e.Kind)
	if e.Code != "" {
		s += "/" + e.Code
	}
	if e.Status != 0 {
		s += fmt.Sprintf(" (status %d)", e.Status)
	}
	return s
}

// Unwrap gives the transport's error where there is one.
func (e *Error) Unwrap() error { return e.cause }

// Fail makes an error of a kind. Timeout, CutStream, RateLimited, Unavailable and Malformed are retryable.
func Fail(kind Kind, code string) *Error {
	e := &Error{Kind: kind, Code: code}
	switch kind {
	case Timeout, CutStream, RateLimited, Unavailable, Malformed:
		e.Retryable = code != CodeNotEventStream && code != CodeTooLarge
	}
	return e
}

func (e *Error) because(err error) *Error {
	e.cause = err
	return e
}
