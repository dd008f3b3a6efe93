package agent_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/agent"
	"countersign/apperr"
	"countersign/conversations"
	"countersign/events"
	"countersign/internal/dbtest"
	"countersign/llm/llmtest"
	"countersign/models"
	"countersign/store"
)

// outage is a desk whose model is configured and whose endpoint plays a script.
func outage(t *testing.T, db *store.DB, replies ...llmtest.Reply) (*desk, *llmtest.Endpoint) {
	t.Helper()
	endpoint := llmtest.NewEndpoint(replies...)
	d := talk(t, db, endpoint)
	d.configure(t)
	return d, endpoint
}

// configure stores a configuration now, as an administrator's save does.
func (d *desk) configure(t *testing.T) {
	t.Helper()
	d.InTx(t, func(tx *store.Tx) {
		require.NoError(t, tx.PutAIConfig(t.Context(), &models.AIConfig{
			ID: models.AIConfigID, Provider: "openai", EndpointURL: "https://model.test/v1", Model: "test", MaxRounds: 8, Version: 1, UpdatedAt: d.Clock.Now(),
		}))
	})
}

// replica is one more process over the same database and the backend given. over waits until all that it has begun
// in the background has ended.
func (d *desk) replica(t *testing.T, backend events.Backend) (s *agent.Service, over func()) {
	t.Helper()
	options := d.Options
	options.Limiter, options.Locker, options.Log, options.Bus = backend, backend, backend, backend
	s, err := agent.New(options)
	require.NoError(t, err)
	over = func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		s.Close(ctx)
	}
	t.Cleanup(over)
	return s, over
}

// later is a backend that remembers no check: the time of the last one is over.
func later(t *testing.T) events.Backend {
	t.Helper()
	backend := events.NewMemory(events.Options{})
	t.Cleanup(func() { require.NoError(t, backend.Close()) })
	return backend
}

func status(t *testing.T, s *agent.Service, actor models.Actor) agent.ModelStatus {
	t.Helper()
	got, err := s.Status(t.Context(), actor)
	require.NoError(t, err)
	return got
}

func (d *desk) alarms(t *testing.T) (n int) {
	t.Helper()
	d.View(t, func(r *store.Reader) {
		list, err := r.AuditEntries(t.Context(), d.Grant(t, d.Admin, "audit:read"), store.AuditFilter{Action: "model:call"}, store.Page{})
		require.NoError(t, err)
		n = len(list.Items)
	})
	return n
}

var wrongKey = llmtest.Refuse(http.StatusUnauthorized, `{"error":{"message":"no","type":"x"}}`)

func TestAModelThatIsDownComesBackByACheck(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		d, endpoint := outage(t, db, wrongKey, wrongKey, llmtest.Say("OK").Costs(9, 1).Reply())
		require.Equal(t, agent.ModelStatus{State: agent.StateReady}, status(t, d.Service, d.Sales1))
		since := d.Clock.Now()
		failed := d.send(t, d.Sales1, agent.Request{Message: "How is Acme?"})
		require.Equal(t, "MODEL_UNAUTHORIZED", only(t, failed, "error")["code"])
		conversation := only(t, failed, "start")["conversationId"].(string)

		d.Clock.Advance(time.Minute)
		down := agent.ModelStatus{State: agent.StateDown, Code: "MODEL_UNAUTHORIZED", Since: &since, CheckAfterSeconds: 5}
		a, aOver := d.replica(t, d.backend)
		b, bOver := d.replica(t, d.backend)
		for range 3 {
			require.Equal(t, down, status(t, a, d.Sales1), "the same on every replica, however often it is asked")
			require.Equal(t, down, status(t, b, d.Viewer), "for everybody, from the first failure on")
		}
		aOver()
		bOver()
		require.Len(t, endpoint.Requests(), 2, "one check for all of them")
		require.Equal(t, "unauthorized", d.ledger(t)[1].Error)
		require.Equal(t, 1, d.alarms(t), "a check alarms nobody")

		d.Clock.Advance(time.Minute)
		c, cOver := d.replica(t, later(t))
		require.Equal(t, down, status(t, c, d.Viewer))
		cOver()
		require.Equal(t, agent.ModelStatus{State: agent.StateReady}, status(t, d.Service, d.Sales1), "the check has passed")
		require.Equal(t, entry{0, 1, n(9), n(1), false, "stop", "", nil}, d.ledger(t)[2])
		spent, err := d.Ledger.Spent(t.Context(), conversation)
		require.NoError(t, err)
		require.Zero(t, spent, "checks are none of the conversation's")
		inspected, err := d.Ledger.Inspect(t.Context(), d.Admin, only(t, failed, "start")["turnId"].(string))
		require.NoError(t, err)
		require.Len(t, inspected.ModelCalls, 1)
		require.EqualValues(t, 1, inspected.Calls)
		mine, err := d.Ledger.Usage(t.Context(), d.Viewer, conversations.Question{})
		require.NoError(t, err)
		require.EqualValues(t, 9, mine.Total.PromptTokens, "they are on account of who asked")
		require.Empty(t, endpoint.Problems())
	})
}

func TestAnybodysAnswerEndsAnOutage(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		d, _ := outage(t, db, wrongKey, llmtest.Say("Fine.").Reply())
		d.send(t, d.Sales1, agent.Request{Message: "How is Acme?"})
		d.Clock.Advance(time.Second)
		d.send(t, d.Sales2, agent.Request{Message: "How is Globex?"})
		require.Equal(t, agent.StateReady, status(t, d.Service, d.Sales1).State)
	})
}

func TestASavedConfigurationEndsAnOutage(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		d, _ := outage(t, db, wrongKey)
		d.send(t, d.Sales1, agent.Request{Message: "How is Acme?"})
		d.Clock.Advance(time.Second)
		d.configure(t)
		require.Equal(t, agent.StateReady, status(t, d.Service, d.Sales1).State)
	})
}

// A check that is cut off by a restart says nothing of the model.
func TestACheckThatIsCutOffChangesNothing(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		d, endpoint := outage(t, db, wrongKey, llmtest.Reply{End: llmtest.EndSilence})
		d.send(t, d.Sales1, agent.Request{Message: "How is Acme?"})
		s, _ := d.replica(t, d.backend)
		before := status(t, s, d.Sales1)
		require.Eventually(t, func() bool { return len(endpoint.Requests()) == 2 }, 5*time.Second, time.Millisecond)
		restart, cancel := context.WithCancel(t.Context())
		cancel()
		s.Close(restart)
		require.Equal(t, models.FinishStopped, d.ledger(t)[1].Finish)
		require.Equal(t, before, status(t, d.Service, d.Sales1))
	})
}

// A budget is told without a call, also while the model's last call failed: a check would be paid by it.
func TestABudgetThatIsUsedUpIsToldWithoutACall(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		d, endpoint := outage(t, db, wrongKey)
		d.send(t, d.Sales1, agent.Request{Message: "How is Acme?"})
		d.budget(t, models.BudgetUser, d.Sales1.UserID, 10)
		s, over := d.replica(t, d.backend)
		require.Equal(t, agent.ModelStatus{State: agent.StateDown, Code: agent.NoticeBudgetReached, CheckAfterSeconds: 60}, status(t, s, d.Sales1))
		over()
		require.Len(t, endpoint.Requests(), 1)

		d.Clock.Advance(time.Second)
		d.configure(t)
		require.Equal(t, agent.StateReady, status(t, d.Service, d.Sales2).State, "it is one person's")
		d.budget(t, models.BudgetInstallation, "", 10)
		require.Equal(t, agent.NoticeBudgetReached, status(t, d.Service, d.Sales2).Code)
	})
}

func TestAModelThatCannotBeUsedIsToldApartFromNone(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		d, _ := outage(t, db)
		d.config.refuse(apperr.New(apperr.NotConfigured, "AI_KEY_UNREADABLE", "The key cannot be read."))
		require.Equal(t, agent.ModelStatus{State: agent.StateDown, Code: "AI_KEY_UNREADABLE", CheckAfterSeconds: 60}, status(t, d.Service, d.Sales1))
		d.config.refuse(nil)
		d.config.assistant.Store(nil)
		require.Equal(t, agent.ModelStatus{State: agent.StateNone}, status(t, d.Service, d.Sales1))
	})
}

func TestTheStatusIsForThoseWhoUseTheAssistant(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		d, endpoint := outage(t, db, wrongKey)
		d.send(t, d.Sales1, agent.Request{Message: "How is Acme?"})
		for _, sql := range []string{"DELETE FROM role_permissions WHERE role_slug = 'viewer' AND permission = 'assistant:use'", "UPDATE policy_state SET version = version + 1"} {
			_, err := dbtest.Raw(t, db).ExecContext(t.Context(), sql)
			require.NoError(t, err)
		}
		for kind, actor := range map[apperr.Kind]models.Actor{apperr.Forbidden: d.Viewer, apperr.Unauthenticated: d.Disabled} {
			_, err := d.Status(t.Context(), actor)
			require.True(t, apperr.Is(err, kind), "%v", err)
		}
		_, err := d.Status(t.Context(), models.Actor{})
		require.True(t, apperr.Is(err, apperr.Unauthenticated))
		require.Len(t, endpoint.Requests(), 1, "nobody has a check made without the right")
	})
}

// Whoever knows that the model does not answer has their text searched for, and reads that this was done.
func TestTextIsSearchedForWhileTheModelIsDown(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		d, endpoint := outage(t, db)
		for lang, says := range map[string]string{"en": "cannot be used at the moment", "zh-HK": "未能使用助理的模型"} {
			person := d.Sales1
			person.Lang = lang
			all := d.send(t, person, agent.Request{Message: "Acme", Fallback: true, Search: true})
			require.Equal(t, []string{"start", "notice", "tool_start", "tool_end", "records", "token", "done"}, types(all))
			require.Equal(t, "MODEL_DOWN", only(t, all, "notice")["code"])
			require.Contains(t, only(t, all, "notice")["text"], says)
			require.Equal(t, "search_records", only(t, all, "tool_end")["name"])
		}
		require.Empty(t, endpoint.Requests())
	})
}
