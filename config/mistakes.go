package config

import (
	"fmt"
	"strings"
)

// Mistake is one wrong setting. Problem is a sentence for the person who set it and never holds a secret value.
type Mistake struct {
	Variable string
	Problem  string
	Example  string
}

// String gives the mistake as one line.
func (m Mistake) String() string {
	line := m.Variable + ": " + m.Problem
	if m.Example != "" {
		line += " Example: " + m.Example
	}
	return line
}

// Mistakes is the error that [Load] returns: everything that is wrong, in the order of the variables.
type Mistakes []Mistake

// Error lists the mistakes, one a line.
func (ms Mistakes) Error() string {
	var b strings.Builder
	noun := "settings are"
	if len(ms) == 1 {
		noun = "setting is"
	}
	fmt.Fprintf(&b, "%d %s wrong:", len(ms), noun)
	for _, m := range ms {
		b.WriteString("\n  " + m.String())
	}
	return b.String()
}
