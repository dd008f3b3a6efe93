package evals_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/evals"
)

func TestAnUnknownExpectationIsNotPassedOver(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a new field":               `[{"id": "1", "actor": {"role": "admin"}, "question": "Q", "answer_is_short": true}]`,
		"a new field of a proposal": `[{"id": "1", "actor": {"role": "admin"}, "question": "Q", "proposal": {"tool": "x", "items": 3}}]`,
		"a new field of an actor":   `[{"id": "1", "actor": {"role": "admin", "team": "x"}, "question": "Q"}]`,
		"no id":                     `[{"actor": {"role": "admin"}, "question": "Q"}]`,
		"an id twice":               `[{"id": "1", "actor": {"role": "admin"}, "question": "Q"}, {"id": "1", "actor": {"role": "admin"}, "question": "Q"}]`,
		"no actor":                  `[{"id": "1", "question": "Q"}]`,
		"no question":               `[{"id": "1", "actor": {"role": "admin"}}]`,
		"no list":                   `{}`,
	} {
		_, err := evals.ParseCases([]byte(text))
		require.Error(t, err, name)
	}
	_, err := evals.ParseCases([]byte(`[{"id": "1", "actor": {"role": "admin"}, "question": "Q"}, {"id": "R2", "answer_is_short": true}]`))
	require.EqualError(t, err, `evals: case 2 cannot be read: json: unknown field "answer_is_short"`)
}

func TestOwnCases(t *testing.T) {
	t.Parallel()
	cases, err := evals.OwnCases()
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(cases), 40)
	languages := map[string]int{}
	for _, c := range cases {
		languages[strings.SplitN(c.Lang, "-", 2)[0]]++
	}
	require.Greater(t, languages["en"], 10)
	require.Greater(t, languages["zh"], 10)
}
