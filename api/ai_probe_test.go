package api_test

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/api"
	"countersign/internal/apitest"
	"countersign/llm/llmtest"
)

const testPath = "/api/ai/config/test"

// trial is the body of a test of a connection.
func trial(url, key string) map[string]string {
	return map[string]string{"provider": "openai", "endpointUrl": url, "model": "m", "apiKey": key}
}

// working answers the three calls of a test.
func working(times int) *llmtest.Endpoint {
	e := llmtest.NewEndpoint()
	for range times {
		e.Add(llmtest.Say("OK").Costs(9, 1).Reply(), llmtest.CallTool("connection_test", "{}").Reply(), llmtest.Say("It works.").Reply())
	}
	return e
}

// marks writes the steps of a stream as name and status.
func marks(a *apitest.Answer) (list []string) {
	for _, e := range a.Events() {
		list = append(list, e.ID+" "+e.Type+" "+e.Data.Text("type")+" "+e.Data.Text("step")+" "+e.Data.Text("status"))
	}
	return list
}

// TestConnectionTest: the whole way over HTTP, with the stored key where none is typed, and nothing saved.
func TestConnectionTest(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		admin := s.As(t, s.Admin)
		endpoint := working(2)
		url := llmtest.Start(t, endpoint)
		answer := admin.Post(testPath, trial(url, canaryKey)).Want(200)
		require.Equal(t, "text/event-stream", answer.Header.Get("Content-Type"))
		all := []string{
			"1 step step connect ok", "2 step step auth ok", "3 step step model ok", "4 step step completion ok",
			"5 step step streaming ok", "6 step step tools ok", "7 step step usage ok",
		}
		require.Equal(t, all, marks(answer))
		require.Equal(t, false, admin.Get("/api/ai/config").JSON()["configured"], "nothing is saved")

		stored := trial(url, canaryKey)
		admin.Do(http.MethodPut, "/api/ai/config", stored).Want(200)
		require.Equal(t, all, marks(admin.Post(testPath, trial(url, "")).Want(200)))
		for _, r := range endpoint.Requests() {
			require.Equal(t, "Bearer "+canaryKey, r.Header.Get("Authorization"))
		}
		item := admin.Get("/api/audit?action=ai-config:test").Want(200).JSON().Items()[0]
		require.Equal(t, []any{"Ada Admin", "allowed"}, []any{item.Text("actor", "name"), item["decision"]})
		host := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/v1")
		require.Equal(t, map[string]any{"provider": "openai", "host": host, "model": "m", "result": "connected", "failed": []any{}}, item["detail"])
	})
}

// TestConnectionTestRefusals come before any stream header, as problem documents.
func TestConnectionTestRefusals(t *testing.T) {
	t.Parallel()
	s := serve(t)
	admin := s.As(t, s.Admin)
	url := llmtest.Start(t, working(5))
	for _, other := range []*apitest.Client{s.As(t, s.Manager), s.As(t, s.Sales1), s.As(t, s.Viewer)} {
		require.Equal(t, "ai-config:update", other.Post(testPath, trial(url, "")).Refused(403, "FORBIDDEN")["permission"])
		require.Equal(t, "ai-config:read", other.Get("/api/ai/models").Refused(403, "FORBIDDEN")["permission"])
	}
	admin.Do(http.MethodPut, "/api/ai/config", trial(url, canaryKey)).Want(200)
	for _, elsewhere := range []string{"http://localhost:9/v1", "https://evil.example/v1"} {
		problem := admin.Post(testPath, trial(elsewhere, "")).Refused(422, "INVALID")
		require.Equal(t, "apiKey", problem.Text("errors", 0, "path"))
		require.Contains(t, problem["detail"], "again")
	}
	require.Equal(t, "endpointUrl", admin.Post(testPath, trial("http://169.254.169.254/v1", "x")).Refused(422, "INVALID").Text("errors", 0, "path"))
	admin.Post(testPath, `{"provider":"openai"}`).Refused(422, "INVALID")
	for range 5 {
		admin.Post(testPath, trial(url, "")).Want(200)
	}
	sixth := admin.Post(testPath, trial(url, ""))
	sixth.Refused(http.StatusTooManyRequests, "RATE_LIMITED")
	require.Regexp(t, `^([1-9]|[1-5]\d|60)$`, sixth.Header.Get("Retry-After"))
}

// TestLeavingEndsAConnectionTest: the endpoint sees it, and the record of the test is written before the request ends.
func TestLeavingEndsAConnectionTest(t *testing.T) {
	t.Parallel()
	s := serve(t)
	closed := make(chan struct{})
	url := llmtest.Start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		for _, frame := range llmtest.Say("O").Frames()[:2] {
			_, _ = w.Write(frame)
		}
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(closed)
	}))
	ended := make(chan struct{})
	inner := s.Handler
	s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inner.ServeHTTP(w, r)
		close(ended)
	})
	hurried(t, s)
	res := s.As(t, s.Admin).Open(http.MethodPost, testPath, trial(url, canaryKey))
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() && !strings.Contains(lines.Text(), `"model"`) {
	}
	require.NoError(t, res.Body.Close())
	<-closed
	<-ended
	require.Equal(t, 1, count(t, s, `SELECT COUNT(*) FROM audit_entries WHERE action = 'ai-config:test' AND detail LIKE '%"cancelled"%'`))
}

// TestConnectionTestKeepsTheKey: it is in no answer, not in the record, not in the log, whatever the endpoint echoes.
func TestConnectionTestKeepsTheKey(t *testing.T) {
	t.Parallel()
	log := &buffer{}
	s := serve(t, func(o *api.Options) { o.Logger = jsonLogger(log) })
	admin := s.As(t, s.Admin)
	echo := llmtest.Start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "/"+canaryKey)
		w.WriteHeader(map[bool]int{true: 400, false: 401}[strings.Contains(r.URL.Path, "models")])
		_, _ = io.WriteString(w, `{"error":{"message":"Incorrect API key: `+canaryKey+`"},"data":[{"id":"`+canaryKey+`"}]}`)
	}))
	answers := []string{admin.Post(testPath, trial(echo, canaryKey)).Want(200).Text}
	require.Contains(t, answers[0], `"failed"`)
	admin.Do(http.MethodPut, "/api/ai/config", trial(echo, canaryKey)).Want(200)
	list := admin.Get("/api/ai/models")
	list.Refused(http.StatusServiceUnavailable, "MODEL_LIST_UNAVAILABLE")
	answers = append(answers, list.Text, admin.Post(testPath, trial(echo+"/%", canaryKey)).Text,
		admin.Post(testPath, trial(echo, canaryKey+" ")).Text, admin.Get("/api/audit").Text)
	_, text := log.lines(t)
	stored := ""
	for _, table := range dump(t, s) {
		stored += table
	}
	for _, place := range append(answers, text, stored) {
		require.NotContains(t, place, "canary-4f7K")
	}
}

func TestModels(t *testing.T) {
	t.Parallel()
	s := serve(t)
	admin := s.As(t, s.Admin)
	require.JSONEq(t, `{"items":[]}`, admin.Get("/api/ai/models").Want(200).Text)
	url := llmtest.Start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"data":[{"id":"b"},{"id":"a"}]}`)
	}))
	admin.Do(http.MethodPut, "/api/ai/config", trial(url, canaryKey)).Want(200)
	require.JSONEq(t, `{"items":[{"id":"a"},{"id":"b"}]}`, admin.Get("/api/ai/models").Want(200).Text)
}
