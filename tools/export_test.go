package tools

import (
	"context"
	"encoding/json"

	"countersign/crm"
	"countersign/models"
)

// Check is the check of a tool's arguments.
func Check(t *Tool, lang string, raw []byte) (json.RawMessage, error) {
	return t.schema.check(lang, raw)
}

// Runs and Proposes tell which way a tool has.
func Runs(t *Tool) bool { return t.run != nil }

// Proposes is the other way.
func Proposes(t *Tool) bool { return t.propose != nil }

// Schema is the document that a model gets.
func Schema(t *Tool) json.RawMessage { return t.schema.document }

// NewTool makes a tool without arguments that does what a test wants. Its name must be one that has a description.
func NewTool(def Definition, run func(context.Context, models.Actor) (Result, error)) *Tool {
	return newTool(def, func(ctx context.Context, actor models.Actor, _ struct{}) (Result, error) { return run(ctx, actor) })
}

// Bounds of results.
const (
	MaxResultBytes = maxResultBytes
	MaxArgBytes    = maxArgBytes
	MaxNotes       = maxNotes
)

// ChangesOf makes the rows of a card.
func ChangesOf(lang string, differences []crm.Difference) []models.Change {
	return changesOf(lang, differences)
}

// ParseDue reads when something is due.
var ParseDue = parseDue
