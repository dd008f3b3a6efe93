package config

import (
	"fmt"
	"io"
	"log/slog"
)

const redacted = "[redacted]"

// Secret is a text that never prints: formatting, logging and marshalling all give "[redacted]".
// The zero value is a secret that is not set. Only [Secret.Reveal] gives the text.
type Secret struct {
	// A pointer, because fmt does not call the methods of a value in somebody's unexported field:
	// there it prints an address instead of the text.
	text *string
}

// NewSecret keeps text as a secret; an empty text is a secret that is not set.
func NewSecret(text string) Secret {
	if text == "" {
		return Secret{}
	}
	return Secret{text: &text}
}

// Reveal gives the text, or "" when it is not set. Pass it straight to what needs it and keep no copy.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// IsSet reports whether there is a text.
func (s Secret) IsSet() bool { return s.text != nil }

// String gives "[redacted]".
func (Secret) String() string { return redacted }

// GoString gives "[redacted]".
func (Secret) GoString() string { return redacted }

// Format writes "[redacted]" for every verb and flag.
func (Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// MarshalText gives "[redacted]".
func (Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// MarshalJSON gives "[redacted]" as a JSON string.
func (Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + redacted + `"`), nil }

// LogValue gives "[redacted]".
func (Secret) LogValue() slog.Value { return slog.StringValue(redacted) }
