package models

import (
	"strings"

	"github.com/google/uuid"
)

// NewID returns a new UUIDv7 in its canonical form. Ids made later sort after earlier ones.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// ParseID returns the canonical form of an id-shaped text: a UUID of any version and letter case,
// in the hyphenated form of 36 characters. ok is false for anything else.
func ParseID(s string) (id string, ok bool) {
	s = strings.TrimSpace(s)
	if len(s) != 36 {
		return "", false
	}
	u, err := uuid.Parse(s)
	if err != nil {
		return "", false
	}
	return u.String(), true
}
