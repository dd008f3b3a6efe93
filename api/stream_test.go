package api_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/api"
	"countersign/conversations"
	"countersign/events"
	"countersign/internal/apitest"
	"countersign/models"
)

// turn is a turn of Sales1 whose events the test writes to the log itself.
func turn(t *testing.T, s *apitest.Server) (id string, say func(kind string, terminal bool)) {
	t.Helper()
	started, err := s.Services.Conversations.Start(t.Context(), s.Sales1, conversations.Opening{NewID: models.NewID(), Message: "hello", Channel: models.ViaWeb})
	require.NoError(t, err)
	n := 0
	return started.Turn.ID, func(kind string, terminal bool) {
		n++
		frame := events.Frame{Type: kind, Data: fmt.Appendf(nil, `{"type":%q,"n":%d,"text":"商機 <b>"}`, kind, n), Terminal: terminal}
		_, err := s.Backend.Append(context.WithoutCancel(t.Context()), started.Turn.ID, frame)
		require.NoError(t, err)
	}
}

func TestSTR10StreamBytes(t *testing.T) {
	t.Parallel()
	s := serve(t)
	id, say := turn(t, s)
	say("start", false)
	say("token", false)
	say("done", true)
	c := s.As(t, s.Sales1).With("Accept-Encoding", "gzip")
	answer := c.Get("/api/turns/" + id + "/events").Want(200)
	first := "id: 1\nevent: start\ndata: {\"type\":\"start\",\"n\":1,\"text\":\"商機 <b>\"}\n\n"
	second := "id: 2\nevent: token\ndata: {\"type\":\"token\",\"n\":2,\"text\":\"商機 <b>\"}\n\n"
	last := "id: 3\nevent: done\ndata: {\"type\":\"done\",\"n\":3,\"text\":\"商機 <b>\"}\n\n"
	whole := first + second + last
	require.Equal(t, whole, answer.Text)
	for name, want := range map[string]string{
		"Content-Type": "text/event-stream", "Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no", "Content-Encoding": "",
		"Content-Location": "/api/turns/" + id + "/events",
	} {
		require.Equal(t, want, answer.Header.Get(name), name)
	}
	for after, rest := range map[int]string{0: whole, 1: second + last, 2: last, 3: ""} {
		require.Equal(t, rest, c.Get(fmt.Sprintf("/api/turns/%s/events?after=%d", id, after)).Want(200).Text)
		require.Equal(t, rest, c.With("Last-Event-ID", fmt.Sprint(after)).Get("/api/turns/"+id+"/events").Want(200).Text)
	}
}

func TestStreamRefusals(t *testing.T) {
	t.Parallel()
	s := serve(t)
	id, say := turn(t, s)
	say("done", true)
	path := "/api/turns/" + id + "/events"
	s.As(t, s.Admin).Get(path).Refused(404, "NOT_FOUND")
	s.As(t, s.Sales1).Get("/api/turns/"+models.NewID()+"/events").Refused(404, "NOT_FOUND")
	s.As(t, s.Sales1).Get(path+"?after=-1").Refused(422, "INVALID")
	s.As(t, s.Sales1).Get(path+"?after=x").Refused(422, "INVALID")
	s.As(t, s.Sales1).With("Last-Event-ID", "x").Get(path).Refused(422, "INVALID")
	forgotten, _ := turn(t, s)
	s.As(t, s.Sales1).Get("/api/turns/"+forgotten+"/events").Refused(404, "NOT_FOUND")
}

// hurried serves with deadlines much shorter than the streams of the test.
func hurried(t *testing.T, s *apitest.Server) {
	t.Helper()
	server := httptest.NewUnstartedServer(s.Handler)
	server.Config.ReadTimeout, server.Config.WriteTimeout = 500*time.Millisecond, 500*time.Millisecond
	server.Start()
	t.Cleanup(server.Close)
	s.URL = server.URL
}

// TestStreamOutlivesTheServersTimeouts: a stream of several times the deadlines of the server arrives whole, with
// comments while nothing happens.
func TestStreamOutlivesTheServersTimeouts(t *testing.T) {
	t.Parallel()
	s := serve(t, func(o *api.Options) { o.Heartbeat = 50 * time.Millisecond })
	hurried(t, s)
	id, say := turn(t, s)
	say("start", false)
	res := s.As(t, s.Sales1).Open(http.MethodGet, "/api/turns/"+id+"/events?after=1", nil)
	defer res.Body.Close()
	require.Equal(t, 200, res.StatusCode, "the answer begins before there is an event")
	lines := bufio.NewScanner(res.Body)
	beats, ids, ended := 0, []string{}, false
	started := time.Now()
	for lines.Scan() {
		switch line := lines.Text(); {
		case line == ": heartbeat":
			beats++
			if beats == 20 {
				say("token", false)
			}
			if !ended && time.Since(started) > 2*time.Second {
				ended = true
				say("done", true)
			}
		case strings.HasPrefix(line, "id: "):
			ids = append(ids, line)
		}
	}
	require.NoError(t, lines.Err(), "the end is clean")
	require.Equal(t, []string{"id: 2", "id: 3"}, ids)
	require.Greater(t, beats, 25)
	require.Greater(t, time.Since(started), 2*time.Second)
}

// TestChatOutlivesTheServersTimeouts does the same for the request that starts a turn, whose body has been read.
func TestChatOutlivesTheServersTimeouts(t *testing.T) {
	t.Parallel()
	s := serve(t)
	hurried(t, s)
	require.NotEmpty(t, s.As(t, s.Sales1).Say("/help").Event("done"))
}

func TestLeavingDoesNotStopATurn(t *testing.T) {
	t.Parallel()
	s := serve(t)
	id, say := turn(t, s)
	say("start", false)
	c := s.As(t, s.Sales1)
	res := c.Open(http.MethodGet, "/api/turns/"+id+"/events", nil)
	_, err := io.ReadAtLeast(res.Body, make([]byte, 200), 10)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	say("done", true)
	require.Len(t, c.Get("/api/turns/"+id+"/events").Events(), 2)
	require.Equal(t, 1, count(t, s, "SELECT COUNT(*) FROM turns WHERE status = 'running'"))
}

// TestChat: the whole way of a command, and every reader of its turn sees the same.
func TestChat(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		c := s.As(t, s.Sales1)
		stream := c.Say("/get_company Acme")
		all := stream.Events()
		var types []string
		for i, e := range all {
			require.Equal(t, fmt.Sprint(i+1), e.ID, "no gaps")
			require.Equal(t, e.Type, e.Data["type"])
			types = append(types, e.Type)
		}
		require.Subset(t, types, []string{"start", "tool_start", "tool_end", "records", "done"})
		require.Equal(t, "done", types[len(types)-1])
		turnID := all[0].Data.Text("turnId")
		require.Equal(t, stream.Text, c.Get("/api/turns/"+turnID+"/events").Text, "byte for byte")
		c.Post("/api/turns/"+turnID+"/stop", `{}`).Want(http.StatusNoContent)
		c.Post("/api/turns/"+models.NewID()+"/stop", nil).Refused(404, "NOT_FOUND")
		s.As(t, s.Sales2).Post("/api/turns/"+turnID+"/stop", nil).Refused(404, "NOT_FOUND")
	})
}

// TestTheRecordOnTheScreenIsKept with the message, when it is one that the person sees.
func TestTheRecordOnTheScreenIsKept(t *testing.T) {
	t.Parallel()
	s := serve(t)
	c := s.As(t, s.Sales1)
	refs := func(id string) any {
		start := c.Post("/api/chat", map[string]any{"message": "/help", "context": map[string]string{"type": "deal", "id": id}}).Want(200).Event("start")
		return c.Get("/api/conversations/"+start.Text("conversationId")).JSON().At("messages", 0, "refs")
	}
	require.Equal(t, []any{map[string]any{"type": "deal", "id": s.AcmeRenewal.ID, "name": "Acme renewal"}}, refs(s.AcmeRenewal.ID))
	require.Empty(t, refs(s.HarbourRollout.ID))
}

// TestChatRefusals come before any stream header, as problem documents.
func TestChatRefusals(t *testing.T) {
	t.Parallel()
	s := serve(t)
	c := s.As(t, s.Sales1)
	problem := c.Post("/api/chat", `{"message":"hello"}`).Refused(http.StatusServiceUnavailable, "NOT_CONFIGURED")
	require.Contains(t, problem["detail"], "/admin/ai-config")
	c.Post("/api/chat", `{"message":" "}`).Refused(422, "INVALID")
	c.Post("/api/chat", `{"message":"`+strings.Repeat("x", 8001)+`"}`).Refused(422, "INVALID")
	c.Post("/api/chat", `{"message":"/help","conversationId":"`+models.NewID()+`"}`).Refused(404, "NOT_FOUND")
	c.Post("/api/chat", `{"message":"/help","context":{"type":"deal"}}`).Refused(422, "INVALID")
	c.Post("/api/chat", `{"message":"acme","fallback":true,"context":{"type":"deal","id":"x"}}`).Want(200).Event("done")

	running, err := s.Backend.Acquire(t.Context(), "conversation:"+c.Get("/api/conversations").JSON().Text("items", 0, "id"), time.Minute)
	require.NoError(t, err)
	id := c.Get("/api/conversations").JSON().Text("items", 0, "id")
	c.Post("/api/chat", map[string]string{"message": "/help", "conversationId": id}).Refused(http.StatusConflict, "TURN_IN_PROGRESS")
	require.NoError(t, running.Release(t.Context()))
	for range 9 {
		c.Say("/help")
	}
	answer := c.Post("/api/chat", `{"message":"/help"}`)
	answer.Refused(http.StatusTooManyRequests, "RATE_LIMITED")
	require.Regexp(t, `^([1-9]|[1-5]\d|60)$`, answer.Header.Get("Retry-After"))
	s.As(t, s.Sales2).Say("/help")
}
