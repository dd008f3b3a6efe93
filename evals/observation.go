package evals

import "strings"

// Observation is what came of a turn, read from the product.
type Observation struct {
	Question string
	// Answer is the stored text of the reply.
	Answer    string
	Calls     []Call
	Proposals []Proposal
	// Written are the records that were made or changed. One that has gone has no Fields.
	Written []Record
	// Linked are the records to whose pages the answer links.
	Linked []Record
	Usage  Usage
	// Failure says why the turn failed; empty when it did not.
	Failure string
}

// Call is a tool call as it was stored.
type Call struct {
	Name   string         `json:"name"`
	Args   map[string]any `json:"args"`
	Status string         `json:"status"`
	// Summary is for people, Result the JSON that the model saw.
	Summary string `json:"summary"`
	Result  raw    `json:"result"`
}

// Proposal is a change that waits for a person.
type Proposal struct {
	Tool    string   `json:"tool"`
	Target  Ref      `json:"target"`
	Changes []Change `json:"changes"`
	// Record is the target as it is.
	Record Record `json:"-"`
}

// Ref names a record.
type Ref struct {
	Type string `json:"type"`
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Change is one difference of a proposal.
type Change struct {
	Field         string `json:"field"`
	Before        any    `json:"before"`
	After         any    `json:"after"`
	BeforeDisplay string `json:"beforeDisplay"`
	AfterDisplay  string `json:"afterDisplay"`
}

// Record is a record with the fields that the API gives it.
type Record struct {
	Path   string
	Fields map[string]any
}

// nameFields are the fields by which a person would name a record.
var nameFields = []string{"id", "externalId", "title", "name", "number"}

// is reports whether a person would name the record so.
func (r Record) is(name string) bool {
	for _, field := range nameFields {
		if text, ok := r.Fields[field].(string); ok && fold(text) == fold(name) {
			return true
		}
	}
	return false
}

// raw is JSON as it came.
type raw string

// UnmarshalJSON implements json.Unmarshaler.
func (r *raw) UnmarshalJSON(data []byte) error {
	*r = raw(data)
	return nil
}

// Usage is what a turn has used. Tokens are not Known where the endpoint did not tell; Cost is empty without a price.
type Usage struct {
	PromptTokens     int64  `json:"promptTokens"`
	CompletionTokens int64  `json:"completionTokens"`
	Known            bool   `json:"known"`
	Cost             amount `json:"cost"`
	Currency         string `json:"currency"`
}

// amount is a decimal, written as a JSON number or text.
type amount string

// UnmarshalJSON implements json.Unmarshaler.
func (a *amount) UnmarshalJSON(data []byte) error {
	if text := strings.Trim(string(data), `"`); text != "null" {
		*a = amount(text)
	}
	return nil
}
