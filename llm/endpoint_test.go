package llm_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/llm"
)

func TestNormalizeEndpoint(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]llm.Endpoint{
		"https://api.openai.com/v1":                       {URL: "https://api.openai.com/v1"},
		"\thttps://api.openai.com/v1/\n":                  {URL: "https://api.openai.com/v1"},
		"https://api.openai.com":                          {URL: "https://api.openai.com/v1", Hint: llm.HintAddedVersion},
		"HTTPS://API.OpenAI.com/v1/chat/completions":      {URL: "https://api.openai.com/v1", Hint: llm.HintCutPath},
		"https://h.example/v1/chat/completions/":          {URL: "https://h.example/v1", Hint: llm.HintCutPath},
		"https://h.example/chat/completions":              {URL: "https://h.example/.", Hint: llm.HintCutPath},
		"https://h.example/v1/models":                     {URL: "https://h.example/v1", Hint: llm.HintCutPath},
		"https://g.example/v1beta/openai":                 {URL: "https://g.example/v1beta/openai"},
		"localhost:11434/v1":                              {URL: "http://localhost:11434/v1", Hint: llm.HintAddedScheme},
		"ollama:11434":                                    {URL: "http://ollama:11434/v1", Hint: llm.HintAddedVersion},
		"192.168.1.9:8000/v1":                             {URL: "http://192.168.1.9:8000/v1", Hint: llm.HintAddedScheme},
		"api.groq.com/openai/v1":                          {URL: "https://api.groq.com/openai/v1", Hint: llm.HintAddedScheme},
		"https://a.example/openai/v1?api-version=preview": {URL: "https://a.example/openai/v1?api-version=preview"},
		"https://h.example/v1#top":                        {URL: "https://h.example/v1"},
	} {
		got, err := llm.NormalizeEndpoint(typed)
		require.NoError(t, err, typed)
		require.Equal(t, want, got, typed)
		again, err := llm.NormalizeEndpoint(got.URL)
		require.NoError(t, err, typed)
		require.Equal(t, llm.Endpoint{URL: got.URL}, again, "what is normal stays as it is")
	}
}

func TestNormalizeEndpointRefuses(t *testing.T) {
	t.Parallel()
	for _, typed := range []string{"", "  ", "https://", "ftp://h.example/v1", "https://me:secret@h.example/v1", "https://a b/v1", "https://[::1/v1"} {
		_, err := llm.NormalizeEndpoint(typed)
		require.True(t, apperr.HasCode(err, "INVALID_ENDPOINT"), typed)
		require.NotContains(t, err.Error(), "secret")
	}
}
