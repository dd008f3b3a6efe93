package settings

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
)

const (
	redacted  = "[redacted]"
	mask      = "**"
	maxAPIKey = 4096
)

// APIKey is a key that never prints: formatting, logging and marshalling all give "[redacted]". The zero value is no key.
type APIKey struct {
	// A pointer, because fmt does not call the methods of a value in somebody's unexported field.
	text *string
}

// NewAPIKey keeps text as a key; an empty text is no key.
func NewAPIKey(text string) APIKey {
	if text == "" {
		return APIKey{}
	}
	return APIKey{text: &text}
}

// Reveal gives the key, or "" for none. Pass it straight to what needs it and keep no copy.
func (k APIKey) Reveal() string {
	if k.text == nil {
		return ""
	}
	return *k.text
}

// IsSet reports whether there is a key.
func (k APIKey) IsSet() bool { return k.text != nil }

// Format writes "[redacted]" for every verb and flag.
func (APIKey) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// LogValue gives "[redacted]".
func (APIKey) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText gives "[redacted]".
func (APIKey) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// UnmarshalText reads a key as a client sends it.
func (k *APIKey) UnmarshalText(text []byte) error {
	*k = NewAPIKey(string(text))
	return nil
}

// refusal says what is wrong with a new key: what a form shows in place of one, and what no HTTP header can carry.
func (k APIKey) refusal() string {
	text := k.Reveal()
	odd := func(r rune) bool { return r <= ' ' || r > '~' }
	switch {
	case len(text) > maxAPIKey:
		return fmt.Sprintf("An API key has at most %d characters.", maxAPIKey)
	case text == redacted, strings.Contains(text, mask), strings.ContainsFunc(text, odd):
		return "This is not an API key: enter it as the provider shows it, without spaces, or leave it empty to keep the present one."
	}
	return ""
}
