// Package apperr defines the errors that cross the edge of a service.
//
// An [Error] keeps two things apart: what a person may read (Kind, Code, Message, Fields, Candidates)
// and the cause, which goes to the log and nowhere else. Doors translate a Kind into their own terms
// once: HTTP status, tool error kind, exit code.
package apperr
