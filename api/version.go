package api

import (
	"strconv"
	"strings"

	"countersign/apperr"
)

// Seen carries the version of a record that the caller has seen.
type Seen struct {
	ByID
	IfMatch string `header:"If-Match" maxLength:"50" doc:"The version that you have seen, such as \"3\". Either this or version is needed."`
}

// version is what the caller has seen, by header or as given in query or body (0 for not). Without it nothing is
// written: the caller could overwrite what they have never looked at.
func (s Seen) version(given int64) (int64, error) {
	if s.IfMatch == "" {
		if given == 0 {
			return 0, apperr.InvalidField("version", "Say which version you have seen: send version, or the header If-Match.")
		}
		return given, nil
	}
	seen, err := strconv.ParseInt(strings.Trim(s.IfMatch, `"`), 10, 64)
	if err != nil || seen < 1 {
		return 0, apperr.InvalidField("If-Match", `If-Match must be a version such as "3".`)
	}
	if given != 0 && given != seen {
		return 0, apperr.InvalidField("version", "version and If-Match differ. Send one of them.")
	}
	return seen, nil
}

// versioned is the answer of a route with one record.
type versioned[T any] struct {
	ETag     string `header:"ETag"`
	Location string `header:"Location"`
	Body     T
}

// quoted is the entity tag of a version.
func quoted(version int64) string { return strconv.Quote(strconv.FormatInt(version, 10)) }
