package tools

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"slices"

	"countersign/models"
	"countersign/proposals"
	"countersign/rbac"
	"countersign/store"
)

// Effect says what a tool may do.
type Effect string

// The effects.
const (
	Read        Effect = "read"
	Create      Effect = "create"
	Sensitive   Effect = "sensitive"
	Destructive Effect = "destructive"
)

// After says what happens to a result: it goes back to the model, or is shown as it is.
type After string

// What may come after.
const (
	Continue After = "continue"
	Finish   After = "finish"
)

// Definition is what a tool says of itself.
type Definition struct {
	Name string
	// Description is what the model reads. It comes from the file <name>.md.
	Description string
	Effect      Effect
	After       After
	// Permission is what it takes to be offered the tool. Each of Or does as well.
	Permission rbac.Permission
	Or         []rbac.Permission
	// Main is the argument that a positional value of a command goes to; may be empty.
	Main string
	// Short are the short forms of its command, Example a command that works.
	Short   []string
	Example string
}

// Result is what came of a run. Data is what the model and the pill see: compact, with ids and names.
// Summary is one line and Text the answer for a person, both in the actor's language.
//
// Outside is the record with text in Data that somebody other than the actor wrote, nil without such text.
type Result struct {
	Data    any
	Summary string
	Text    string
	Refs    []models.Ref
	Outside *models.Ref
}

// Tool is a tool of the registry. A tool that reads has run, a sensitive one propose, one that creates both.
type Tool struct {
	Definition
	schema  *argSchema
	run     func(ctx context.Context, actor models.Actor, args json.RawMessage) (Result, error)
	propose *proposing
}

// proposing is the way of what waits for a person: it prepares, and executes only what was confirmed.
type proposing struct {
	// update are the rights to change the target, one for each type that it can be of; none for a target that is
	// only to be created.
	update []rbac.Permission
	// noUndo is the text that says why what was done cannot be undone; empty where the former values are put back.
	noUndo  string
	prepare func(ctx context.Context, actor models.Actor, args json.RawMessage) (proposals.Draft, error)
	execute func(ctx context.Context, tx *store.Tx, actor models.Actor, p *models.Proposal) (models.Outcome, error)
}

//go:embed *.md
var descriptions embed.FS

// newTool makes a tool that runs.
func newTool[In any](def Definition, run func(context.Context, models.Actor, In) (Result, error)) *Tool {
	return &Tool{Definition: described(def), schema: schemaFor[In](), run: func(ctx context.Context, actor models.Actor, raw json.RawMessage) (Result, error) {
		var in In
		if err := json.Unmarshal(raw, &in); err != nil {
			return Result{}, fmt.Errorf("tools: decode checked arguments of %s: %w", def.Name, err)
		}
		return run(ctx, actor, in)
	}}
}

// newProposingTool makes a sensitive tool. prepare returns a draft whose arguments are again an In, with ids
// in place of names; execute gets exactly these and the version of the target that the person saw.
func newProposingTool[In any](
	def Definition, update rbac.Permission,
	prepare func(context.Context, models.Actor, In) (proposals.Draft, error),
	execute func(ctx context.Context, tx *store.Tx, actor models.Actor, in In, p *models.Proposal) (models.Outcome, error),
) *Tool {
	def.Effect = Sensitive
	return &Tool{Definition: described(def), schema: schemaFor[In](), propose: &proposing{
		update: []rbac.Permission{update},
		prepare: func(ctx context.Context, actor models.Actor, raw json.RawMessage) (proposals.Draft, error) {
			var in In
			if err := json.Unmarshal(raw, &in); err != nil {
				return proposals.Draft{}, fmt.Errorf("tools: decode checked arguments of %s: %w", def.Name, err)
			}
			return prepare(ctx, actor, in)
		},
		execute: func(ctx context.Context, tx *store.Tx, actor models.Actor, p *models.Proposal) (models.Outcome, error) {
			var in In
			if err := p.Args.Into(&in); err != nil {
				return models.Outcome{}, fmt.Errorf("tools: decode stored arguments of %s: %w", def.Name, err)
			}
			return execute(ctx, tx, actor, in, p)
		},
	}}
}

// permissions are the rights of which one is enough to be offered the tool.
func (t *Tool) permissions() []rbac.Permission {
	return append([]rbac.Permission{t.Permission}, t.Or...)
}

// rights are those that it takes to do what a tool proposes to a record of a type; the last is the right to
// change or to create it.
func (t *Tool) rights(target models.RecordType) []rbac.Permission {
	return slices.DeleteFunc(append(t.permissions(), t.propose.update...), func(p rbac.Permission) bool {
		return p.Resource() != string(target)
	})
}

// ruled are the rights that it takes to approve what the tool proposes, a set for each type of record.
func (t *Tool) ruled() (sets [][]rbac.Permission) {
	for _, p := range t.permissions() {
		sets = append(sets, t.rights(models.RecordType(p.Resource())))
	}
	return sets
}

func described(def Definition) Definition {
	text, err := descriptions.ReadFile(def.Name + ".md")
	if err != nil {
		panic(fmt.Sprintf("tools: %s has no description: %v", def.Name, err))
	}
	def.Description = string(text)
	return def
}
