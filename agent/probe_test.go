package agent_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/agent"
	"countersign/apperr"
	"countersign/events"
	"countersign/i18n"
	"countersign/internal/dbtest"
	"countersign/llm"
	"countersign/llm/llmtest"
	"countersign/llm/openai"
	"countersign/models"
	"countersign/secrets"
	"countersign/settings"
	"countersign/store"
)

const probeKey = "sk-canary-7hTq2Lw9"

// bench is a Prober over a small organisation.
type bench struct {
	*agent.Prober
	*dbtest.World
	config *settings.AIConfig
	client *http.Client
}

// Model implements agent.Dialects.
func (b *bench) Model(c settings.ModelConfig) (llm.Model, error) {
	return openai.New(openai.Options{BaseURL: c.EndpointURL, Key: c.APIKey.Reveal(), Model: c.Model, Client: b.client}), nil
}

func newBench(t *testing.T, db *store.DB, limit time.Duration) *bench {
	t.Helper()
	b := &bench{World: dbtest.NewWorld(t, db), client: llm.NewHTTPClient(nil)}
	backend := events.NewMemory(events.Options{})
	t.Cleanup(func() { require.NoError(t, backend.Close()) })
	var err error
	b.config, err = settings.NewAIConfig(settings.Options{
		Runner: db, Gate: b.Gate, Now: b.Clock.Now, Keyring: secrets.NewKeyring("00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"), AllowPrivate: true,
	})
	require.NoError(t, err)
	b.Prober, err = agent.NewProber(agent.ProberOptions{
		Config: b.config, Dialects: b, Runner: db, Now: b.Clock.Now, Limiter: backend, TestLimit: limit,
	})
	require.NoError(t, err)
	return b
}

// light is a bench where the database does not matter.
func light(t *testing.T) *bench {
	t.Helper()
	return newBench(t, dbtest.Open(t, "sqlite"), 5*time.Second)
}

func typed(url, key string) settings.AIConfigInput {
	return settings.AIConfigInput{Provider: "openai", EndpointURL: url, Model: "m", APIKey: settings.NewAPIKey(key)}
}

// try tests a connection and gives all steps.
func (b *bench) try(t *testing.T, in settings.AIConfigInput) (steps []agent.Step) {
	t.Helper()
	all, err := b.Test(t.Context(), b.Admin, in)
	require.NoError(t, err)
	for step, err := range all {
		require.NoError(t, err)
		steps = append(steps, step)
	}
	return steps
}

// lastTest is the newest record of a test.
func (b *bench) lastTest(t *testing.T) models.AuditEntry {
	t.Helper()
	var found models.AuditEntry
	b.InTx(t, func(tx *store.Tx) {
		entries, err := tx.UnsealedAudit(t.Context(), 1000)
		require.NoError(t, err)
		for _, e := range entries {
			if e.Action == "ai-config:test" {
				found = e
			}
		}
	})
	return found
}

// verdict writes the steps as + ok, x failed and . skipped, with the messages of the failed ones.
func verdictOf(steps []agent.Step) (marks string, messages []string) {
	for _, s := range steps {
		marks += map[agent.StepStatus]string{agent.StepOK: "+", agent.StepFailed: "x", agent.StepSkipped: "."}[s.Status]
		if s.Status == agent.StepFailed {
			messages = append(messages, s.Message)
		}
	}
	return marks, messages
}

var (
	ok       = llmtest.Say("OK").Costs(9, 1).Reply()
	toolCall = llmtest.CallTool("connection_test", "{}").Reply()
	spoken   = llmtest.Say("It works.").Reply()
)

const wholeAnswer = `{"choices":[{"message":{"role":"assistant","content":"OK"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":1}}`

// page is an answer that is no event stream.
func page(status int, body string) llmtest.Reply {
	return llmtest.Reply{Status: status, Header: map[string]string{"Content-Type": "text/html"}, Chunks: [][]byte{[]byte(body)}}
}

// TestProbe: a connection that works, with its three calls.
func TestProbe(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, 0)
		endpoint := llmtest.NewEndpoint(ok, toolCall, spoken)
		url := llmtest.Start(t, endpoint)
		steps := b.try(t, typed(url, probeKey))
		marks, _ := verdictOf(steps)
		require.Equal(t, "+++++++", marks)
		names := make([]agent.StepName, len(steps))
		for i, s := range steps {
			names[i] = s.Name
		}
		require.Equal(t, []agent.StepName{"connect", "auth", "model", "completion", "streaming", "tools", "usage"}, names)

		requests := endpoint.Requests()
		require.Len(t, requests, 3)
		require.Empty(t, requests[0].Tools, "the first call is the plainest")
		require.Equal(t, []string{"connection_test"}, requests[1].Offers())
		said := requests[2].Messages
		require.Equal(t, []string{"assistant", "tool"}, []string{said[len(said)-2].Role, said[len(said)-1].Role})
		require.Equal(t, said[len(said)-2].ToolCalls[0].ID, said[len(said)-1].ToolCallID)
		for _, r := range requests {
			require.Equal(t, "Bearer "+probeKey, r.Header.Get("Authorization"))
			require.True(t, r.Stream)
		}

		view, err := b.config.Get(t.Context(), b.Admin)
		require.NoError(t, err)
		require.False(t, view.Configured, "nothing is saved")
		entry := b.lastTest(t)
		require.Equal(t, []any{b.Admin.UserID, models.DecisionAllowed}, []any{*entry.ActorID, entry.Decision})
		host := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/v1")
		require.JSONEq(t, `{"provider":"openai","host":"`+host+`","model":"m","result":"connected","failed":[]}`, string(entry.Detail))
	})
}

// TestProbeSaysWhatIsWrong at the step that it belongs to, and goes on where that makes sense.
func TestProbeSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	refuse := func(status int, message string) llmtest.Reply {
		return llmtest.Refuse(status, `{"error":{"message":"`+message+` PROVIDER-WORDS"}}`)
	}
	broken := llmtest.NewEndpoint
	for name, test := range map[string]struct {
		endpoint *llmtest.Endpoint
		marks    string
		text     string
	}{
		"wrong key":             {broken(refuse(401, "Incorrect API key provided")), "+x.....", "key_refused"},
		"key without the right": {broken(refuse(403, "no")), "+x.....", "key_forbidden"},
		"unknown model":         {broken(llmtest.Refuse(404, `{"error":{"message":"The model m does not exist","code":"model_not_found"}}`)), "++x....", "no_model"},
		"no quota":              {broken(llmtest.Refuse(429, `{"error":{"message":"no","code":"insufficient_quota"}}`)), "++.x...", "quota"},
		"busy":                  {broken(refuse(429, "slow down")), "++.x...", "busy"},
		"missing /v1":           {broken(page(404, "404 page not found")), "+..x...", "not_found"},
		"web page":              {broken(page(200, "<!doctype html><title>PROVIDER-WORDS</title>")), "+..x...", "not_api"},
		"another API":           {broken(page(200, `{"hello":"PROVIDER-WORDS"}`)), "+..x...", "not_api"},
		"redirect":              {broken(llmtest.Reply{Status: 307, Header: map[string]string{"Location": "http://127.0.0.1:1/"}}), "+..x...", "redirected"},
		"server in trouble":     {broken(refuse(503, "overloaded")), "+..x...", "trouble"},
		"refused request":       {broken(refuse(422, "what is this")), "+..x...", "refused"},
		"cut before the answer": {broken(llmtest.Reply{End: llmtest.EndCut}), "+..x...", "cut"},
		"cut amid the answer":   {broken(llmtest.Reply{Chunks: llmtest.Say("O", "K").Frames()[:3], End: llmtest.EndCut}), "+++x...", "cut"},
		"empty answer":          {broken(llmtest.Say().Reply()), "+..x...", "empty"},
		"JSON, no stream":       {broken(page(200, wholeAnswer), toolCall, spoken), "++++x++", "whole"},
		"no tools, in words":    {broken(ok, refuse(400, "this model does not support tools")), "+++++x+", "no_tools"},
		"no tools, refused":     {broken(ok, refuse(400, "unknown field")), "+++++x+", "no_tools"},
		"call never comes":      {broken(ok, llmtest.Say("I cannot.").Reply()), "+++++x+", "not_called"},
		"call as text":          {broken(ok, llmtest.Say(`<tool_call>{"name":"connection_test","arguments":{}}</tool_call>`).Reply()), "+++++x+", "leaked_call"},
		"unknown call":          {broken(ok, llmtest.CallTool("other", "{}").Reply()), "+++++x+", "bad_call"},
		"busy at the tool":      {broken(ok, refuse(429, "slow down")), "+++++x+", "busy"},
		"no replay":             {broken(ok, toolCall, refuse(500, "template error")), "+++++x+", "no_replay"},
		"no usage":              {broken(llmtest.Say("OK").Reply(), toolCall, spoken), "++++++x", "no_usage"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := light(t)
			marks, messages := verdictOf(b.try(t, typed(llmtest.Start(t, test.endpoint), probeKey)))
			require.Equal(t, test.marks, marks)
			require.Len(t, messages, 1)
			want := i18n.T(i18n.EN, "probe."+test.text, "status", 422, "reason", i18n.T(i18n.EN, "probe.trouble"))
			require.Equal(t, want, messages[0])
			entry := b.lastTest(t)
			connected := strings.HasPrefix(marks, "++++")
			require.Equal(t, map[bool]models.Decision{true: models.DecisionAllowed, false: models.DecisionFailed}[connected], entry.Decision)
			require.NotContains(t, string(entry.Detail), "PROVIDER-WORDS")
		})
	}
}

// TestProbeCannotConnect: what fails before there is a connection is told at the first step.
func TestProbeCannotConnect(t *testing.T) {
	t.Parallel()
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(secure.Close)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	noSuchName := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "api.example.com", IsNotFound: true}}
	}}}
	guarded := llm.NewHTTPClient(func(string, string, syscall.RawConn) error { return errors.New("not there") })
	for name, test := range map[string]struct {
		url    string
		client *http.Client
		text   string
	}{
		"no such name":         {"https://api.example.com/v1", noSuchName, "dns"},
		"refused":              {gone.URL + "/v1", nil, "unreachable"},
		"unknown certificate":  {secure.URL + "/v1", nil, "tls"},
		"no TLS at all":        {strings.Replace(plain.URL, "http:", "https:", 1) + "/v1", nil, "tls"},
		"blocked when dialled": {plain.URL + "/v1", guarded, "blocked"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := light(t)
			if test.client != nil {
				b.client = test.client
			}
			marks, messages := verdictOf(b.try(t, typed(test.url, "")))
			require.Equal(t, "x......", marks)
			require.Equal(t, []string{i18n.T(i18n.EN, "probe."+test.text)}, messages)
			require.Contains(t, string(b.lastTest(t).Detail), `"failed":["connect"]`)
		})
	}
}

func TestProbeSpeaksThePersonsLanguage(t *testing.T) {
	t.Parallel()
	b := light(t)
	b.Admin.Lang = "zh-HK"
	_, messages := verdictOf(b.try(t, typed(llmtest.Start(t, llmtest.NewEndpoint(llmtest.Refuse(401, "{}"))), "")))
	require.Equal(t, []string{"端點需要 API 金鑰。請輸入。"}, messages, "and knows that no key was given")
}

// TestProbeEndsInTime: silence is told at the step where it came, and what is known already stays.
func TestProbeEndsInTime(t *testing.T) {
	t.Parallel()
	silent := llmtest.Reply{End: llmtest.EndSilence}
	for marks, endpoint := range map[string]*llmtest.Endpoint{
		"+..x...": llmtest.NewEndpoint(silent),
		"+++x...": llmtest.NewEndpoint(llmtest.Reply{Chunks: llmtest.Say("O").Frames()[:2], End: llmtest.EndSilence}),
		"+++++x+": llmtest.NewEndpoint(ok, silent),
	} {
		b := newBench(t, dbtest.Open(t, "sqlite"), 300*time.Millisecond)
		started := time.Now()
		got, messages := verdictOf(b.try(t, typed(llmtest.Start(t, endpoint), probeKey)))
		require.Equal(t, marks, got)
		require.Equal(t, []string{i18n.T(i18n.EN, "probe.too_slow")}, messages)
		require.Less(t, time.Since(started), 3*time.Second)
	}
}

// TestProbeEndsWithItsListener: leaving closes the connection to the endpoint, and the test is on the record.
func TestProbeEndsWithItsListener(t *testing.T) {
	t.Parallel()
	type listen = func(func(agent.Step, error) bool)
	ways := map[string]func(steps listen, leave context.CancelFunc){
		"stops reading": func(steps listen, _ context.CancelFunc) {
			for step := range steps {
				if step.Name == agent.StepModel {
					return
				}
			}
		},
		"goes away": func(steps listen, leave context.CancelFunc) {
			for step := range steps {
				if step.Name == agent.StepModel {
					leave()
				}
			}
		},
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := light(t)
			closed := make(chan struct{})
			url := llmtest.Start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body) // only then does the server see the client leave
				for _, frame := range llmtest.Say("O").Frames()[:2] {
					_, _ = w.Write(frame)
				}
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
				close(closed)
			}))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			steps, err := b.Test(ctx, b.Admin, typed(url, probeKey))
			require.NoError(t, err)
			way(steps, cancel)
			<-closed
			require.Contains(t, string(b.lastTest(t).Detail), `"result":"cancelled"`)
			require.Contains(t, string(b.lastTest(t).Detail), `"failed":[]`)
		})
	}
}

// TestProbeRefuses before any step, and what is refused for its values does not count.
func TestProbeRefuses(t *testing.T) {
	t.Parallel()
	b := light(t)
	url := llmtest.Start(t, http.NotFoundHandler())
	for _, who := range []models.Actor{b.Manager, b.Sales1, b.Viewer} {
		_, err := b.Test(t.Context(), who, typed(url, probeKey))
		require.True(t, apperr.Is(err, apperr.Forbidden))
		_, err = b.Models(t.Context(), who)
		require.True(t, apperr.Is(err, apperr.Forbidden))
	}
	for range 10 {
		_, err := b.Test(t.Context(), b.Admin, typed("http://169.254.169.254/v1", probeKey))
		require.True(t, apperr.Is(err, apperr.Invalid))
	}
	for range agent.TestsPerWindow {
		b.try(t, typed(url, probeKey))
	}
	_, err := b.Test(t.Context(), b.Admin, typed(url, probeKey))
	require.True(t, apperr.Is(err, apperr.RateLimited))
	require.Positive(t, apperr.As(err).RetryAfter)
}
