package tools

import (
	"context"
	"encoding/json"

	"countersign/crm"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// Check is the check of a tool's arguments.
func Check(t *Tool, lang string, raw []byte) (json.RawMessage, error) {
	return t.schema.check(lang, raw)
}

// Runs and Proposes tell which way a tool has.
func Runs(t *Tool) bool { return t.run != nil }

// Proposes is the other way.
func Proposes(t *Tool) bool { return t.propose != nil }

// Sets are the fields of a record that a tool's arguments set, by the arguments' names.
func Sets(t *Tool) map[string]string { return t.schema.fields }

// Waiver is the text that says why what a tool has done cannot be undone; empty for one that puts back what was there.
func Waiver(t *Tool) string { return t.propose.noUndo }

// Targets are the rights over a record that exists already, of which a card has the version.
func Targets(t *Tool) []rbac.Permission { return t.propose.update }

// NewSensitiveTool makes a tool that has nothing of what a sensitive one needs.
func NewSensitiveTool(def Definition) *Tool {
	tool := newProposingTool(def, "", nil, func(context.Context, *store.Tx, models.Actor, struct{}, *models.Proposal) (models.Outcome, error) {
		return models.Outcome{}, nil
	})
	tool.propose.update = nil
	return tool
}

// FieldLabel is the key of the label of a field; empty for one without.
func FieldLabel(field string) string { return fieldLabels[field] }

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

// FieldLabels are the keys of the labels of fields on a card, by the fields' names.
func FieldLabels() map[string]string { return fieldLabels }
