package tools

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"countersign/apperr"
	"countersign/audit"
	"countersign/crm"
	"countersign/i18n"
	"countersign/models"
	"countersign/proposals"
)

// editable are the arguments of a draft that its person may give another value: those that set a field on the card or that
// the card asks for, and do not name a record.
func (t *Tool) editable(lang string, d proposals.Draft) ([]proposals.Editable, error) {
	var args map[string]any
	if err := models.ToJSON(d.Args).Into(&args); err != nil {
		return nil, fmt.Errorf("tools: arguments of %s: %w", t.Name, err)
	}
	var list []proposals.Editable
	for _, name := range t.schema.PropertyOrder {
		field, value := t.schema.fields[name], args[name]
		onCard := slices.ContainsFunc(d.Changes, func(c models.Change) bool { return c.Field == field }) && !isEmpty(value)
		asked := slices.Contains(d.Asks, name)
		if !onCard && !asked || t.schema.Properties[name].Extra["x-kind"] != nil {
			continue
		}
		if asked {
			value = ""
		}
		list = append(list, proposals.Editable{
			Arg: name, Field: field, Label: i18n.T(lang, "field."+cmp.Or(fieldLabels[name], fieldLabels[field])),
			Type: t.schema.inputOf(name), Value: value, Choices: t.schema.choices(lang, name),
		})
	}
	return list, nil
}

// isEmpty reports whether a value of an argument is as if it were left out.
func isEmpty(value any) bool {
	v := reflect.ValueOf(value)
	return !v.IsValid() || (v.Kind() == reflect.String || v.Kind() == reflect.Slice) && v.Len() == 0
}

// inputOf is the type of an argument as something to fill in.
func (s *argSchema) inputOf(name string) string {
	switch property := s.Properties[name]; {
	case s.inputs[name] != "":
		return s.inputs[name]
	case property.Enum != nil:
		return "choice"
	case property.Items != nil:
		return "list"
	default:
		return "text"
	}
}

// choices are the values of an argument that has only some, as cards show them.
func (s *argSchema) choices(lang, name string) []proposals.Choice {
	var list []proposals.Choice
	for _, value := range s.Properties[name].Enum {
		field := crm.Difference{Field: audit.Field{Name: s.fields[name]}}
		list = append(list, proposals.Choice{Value: fmt.Sprint(value), Label: displayOf(lang, field, value, "")})
	}
	return list
}

// edited are the arguments of a proposal with other values of some of them. Invalid, naming the arguments, for those that
// do not exist, are not editable or would be left without a value.
func (t *Tool) edited(lang string, p *models.Proposal, edits map[string]any) (models.JSON, error) {
	var args map[string]any
	var editable []proposals.Editable
	if err := errors.Join(p.Args.Into(&args), p.Editable.Into(&editable)); err != nil {
		return nil, fmt.Errorf("tools: decode proposal of %s: %w", t.Name, err)
	}
	if err := refuseMasks(lang, json.RawMessage(models.ToJSON(edits))); err != nil {
		return nil, err
	}
	may := map[string]bool{}
	for _, e := range editable {
		may[e.Arg] = true
	}
	if err := t.refuseEdits(lang, may, edits); err != nil {
		return nil, err
	}
	maps.Copy(args, edits)
	return models.ToJSON(args), nil
}

// refuseEdits answers Invalid for edits that are not of the arguments that may be edited, or give no value.
func (t *Tool) refuseEdits(lang string, may map[string]bool, edits map[string]any) error {
	unknown, fixed, empty := []string{}, []string{}, []string{}
	for _, name := range slices.Sorted(maps.Keys(edits)) {
		switch {
		case t.schema.Properties[name] == nil:
			unknown = append(unknown, name)
		case !may[name]:
			fixed = append(fixed, name)
		case isEmpty(edits[name]):
			empty = append(empty, name)
		}
	}
	if len(fixed) > 0 {
		wrong := mapFields(fixed, func(name string) string { return argText(lang, "edit.fixed", name) })
		return apperr.New(apperr.Invalid, proposals.CodeNotEditable, apperr.As(apperr.InvalidFields(wrong)).Message).WithFields(wrong...)
	}
	wrong := append(t.schema.unknown(lang, unknown), mapFields(empty, func(name string) string { return argText(lang, "edit.empty", name) })...)
	return apperr.InvalidFields(wrong)
}
