package tools

import (
	"context"
	"errors"
	"log/slog"

	"countersign/apperr"
	"countersign/i18n"
	"countersign/models"
	"countersign/proposals"
)

// CallError is a tool's error as the model and the person see it.
type CallError struct {
	// Kind is one of not_found, ambiguous, forbidden, invalid, stale, conflict, rate_limited, pending,
	// declined, unavailable.
	Kind    string `json:"kind"`
	Message string `json:"message"`
	// Retry says whether trying again, with other arguments or later, makes sense.
	Retry      bool               `json:"retry"`
	Candidates []apperr.Candidate `json:"candidates,omitempty"`
}

// errorKinds translates the kinds of service errors. What is not in it is unavailable.
var errorKinds = map[apperr.Kind]struct {
	kind  string
	retry bool
}{
	apperr.NotFound:        {"not_found", true},
	apperr.Ambiguous:       {"ambiguous", true},
	apperr.Forbidden:       {"forbidden", false},
	apperr.Unauthenticated: {"forbidden", false},
	apperr.Invalid:         {"invalid", true},
	apperr.TooLarge:        {"invalid", true},
	apperr.Stale:           {"stale", true},
	apperr.Conflict:        {"conflict", false},
	apperr.RateLimited:     {"rate_limited", true},
}

// errorCodes are the errors that are of a kind of their own. None goes away by trying again.
var errorCodes = map[string]string{proposals.CodeTooManyOpen: "pending", proposals.CodeDeclined: "declined"}

// failure makes the outcome of a call that went wrong, or that its caller broke off by ending ctx. The cause
// of an internal error goes to the log only.
func failure(ctx context.Context, lang string, err error) Outcome {
	e := apperr.As(err)
	status, kind := models.CallFailed, errorKinds[e.Kind]
	message := e.Message
	if own := errorCodes[e.Code]; own != "" {
		kind.kind, kind.retry = own, false
	}
	switch {
	case kind.kind == "forbidden":
		status = models.CallDenied
		if permission, ok := e.Extra["permission"].(string); ok {
			message = i18n.T(lang, "error.forbidden", "permission", permission)
		}
	case kind.kind == "" && errors.Is(ctx.Err(), context.Canceled):
		kind.kind, kind.retry = "unavailable", true
		status, message = models.CallStopped, i18n.T(lang, "error.stopped")
	case kind.kind == "":
		kind.kind, kind.retry = "unavailable", true
		message = i18n.T(lang, "error.internal")
		if errors.Is(err, context.DeadlineExceeded) {
			message = i18n.T(lang, "error.timeout")
		}
		slog.ErrorContext(ctx, "tool call failed", "error", err)
	}
	callError := &CallError{Kind: kind.kind, Message: message, Retry: kind.retry, Candidates: e.Candidates}
	return Outcome{Status: status, Summary: message, Text: message, Error: callError, After: Continue}
}
