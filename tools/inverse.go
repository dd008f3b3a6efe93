package tools

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"countersign/audit"
	"countersign/models"
	"countersign/proposals"
)

// clearArg is the argument that lists what to empty.
const clearArg = "clear"

// inverse are the arguments with which a tool puts back what a proposal of it has changed, as its card showed it.
// Conflict with proposals.CodeCannotUndo where there is no way back, or where the former value was hidden.
func (t *Tool) inverse(lang string, p *models.Proposal) (models.JSON, error) {
	if t.propose.noUndo != "" {
		return nil, proposals.CannotUndo(lang, t.propose.noUndo)
	}
	var args map[string]any
	var changes []models.Change
	if err := errors.Join(p.Args.Into(&args), p.Changes.Into(&changes)); err != nil {
		return nil, fmt.Errorf("tools: decode proposal of %s: %w", t.Name, err)
	}
	maps.DeleteFunc(args, func(name string, _ any) bool { return name == clearArg || t.schema.fields[name] != "" })
	var empty []string
	for _, c := range changes {
		if before, _ := c.Before.(string); audit.HasHidden(before) {
			return nil, proposals.CannotUndo(lang, "undo.hidden", "field", c.Label)
		}
		empty = append(empty, t.schema.putBack(args, c)...)
	}
	if len(empty) > 0 {
		args[clearArg] = empty
	}
	return models.ToJSON(args), nil
}

// putBack gives the arguments of a field the value that it had before a change, and returns those to empty.
func (s *argSchema) putBack(args map[string]any, c models.Change) (empty []string) {
	for _, name := range s.PropertyOrder {
		if s.fields[name] != c.Field {
			continue
		}
		switch before := c.Before.(type) {
		case nil:
			if s.clears(name) {
				empty = append(empty, name)
			}
		case map[string]any: // money, of which each argument is a part
			args[name] = before[name]
		default:
			args[name] = before
		}
	}
	return empty
}

// clears reports whether an argument can be among those to empty.
func (s *argSchema) clears(name string) bool {
	property := s.Properties[clearArg]
	return property != nil && slices.Contains(property.Items.Enum, any(name))
}
