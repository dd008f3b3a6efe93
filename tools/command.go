package tools

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	infer "github.com/google/jsonschema-go/jsonschema"

	"countersign/apperr"
	"countersign/i18n"
)

// Command is a parsed slash command. Args fit the types of the tool's schema; Help asks for the list of
// commands instead.
type Command struct {
	Tool string
	Help bool
	Args json.RawMessage
}

// CodeUnknownCommand is the code of a command that does not exist.
const CodeUnknownCommand = "UNKNOWN_COMMAND"

// IsCommand reports whether a message is a command.
func IsCommand(message string) bool { return strings.HasPrefix(strings.TrimSpace(message), "/") }

// ParseCommand reads "/name key=value key="two words" positional". Names are those of tools and their short
// forms. One positional value goes to the tool's main argument; for a tool whose main argument is free text,
// all positional words do. Errors are Invalid, in the language; with CodeUnknownCommand for a name that
// does not exist. Tool is set whenever the name exists.
func (r *Registry) ParseCommand(lang, message string) (Command, error) {
	name, rest := splitName(strings.TrimPrefix(strings.TrimSpace(message), "/"))
	name = strings.ToLower(name)
	if name == "help" || name == "" {
		return Command{Help: true}, nil
	}
	tool := r.byName[name]
	if tool == nil {
		return Command{}, apperr.New(apperr.Invalid, CodeUnknownCommand, i18n.T(lang, "command.unknown", "command", "/"+cutRunes(name, 40)))
	}
	command := Command{Tool: tool.Name, Args: json.RawMessage("{}")}
	words, err := splitWords(lang, rest)
	if err != nil {
		return command, err
	}
	args, err := tool.arguments(lang, words)
	if err != nil {
		return command, err
	}
	command.Args, err = json.Marshal(args)
	return command, err
}

func splitName(s string) (name, rest string) {
	i := strings.IndexFunc(s, unicode.IsSpace)
	if i < 0 {
		return s, ""
	}
	return s[:i], s[i:]
}

func cutRunes(s string, n int) string {
	if runes := []rune(s); len(runes) > n {
		return string(runes[:n]) + "…"
	}
	return s
}

// word is a piece of a command: key=value, or a value with an empty key.
type word struct{ key, value string }

// quotes are the pairs of quotation marks that hold a value together; keyboards and input methods write
// curly and corner ones.
var quotes = map[rune]rune{'"': '"', '“': '”', '「': '」', '＂': '＂'}

// splitWords cuts at white space outside quotation marks. A backslash before a mark or another backslash
// makes it an ordinary character. A key is an identifier before the first "=".
func splitWords(lang, s string) ([]word, error) {
	var words []word
	runes := []rune(s)
	for i := 0; i < len(runes); {
		if unicode.IsSpace(runes[i]) {
			i++
			continue
		}
		var w word
		if end := keyEnd(runes, i); end > 0 {
			w.key, i = strings.ToLower(string(runes[i:end])), end+1
		}
		value, next, closed := scanValue(runes, i)
		if !closed {
			return nil, apperr.New(apperr.Invalid, "INVALID", i18n.T(lang, "command.unclosed"))
		}
		w.value, i = value, next
		words = append(words, w)
	}
	return words, nil
}

// keyEnd is the index of the "=" that ends a key starting at i, or 0 when none does.
func keyEnd(runes []rune, i int) int {
	for j := i; j < len(runes); j++ {
		switch r := runes[j]; {
		case r == '=' || r == '＝':
			if j == i {
				return 0
			}
			return j
		case r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z'):
			return 0
		}
	}
	return 0
}

// scanValue reads one value from i: quoted as a whole, or up to white space.
func scanValue(runes []rune, i int) (value string, next int, closed bool) {
	var b strings.Builder
	end := rune(0)
	if i < len(runes) && quotes[runes[i]] != 0 {
		end = quotes[runes[i]]
		i++
	}
	for ; i < len(runes); i++ {
		r := runes[i]
		switch {
		case r == '\\' && i+1 < len(runes) && (runes[i+1] == '\\' || runes[i+1] == end && end != 0 || runes[i+1] == '"'):
			i++
			b.WriteRune(runes[i])
		case end != 0 && r == end:
			return b.String(), i + 1, true
		case end == 0 && unicode.IsSpace(r):
			return b.String(), i, true
		default:
			b.WriteRune(r)
		}
	}
	return b.String(), i, end == 0
}

// arguments makes the argument object of a tool from the words of a command.
func (t *Tool) arguments(lang string, words []word) (map[string]any, error) {
	args := map[string]any{}
	var positional []string
	for _, w := range words {
		if w.key == "" {
			positional = append(positional, w.value)
			continue
		}
		if _, twice := args[w.key]; twice {
			return nil, apperr.InvalidField(w.key, i18n.T(lang, "command.repeated", "name", w.key))
		}
		value, err := t.coerce(lang, w.key, w.value)
		if err != nil {
			return nil, err
		}
		args[w.key] = value
	}
	return args, t.positional(lang, args, positional)
}

// freeText are the main arguments that take all positional words together.
var freeText = []string{"query", "subject", "text", "name", "title", "deal", "company", "contact", "task", "quotation", "record"}

func (t *Tool) positional(lang string, args map[string]any, values []string) error {
	if len(values) == 0 {
		return nil
	}
	_, taken := args[t.Main]
	switch {
	case t.Main == "":
		return apperr.New(apperr.Invalid, "INVALID", i18n.T(lang, "command.no_main", "command", "/"+t.Name))
	case taken || len(values) > 1 && !slices.Contains(freeText, t.Main):
		return apperr.New(apperr.Invalid, "INVALID", i18n.T(lang, "command.too_many_values", "value", cutRunes(values[len(values)-1], 40)))
	}
	value, err := t.coerce(lang, t.Main, strings.Join(values, " "))
	args[t.Main] = value
	return err
}

// coerce turns the text of a command into the type that the schema wants. An unknown argument stays a
// text: the schema check names it.
func (t *Tool) coerce(lang, name, text string) (any, error) {
	property := t.schema.Properties[name]
	if property == nil {
		return text, nil
	}
	switch property.Type {
	case "integer":
		n, err := strconv.ParseInt(text, 10, 64)
		return n, misfit(err, lang, name, text, property)
	case "boolean":
		b, err := strconv.ParseBool(strings.ToLower(text))
		return b, misfit(err, lang, name, text, property)
	case "array":
		list := []any{}
		for _, item := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '，' }) {
			if item = strings.TrimSpace(item); item != "" {
				list = append(list, element(property.Items, item))
			}
		}
		return list, nil
	default:
		return matchEnum(property, text), nil
	}
}

// lineOf is how a line of a quotation is written in a command: 3 x PL-1.
var lineOf = regexp.MustCompile(`^([0-9.]+) *[x×*] *(.+)$`)

// element is an item of a list. One that is an object is a line: how many of which product.
func element(schema *infer.Schema, text string) any {
	if schema.Type != "object" {
		return matchEnum(schema, text)
	}
	if m := lineOf.FindStringSubmatch(text); m != nil {
		return map[string]any{"quantity": m[1], "product": m[2]}
	}
	return map[string]any{"quantity": "1", "product": text}
}

func misfit(err error, lang, name, text string, property *infer.Schema) error {
	if err == nil {
		return nil
	}
	return apperr.InvalidField(name, i18n.T(lang, "command.value", "value", cutRunes(text, 40), "name", name, "type", property.Type))
}

// matchEnum accepts the values of an enumeration in any letter case.
func matchEnum(property *infer.Schema, text string) string {
	for _, v := range property.Enum {
		if s, ok := v.(string); ok && strings.EqualFold(s, text) {
			return s
		}
	}
	return text
}
