package llmtest

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"countersign/llm"
)

// Outcome is everything that came out of one stream of a model.
type Outcome struct {
	Text  string
	Calls []llm.ToolCall
	Usage *llm.Usage
	Done  *llm.Done
	Err   error
}

// Collect streams a request to its end. It fails the test where the stream breaks a rule that holds for every
// model: one end and nothing after it, usage once, arguments that are JSON, ids that are unique.
func Collect(t testing.TB, model llm.Model, request llm.Request) *Outcome {
	t.Helper()
	o := &Outcome{}
	for event, err := range model.Stream(t.Context(), request) {
		o.take(t, event, err)
	}
	return o
}

func (o *Outcome) take(t testing.TB, event llm.Event, err error) {
	t.Helper()
	if o.Done != nil || o.Err != nil {
		t.Fatalf("something comes after the end: %v %v", event, err)
	}
	o.Err = err
	switch event := event.(type) {
	case llm.TextDelta:
		o.Text += event.Text
	case llm.TextReset:
		o.Text = ""
	case llm.ToolCall:
		if !json.Valid([]byte(event.Arguments)) {
			t.Fatalf("the arguments of %s are no JSON: %s", event.Name, event.Arguments)
		}
		if slices.ContainsFunc(o.Calls, func(c llm.ToolCall) bool { return c.ID == event.ID }) {
			t.Fatalf("two calls have the id %q", event.ID)
		}
		o.Calls = append(o.Calls, event)
	case llm.Usage:
		if o.Usage != nil {
			t.Fatal("usage comes twice")
		}
		o.Usage = &event
	case llm.Done:
		o.Done = &event
	}
}

// Failure is the error that ended the stream.
func (o *Outcome) Failure(t testing.TB) *llm.Error {
	t.Helper()
	failure, ok := errors.AsType[*llm.Error](o.Err)
	if !ok {
		t.Fatalf("the stream did not fail: %s %v", o.Brief(), o.Err)
	}
	return failure
}

// Brief is the outcome in one line: the text, each call as name(arguments) with what is wrong, and the end.
func (o *Outcome) Brief() string {
	parts := []string{}
	if o.Text != "" {
		parts = append(parts, o.Text)
	}
	for _, call := range o.Calls {
		line := call.Name + "(" + call.Arguments + ")"
		if call.Repaired {
			line += " repaired"
		}
		if call.Invalid != "" {
			line += " " + string(call.Invalid)
		}
		parts = append(parts, line)
	}
	var failure *llm.Error
	switch {
	case o.Done != nil:
		parts = append(parts, string(o.Done.Finish))
	case errors.As(o.Err, &failure):
		parts = append(parts, "ERROR "+strings.TrimSuffix(string(failure.Kind)+"/"+failure.Code, "/"))
	}
	return strings.Join(parts, " | ")
}

// Offer is a request that offers the tools find, list and note.
func Offer() llm.Request {
	schema := json.RawMessage(`{"type":"object","properties":{}}`)
	return llm.Request{
		Messages: []llm.Message{{Role: llm.RoleUser, Text: "Hi"}},
		Tools:    []llm.Tool{{Name: "find", Schema: schema}, {Name: "list", Schema: schema}, {Name: "note", Schema: schema}},
	}
}
