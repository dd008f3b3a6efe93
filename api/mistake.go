package api

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"countersign/apperr"
)

// newHumaError makes what huma itself finds wrong with a request a problem document like any other.
func newHumaError(status int, message string, errs ...error) huma.StatusError {
	return humaProblem(&request{}, status, message, errs)
}

func newHumaErrorInContext(ctx huma.Context, status int, message string, errs ...error) huma.StatusError {
	return humaProblem(requestOf(ctx.Context()), status, message, errs)
}

func humaProblem(req *request, status int, message string, errs []error) *Problem {
	p := newProblem(req, humaMistake(status, message, errs))
	if p.Status == http.StatusUnprocessableEntity && status != 0 {
		p.setStatus(status) // 400 and 415 are as wrong as 422, and more exact
	}
	return p
}

func humaMistake(status int, message string, errs []error) *apperr.Error {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(errors.Join(errs...), &tooLarge):
		return errTooLarge
	case status == http.StatusRequestTimeout:
		return apperr.New(apperr.Unavailable, "TOO_SLOW", "The request took too long to arrive. Send it again.")
	case status == http.StatusUnsupportedMediaType:
		return apperr.New(apperr.Invalid, "UNSUPPORTED_MEDIA_TYPE", "Send the body as JSON, with the header Content-Type: application/json.")
	case message == "cannot read request body":
		return apperr.New(apperr.Invalid, codeInvalid, "The body did not arrive whole. Send it again.")
	case message == "request body is required":
		return apperr.New(apperr.Invalid, codeInvalid, "The body is missing. Send a JSON document.")
	case status >= http.StatusInternalServerError:
		return errPanic.WithCause(errors.Join(errs...))
	}
	fields := make([]apperr.FieldError, 0, len(errs))
	for _, err := range errs {
		fields = append(fields, fieldMistake(err))
	}
	if len(fields) == 0 {
		return apperr.New(apperr.Invalid, codeInvalid, "The request is not of the right form. The document at /openapi.json describes it.")
	}
	return apperr.As(apperr.InvalidFields(fields))
}

// fieldMistake says in words what is wrong with one value. The value itself, which may be a secret, is not repeated.
func fieldMistake(err error) apperr.FieldError {
	var detail *huma.ErrorDetail
	if !errors.As(err, &detail) {
		return apperr.FieldError{Path: "body", Message: sentence(err.Error())}
	}
	path := detail.Location
	for _, prefix := range []string{"body.", "query.", "path.", "header."} {
		path = strings.TrimPrefix(path, prefix)
	}
	if name, ok := strings.CutPrefix(detail.Message, "expected required property "); ok {
		name = strings.TrimSuffix(name, " to be present")
		path = strings.TrimPrefix(strings.TrimPrefix(path, "body")+"."+name, ".")
		return apperr.FieldError{Path: path, Message: fmt.Sprintf("%q is missing.", path)}
	}
	return apperr.FieldError{Path: path, Message: humaWords(path, detail.Message)}
}

// humaWordings are the messages of huma, by their beginning, in words for a person. The first %s is the field, the
// second the rest of the message.
var humaWordings = []struct{ begins, words string }{
	{"unexpected property", "There is no field %s here.%.0s"},
	{"unknown query parameter", "There is no parameter %s here.%.0s"},
	{"required ", "%s is missing.%.0s"},
	{"expected string to be RFC 3339 date-time", "%s must be a time such as 2026-11-29T09:00:00Z.%.0s"},
	{"invalid date/time", "%s must be a time such as 2026-11-29T09:00:00Z.%.0s"},
	{"expected string to be RFC 3339 date", "%s must be a date such as 2026-11-29.%.0s"},
	{"expected string", "%s must be a text.%.0s"},
	{"expected integer", "%s must be a whole number.%.0s"},
	{"invalid integer", "%s must be a whole number.%.0s"},
	{"expected number >= ", "%s must be at least %s."},
	{"expected number <= ", "%s must be at most %s."},
	{"expected number", "%s must be a number.%.0s"},
	{"expected boolean", "%s must be true or false.%.0s"},
	{"invalid boolean", "%s must be true or false.%.0s"},
	{"expected length >= ", "%s must have at least %s characters."},
	{"expected length <= ", "%s may have at most %s characters."},
	{"expected array length <= ", "%s may have at most %s entries."},
	{"expected array", "%s must be a list.%.0s"},
	{"expected object", "%s must be an object.%.0s"},
	{"expected value to be one of ", "%s must be one of %s."},
}

func humaWords(path, message string) string {
	for _, w := range humaWordings {
		if rest, ok := strings.CutPrefix(message, w.begins); ok {
			return fmt.Sprintf(w.words, fmt.Sprintf("%q", path), strings.Trim(rest, `"`))
		}
	}
	return sentence(message)
}

func sentence(s string) string {
	if s == "" || strings.HasSuffix(s, ".") {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}
