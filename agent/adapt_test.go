package agent_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/agent"
	"countersign/internal/dbtest"
	"countersign/llm"
	"countersign/llm/anthropic"
	"countersign/llm/llmtest"
	"countersign/llm/openai"
	"countersign/store"
)

// teach makes the desk's model one that learns.
func (d *desk) teach(base string, db *store.DB) {
	adapted := func(learned llm.Adaptation) llm.Model {
		if speaksMessages(db) {
			o := llmtest.Options(base[:len(base)-len("/v1")])
			o.Learned = learned
			return anthropic.New(o)
		}
		o := llmtest.Options(base)
		o.Learned = learned
		return openai.New(o)
	}
	d.config.assistant.Store(&agent.Assistant{Model: adapted(llm.Adaptation{}), Name: "test", MaxRounds: 8, Adapted: adapted})
}

func TestTheSameLessonIsNotLearnedTwice(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		refusal := llmtest.Refuse(http.StatusBadRequest, `{"error":{"message":"temperature is not supported here","param":"temperature"}}`)
		endpoint := llmtest.NewEndpoint(refusal, refusal)
		d := talk(t, db, endpoint)
		d.teach(llmtest.Start(t, endpoint), db)
		all := d.send(t, d.Sales1, agent.Request{Message: "What is new in the pipeline?"})
		require.Equal(t, "MODEL_INVALID_REQUEST", only(t, all, "error")["code"])
		require.Len(t, endpoint.Requests(), 2, "once as it was, once as it was asked for")
		require.Empty(t, d.config.assistant.Load().Learned.Drop, "what did not help is not kept")
	})
}
