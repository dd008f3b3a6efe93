package api

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"countersign/apperr"
	"countersign/crm"
	"countersign/models"
	"countersign/proposals"
	"countersign/store"
)

const (
	codeInvalid = "INVALID"
	problemType = "application/problem+json"
)

var (
	errTooLarge = apperr.New(apperr.TooLarge, "TOO_LARGE", "The request is larger than 1 MiB. Send less at a time.")
	errPanic    = apperr.As(errors.New("panic"))
)

// statuses is the one translation of the kinds of errors.
var statuses = map[apperr.Kind]int{
	apperr.Invalid:         http.StatusUnprocessableEntity,
	apperr.NotFound:        http.StatusNotFound,
	apperr.Ambiguous:       http.StatusConflict,
	apperr.Conflict:        http.StatusConflict,
	apperr.Stale:           http.StatusConflict,
	apperr.Gone:            http.StatusGone,
	apperr.Forbidden:       http.StatusForbidden,
	apperr.Unauthenticated: http.StatusUnauthorized,
	apperr.RateLimited:     http.StatusTooManyRequests,
	apperr.TooLarge:        http.StatusRequestEntityTooLarge,
	apperr.NotConfigured:   http.StatusServiceUnavailable,
	apperr.Unavailable:     http.StatusServiceUnavailable,
	apperr.Internal:        http.StatusInternalServerError,
}

// Problem is an error as clients see it (RFC 9457). Code tells cases apart, Detail says what to do, RequestID
// finds the cause in the server's log. Some codes carry further members, such as "current" or "fresh".
type Problem struct {
	_          struct{}            `additionalProperties:"true" json:"-"`
	Title      string              `json:"title"`
	Status     int                 `json:"status"`
	Code       string              `json:"code"`
	Detail     string              `json:"detail"`
	RequestID  string              `json:"requestId"`
	Errors     []apperr.FieldError `json:"errors,omitempty"`
	Candidates []apperr.Candidate  `json:"candidates,omitempty"`

	extra      map[string]any
	retryAfter time.Duration
}

// newProblem shows a service error. The cause stays behind.
func newProblem(req *request, e *apperr.Error) *Problem {
	p := &Problem{
		Code: e.Code, Detail: e.Message, RequestID: req.id, Errors: e.Fields, Candidates: e.Candidates,
		extra: map[string]any{}, retryAfter: e.RetryAfter,
	}
	for name, value := range e.Extra {
		if shown, ok := shownExtra(value); ok {
			p.extra[name] = shown
		}
	}
	status, ok := statuses[e.Kind]
	if !ok {
		status = http.StatusInternalServerError
	}
	p.setStatus(status)
	return p
}

func (p *Problem) setStatus(status int) { p.Status, p.Title = status, http.StatusText(status) }

// shownExtra gives the records that errors carry the shape in which their routes show them.
func shownExtra(value any) (any, bool) {
	switch v := value.(type) {
	case *store.DealView:
		return dealOf(v), true
	case crm.Company:
		return companyOf(&v), true
	case crm.Contact:
		return contactOf(&v), true
	case *store.QuotationView:
		return quotationOf(v), true
	case *store.TaskView:
		return taskOf(v), true
	case *store.ActivityView:
		return activityOf(v), true
	case *models.ApprovalRule:
		return approvalRuleOf(v), true
	case *models.Proposal:
		view, err := proposals.ViewOf(v)
		return view, err == nil
	default:
		return v, true
	}
}

// problem turns a service's error into the answer, and logs a cause that only the operator may see.
func (s *server) problem(ctx context.Context, err error) *Problem {
	req, e := requestOf(ctx), apperr.As(err)
	switch {
	case ctx.Err() != nil:
		s.Logger.DebugContext(ctx, "client went away", slog.String("request_id", req.id))
	case e.Kind == apperr.Internal || e.Kind == apperr.Unavailable:
		s.Logger.ErrorContext(ctx, "request failed", slog.String("request_id", req.id), slog.String("route", req.route), slog.Any("error", err))
	}
	return newProblem(req, e)
}

// refuse answers with an error and ends the chain of handlers.
func (s *server) refuse(c *gin.Context, err error) {
	s.problem(c.Request.Context(), err).write(c.Writer)
	c.Abort()
}

// Error implements error.
func (p *Problem) Error() string { return p.Code + ": " + p.Detail }

// GetStatus implements huma.StatusError.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType implements huma.ContentTypeFilter.
func (p *Problem) ContentType(string) string { return problemType }

// GetHeaders implements huma.HeadersError.
func (p *Problem) GetHeaders() http.Header {
	h := http.Header{}
	if p.retryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(p.retryAfter.Seconds()))))
	}
	return h
}

// MarshalJSON writes the members of the code beside the standard ones.
func (p *Problem) MarshalJSON() ([]byte, error) {
	type members Problem
	document, err := json.Marshal((*members)(p))
	if err != nil || len(p.extra) == 0 {
		return document, err
	}
	extra, err := json.Marshal(p.extra)
	if err != nil {
		return nil, err
	}
	return append(append(document[:len(document)-1], ','), extra[1:]...), nil
}

// write answers outside of huma.
func (p *Problem) write(w http.ResponseWriter) {
	for name, values := range p.GetHeaders() {
		w.Header()[name] = values
	}
	writeJSON(w, p.Status, problemType, p)
}

func writeJSON(w http.ResponseWriter, status int, contentType string, v any) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	// The client may be gone; there is nobody else to tell.
	_, _ = w.Write(models.ToJSON(v)) //nolint:gosec // JSON by its content type, which nosniff makes browsers believe
}
