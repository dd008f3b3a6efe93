package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheLastMessageDecides(t *testing.T) {
	t.Parallel()
	const (
		person   = `{"role":"user","content":"How is it going?"}`
		call     = `{"role":"assistant","content":"","tool_calls":[{"id":"call_1","type":"function","function":{"name":"get_deal","arguments":"{}"}}]}`
		result   = `{"tool_call_id":"call_1","role": "tool","content":"{\"role\":\"user\"}"}`
		tools    = `,"tools":[{"type":"function","function":{"parameters":{"properties":{"role":{"type":"string"}}}}}]`
		theCall  = `"name":"get_deal"`
		theWords = `word `
	)
	for name, c := range map[string]struct{ body, has, hasNot string }{
		"message":        {`{"stream":true,"messages":[` + person + `]}`, theCall, theWords},
		"result":         {`{"stream":true,"messages":[` + person + `,` + call + `,` + result + `]}`, theWords, theCall},
		"tools at last":  {`{"stream": true,"messages":[` + person + `,` + call + `,` + result + `]` + tools + `}`, theWords, theCall},
		"next message":   {`{"stream":true,"messages":[` + person + `,` + call + `,` + result + `,` + person + `]}`, theCall, theWords},
		"message, whole": {`{"messages":[` + person + `]}`, theCall, theWords},
		"result, whole":  {`{"messages":[` + person + `,` + call + `,` + result + `]}`, strings.Repeat(theWords, answerTokens), theCall},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			recorder := httptest.NewRecorder()
			newModel().ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/chat/completions", strings.NewReader(c.body)))
			require.Contains(t, recorder.Body.String(), c.has)
			require.NotContains(t, recorder.Body.String(), c.hasNot)
			require.Contains(t, recorder.Body.String(), `"prompt_tokens":`)
			require.Equal(t, !strings.Contains(name, "whole"), strings.HasSuffix(recorder.Body.String(), "data: [DONE]\n\n"))
		})
	}
}
