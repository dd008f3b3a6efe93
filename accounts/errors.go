package accounts

import (
	"time"

	"countersign/apperr"
)

// Codes that tell the refusals of this package apart.
const (
	CodeInvalidCredentials = "INVALID_CREDENTIALS" //nolint:gosec // a code, no credential
	CodeUnauthenticated    = "UNAUTHENTICATED"
	CodeSetupToken         = "SETUP_TOKEN_WRONG" //nolint:gosec // a code, no credential
	CodeEmailTaken         = "EMAIL_TAKEN"
	CodeTeamExists         = "TEAM_EXISTS"
	CodeLastAdmin          = "LAST_ADMIN"
)

var (
	errCredentials     = apperr.New(apperr.Unauthenticated, CodeInvalidCredentials, "E-mail or password is wrong.")
	errUnauthenticated = apperr.New(apperr.Unauthenticated, CodeUnauthenticated, "Sign in first.")
	errSetupToken      = apperr.New(apperr.Forbidden, CodeSetupToken,
		"The setup token is not valid. Use the one that the server printed when it last started.")
	errSetUp      = apperr.New(apperr.NotFound, "NOT_FOUND", "The first administrator exists already. Sign in instead.")
	errEmailTaken = apperr.New(apperr.Conflict, CodeEmailTaken, "There is an account with this e-mail address already.").
			WithFields(apperr.FieldError{Path: "email", Message: "There is an account with this e-mail address already."})
	errTeamExists = apperr.New(apperr.Conflict, CodeTeamExists, "There is a team with this name already.").
			WithFields(apperr.FieldError{Path: "name", Message: "There is a team with this name already."})
	errLastAdmin = apperr.New(apperr.Conflict, CodeLastAdmin,
		"This is the last active administrator. Make somebody else an administrator first.")
)

// errThrottled says when the next try can succeed.
func errThrottled(after time.Duration) *apperr.Error {
	e := apperr.New(apperr.RateLimited, "RATE_LIMITED", "There were too many failed tries. Wait a moment, then try again.")
	e.RetryAfter = after
	return e
}

// errBusy says that too many people are signing in at this moment.
func errBusy() *apperr.Error {
	e := apperr.New(apperr.RateLimited, "RATE_LIMITED", "Many people are signing in right now. Try again in a few seconds.")
	e.RetryAfter = busyRetry
	return e
}
