package llm_test

import (
	"testing"
	"time"

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

// model makes a model at an endpoint whose base ends in /v1, with an idle time that a test can wait for.
func (d dialect) model(t testing.TB, base string, change ...func(*llm.Options)) llm.Model {
	t.Helper()
	if d.form == llmtest.Messages {
		endpoint, err := anthropic.NormalizeEndpoint(base)
		require.NoError(t, err)
		base = endpoint.URL
	}
	o := llm.Options{BaseURL: base, Key: key, Model: "test-model", Client: llm.NewHTTPClient(nil), Limits: llm.DefaultLimits()}
	o.Limits.Idle, o.Limits.Tail = 2*time.Second, 100*time.Millisecond
	for _, c := range change {
		c(&o)
	}
	return d.make(o)
}

// play streams one reply.
func (d dialect) play(t testing.TB, reply llmtest.Reply, change ...func(*llm.Options)) *llmtest.Outcome {
	t.Helper()
	return llmtest.Collect(t, d.model(t, llmtest.Start(t, llmtest.NewEndpoint(reply)), change...), llmtest.Offer())
}
