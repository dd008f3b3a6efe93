package api_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/agent"
	"countersign/api"
	"countersign/events"
	"countersign/internal/apitest"
	"countersign/internal/dbtest"
	"countersign/llm"
	"countersign/llm/llmtest"
	"countersign/llm/openai"
	"countersign/models"
	"countersign/store"
	"countersign/tools"
)

// answerTokens is how many pieces of text the answer of a turn has.
const answerTokens = 20

// BenchmarkTurn runs a turn of one look-up and an answer over HTTP, from the message to the last event, at a model
// endpoint that costs nothing. "bare" is the same loop written by hand, which keeps nothing, checks nothing and looks
// nothing up; "sql" are the statements of the turn, sent again by themselves. first-p50 and first-p99
// are the time, in microseconds, from the endpoint's sending of the first token to the client's having it.
func BenchmarkTurn(b *testing.B) {
	b.Run("bare", func(b *testing.B) {
		upstream := newUpstream(answerTokens)
		server := httptest.NewServer(bareLoop(llmtest.Start(b, upstream)))
		b.Cleanup(server.Close)
		runTurns(b, upstream, []*apitest.Client{(&apitest.Server{URL: server.URL}).Stranger(b)})
	})
	for _, dialect := range dbtest.Dialects {
		b.Run(dialect, func(b *testing.B) {
			upstream := newUpstream(answerTokens)
			s := turnServer(b, dbtest.Open(b, dialect), upstream)
			runTurns(b, upstream, []*apitest.Client{s.As(b, s.Sales1), s.As(b, s.Manager), s.As(b, s.Admin), s.As(b, s.Viewer)})
		})
		b.Run(dialect+"-sql", func(b *testing.B) { runSQL(b, dialect) })
	}
}

// BenchmarkTokens reports the allocations for each token of a long answer, upstream and client included.
func BenchmarkTokens(b *testing.B) {
	const tokens = 5000
	for _, dialect := range dbtest.Dialects {
		b.Run(dialect, func(b *testing.B) {
			upstream := newUpstream(tokens)
			s := turnServer(b, dbtest.Open(b, dialect), upstream)
			client := s.As(b, s.Sales1)
			b.ReportAllocs()
			var before, after runtimeStats
			before.read()
			for b.Loop() {
				readTurn(b, client)
			}
			after.read()
			turns := float64(b.N)
			b.ReportMetric(float64(after.mallocs-before.mallocs)/turns/tokens, "allocs/token")
		})
	}
}

// upstream is a model endpoint that has its answers ready: first a call, then, when that has its result, text.
type upstream struct {
	call, text [][]byte
	first      atomic.Int64
}

func newUpstream(tokens int) *upstream {
	return &upstream{
		call: llmtest.CallTool("get_deal", `{"deal":"Acme renewal"}`).Costs(900, 20).Frames(),
		text: llmtest.Say(slices.Repeat([]string{"word "}, tokens)...).Costs(1100, tokens).Frames(),
	}
}

func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body := make([]byte, r.ContentLength)
	_, _ = io.ReadFull(r.Body, body)
	frames := u.call
	looksUp := !bytes.Contains(body, []byte(`"role":"tool"`))
	if !looksUp {
		frames = u.text
	}
	w.Header().Set("Content-Type", "text/event-stream")
	control := http.NewResponseController(w)
	for i, frame := range frames {
		if i == 1 && !looksUp {
			u.first.Store(time.Now().UnixNano())
		}
		_, _ = w.Write(frame)
		_ = control.Flush()
	}
}

// turnServer is the product with a model at upstream, and a limit of messages that is never reached.
func turnServer(b *testing.B, db *store.DB, upstream http.Handler) *apitest.Server {
	b.Helper()
	model := openai.New(openai.Options{BaseURL: llmtest.Start(b, upstream), Model: "bench", Client: llm.NewHTTPClient(nil)})
	start, backend := time.Now(), events.NewMemory(events.Options{})
	limiter := events.NewMemory(events.Options{Now: func() time.Time { return start.Add(10_000 * time.Since(start)) }})
	s := apitest.New(b, db, func(o *api.Options) {
		v := &o.Services
		executor, err := tools.NewExecutor(tools.ExecutorOptions{Registry: v.Tools, Gate: v.Gate, Proposals: v.Proposals, Runner: v.Runner, Now: o.Now})
		require.NoError(b, err)
		v.Agent, err = agent.New(agent.Options{
			Executor: executor, Gate: v.Gate, Conversations: v.Conversations, Ledger: v.Ledger, Runner: v.Runner, Now: o.Now, Resolver: v.Resolver,
			Proposals:  v.Proposals,
			Assistants: benchModel{model}, Prompter: benchModel{}, Limiter: limiter, Locker: backend, Log: backend, Bus: backend,
		})
		require.NoError(b, err)
		b.Cleanup(func() {
			v.Agent.Close(context.Background())
			_, _ = backend.Close(), limiter.Close()
		})
	})
	return s
}

// benchModel is the configuration of the model and the person whom it is told of.
type benchModel struct{ llm.Model }

func (benchModel) Configured(context.Context) (bool, error) { return true, nil }

func (m benchModel) Assistant(context.Context) (agent.Assistant, error) {
	return agent.Assistant{Model: m.Model, Name: "openai/bench", MaxRounds: 8}, nil
}

func (benchModel) Learn(context.Context, models.Actor, agent.Assistant) error { return nil }

func (benchModel) Subject(_ context.Context, a models.Actor) (agent.Subject, error) {
	return agent.Subject{Name: a.Name, Role: "Sales"}, nil
}

func runTurns(b *testing.B, u *upstream, clients []*apitest.Client) {
	b.Helper()
	var first []time.Duration
	b.ReportAllocs()
	defer reportCPU(b)()
	for i := 0; b.Loop(); i++ {
		at := readTurn(b, clients[i%len(clients)])
		first = append(first, at.Sub(time.Unix(0, u.first.Load())))
	}
	slices.Sort(first)
	b.ReportMetric(float64(first[len(first)/2].Microseconds()), "first-p50-µs")
	b.ReportMetric(float64(first[len(first)*99/100].Microseconds()), "first-p99-µs")
}

// runSQL sends what a turn sends to its database, and nothing else.
func runSQL(b *testing.B, dialect string) {
	b.Helper()
	var tape dbtest.Tape
	db := dbtest.OpenWith(b, dialect, tape.Wrap)
	s := turnServer(b, db, newUpstream(answerTokens))
	client := s.As(b, s.Sales1)
	for range 10 {
		readTurn(b, client)
	}
	tape.Record(func() { readTurn(b, client) })
	defer reportCPU(b)()
	for b.Loop() {
		require.NoError(b, tape.Replay(b.Context(), db.SQL()))
	}
	statements, transactions := tape.Statements()
	b.ReportMetric(float64(statements), "statements")
	b.ReportMetric(float64(transactions), "transactions")
}

// reportCPU reports the processor time of this process for an operation. It hardly depends on what else runs.
func reportCPU(b *testing.B) (report func()) {
	before := cpuTime(b)
	return func() { b.ReportMetric(float64((cpuTime(b)-before).Microseconds())/float64(b.N), "cpu-µs/op") }
}

func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// readTurn sends a message, reads the turn to its end, and gives the time of the first token.
func readTurn(b *testing.B, c *apitest.Client) (first time.Time) {
	b.Helper()
	res := c.Open(http.MethodPost, "/api/chat", `{"message":"How is the Acme renewal going?"}`)
	defer res.Body.Close()
	done := false
	lines := bufio.NewReader(res.Body)
	for {
		line, err := lines.ReadSlice('\n')
		if bytes.HasPrefix(line, []byte("event: token")) && first.IsZero() {
			first = time.Now()
		}
		done = done || bytes.HasPrefix(line, []byte("event: done"))
		if err != nil {
			break
		}
	}
	if !done || first.IsZero() {
		b.Fatalf("the turn did not end well: %d", res.StatusCode)
	}
	return first
}

// bareLoop is the least that answers a message by a model with one tool.
func bareLoop(endpoint string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		messages := []map[string]any{{"role": "system", "content": "You are helpful."}, {"role": "user", "content": "How is the Acme renewal going?"}}
		for {
			call, err := bareRound(w, endpoint, messages)
			if err != nil || call == nil {
				_, _ = io.WriteString(w, "event: done\ndata: {}\n\n")
				return
			}
			messages = append(messages,
				map[string]any{"role": "assistant", "tool_calls": []any{call}},
				map[string]any{"role": "tool", "tool_call_id": call["id"], "content": `{"title":"Acme renewal","stage":"New"}`})
		}
	}
}

func bareRound(w http.ResponseWriter, endpoint string, messages []map[string]any) (call map[string]any, err error) {
	body, err := json.Marshal(map[string]any{"model": "bench", "stream": true, "messages": messages})
	if err != nil {
		return nil, err
	}
	res, err := http.Post(endpoint+"/chat/completions", "application/json", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var chunk struct {
			Choices []struct {
				Delta struct {
					Content   string           `json:"content"`
					ToolCalls []map[string]any `json:"tool_calls"`
				} `json:"delta"`
			} `json:"choices"`
		}
		if err := json.Unmarshal([]byte(data), &chunk); err != nil {
			return nil, err
		}
		for _, choice := range chunk.Choices {
			for _, c := range choice.Delta.ToolCalls {
				call = c
			}
			if choice.Delta.Content != "" {
				token, err := json.Marshal(map[string]string{"delta": choice.Delta.Content})
				if err != nil {
					return nil, err
				}
				_, _ = fmt.Fprintf(w, "event: token\ndata: %s\n\n", token)
				_ = http.NewResponseController(w).Flush()
			}
		}
	}
	return call, nil
}
