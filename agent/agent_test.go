package agent_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/agent"
	"countersign/apperr"
	"countersign/events"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/store"
)

func TestCommandRunsAndIsKept(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *desk) {
		all := d.send(t, d.Sales1, agent.Request{Message: `/deal "` + d.AcmeRenewal.Title + `"`})
		require.Equal(t, []string{"start", "tool_start", "tool_end", "records", "token", "done"}, types(all))
		for i, e := range all {
			require.EqualValues(t, i+1, e.Seq, "no gaps")
		}
		start, end := only(t, all, "start"), only(t, all, "tool_end")
		require.Equal(t, "ok", end["status"])
		require.Equal(t, only(t, all, "tool_start")["callId"], end["callId"])
		done := only(t, all, "done")
		require.Equal(t, agent.ReasonFinishTool, done["reason"])
		require.Equal(t, start["messageId"], done["messageId"])

		thread, err := d.conversations.Get(t.Context(), d.Sales1, start["conversationId"].(string))
		require.NoError(t, err)
		require.Len(t, thread.Messages, 2)
		reply := thread.Messages[1]
		require.Equal(t, models.MessageComplete, reply.Status)
		require.Equal(t, only(t, all, "token")["delta"], reply.Content)
		var calls []models.ToolCall
		require.NoError(t, reply.ToolCalls.Into(&calls))
		require.Len(t, calls, 1)
		require.Equal(t, models.CallOK, calls[0].Status)
		require.Contains(t, string(calls[0].Result), d.AcmeRenewal.ID)

		turn, err := d.conversations.Turn(t.Context(), d.Sales1, start["turnId"].(string))
		require.NoError(t, err)
		require.Equal(t, models.TurnDone, turn.Status)
		require.NotNil(t, turn.EndedAt)
	})
}

func TestAPR18ASensitiveCommandOnlyProposes(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *desk) {
		all := d.send(t, d.Sales1, agent.Request{Message: `/update_deal_stage deal="` + d.AcmeRenewal.Title + `" stage=Won`})
		require.Equal(t, []string{"start", "tool_start", "tool_end", "proposal", "records", "token", "done"}, types(all))
		require.Equal(t, "proposed", only(t, all, "tool_end")["status"])
		require.Equal(t, agent.ReasonAwaiting, only(t, all, "done")["reason"])
		shown := only(t, all, "proposal")["proposal"].(map[string]any)
		stored, err := d.proposals.Get(t.Context(), d.Sales1, shown["id"].(string))
		require.NoError(t, err)
		require.Equal(t, stored.Digest, shown["digest"])
		require.Equal(t, models.ProposalPending, stored.Status)
		require.Equal(t, models.ViaCommand, stored.Via)
		require.Equal(t, only(t, all, "start")["conversationId"], *stored.ConversationID)
		d.View(t, func(r *store.Reader) {
			deal, err := r.Deal(t.Context(), d.DealGrants(t, d.Sales1), d.AcmeRenewal.ID)
			require.NoError(t, err)
			require.Equal(t, d.AcmeRenewal.StageID, deal.StageID, "nothing has happened yet")
			require.Equal(t, d.AcmeRenewal.Version, deal.Version)
		})
	})
}

func TestWhatACommandMayAnswer(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		backend := events.NewMemory(events.Options{})
		t.Cleanup(func() { require.NoError(t, backend.Close()) })
		d := newDesk(t, db, backend)
		for _, c := range []struct {
			name, message string
			actor         models.Actor
			types         string
			status, says  string
		}{
			{"denied", `/update_deal_stage deal="` + d.AcmeRenewal.Title + `" stage=Won`, d.Viewer, "start tool_start tool_end token done", "denied", "deal:update"},
			{"unknown", "/frobnicate now", d.Sales1, "start token done", "", "/frobnicate"},
			{"help", "/help", d.Viewer, "start token done", "", "/find"},
			{"missing argument", "/update_deal_stage deal=x", d.Sales1, "start tool_start tool_end token done", "failed", "stage"},
			{"unclosed", `/deal "half`, d.Sales1, "start tool_start tool_end token done", "failed", "quotation"},
			{"not found", "/deal Nonesuch", d.Sales2, "start tool_start tool_end token done", "failed", "Nonesuch"},
			{"link", `/delete_record type=deal record="` + d.GlobexPilot.Title + `"`, d.Sales2, "start tool_start tool_end records token done", "ok", "/deals/" + d.GlobexPilot.ID},
		} {
			all := d.send(t, c.actor, agent.Request{Message: c.message})
			require.Equal(t, c.types, strings.Join(types(all), " "), c.name)
			require.Contains(t, only(t, all, "token")["delta"], c.says, c.name)
			if c.status != "" {
				require.Equal(t, c.status, only(t, all, "tool_end")["status"], c.name)
			}
		}
	})
}

func TestHelpListsOnlyWhatThePersonMayUse(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		backend := events.NewMemory(events.Options{})
		t.Cleanup(func() { require.NoError(t, backend.Close()) })
		d := newDesk(t, db, backend)
		help := only(t, d.send(t, d.Viewer, agent.Request{Message: "/help"}), "token")["delta"].(string)
		require.NotContains(t, help, "update_deal_stage")
		chinese := d.Sales1
		chinese.Lang = "zh-HK"
		help = only(t, d.send(t, chinese, agent.Request{Message: "/help"}), "token")["delta"].(string)
		require.Contains(t, help, "update_deal_stage")
		require.Contains(t, help, "指令")
	})
}

func TestTextWithoutAModel(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *desk) {
		_, err := d.Start(t.Context(), d.Sales1, agent.Request{Message: "Acme", Channel: models.ViaWeb})
		require.True(t, apperr.Is(err, apperr.NotConfigured))
		require.True(t, apperr.HasCode(err, "NOT_CONFIGURED"))
		require.Contains(t, apperr.As(err).Message, "/admin/ai-config")

		all := d.send(t, d.Sales1, agent.Request{Message: "Acme", Fallback: true})
		require.Equal(t, []string{"start", "notice", "tool_start", "tool_end", "records", "token", "done"}, types(all))
		require.Equal(t, "NO_MODEL", only(t, all, "notice")["code"])
		require.Equal(t, "search_records", only(t, all, "tool_end")["name"])
	})
}

func TestMessagesThatAreRefused(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		backend := events.NewMemory(events.Options{})
		t.Cleanup(func() { require.NoError(t, backend.Close()) })
		d := newDesk(t, db, backend)
		own := only(t, d.send(t, d.Sales1, agent.Request{Message: "/help"}), "start")
		for _, c := range []struct {
			name  string
			actor models.Actor
			r     agent.Request
			kind  apperr.Kind
		}{
			{"empty", d.Sales1, agent.Request{Message: ""}, apperr.Invalid},
			{"blank", d.Sales1, agent.Request{Message: " \n\t\u3000"}, apperr.Invalid},
			{"too long", d.Sales1, agent.Request{Message: strings.Repeat("長", agent.MaxMessage+1)}, apperr.Invalid},
			{"somebody else's conversation", d.Sales2, agent.Request{Message: "/help", ConversationID: own["conversationId"].(string)}, apperr.NotFound},
			{"no such conversation", d.Sales2, agent.Request{Message: "/help", ConversationID: models.NewID()}, apperr.NotFound},
			{"nobody", models.Actor{}, agent.Request{Message: "/help"}, apperr.Unauthenticated},
			{"disabled", d.Disabled, agent.Request{Message: "/help"}, apperr.Unauthenticated},
		} {
			_, err := d.Start(t.Context(), c.actor, c.r)
			require.True(t, apperr.Is(err, c.kind), "%s: %v", c.name, err)
		}
		_, err := d.Follow(t.Context(), d.Sales2, own["turnId"].(string), 0)
		require.True(t, apperr.Is(err, apperr.NotFound), "another person's turn")
		require.True(t, apperr.Is(d.Stop(t.Context(), d.Sales2, own["turnId"].(string)), apperr.NotFound))
	})
}

func TestOneTurnPerConversation(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *desk) {
		start := only(t, d.send(t, d.Sales1, agent.Request{Message: "/help"}), "start")
		conversation := start["conversationId"].(string)
		lease, err := d.backend.Acquire(t.Context(), "conversation:"+conversation, time.Minute)
		require.NoError(t, err)
		for range agent.MessagesPerWindow + 5 {
			_, err = d.Start(t.Context(), d.Sales1, agent.Request{Message: "/help", ConversationID: conversation})
			require.True(t, apperr.HasCode(err, agent.CodeTurnInProgress), "%v", err)
		}
		require.NoError(t, lease.Release(t.Context()))
		all := d.send(t, d.Sales1, agent.Request{Message: "/help", ConversationID: conversation})
		require.Equal(t, "done", all[len(all)-1].Type, "refused messages used nothing of the limit")
	})
}

func TestTheLimitIsPerUserAndRefusedMessagesDoNotCount(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *desk) {
		for range agent.MessagesPerWindow {
			d.send(t, d.Sales1, agent.Request{Message: "/help"})
		}
		for range 3 {
			_, err := d.Start(t.Context(), d.Sales1, agent.Request{Message: "/help"})
			require.True(t, apperr.Is(err, apperr.RateLimited), "%v", err)
			after := apperr.As(err).RetryAfter
			require.Positive(t, after)
			require.LessOrEqual(t, after, agent.Window)
		}
		d.send(t, d.Sales2, agent.Request{Message: "/help"})
	})
}

func TestTheLimitEndsWhenItSays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		backend := events.NewMemory(events.Options{})
		defer backend.Close()
		for range agent.MessagesPerWindow {
			place, err := backend.Allow(t.Context(), "chat:x", agent.MessagesPerWindow, agent.Window)
			require.NoError(t, err)
			require.True(t, place.Allowed)
		}
		refused, err := backend.Allow(t.Context(), "chat:x", agent.MessagesPerWindow, agent.Window)
		require.NoError(t, err)
		require.False(t, refused.Allowed)
		time.Sleep(refused.RetryAfter)
		again, err := backend.Allow(t.Context(), "chat:x", agent.MessagesPerWindow, agent.Window)
		require.NoError(t, err)
		require.True(t, again.Allowed)
	})
}

func TestSTR04StopEndsATurnAndKeepsTheMessage(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *desk) {
		d.config.use(silent{})
		id, err := d.Start(t.Context(), d.Sales1, agent.Request{Message: "Acme", Channel: models.ViaWeb})
		require.NoError(t, err)
		require.NoError(t, d.Stop(t.Context(), d.Sales1, id))
		all := d.events(t, d.Sales1, id, 0)
		require.Equal(t, []string{"start", "done"}, types(all))
		require.Equal(t, agent.ReasonStopped, only(t, all, "done")["reason"])
		thread, err := d.conversations.Get(t.Context(), d.Sales1, only(t, all, "start")["conversationId"].(string))
		require.NoError(t, err)
		require.Equal(t, "Acme", thread.Messages[0].Content)
		require.Equal(t, models.MessageStopped, thread.Messages[1].Status)
		require.NoError(t, d.Stop(t.Context(), d.Sales1, id), "stopping twice is nothing")
	})
}

func TestSTR02FollowResumesFromAnyPlace(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *desk) {
		all := d.send(t, d.Sales1, agent.Request{Message: "/find acme"})
		id := all[0].Data["turnId"].(string)
		for after := range all {
			require.Equal(t, all[after:], d.events(t, d.Sales1, id, int64(after)))
		}
	})
}

func TestCloseStopsTurnsAndTakesNoMore(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		backend := events.NewMemory(events.Options{})
		t.Cleanup(func() { require.NoError(t, backend.Close()) })
		d := newDesk(t, db, backend)
		d.config.use(silent{})
		id, err := d.Start(t.Context(), d.Sales1, agent.Request{Message: "Acme", Fallback: true})
		require.NoError(t, err)
		over, cancel := context.WithCancel(t.Context())
		cancel()
		d.Close(over)
		require.Equal(t, agent.ReasonStopped, only(t, d.events(t, d.Sales1, id, 0), "done")["reason"])
		_, err = d.Start(t.Context(), d.Sales1, agent.Request{Message: "/help"})
		require.True(t, apperr.Is(err, apperr.Unavailable))
	})
}
