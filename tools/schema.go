package tools

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	infer "github.com/google/jsonschema-go/jsonschema"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"countersign/apperr"
	"countersign/i18n"
	"countersign/models"
)

// argSchema is the JSON Schema of a tool's arguments, its compiled form, and the flat one for models. fields are the
// fields of the record that arguments set, and inputs how these are edited where the schema does not tell, both by the
// arguments' names.
type argSchema struct {
	*infer.Schema
	fields   map[string]string
	inputs   map[string]string
	document json.RawMessage
	flat     json.RawMessage
	compiled *jsonschema.Schema
}

// maxArgBytes bounds the arguments of one call.
const maxArgBytes = 64 << 10

// schemaFor infers the schema of an argument struct. Beside the tag jsonschema (the description) these tags
// count: enum "a,b", kind (what the name-or-ID names), max (characters, or the greatest number), min, items (of a list, at most), field (of the record,
// that the argument sets) and input (money or date).
func schemaFor[In any]() *argSchema {
	schema, err := infer.For[In](nil)
	if err != nil {
		panic(fmt.Sprintf("tools: infer schema: %v", err))
	}
	fields, inputs := refineAll(schema, reflect.TypeFor[In]())
	document := encodeSchema(schema)
	return &argSchema{Schema: schema, fields: fields, inputs: inputs, document: document, flat: encodeSchema(flat(schema)), compiled: compile(document)}
}

// refineAll refines the properties of an object by the fields of its struct. It gives the fields of a card that they set,
// and how these are edited.
func refineAll(object *infer.Schema, t reflect.Type) (fields, inputs map[string]string) {
	fields, inputs = map[string]string{}, map[string]string{}
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if property := object.Properties[name]; property != nil && !field.Anonymous {
			refine(property, field)
			if sets := field.Tag.Get("field"); sets != "" {
				fields[name], inputs[name] = sets, field.Tag.Get("input")
			}
		}
	}
	return fields, inputs
}

func encodeSchema(schema *infer.Schema) json.RawMessage {
	document, err := json.Marshal(schema)
	if err != nil {
		panic(fmt.Sprintf("tools: encode schema: %v", err))
	}
	return document
}

// flat is a schema with the keywords that every model endpoint takes; several refuse a request for any other. What
// is lost is checked when a call comes.
func flat(s *infer.Schema) *infer.Schema {
	if s == nil {
		return nil
	}
	f := &infer.Schema{Type: s.Type, Description: s.Description, Enum: s.Enum, Items: flat(s.Items), Required: s.Required, PropertyOrder: s.PropertyOrder}
	for name, property := range s.Properties {
		if f.Properties == nil {
			f.Properties = map[string]*infer.Schema{}
		}
		f.Properties[name] = flat(property)
	}
	return f
}

const (
	// defaultMaxLength bounds a text argument without a max tag, in characters.
	defaultMaxLength = 300
	// defaultMaxItems bounds a list without an items tag.
	defaultMaxItems = 20
)

func refine(s *infer.Schema, field reflect.StructField) {
	element := s
	if s.Items != nil {
		s.Types, s.Type = nil, "array"
		s.MaxItems = infer.Ptr(tagged(field, "items", defaultMaxItems))
		element = s.Items
	}
	if element.Type == "object" {
		refineAll(element, field.Type.Elem())
	}
	if values := field.Tag.Get("enum"); values != "" {
		for _, v := range strings.Split(values, ",") {
			element.Enum = append(element.Enum, v)
		}
	} else if element.Type == "string" {
		element.MaxLength = infer.Ptr(tagged(field, "max", defaultMaxLength))
	}
	if element.Type == "integer" {
		element.Minimum = infer.Ptr(float64(tagged(field, "min", 0)))
		element.Maximum = infer.Ptr(float64(tagged(field, "max", 1_000_000)))
	}
	if kind := field.Tag.Get("kind"); kind != "" {
		s.Extra = map[string]any{"x-kind": kind}
	}
}

func tagged(field reflect.StructField, tag string, fallback int) int {
	text, ok := field.Tag.Lookup(tag)
	if !ok {
		return fallback
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(fmt.Sprintf("tools: tag %s of %s: %v", tag, field.Name, err))
	}
	return n
}

func compile(document []byte) *jsonschema.Schema {
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		panic(fmt.Sprintf("tools: parse schema: %v", err))
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("args.json", parsed); err != nil {
		panic(fmt.Sprintf("tools: schema: %v", err))
	}
	return compiler.MustCompile("args.json")
}

// check accepts arguments that are one JSON object, without repeated members, that the schema allows, and
// returns their canonical form, in which a whole number is written as one. Empty arguments are {}. Every
// mistake is named once, in words of the language and in the order of the arguments.
func (s *argSchema) check(lang string, raw json.RawMessage) (json.RawMessage, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	// jsontext refuses repeated members, invalid UTF-8 and anything after the value.
	value := jsontext.Value(bytes.Clone(raw))
	if len(raw) > maxArgBytes || value.Kind() != '{' || value.Canonicalize(jsontext.CanonicalizeRawInts(false)) != nil {
		return nil, apperr.New(apperr.Invalid, "INVALID", i18n.T(lang, "args.object"))
	}
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return nil, apperr.New(apperr.Invalid, "INVALID", i18n.T(lang, "args.object"))
	}
	var invalid *jsonschema.ValidationError
	if err := s.compiled.Validate(parsed); errors.As(err, &invalid) {
		mistakes := s.mistakes(lang, invalid)
		slices.SortStableFunc(mistakes, func(a, b apperr.FieldError) int {
			return cmp.Or(cmp.Compare(s.place(a.Path), s.place(b.Path)), cmp.Compare(a.Path, b.Path))
		})
		return nil, apperr.InvalidFields(mistakes)
	}
	return json.RawMessage(value), nil
}

// place is where an argument stands in the schema; unknown ones stand last.
func (s *argSchema) place(path string) int {
	name, _, _ := strings.Cut(path, ".")
	if i := slices.Index(s.PropertyOrder, name); i >= 0 {
		return i
	}
	return len(s.PropertyOrder)
}

// mistakes flattens a validation error into one sentence per mistake.
func (s *argSchema) mistakes(lang string, e *jsonschema.ValidationError) []apperr.FieldError {
	if len(e.Causes) > 0 {
		var all []apperr.FieldError
		for _, cause := range e.Causes {
			all = append(all, s.mistakes(lang, cause)...)
		}
		return all
	}
	path := strings.Join(e.InstanceLocation, ".")
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		return mapFields(k.Missing, func(name string) string { return i18n.T(lang, "args.missing", "name", name) })
	case *kind.AdditionalProperties:
		return s.unknown(lang, k.Properties)
	}
	return mapFields([]string{path}, func(string) string { return mistake(lang, path, e.ErrorKind) })
}

// unknown are the mistakes of giving arguments that there are not.
func (s *argSchema) unknown(lang string, names []string) []apperr.FieldError {
	known := strings.Join(s.PropertyOrder, ", ")
	return mapFields(names, func(name string) string {
		return i18n.T(lang, "args.unknown", "name", cutRunes(models.CleanLine(name), maxName), "known", known)
	})
}

// mistake is the sentence for one wrong value.
func mistake(lang, path string, wrong jsonschema.ErrorKind) string {
	switch k := wrong.(type) {
	case *kind.Type:
		return i18n.T(lang, "args.type", "name", path, "want", strings.Join(k.Want, " / "), "got", k.Got)
	case *kind.Enum:
		return i18n.T(lang, "args.enum", "name", path, "values", join(k.Want))
	case *kind.MaxLength:
		return i18n.T(lang, "args.too_long", "name", path, "max", k.Want)
	case *kind.Minimum:
		return i18n.T(lang, "args.too_small", "name", path, "min", k.Want.RatString())
	case *kind.Maximum:
		return i18n.T(lang, "args.too_large", "name", path, "max", k.Want.RatString())
	case *kind.MaxItems:
		return i18n.T(lang, "args.too_many", "name", path, "max", k.Want)
	default:
		return i18n.T(lang, "args.invalid", "name", path)
	}
}

func mapFields(paths []string, message func(string) string) []apperr.FieldError {
	fields := make([]apperr.FieldError, len(paths))
	for i, path := range paths {
		fields[i] = apperr.FieldError{Path: path, Message: message(path)}
	}
	return fields
}

func join(values []any) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = fmt.Sprint(v)
	}
	return strings.Join(texts, ", ")
}
