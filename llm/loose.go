package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// UnmarshalLoosely decodes a JSON document and takes a field of an odd type as absent, so that it does not cost
// the others. What is no document of into's kind at all is an error.
func UnmarshalLoosely(document []byte, into any) error {
	err := json.Unmarshal(document, into)
	if odd, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && odd.Field != "" {
		return nil
	}
	return err
}

// LooseString is a string; a number counts as its digits, everything else as empty.
type LooseString string

// UnmarshalJSON implements json.Unmarshaler.
func (t *LooseString) UnmarshalJSON(data []byte) error {
	var s string
	switch {
	case json.Unmarshal(data, &s) == nil:
		*t = LooseString(s)
	case data[0] >= '0' && data[0] <= '9':
		*t = LooseString(data)
	}
	return nil
}

// LooseInt is an integer, also in quotes or with a fraction; everything else counts as zero.
type LooseInt int

// UnmarshalJSON implements json.Unmarshaler.
func (n *LooseInt) UnmarshalJSON(data []byte) error {
	if f, err := strconv.ParseFloat(strings.Trim(string(data), `"`), 64); err == nil && f > -1e15 && f < 1e15 {
		*n = LooseInt(f)
	}
	return nil
}

// LooseText is the text of a JSON string, or the JSON of anything else; null is nothing.
func LooseText(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// LooseList is a list; a value that stands where the list should is the only one in it.
type LooseList[T any] []T

// UnmarshalJSON implements json.Unmarshaler.
func (l *LooseList[T]) UnmarshalJSON(data []byte) error {
	if data[0] == '{' {
		data = slices.Concat([]byte("["), data, []byte("]"))
	}
	_ = UnmarshalLoosely(data, (*[]T)(l)) // what is no list is none
	return nil
}

// IsFailure reports whether the error field of a payload says anything: null, "", 0, false, and a list or an
// object with nothing else in it do not.
func IsFailure(field json.RawMessage) bool {
	var value any
	return json.Unmarshal(field, &value) == nil && says(value)
}

func says(value any) bool {
	switch v := value.(type) {
	case []any:
		return slices.ContainsFunc(v, says)
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), says)
	default:
		return v != nil && v != "" && v != false && v != 0.0
	}
}
