package agent_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/agent"
	"countersign/internal/dbtest"
	"countersign/llm/llmtest"
	"countersign/store"
)

// chatty speaks before it calls a tool, then answers.
func chatty() *llmtest.Endpoint {
	endpoint := llmtest.NewEndpoint()
	for range 2 {
		endpoint.Add(
			llmtest.Say("Let ", "me look.").And(llmtest.CallTool("get_deal", `{"deal":"Acme renewal"}`)).Reply(),
			llmtest.Say("It ", "is new.").Reply(),
		)
	}
	return endpoint
}

// A model that was seen to speak before a call is held back from then on: nobody reads what is taken back.
func TestAModelThatSpeaksBeforeItsCallsIsHeldBack(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		d := talk(t, db, chatty())
		first := d.send(t, d.Sales1, agent.Request{Message: "How is the Acme renewal?"})
		require.Equal(t, 1, count(first, "reset"), "the first time it is taken back")
		require.Equal(t, "It is new.", texts(first))
		second := d.send(t, d.Sales1, agent.Request{Message: "How is the Acme renewal now?"})
		require.Zero(t, count(second, "reset"))
		require.Equal(t, 1, count(second, "token"), "what was held back comes in one piece")
		require.Equal(t, "It is new.", texts(second))
	})
}

func TestHoldingBackIsConfigured(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		d := talk(t, db, chatty())
		configured := *d.config.assistant.Load()
		one, none := 1, 0
		configured.HoldBack = &one
		d.config.assistant.Store(&configured)
		all := d.send(t, d.Sales1, agent.Request{Message: "How is the Acme renewal?"})
		require.Equal(t, 1, count(all, "reset"), "one chunk is held back, the second is not")
		configured = *d.config.assistant.Load()
		configured.HoldBack = &none
		d.config.assistant.Store(&configured)
		all = d.send(t, d.Sales1, agent.Request{Message: "How is the Acme renewal now?"})
		require.Equal(t, 1, count(all, "reset"), "what the administrator says goes before what was learned")
	})
}

// A model that cannot use tools answers all the same, and everybody is told what that means.
func TestAModelWithoutToolsSaysSo(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		refusal := llmtest.Refuse(http.StatusNotFound, `{"error":{"message":"No endpoints found that support tool use.","code":404}}`)
		endpoint := llmtest.NewEndpoint(refusal, llmtest.Say("I cannot look that up.").Reply(), llmtest.Say("Nor that.").Reply())
		d := talk(t, db, endpoint)
		all := d.send(t, d.Sales1, agent.Request{Message: "How is the Acme renewal?"})
		require.Equal(t, "I cannot look that up.", texts(all))
		require.Equal(t, "NO_TOOLS", only(t, all, "notice")["code"])
		d.send(t, d.Sales1, agent.Request{Message: "And the expansion?"})
		requests := endpoint.Requests()
		require.Len(t, requests, 3, "it is asked once whether it can")
		for _, request := range requests[1:] {
			require.Empty(t, request.Offers())
			require.Contains(t, string(request.Raw), "You have no tools")
		}
	})
}

func TestALongWaitIsTold(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		busy := llmtest.Refuse(http.StatusTooManyRequests, `{"error":{"message":"slow down","type":"rate_limit_error"}}`)
		busy.Header["Retry-After"] = "90"
		endpoint := llmtest.NewEndpoint(busy)
		d := talk(t, db, endpoint)
		failed := only(t, d.send(t, d.Sales1, agent.Request{Message: "How is the Acme renewal?"}), "error")
		require.Equal(t, "MODEL_RATE_LIMITED", failed["code"])
		require.Contains(t, failed["message"], "90 more seconds")
		require.Len(t, endpoint.Requests(), 1, "nobody is made to wait for it")
	})
}
