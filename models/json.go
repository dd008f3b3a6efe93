package models

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
)

// JSON is a JSON document in a text column. The bytes are kept exactly as they are; nil is SQL NULL.
type JSON []byte

// ToJSON encodes a value that always can be encoded. It panics otherwise, which is a programming error.
func ToJSON(v any) JSON {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("models: encode %T: %v", v, err))
	}
	return b
}

// Into decodes the document; SQL NULL leaves v as it is.
func (j JSON) Into(v any) error {
	if len(j) == 0 {
		return nil
	}
	return json.Unmarshal(j, v)
}

// Value implements driver.Valuer.
func (j JSON) Value() (driver.Value, error) {
	if j == nil {
		return nil, nil
	}
	return string(j), nil
}

// Scan implements sql.Scanner.
func (j *JSON) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*j = nil
	case string:
		*j = JSON(v)
	case []byte:
		*j = append(JSON(nil), v...)
	default:
		return fmt.Errorf("models: scan %T into JSON", src)
	}
	return nil
}

// MarshalJSON gives the document itself.
func (j JSON) MarshalJSON() ([]byte, error) {
	if len(j) == 0 {
		return []byte("null"), nil
	}
	return j, nil
}

// UnmarshalJSON keeps the document.
func (j *JSON) UnmarshalJSON(b []byte) error {
	*j = append(JSON(nil), b...)
	return nil
}

// Strings is a list of texts in a column that holds a JSON array.
type Strings []string

// Value implements driver.Valuer; an empty list is "[]".
func (s Strings) Value() (driver.Value, error) {
	if s == nil {
		s = Strings{}
	}
	b, err := json.Marshal([]string(s))
	return string(b), err
}

// Scan implements sql.Scanner.
func (s *Strings) Scan(src any) error {
	var j JSON
	if err := j.Scan(src); err != nil {
		return err
	}
	return j.Into((*[]string)(s))
}
