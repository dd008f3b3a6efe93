package api_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/apitest"
	"countersign/jobs"
)

// TestASummaryIsCarriedOver: a new conversation begins with the summary of another one of one's own.
func TestASummaryIsCarriedOver(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		c := s.As(t, s.Sales1)
		id := c.Say("/help").Event("start").Text("conversationId")
		require.NotContains(t, c.Get("/api/conversations/"+id).JSON(), "summary")
		carry := map[string]any{"message": "/help", "carryFrom": id}
		c.Post("/api/chat", carry).Refused(422, "INVALID")
		require.NoError(t, s.Services.Conversations.KeepSummary(t.Context(), jobs.Summarize{ConversationID: id, UpToSeq: 2}, "openai/m", "They want 5% off."))
		require.Equal(t, "They want 5% off.", c.Get("/api/conversations/"+id).JSON().Text("summary", "text"))
		s.As(t, s.Sales2).Post("/api/chat", carry).Refused(404, "NOT_FOUND")
		c.Post("/api/chat", map[string]any{"message": "/help", "carryFrom": id, "conversationId": id}).Refused(422, "INVALID")

		carried := c.Post("/api/chat", carry).Want(200).Event("start").Text("conversationId")
		require.NotEqual(t, id, carried)
		summary := c.Get("/api/conversations/" + carried).JSON().At("summary").(map[string]any)
		require.Equal(t, []any{"They want 5% off.", 0.0}, []any{summary["text"], summary["upToSeq"]})
	})
}

// TestSTR07Conversation shows after a reload what the stream has shown.
func TestSTR07Conversation(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		c := s.As(t, s.Sales1)
		stream := c.Say(winRenewal)
		id := stream.Event("start").Text("conversationId")
		p := apitest.Object(stream.Event("proposal")["proposal"].(map[string]any))
		path := "/api/conversations/" + id

		thread := c.Get(path).Want(200).JSON()
		require.Equal(t, []any{id, winRenewal, "web"}, []any{thread["id"], thread["title"], thread["channel"]})
		require.Equal(t, []any{"user", winRenewal, "complete"}, []any{thread.At("messages", 0, "role"), thread.At("messages", 0, "content"), thread.At("messages", 0, "status")})
		for _, list := range []string{"toolCalls", "proposals", "refs", "notices"} {
			require.Equal(t, []any{}, thread.At("messages", 0, list))
		}
		reply := thread.At("messages", 1).(map[string]any)
		require.Equal(t, stream.Event("start")["messageId"], reply["id"])
		require.Equal(t, stream.Event("start")["turnId"], reply["turnId"])
		require.Equal(t, []any{map[string]any(p)}, reply["proposals"])
		call := thread.At("messages", 1, "toolCalls", 0).(map[string]any)
		end := stream.Event("tool_end")
		for _, member := range []string{"callId", "name", "status", "summary", "result", "ms"} {
			require.Equal(t, end[member], call[member], member)
		}

		c.Post(confirmPath(p), confirmation(p)).Want(200)
		thread = c.Get(path).JSON()
		require.Equal(t, "executed", thread.At("messages", 1, "proposals", 0, "status"), "the state now, not as it was streamed")
		require.NotEmpty(t, thread.At("messages", 2, "content"), "and what came of it")
		require.Len(t, thread["messages"], 3)

		searched := c.Post("/api/chat", `{"message":"acme","fallback":true,"conversationId":"`+id+`"}`).Want(200)
		notice := searched.Event("notice")
		require.Equal(t, []any{map[string]any{"code": "NO_MODEL", "text": notice["text"]}}, c.Get(path).JSON().At("messages", 4, "notices"))

		c.Patch(path, `{"title":""}`).Refused(422, "INVALID")
		require.Equal(t, "Renewal 續約", c.Patch(path, `{"title":"Renewal 續約"}`).Want(200).JSON()["title"])
		other := s.As(t, s.Admin)
		other.Get(path).Refused(404, "NOT_FOUND")
		other.Patch(path, `{"title":"Mine"}`).Refused(404, "NOT_FOUND")
		other.Delete(path).Refused(404, "NOT_FOUND")
		require.Empty(t, other.Get("/api/conversations").Want(200).JSON().Items())
		c.Delete(path).Want(204)
		c.Get(path).Refused(404, "NOT_FOUND")
		require.Empty(t, c.Get("/api/conversations").JSON().Items())
	})
}
