package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// strictJSON is how bodies are read and written. Reading refuses what encoding/json lets pass: repeated members,
// anything after the document, bytes that are not UTF-8, and NUL. Members that the schema does not know, in another
// letter case too, are for huma's validation. Errors are sentences for the sender and repeat no values.
var strictJSON = huma.Format{
	Marshal: func(w io.Writer, v any) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		return enc.Encode(v)
	},
	Unmarshal: decode,
}

// decode reads a document: once into an any, which huma then validates, and once into the handler's type.
func decode(data []byte, v any) error {
	if err := jsonv2.Unmarshal(data, v); err != nil {
		return errors.New(decodeMistake(err))
	}
	if tree, ok := v.(*any); ok {
		if path, found := findNUL(*tree, ""); found {
			return fmt.Errorf("The value of %q holds a NUL character. Remove it and try again.", path)
		}
	}
	return nil
}

func decodeMistake(err error) string {
	var syntax *jsontext.SyntacticError
	var meaning *jsonv2.SemanticError
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName) && errors.As(err, &syntax):
		return fmt.Sprintf("%q occurs twice. Send each field once.", dotted(syntax.JSONPointer))
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "The body is not complete JSON."
	case errors.As(err, &syntax):
		return fmt.Sprintf("The body is not valid JSON, at byte %d.", syntax.ByteOffset)
	case errors.As(err, &meaning) && meaning.JSONPointer != "":
		return fmt.Sprintf("The value of %q is not of the right form.", dotted(meaning.JSONPointer))
	default:
		return "The body is not of the right form."
	}
}

// dotted writes the JSON pointer /amount/currency as amount.currency.
func dotted(pointer jsontext.Pointer) string {
	var parts []string
	for token := range pointer.Tokens() {
		parts = append(parts, token)
	}
	return strings.Join(parts, ".")
}

// findNUL looks for a NUL in the texts and names of a decoded document.
func findNUL(v any, path string) (string, bool) {
	switch v := v.(type) {
	case string:
		return path, strings.ContainsRune(v, 0)
	case []any:
		for i := range v {
			if p, found := findNUL(v[i], fmt.Sprintf("%s[%d]", path, i)); found {
				return p, true
			}
		}
	case map[string]any:
		for name, member := range v {
			if strings.ContainsRune(name, 0) {
				return path, true
			}
			if p, found := findNUL(member, strings.TrimPrefix(path+"."+name, ".")); found {
				return p, true
			}
		}
	}
	return "", false
}
