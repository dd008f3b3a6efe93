package agent_test

import (
	"context"
	"iter"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/agent"
	"countersign/events"
	"countersign/internal/dbtest"
	"countersign/llm"
	"countersign/llm/llmtest"
	"countersign/models"
	"countersign/store"
)

// entry is a row of the ledger.
type entry struct {
	Round, Attempt     int
	Prompt, Completion *int64
	Estimated          bool
	Finish, Error      string
	Cost               *int64
}

// ledger is the ledger in the order in which the calls were made.
func (d *desk) ledger(t *testing.T) (entries []entry) {
	t.Helper()
	rows, err := dbtest.Raw(t, d.DB).QueryContext(t.Context(),
		"SELECT round, attempt, prompt_tokens, completion_tokens, estimated, finish, error_kind, cost_e6 FROM model_calls WHERE provider = 'openai' AND model = 'test' ORDER BY id")
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var e entry
		require.NoError(t, rows.Scan(&e.Round, &e.Attempt, &e.Prompt, &e.Completion, &e.Estimated, &e.Finish, &e.Error, &e.Cost))
		entries = append(entries, e)
	}
	require.NoError(t, rows.Err())
	return entries
}

func (d *desk) price(t *testing.T, input, output int64) {
	t.Helper()
	now := d.Clock.Now()
	d.InTx(t, func(tx *store.Tx) {
		require.NoError(t, tx.InsertModelPrice(t.Context(), &models.ModelPrice{
			ID: models.NewID(), Provider: "openai", Model: "test", StartsAt: now, InputE6: input, OutputE6: output, CachedE6: input, Currency: "USD", CreatedAt: now,
		}))
	})
}

func (d *desk) budget(t *testing.T, scope models.BudgetScope, subject string, tokens int64) {
	t.Helper()
	b := models.Budget{ID: models.NewID(), Scope: scope, Subject: subject, Unit: models.BudgetTokens, Amount: tokens, UpdatedAt: d.Clock.Now()}
	d.InTx(t, func(tx *store.Tx) { require.NoError(t, tx.PutBudget(t.Context(), &b)) })
}

func n(v int64) *int64 { return &v }

func TestEveryCallIsInTheLedgerWithItsCost(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		endpoint := llmtest.Script(
			llmtest.CallTool("get_deal", `{"deal":"Acme renewal"}`).Costs(100, 10), llmtest.Say("New.").Costs(200, 20),
			llmtest.Say("Hello.").Costs(1000, 1),
		)
		d := talk(t, db, endpoint)
		d.price(t, 2_500_000, 10_000_000)
		all := d.send(t, d.Admin, agent.Request{Message: "How is the Acme renewal?"})
		require.Equal(t, []entry{
			{1, 1, n(100), n(10), false, "tool_calls", "", n(350)},
			{2, 1, n(200), n(20), false, "stop", "", n(700)},
		}, d.ledger(t))
		var told []any
		for _, e := range all {
			if e.Type == "usage" {
				told = append(told, e.Data["cost"], e.Data["currency"], e.Data["known"])
			}
		}
		require.Equal(t, []any{"0.00035", "USD", true, "0.00105", "USD", true}, told, "the cost is told while the turn runs")
		require.Equal(t, "0.00105", only(t, all, "done")["usage"].(map[string]any)["cost"])

		usage := only(t, d.send(t, d.Sales1, agent.Request{Message: "Tell me all about it"}), "done")["usage"].(map[string]any)
		require.EqualValues(t, 1000, usage["promptTokens"])
		require.NotContains(t, usage, "cost", "costs are for administrators")
	})
}

func TestACostThatNobodyKnowsIsNotZero(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		d := talk(t, db, llmtest.Script(llmtest.Say("Hello.").Costs(1000, 1)))
		usage := only(t, d.send(t, d.Admin, agent.Request{Message: "Tell me all about it"}), "done")["usage"].(map[string]any)
		require.NotContains(t, usage, "cost")
		require.Equal(t, true, usage["known"])
		require.Nil(t, d.ledger(t)[0].Cost)
	})
}

// UX 140: what nobody counted is estimated by its characters, and said to be.
func TestUncountedCallsAreEstimated(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		d := talk(t, db, llmtest.Script(llmtest.Say("這是答案。")))
		usage := only(t, d.send(t, d.Sales1, agent.Request{Message: "Tell me all about it"}), "done")["usage"].(map[string]any)
		require.Equal(t, false, usage["known"])
		require.EqualValues(t, 5, usage["completionTokens"])
		require.Greater(t, usage["promptTokens"], 500.0, "instructions and tools count")
		require.True(t, d.ledger(t)[0].Estimated)
	})
}

func TestAStoppedCallIsEstimated(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		d := quiet(t, db)
		model := waiting(make(chan struct{}, 1))
		d.config.use(model)
		id, err := d.Start(t.Context(), d.Sales1, agent.Request{Message: "Tell me all about it", Channel: models.ViaWeb})
		require.NoError(t, err)
		<-model
		require.NoError(t, d.Stop(t.Context(), d.Sales1, id))
		usage := only(t, d.events(t, d.Sales1, id, 0), "done")["usage"].(map[string]any)
		require.Equal(t, false, usage["known"])
		require.Positive(t, usage["promptTokens"])
		row := d.ledger(t)
		require.Len(t, row, 1)
		require.True(t, row[0].Estimated)
		require.Equal(t, "stopped", row[0].Finish)
		require.Zero(t, *row[0].Completion)
	})
}

func TestRefusedAttemptsAreRowsWithoutTokens(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		d := talk(t, db, llmtest.NewEndpoint(llmtest.Refuse(http.StatusUnauthorized, `{"error":{"message":"no","type":"authentication_error"}}`)))
		all := d.send(t, d.Sales1, agent.Request{Message: "Tell me all about it"})
		require.Equal(t, "error", all[len(all)-1].Type)
		require.Equal(t, []entry{{1, 1, nil, nil, false, "", "unauthorized", nil}}, d.ledger(t))
	})
}

func TestAFullConversationTakesNoMoreQuestions(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		endpoint := llmtest.Script(llmtest.Say("Hello.").Costs(49_000, 1000), llmtest.Say("Hello again.").Costs(1, 1))
		d := talk(t, db, endpoint)
		limited := *d.config.assistant.Load()
		limited.ConversationTokens = 50_000
		d.config.assistant.Store(&limited)
		first := d.send(t, d.Sales1, agent.Request{Message: "Tell me all about it"})
		conversation := only(t, first, "start")["conversationId"].(string)

		all := d.send(t, d.Sales1, agent.Request{Message: "And more", ConversationID: conversation})
		require.Equal(t, []string{"start", "token", "notice", "done"}, types(all))
		require.Contains(t, texts(all), "50,000 tokens")
		require.Contains(t, texts(all), "start a new one")
		require.Equal(t, agent.NoticeConversationFull, only(t, all, "notice")["code"])
		require.Equal(t, agent.ReasonStop, only(t, all, "done")["reason"])
		require.Len(t, endpoint.Requests(), 1, "the model was not asked")

		commanded := d.send(t, d.Sales1, agent.Request{Message: "/help", ConversationID: conversation})
		require.Contains(t, texts(commanded), "/find", "commands still work")
		require.Equal(t, "Hello again.", texts(d.send(t, d.Sales1, agent.Request{Message: "Tell me more"})), "a new conversation is empty")
	})
}

// What the provider had in its cache is billed, but not read anew: it does not fill a conversation.
func TestCachedTokensDoNotFillAConversation(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		endpoint := llmtest.Script(llmtest.Say("Hello.").Costs(60_000, 100).Cached(50_000), llmtest.Say("Hello again.").Costs(60_000, 100).Cached(10_000), llmtest.Say("No."))
		d := talk(t, db, endpoint)
		limited := *d.config.assistant.Load()
		limited.ConversationTokens = 50_000
		d.config.assistant.Store(&limited)
		conversation := only(t, d.send(t, d.Sales1, agent.Request{Message: "Tell me all about it"}), "start")["conversationId"].(string)
		require.Equal(t, "Hello again.", texts(d.send(t, d.Sales1, agent.Request{Message: "And more", ConversationID: conversation})))
		all := d.send(t, d.Sales1, agent.Request{Message: "And yet more", ConversationID: conversation})
		require.Equal(t, agent.NoticeConversationFull, only(t, all, "notice")["code"])
	})
}

func TestTheUserAtTheLimitIsToldWhichUntilWhenAndWhomToAsk(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		endpoint := llmtest.Script(llmtest.Say("Hello.").Costs(90_000, 0))
		d := talk(t, db, endpoint)
		d.budget(t, models.BudgetUser, "", 90_001)
		require.Equal(t, "Hello.", texts(d.send(t, d.Sales1, agent.Request{Message: "Tell me all about it"})))
		for lang, says := range map[string][]string{
			"en":    {"for you (90,001 tokens)", "1 April 2026", "Ask an administrator"},
			"zh-HK": {"你個人的用量上限（90,001 個 token）", "2026年4月1日", "管理員"},
		} {
			actor := d.Sales1
			actor.Lang = lang
			all := d.send(t, actor, agent.Request{Message: "Tell me more"})
			require.Equal(t, []string{"start", "token", "notice", "done"}, types(all))
			for _, s := range says {
				require.Contains(t, texts(all), s)
			}
			require.Equal(t, agent.NoticeBudgetReached, only(t, all, "notice")["code"])
			require.Contains(t, texts(d.send(t, actor, agent.Request{Message: "/help"})), "/find")
		}
		require.Len(t, endpoint.Requests(), 1)
	})
}

// A turn that uses its budget up ends between its rounds.
func TestBudgetsAreCheckedBetweenRounds(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		endpoint := llmtest.Script(llmtest.CallTool("get_deal", `{"deal":"Acme renewal"}`).Costs(100_000, 0), llmtest.Say("Never."))
		d := talk(t, db, endpoint)
		d.budget(t, models.BudgetRole, "sales", 100_000)
		all := d.send(t, d.Sales1, agent.Request{Message: "How is the Acme renewal?"})
		require.Contains(t, texts(all), "for the role sales")
		require.Equal(t, agent.ReasonStop, only(t, all, "done")["reason"])
		require.Len(t, endpoint.Requests(), 1)
		require.Equal(t, "ok", only(t, all, "tool_end")["status"], "what was found stays")
	})
}

func TestANearlyUsedBudgetIsToldOnceATurn(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		endpoint := llmtest.Script(
			llmtest.Say("Hello.").Costs(85_000, 0),
			llmtest.CallTool("get_deal", `{"deal":"Acme renewal"}`).Costs(1, 0), llmtest.Say("New.").Costs(1, 0),
		)
		d := talk(t, db, endpoint)
		d.budget(t, models.BudgetInstallation, "", 100_000)
		require.NotContains(t, types(d.send(t, d.Sales2, agent.Request{Message: "Tell me all about it"})), "notice")
		notice := only(t, d.send(t, d.Sales1, agent.Request{Message: "How is the Acme renewal?"}), "notice")
		require.Equal(t, agent.NoticeBudgetNearly, notice["code"])
		require.Equal(t, "85% of this month's limit for the whole installation (100,000 tokens) is used.", notice["text"])
	})
}

// quiet is a desk without a model.
func quiet(t *testing.T, db *store.DB) *desk {
	t.Helper()
	backend := events.NewMemory(events.Options{})
	t.Cleanup(func() { require.NoError(t, backend.Close()) })
	return newDesk(t, db, backend)
}

// waiting is a model that tells when it is asked, and then says nothing until it is stopped.
type waiting chan struct{}

func (w waiting) Stream(ctx context.Context, request llm.Request) iter.Seq2[llm.Event, error] {
	w <- struct{}{}
	return silent{}.Stream(ctx, request)
}

// SEC-78: nine turns of one user at the same time, in as many conversations, cannot all spend the same tokens.
func TestTurnsAtOnceDoNotSpendTheSameTokens(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		d := quiet(t, db)
		model := waiting(make(chan struct{}, 10))
		d.config.use(model)
		begin := func(actor models.Actor) string {
			id, err := d.Start(t.Context(), actor, agent.Request{Message: "Tell me all about it", Channel: models.ViaWeb})
			require.NoError(t, err)
			return id
		}
		d.budget(t, models.BudgetUser, "", 1_000_000_000)
		probe := begin(d.Sales2)
		<-model
		one := d.count(t, "SELECT tokens FROM budget_reservations")
		require.NoError(t, d.Stop(t.Context(), d.Sales2, probe))
		d.events(t, d.Sales2, probe, 0)

		d.budget(t, models.BudgetUser, "", 3*one+one/2)
		const turns, room = 9, 3
		ids, refused, over := []string{}, make(chan struct{}, turns), sync.WaitGroup{}
		for range turns {
			id := begin(d.Sales1)
			ids = append(ids, id)
			over.Go(func() {
				for _, e := range d.events(t, d.Sales1, id, 0) {
					if e.Data["code"] == agent.NoticeBudgetReached {
						refused <- struct{}{}
					}
				}
			})
		}
		for range turns - room {
			<-refused
		}
		for range room {
			<-model
		}
		require.EqualValues(t, room, d.count(t, "SELECT COUNT(*) FROM budget_reservations"))
		for _, id := range ids {
			require.NoError(t, d.Stop(t.Context(), d.Sales1, id))
		}
		over.Wait()
		require.Empty(t, model, "nobody else reached the model")
		require.Zero(t, d.count(t, "SELECT COUNT(*) FROM budget_reservations"))
	})
}

// count runs a query that gives one number.
func (d *desk) count(t *testing.T, query string) (n int64) {
	t.Helper()
	require.NoError(t, dbtest.Raw(t, d.DB).QueryRowContext(t.Context(), query).Scan(&n))
	return n
}
