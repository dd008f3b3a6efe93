package llm_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/llm"
)

func TestHIS07ParseArguments(t *testing.T) {
	t.Parallel()
	object := func(objects ...string) llm.Arguments { return llm.Arguments{Objects: objects} }
	repaired := func(object string) llm.Arguments {
		return llm.Arguments{Objects: []string{object}, Repaired: true}
	}
	invalid := func(why llm.InvalidCall) llm.Arguments { return llm.Arguments{Invalid: why} }
	for raw, want := range map[string]llm.Arguments{
		``:                         object(`{}`),
		" \n":                      object(`{}`),
		`null`:                     object(`{}`),
		`"null"`:                   object(`{}`),
		`""`:                       object(`{}`),
		`{}`:                       object(`{}`),
		` {"a": 1} `:               object(`{"a": 1}`),
		`"{\"a\":1}"`:              object(`{"a":1}`),
		`"\"{}\""`:                 invalid(llm.NotAnObject),
		`{"a":1}{"a":2}`:           object(`{"a":1}`, `{"a":2}`),
		`{"a":1} {"a":1}`:          object(`{"a":1}`, `{"a":1}`),
		`{}{"a":1}`:                object(`{"a":1}`),
		`{ }{"a":1}`:               object(`{"a":1}`),
		`{"a":1}]`:                 repaired(`{"a":1}`),
		"{\"a\":1}}\n]":            repaired(`{"a":1}`),
		`{"a":1}<|call|>`:          repaired(`{"a":1}`),
		`{"a":1}<｜tool▁call▁end｜>`: repaired(`{"a":1}`),
		"{\"a\":\"x\ty\"}":         repaired(`{"a":"x\ty"}`),
		"{\"a\":\"\\\n\"}":         invalid(llm.InvalidJSON),
		`{"a":1} and so on`:        invalid(llm.InvalidJSON),
		`{"a":1}]{"a":2`:           invalid(llm.InvalidJSON),
		`{"a":"cut`:                invalid(llm.InvalidJSON),
		`{"a":1`:                   invalid(llm.InvalidJSON),
		`{"a":NaN}`:                invalid(llm.InvalidJSON),
		`Ada Park`:                 invalid(llm.InvalidJSON),
		`[{"a":1}]`:                invalid(llm.NotAnObject),
		`7`:                        invalid(llm.NotAnObject),
		`true`:                     invalid(llm.NotAnObject),
	} {
		require.Equal(t, want, llm.ParseArguments(raw), raw)
	}
}

// FuzzParseArguments holds that arguments are objects or invalid, never both and never neither.
func FuzzParseArguments(f *testing.F) {
	for _, seed := range []string{"", "null", `"{\"a\":1}"`, `{"a":1}]`, "{\"a\":\"\n\"}", `{}{}`, "{\"\\\n\""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		args := llm.ParseArguments(raw)
		require.Equal(t, args.Invalid == "", len(args.Objects) > 0)
		for _, object := range args.Objects {
			var fields map[string]any
			require.NoError(t, json.Unmarshal([]byte(object), &fields))
		}
	})
}
