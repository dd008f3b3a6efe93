package agent_test

import (
	"context"
	"iter"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/agent"
	"countersign/conversations"
	"countersign/internal/dbtest"
	"countersign/llm"
	"countersign/llm/llmtest"
	"countersign/llm/openai"
	"countersign/models"
	"countersign/store"
)

// inspect opens the turn of some events for an administrator.
func (d *desk) inspect(t *testing.T, all []event) *conversations.Inspection {
	t.Helper()
	turn, err := conversations.NewLedger(d.DB, d.Gate, d.Clock.Now).Inspect(t.Context(), d.Admin, only(t, all, "start")["turnId"].(string))
	require.NoError(t, err)
	return turn
}

func TestEveryAttemptIsKeptWithWhatWasSaid(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		endpoint := llmtest.NewEndpoint(
			llmtest.Refuse(http.StatusBadRequest, `{"error":{"message":"temperature is not supported here","param":"temperature"}}`),
			llmtest.CallTool("get_contact", `{"contact":"Amy Fong","phone":"+85291234567"}`).Costs(100, 10).Reply(),
			llmtest.CallTool("get_contact", `{"contact":"Amy Fong"}`).Costs(100, 10).Reply(),
			llmtest.Say("A buyer ", "at Acme.").Costs(200, 20).Reply(),
		)
		d := talk(t, db, endpoint)
		d.teach(llmtest.Start(t, endpoint), db)
		turn := d.inspect(t, d.send(t, d.Admin, agent.Request{Message: "Who is Amy Fong?"}))
		var attempts [][2]int
		for _, c := range turn.ModelCalls {
			attempts = append(attempts, [2]int{c.Round, c.Attempt})
			require.Contains(t, c.Request.System, "Countersign")
			require.Contains(t, c.Request.Tools, "get_contact")
			require.Equal(t, "Who is Amy Fong?", c.Request.Messages[0].Text)
			require.False(t, c.Request.Cut || c.Answer.Cut)
		}
		require.Equal(t, [][2]int{{1, 1}, {1, 2}, {2, 1}, {3, 1}}, attempts)
		require.EqualValues(t, 1, turn.Retries)

		refused, called, last := turn.ModelCalls[0], turn.ModelCalls[1], turn.ModelCalls[3]
		require.Equal(t, "invalid_request", refused.ErrorKind)
		require.Equal(t, &models.CallAnswer{}, refused.Answer)
		require.JSONEq(t, `{"contact":"Amy Fong","phone":"(hidden)"}`, called.Answer.Calls[0].Arguments)
		require.Equal(t, "tool_calls", called.Answer.Finish)
		require.Equal(t, "A buyer at Acme.", last.Answer.Text)

		result := last.Request.Messages[4]
		require.Equal(t, []string{"tool", last.Request.Messages[3].Calls[0].ID}, []string{result.Role, result.CallID})
		require.Contains(t, result.Text, `"email":"(hidden)"`)
		require.Contains(t, string(turn.ToolCalls[1].Result), `"email":"(hidden)"`)
		require.NotContains(t, string(models.ToJSON(turn)), "amy@acme.test")
	})
}

func TestTheKeyIsInNoTranscript(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		const key = "sk-canary-7c1f"
		d := quiet(t, db)
		d.config.use(openai.New(llmtest.Options(
			llmtest.Start(t, llmtest.NewEndpoint(llmtest.Refuse(http.StatusUnauthorized, `{"error":{"message":"Incorrect API key provided: `+key+`"}}`))),
			func(o *llm.Options) { o.Key = key },
		)))
		turn := d.inspect(t, d.send(t, d.Sales1, agent.Request{Message: "Tell me all about it"}))
		require.NotNil(t, turn.ModelCalls[0].Request)
		require.NotContains(t, string(models.ToJSON(turn)), "canary")
	})
}

// lecturer is a model that says one thing, whatever its length.
type lecturer string

func (l lecturer) Stream(context.Context, llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		_ = yield(llm.TextDelta{Text: "so "}, nil) && yield(llm.TextReset{}, nil) && yield(llm.TextDelta{Text: string(l)}, nil) &&
			yield(llm.Done{Finish: llm.FinishStop, Reasoning: "Hm."}, nil)
	}
}

func TestTranscriptsAreCut(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		d := quiet(t, db)
		d.config.use(lecturer(strings.Repeat("海", 100_000)))
		answer := d.inspect(t, d.send(t, d.Sales1, agent.Request{Message: "Tell me all about it"})).ModelCalls[0].Answer
		require.True(t, answer.Cut)
		require.Equal(t, strings.Repeat("海", (256<<10)/3), answer.Text, "cut between characters, without what was withdrawn")
		require.LessOrEqual(t, len(answer.Reasoning), 1)

		d.config.use(lecturer("In short.\x00"))
		answer = d.inspect(t, d.send(t, d.Sales1, agent.Request{Message: "Tell me all about it"})).ModelCalls[0].Answer
		require.Equal(t, &models.CallAnswer{Text: "In short.\x00", Reasoning: "Hm.", Finish: "stop"}, answer)
	})
}
