package anthropic_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/llm"
	"countersign/llm/anthropic"
	"countersign/llm/llmtest"
)

// newModel makes a model at an endpoint of llmtest, whose address ends in the version.
func newModel(base string, change ...func(*anthropic.Options)) *anthropic.Model {
	return anthropic.New(llmtest.Options(strings.TrimSuffix(base, "/v1"), change...))
}

// play streams one reply.
func play(t *testing.T, reply llmtest.Reply) *llmtest.Outcome {
	t.Helper()
	return llmtest.Collect(t, newModel(llmtest.Start(t, llmtest.NewEndpoint(reply))), llmtest.Offer())
}

// events makes a reply of payloads, each an event without a name.
func events(payloads ...string) llmtest.Reply {
	return llmtest.Reply{Chunks: [][]byte{[]byte("data: " + strings.Join(payloads, "\n\ndata: ") + "\n\n")}}
}

// whole makes a reply of one JSON document.
func whole(document string) llmtest.Reply {
	return llmtest.Reply{Header: map[string]string{"Content-Type": "application/json"}, Chunks: [][]byte{[]byte(document)}}
}

// begin and add are the beginning of a block, and what is added to one. index is JSON.
func begin(index, block string) string {
	return `{"type":"content_block_start","index":` + index + `,"content_block":` + block + `}`
}

func add(index, delta string) string {
	return `{"type":"content_block_delta","index":` + index + `,"delta":` + delta + `}`
}

const (
	start    = `{"type":"message_start","message":{"usage":{"input_tokens":9,"output_tokens":1}}}`
	stop     = `{"type":"message_stop"}`
	textOpen = `{"type":"text","text":""}`
)

// tool is the beginning of a call, with an empty input.
func tool(id, name string) string {
	return `{"type":"tool_use","id":"` + id + `","name":"` + name + `","input":{}}`
}

func said(text string) string { return `{"type":"text_delta","text":` + quote(text) + `}` }

func input(piece string) string {
	return `{"type":"input_json_delta","partial_json":` + quote(piece) + `}`
}

func finish(reason string) string {
	return `{"type":"message_delta","delta":{"stop_reason":"` + reason + `"},"usage":{"output_tokens":5}}`
}

func quote(s string) string {
	out, _ := json.Marshal(s) //nolint:errchkjson // a text always encodes
	return string(out)
}

func TestNormalizeEndpoint(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]llm.Endpoint{
		"https://api.anthropic.com":                {URL: "https://api.anthropic.com"},
		"\thttps://api.anthropic.com/\n":           {URL: "https://api.anthropic.com"},
		"https://api.anthropic.com/v1":             {URL: "https://api.anthropic.com", Hint: llm.HintCutPath},
		"https://api.anthropic.com/v1/messages":    {URL: "https://api.anthropic.com", Hint: llm.HintCutPath},
		"https://h.example/anthropic/v1/messages/": {URL: "https://h.example/anthropic", Hint: llm.HintCutPath},
		"https://h.example/anthropic/messages":     {URL: "https://h.example/anthropic", Hint: llm.HintCutPath},
		"https://h.example/v1/models?x=1":          {URL: "https://h.example?x=1", Hint: llm.HintCutPath},
		"https://h.example/anthropic?a=b#top":      {URL: "https://h.example/anthropic?a=b"},
		"API.Anthropic.com":                        {URL: "https://api.anthropic.com", Hint: llm.HintAddedScheme},
		"localhost:8080/v1":                        {URL: "http://localhost:8080", Hint: llm.HintCutPath},
	} {
		got, err := anthropic.NormalizeEndpoint(typed)
		require.NoError(t, err, typed)
		require.Equal(t, want, got, typed)
		again, err := anthropic.NormalizeEndpoint(got.URL)
		require.NoError(t, err, typed)
		require.Equal(t, llm.Endpoint{URL: got.URL}, again, "what is normal stays as it is")
	}
	for _, typed := range []string{"", "ftp://h.example", "https://me:secret@h.example", "https://a b"} {
		_, err := anthropic.NormalizeEndpoint(typed)
		require.True(t, apperr.HasCode(err, "INVALID_ENDPOINT"), typed)
	}
}
