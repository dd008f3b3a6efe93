package apperr

import (
	"fmt"
	"strings"
	"time"
)

// NotFoundf says that a record does not exist, or not for this person: the words are the same.
func NotFoundf(what string) *Error {
	return New(NotFound, "NOT_FOUND", fmt.Sprintf("There is no such %s, or you have no access to it.", what))
}

// InvalidField says that one value is wrong.
func InvalidField(path, message string) *Error {
	return New(Invalid, "INVALID", message).WithFields(FieldError{Path: path, Message: message})
}

// InvalidFields gathers several wrong values into one error; nil when there are none.
func InvalidFields(fields []FieldError) error {
	if len(fields) == 0 {
		return nil
	}
	parts := make([]string, len(fields))
	for i, f := range fields {
		parts[i] = f.Message
	}
	return New(Invalid, "INVALID", strings.Join(parts, " ")).WithFields(fields...)
}

// Missing says which right the person lacks.
func Missing(permission string) *Error {
	return New(Forbidden, "FORBIDDEN", fmt.Sprintf("You need the right %q to do this. Ask an administrator.", permission)).
		WithExtra("permission", permission)
}

// Limited says when the next try can succeed.
func Limited(after time.Duration) *Error {
	e := New(RateLimited, "RATE_LIMITED", "You have sent many messages in a short time. Wait a moment and send it again.")
	e.RetryAfter = after
	return e
}
