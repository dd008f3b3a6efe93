package llm_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/llm"
	"countersign/llm/anthropic"
	"countersign/llm/llmtest"
	"countersign/llm/openai"
)

// key is searched for in everything that comes out.
const key = "sk-test-canary-0123456789"

// dialect is one of the two, for tests that hold in both.
type dialect struct {
	name string
	form llmtest.Dialect
	make func(llm.Options) llm.Model
	// keyHeader is the header with the key, and keyPrefix what stands before it.
	keyHeader, keyPrefix string
}

var dialects = []dialect{
	{"openai", llmtest.Chat, func(o llm.Options) llm.Model { return openai.New(o) }, "Authorization", "Bearer "},
	{"anthropic", llmtest.Messages, func(o llm.Options) llm.Model { return anthropic.New(o) }, "X-Api-Key", ""},
}

// eachDialect runs a test in both.
func eachDialect(t *testing.T, test func(t *testing.T, d dialect)) {
	t.Helper()
	for _, d := range dialects {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			test(t, d)
		})
	}
}

// model makes a model with a key at an endpoint whose base ends in /v1.
func (d dialect) model(t testing.TB, base string, change ...func(*llm.Options)) llm.Model {
	t.Helper()
	if d.form == llmtest.Messages {
		endpoint, err := anthropic.NormalizeEndpoint(base)
		require.NoError(t, err)
		base = endpoint.URL
	}
	withKey := func(o *llm.Options) { o.Key = key }
	return d.make(llmtest.Options(base, append([]func(*llm.Options){withKey}, change...)...))
}

// play streams one reply.
func (d dialect) play(t testing.TB, reply llmtest.Reply, change ...func(*llm.Options)) *llmtest.Outcome {
	t.Helper()
	return llmtest.Collect(t, d.model(t, llmtest.Start(t, llmtest.NewEndpoint(reply)), change...), llmtest.Offer())
}

func TestForbiddenCallsAreIgnored(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, d dialect) {
		request := llmtest.Offer()
		request.ToolChoice = llm.ToolsForbidden
		endpoint := llmtest.Script(llmtest.Say("Hi").And(llmtest.CallTool("find", `{}`)))
		require.Equal(t, "Hi | stop", llmtest.Collect(t, d.model(t, llmtest.Start(t, endpoint)), request).Brief())
		require.Equal(t, "none", endpoint.Requests()[0].ToolChoice)
		require.Equal(t, []string{"find", "list", "note"}, endpoint.Requests()[0].Offers(), "a history with calls needs them")
	})
}

func TestImpossibleRequest(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, d dialect) {
		for name, request := range map[string]llm.Request{
			"role":   {Messages: []llm.Message{{Role: "boss", Text: "Hi"}}},
			"schema": {Tools: []llm.Tool{{Name: "find", Schema: json.RawMessage(`[]`)}}},
			"replay": {Messages: []llm.Message{{Role: llm.RoleAssistant, Replay: json.RawMessage(`[]`)}}},
		} {
			o := llmtest.Collect(t, d.model(t, "http://127.0.0.1:1/v1"), request)
			require.Error(t, o.Err, name)
			require.NotErrorAs(t, o.Err, new(*llm.Error), "it is nobody's fault but ours")
		}
	})
}
