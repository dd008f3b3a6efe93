package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
	"countersign/tools"
)

// around makes an executor of one tool, called get_deal or, where it creates, create_company.
func (d *desk) around(t testing.TB, effect tools.Effect, run func(context.Context, models.Actor) (tools.Result, error)) func(ctx context.Context) tools.Outcome {
	t.Helper()
	name := map[tools.Effect]string{tools.Read: "get_deal", tools.Create: "create_company"}[effect]
	e := d.execute(t, tools.NewRegistry(tools.NewTool(tools.Definition{Name: name, Effect: effect, Permission: rbac.DealRead}, run)))
	return func(ctx context.Context) tools.Outcome {
		return e.Call(ctx, d.Sales1, tools.Call{ID: "call-1", TurnID: "turn-1", Name: name})
	}
}

func TestExecutorOptions(t *testing.T) {
	t.Parallel()
	_, err := tools.NewExecutor(tools.ExecutorOptions{})
	require.ErrorContains(t, err, "needs registry, gate, proposals, runner and clock")
}

func TestCallOfWhatDoesNotExist(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		for _, name := range []string{"drop_tables", "", "find", "Get_deal", "get_deal ", "confirm", "confirm_proposal", strings.Repeat("x", 10_000), "get\x00deal\xff\n"} {
			e := fails(t, d.executor.Call(t.Context(), d.Sales1, tools.Call{Name: name}), map[bool]string{true: "invalid", false: "not_found"}[name == "get_deal "])
			require.Less(t, len(e.Message), 200)
		}
		require.Equal(t, models.DecisionFailed, d.last(t, "tool:drop_tables").Decision)
	})
}

func TestEveryCallIsRecorded(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		actor := d.Sales1.As(models.ViaAssistant)
		actor.Model, actor.RequestID, actor.IP = "openai/test", "req-7", "192.0.2.7"
		for _, c := range []struct {
			actor      models.Actor
			name, args string
			decision   models.Decision
			reason     string
			target     string
		}{
			{actor, "get_deal", `{"deal":"pilot"}`, models.DecisionFailed, "not_found", ""},
			{actor, "list_deals", `{"limit":"many"}`, models.DecisionFailed, "invalid", ""},
			{actor, "list_deals", `{`, models.DecisionFailed, "invalid", ""},
			{actor, "search_records", `{"query":"Acme"}`, models.DecisionAllowed, "", ""},
			{actor, "search_records", `{"query":"Acme","types":["company"]}`, models.DecisionAllowed, "", d.Acme.ID},
			{actor, "create_company", `{"name":"Peak","phone":"+85261234567"}`, models.DecisionAllowed, "", "any"},
			{actor, "update_deal_stage", `{"deal":"renewal","stage":"Won"}`, models.DecisionProposed, "", d.AcmeRenewal.ID},
			{d.Viewer, "create_company", `{"name":"Peak","phone":"+85261234567"}`, models.DecisionDenied, "forbidden", ""},
			{d.Disabled, "get_deal", `{"deal":"pilot"}`, models.DecisionDenied, "forbidden", ""},
			{models.Actor{}, "get_deal", `{"deal":"pilot"}`, models.DecisionDenied, "forbidden", ""},
		} {
			o := d.executor.Call(t.Context(), c.actor, tools.Call{ID: "call-9", TurnID: "turn-9", Name: c.name, Args: json.RawMessage(c.args)})
			e := d.last(t, "tool:"+c.name)
			require.Equal(t, c.decision, e.Decision, c.args)
			require.Equal(t, c.reason, e.Reason)
			if c.target != "any" {
				require.Equal(t, c.target, e.TargetID)
			}
			require.Equal(t, c.actor.Name, e.ActorName)
			require.Equal(t, c.actor.Via, e.Via)
			require.Equal(t, c.actor.Model, e.Model)
			require.Equal(t, c.actor.RequestID, e.RequestID)
			require.Equal(t, d.Clock.Now(), e.At)

			var detail map[string]any
			require.NoError(t, e.Detail.Into(&detail))
			require.Equal(t, "call-9", detail["callId"])
			require.Equal(t, "turn-9", detail["turnId"])
			require.Equal(t, string(o.Status), detail["status"])
			require.NotContains(t, string(e.Detail), "61234567")
			require.Len(t, detail, 4, "nothing beyond ids, masked arguments and status")
		}
	})
}

func TestCallThatCannotBeRecordedFails(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.exec(t, "ALTER TABLE audit_entries RENAME TO audit_gone")
		e := fails(t, d.say(t, d.Sales1, `/deal renewal`), "unavailable")
		require.NotContains(t, e.Message, "audit")
	})
}

func TestWhatGoesWrongIsTheCallsError(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		for _, c := range []struct {
			name  string
			err   error
			kind  string
			retry bool
		}{
			{"internal", errors.New(`pq: relation "deals" at 10.0.0.1:5432`), "unavailable", true},
			{"unavailable", apperr.New(apperr.Unavailable, "DATABASE_BUSY", "x"), "unavailable", true},
			{"not configured", apperr.New(apperr.NotConfigured, "NOT_CONFIGURED", "x"), "unavailable", true},
			{"stale", apperr.New(apperr.Stale, "STALE", "Look again."), "stale", true},
			{"conflict", apperr.New(apperr.Conflict, "DUPLICATE", "There is one."), "conflict", false},
			{"limited", apperr.Limited(time.Second), "rate_limited", true},
			{"too large", apperr.New(apperr.TooLarge, "TOO_LARGE", "Less."), "invalid", true},
			{"missing right", apperr.Missing("deal:delete"), "forbidden", false},
			{"signed out", apperr.New(apperr.Unauthenticated, "UNAUTHENTICATED", "Sign in first."), "forbidden", false},
		} {
			t.Run(c.name, func(t *testing.T) {
				call := d.around(t, tools.Read, func(context.Context, models.Actor) (tools.Result, error) { return tools.Result{}, c.err })
				e := fails(t, call(t.Context()), c.kind)
				require.Equal(t, c.retry, e.Retry)
				require.NotContains(t, e.Message, "10.0.0.1")
				require.NotContains(t, string(d.last(t, "tool:get_deal").Detail), "10.0.0.1")
			})
		}
	})
}

func TestPanicIsContained(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		call := d.around(t, tools.Read, func(ctx context.Context, _ models.Actor) (tools.Result, error) {
			return tools.Result{}, d.DB.InTx(ctx, func(*store.Tx) error { panic("secret of the tool") })
		})
		e := fails(t, call(t.Context()), "unavailable")
		require.NotContains(t, e.Message, "secret")
		require.Equal(t, models.DecisionFailed, d.last(t, "tool:get_deal").Decision)
		require.Zero(t, d.DB.InUse())
	})
}

func TestCallHasATime(t *testing.T) {
	t.Parallel()
	d := newDesk(t, dbtest.Open(t, "sqlite"))
	tool := tools.NewTool(tools.Definition{Name: "get_deal", Effect: tools.Read, Permission: rbac.DealRead},
		func(ctx context.Context, _ models.Actor) (tools.Result, error) {
			<-ctx.Done()
			return tools.Result{}, ctx.Err()
		})
	e, err := tools.NewExecutor(tools.ExecutorOptions{
		Registry: tools.NewRegistry(tool), Gate: d.Gate, Proposals: d.proposals, Runner: d.DB, Now: d.Clock.Now, Timeout: time.Millisecond,
	})
	require.NoError(t, err)
	failed := fails(t, e.Call(t.Context(), d.Sales1, tools.Call{Name: "get_deal"}), "unavailable")
	require.Contains(t, failed.Message, "took too long")
	require.Equal(t, models.DecisionFailed, d.last(t, "tool:get_deal").Decision)
}

func TestSTR03StopEndsALookUpAndLetsAWriteFinish(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		read := d.around(t, tools.Read, func(ctx context.Context, _ models.Actor) (tools.Result, error) {
			stop()
			return tools.Result{}, ctx.Err()
		})
		o := read(ctx)
		require.Equal(t, models.CallStopped, o.Status)
		require.Equal(t, "This was stopped before it was done.", o.Text)

		started := false
		write := d.around(t, tools.Create, func(ctx context.Context, _ models.Actor) (tools.Result, error) {
			started = true
			return tools.Result{Summary: "done"}, ctx.Err()
		})
		require.Equal(t, models.CallStopped, write(ctx).Status)
		require.False(t, started, "nothing starts after a stop")
		require.Equal(t, models.DecisionFailed, d.last(t, "tool:create_company").Decision)

		again, stopAgain := context.WithCancel(t.Context())
		write = d.around(t, tools.Create, func(ctx context.Context, _ models.Actor) (tools.Result, error) {
			stopAgain()
			return tools.Result{Summary: "done"}, ctx.Err()
		})
		require.Equal(t, models.CallOK, write(again).Status)
	})
}

func TestResultsAreBounded(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		result := tools.Result{Data: map[string]string{"text": strings.Repeat("x", tools.MaxResultBytes)}}
		call := d.around(t, tools.Read, func(context.Context, models.Actor) (tools.Result, error) { return result, nil })
		o := call(t.Context())
		require.Less(t, len(o.Result), 200)
		require.JSONEq(t, `{"cut":true,"bytes":20011,"advice":"Narrow the question: ask for fewer rows or add a filter."}`, string(o.Result))

		result = tools.Result{Summary: "nothing to show"}
		require.Empty(t, call(t.Context()).Result)
	})
}

func TestOfferedToolsAreThoseOneMayUse(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		names := func(a models.Actor) (list []string) {
			offers, err := d.registry.Offered(t.Context(), d.Gate, a)
			require.NoError(t, err)
			for _, o := range offers {
				list = append(list, o.Name)
			}
			return list
		}
		reads := []string{
			"search_records", "search_companies", "get_company", "search_contacts", "get_contact", "list_deals", "get_deal", "summarize_deals",
			"list_pipelines", "search_products", "list_activities", "list_tasks", "list_quotations", "get_quotation", "list_proposals",
		}
		writes := []string{
			"create_company", "create_contact", "create_task", "complete_task", "draft_quotation", "revise_quotation", "log_activity",
			"update_deal_stage", "update_deal", "update_company", "update_contact", "update_quotation_status", "reassign_owner",
			"send_quotation_email", "bulk_update_deals",
		}
		all := slices.Concat(reads, writes, []string{"delete_record"})
		for _, a := range []models.Actor{d.Admin, d.Manager, d.Sales1} {
			require.Equal(t, all, names(a), a.Name)
		}
		require.Equal(t, append(slices.Clone(reads), "delete_record"), names(d.Viewer))
		require.Equal(t, []string{"search_records", "list_proposals", "delete_record"}, names(d.clerk(t, d.Sales2)))
		_, err := d.registry.Offered(t.Context(), d.Gate, d.Disabled)
		require.True(t, apperr.Is(err, apperr.Unauthenticated))

		offers, err := d.registry.Offered(t.Context(), d.Gate, chinese(d.Sales1))
		require.NoError(t, err)
		require.Equal(t, "搜尋所有記錄", offers[0].Label)
		require.Equal(t, "準備更改階段", d.executor.Label("zh-HK", "update_deal_stage"))
		require.Equal(t, "no_such_tool", d.executor.Label("en", "no_such_tool"))
	})
}

// What every tool answers to somebody without the right is the same, and nothing is written.
func TestEveryToolRefusesWithoutItsRight(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		before := d.writes(t)
		for _, tool := range d.registry.All() {
			for _, actor := range []models.Actor{d.Disabled, {}, {UserID: unknownID}} {
				fails(t, d.call(t, actor, tool.Name, `{}`), "forbidden")
			}
		}
		clerk := d.clerk(t, d.Sales1)
		for _, tool := range d.registry.All() {
			if tool.Permission == rbac.AssistantUse {
				continue
			}
			e := fails(t, d.call(t, clerk, tool.Name, `{}`), "forbidden")
			require.Contains(t, e.Message, string(tool.Permission), tool.Name)
		}
		require.Equal(t, before, d.writes(t))
	})
}

func TestRegistryRefusesTwoToolsOfOneName(t *testing.T) {
	t.Parallel()
	tool := func(short string) *tools.Tool {
		return tools.NewTool(tools.Definition{Name: "get_deal", Short: []string{short}}, nil)
	}
	require.PanicsWithValue(t, `tools: "get_deal" is registered twice`, func() { tools.NewRegistry(tool("a"), tool("b")) })
	require.PanicsWithValue(t, `tools: "get_deal" is registered twice`, func() { tools.NewRegistry(tool("get_deal")) })
}
