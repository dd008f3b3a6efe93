package models

import "encoding/json"

// Optional is a field of a partial update. Not Set leaves the field as it is; Set with a nil Value clears it.
type Optional[T any] struct {
	Set   bool
	Value *T
}

// Some sets a field to v.
func Some[T any](v T) Optional[T] { return Optional[T]{Set: true, Value: &v} }

// UnmarshalJSON makes an absent member "leave", null "clear" and anything else "set".
func (o *Optional[T]) UnmarshalJSON(b []byte) error {
	o.Set = true
	if string(b) == "null" {
		o.Value = nil
		return nil
	}
	o.Value = new(T)
	return json.Unmarshal(b, o.Value)
}

// MarshalJSON writes the value, null when there is none.
func (o Optional[T]) MarshalJSON() ([]byte, error) { return json.Marshal(o.Value) }

// Or is the new value of a field that cannot be cleared: the given one, or the old one.
func (o Optional[T]) Or(old T) T {
	if o.Set && o.Value != nil {
		return *o.Value
	}
	return old
}

// OrNil is the new value of a field that can be cleared.
func (o Optional[T]) OrNil(old *T) *T {
	if o.Set {
		return o.Value
	}
	return old
}
