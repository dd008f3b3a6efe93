package llm_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"countersign/llm"
	"countersign/llm/llmtest"
)

// notYet lists the cases whose expectation is not met, with the reason. Such a case must fail: one that passes
// has to leave the list.
var notYet = map[string]string{}

// notCompared lists members of an expectation that no case is held to, with the reason.
var notCompared = map[string]string{
	"leak.recoverable": "calls are never recovered from text, because a text can quote anyone",
}

// streamCase is a *.meta.json file.
type streamCase struct {
	ID        string            `json:"id"`
	Body      string            `json:"body"`
	Provider  string            `json:"provider"`
	Status    int               `json:"status"`
	Headers   map[string]string `json:"headers"`
	Transport struct {
		Mode       string `json:"mode"`
		SplitAt    []int  `json:"split_at"`
		SplitEvery int    `json:"split_every"`
	} `json:"transport"`
	Expect map[string]any `json:"expect"`

	content []byte
}

// tool is an entry of TOOLS.json.
type tool struct {
	Name       string          `json:"name"`
	Parameters json.RawMessage `json:"parameters"`
}

// TestStreamCases plays each recorded body over HTTP, in its dialect, and compares everything that came of it with
// the expectation beside it. STREAM_CASES names another folder of the same layout.
func TestStreamCases(t *testing.T) {
	t.Parallel()
	cases, tools := loadCases(t)
	tally := &tally{passed: map[string]int{}, total: map[string]int{}}
	t.Cleanup(func() { tally.log(t) })
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			got, want := marshal(t, c.play(t, c.reply(), tools)), marshal(t, c.want())
			passed := got == want
			tally.count(c.ID, passed)
			if reason, listed := notYet[c.ID]; listed {
				require.False(t, passed, "it passes now; take it off the list (%s)", reason)
				return
			}
			require.JSONEq(t, want, got)
		})
	}
}

// TestStreamCasesInOtherPieces: where packets happen to end changes nothing.
func TestStreamCasesInOtherPieces(t *testing.T) {
	t.Parallel()
	cases, tools := loadCases(t)
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(1, uint64(len(c.content))))
			want := marshal(t, c.play(t, c.reply(), tools))
			for range 3 {
				reply := c.reply()
				reply.Chunks = pieces(random, c.content)
				require.JSONEq(t, want, marshal(t, c.play(t, reply, tools)))
			}
		})
	}
}

// pieces cuts a body at random places, some of them side by side.
func pieces(random *rand.Rand, body []byte) [][]byte {
	var out [][]byte
	for len(body) > 0 {
		n := min(len(body), 1+random.IntN(1+random.IntN(1+len(body)/4)))
		out = append(out, body[:n])
		body = body[n:]
	}
	return out
}

func loadCases(t *testing.T) ([]streamCase, []tool) {
	t.Helper()
	folder := os.Getenv("STREAM_CASES")
	if folder == "" {
		folder = filepath.Join("testdata", "streams")
	}
	var tools []tool
	readJSON(t, filepath.Join(folder, "TOOLS.json"), &tools)
	files, err := filepath.Glob(filepath.Join(folder, "*.meta.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	cases := make([]streamCase, len(files))
	for i, file := range files {
		readJSON(t, file, &cases[i])
		cases[i].content, err = os.ReadFile(filepath.Join(folder, cases[i].Body))
		require.NoError(t, err)
	}
	return cases, tools
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	out, err := json.MarshalIndent(v, "", " ")
	require.NoError(t, err)
	return string(out)
}

func readJSON(t *testing.T, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, into), file)
}

// dialect is the dialect of the case.
func (c *streamCase) dialect() dialect {
	if strings.HasPrefix(c.Provider, "anthropic") {
		return dialects[1]
	}
	return dialects[0]
}

// play serves the reply and streams it through the model.
func (c *streamCase) play(t *testing.T, reply llmtest.Reply, tools []tool) map[string]any {
	t.Helper()
	d := c.dialect()
	model := d.model(t, llmtest.Start(t, llmtest.NewEndpoint(reply)), func(o *llm.Options) { o.Now = c.now })
	request := llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Text: "Hi"}}}
	schemas := map[string]json.RawMessage{}
	for _, tool := range tools {
		request.Tools = append(request.Tools, llm.Tool{Name: tool.Name, Schema: tool.Parameters})
		schemas[tool.Name] = tool.Parameters
	}
	o := outcome{llmtest.Collect(t, model, request), d}
	return o.table(schemas, c.Expect)
}

// now stands half a minute before a reset that the case gives as a date.
func (c *streamCase) now() time.Time {
	if epoch, ok := c.Expect["retry_at_epoch_ms"].(float64); ok {
		return time.UnixMilli(int64(epoch)).Add(-30 * time.Second)
	}
	return time.Now()
}

func (c *streamCase) reply() llmtest.Reply {
	reply := llmtest.Reply{Status: c.Status, Header: c.Headers, Chunks: c.pieces()}
	switch mode := c.Transport.Mode; {
	case strings.Contains(mode, "abort"), strings.Contains(mode, "reset"):
		reply.End = llmtest.EndCut
	case strings.Contains(mode, "stall"), strings.Contains(mode, "hang"), strings.Contains(mode, "open"):
		reply.End = llmtest.EndSilence
	}
	return reply
}

// pieces cuts the body where the case wants packets to end.
func (c *streamCase) pieces() [][]byte {
	cuts := c.Transport.SplitAt
	for at := c.Transport.SplitEvery; at > 0 && at < len(c.content); at += c.Transport.SplitEvery {
		cuts = append(cuts, at)
	}
	var pieces [][]byte
	from := 0
	for _, to := range append(cuts, len(c.content)) {
		pieces = append(pieces, c.content[from:to])
		from = to
	}
	return pieces
}

// want is the expectation in the form of outcome.table.
func (c *streamCase) want() map[string]any {
	want := map[string]any{}
	for key, value := range c.Expect {
		if value != nil && key != "retry_at_epoch_ms" {
			want[key] = value
		}
	}
	if leak, ok := want["leak"].(map[string]any); ok {
		want["leak"] = map[string]any{"format": leak["format"]}
	}
	if _, ok := c.Expect["retry_at_epoch_ms"]; ok {
		want["retry_after_ms"] = 30000
	}
	return want
}

// outcome is an outcome that is compared with an expectation.
type outcome struct {
	*llmtest.Outcome
	dialect dialect
}

// table gives the outcome in the terms of the expectations. The optional members are there when they say
// something, or when the case asks for them.
func (o *outcome) table(schemas map[string]json.RawMessage, asked map[string]any) map[string]any {
	out := map[string]any{"text": o.Text, "finish": "error", "error_kind": "none", "retryable": false}
	valid, invalid, repaired := o.judge(schemas)
	out["tool_calls"] = valid
	if len(invalid) > 0 {
		out["invalid_tool_calls"] = invalid
	}
	if repaired {
		out["repaired"] = true
	}
	if o.Usage != nil {
		out["usage"] = o.usage(asked)
	}
	if o.Done != nil {
		o.addDone(out, asked)
	}
	var failure *llm.Error
	if errors.As(o.Err, &failure) {
		addFailure(out, asked, failure)
	} else if o.Err != nil {
		out["unexpected"] = o.Err.Error()
	}
	return out
}

// usage counts as the dialect does on the wire: Anthropic's input excludes what concerns the cache.
func (o *outcome) usage(asked map[string]any) map[string]any {
	input := o.Usage.InputTokens
	if o.dialect.form == llmtest.Messages {
		input -= o.Usage.CachedTokens + o.Usage.CacheWriteTokens
	}
	out := map[string]any{"input_tokens": input, "output_tokens": o.Usage.OutputTokens}
	if want, _ := asked["usage"].(map[string]any); want["cached_tokens"] != nil {
		out["cached_tokens"] = o.Usage.CachedTokens
	}
	return out
}

// judge does what the executor of tools does with calls: what does not fit the schema does not run.
func (o *outcome) judge(schemas map[string]json.RawMessage) (valid, invalid []map[string]any, repaired bool) {
	valid = []map[string]any{}
	for _, call := range o.Calls {
		reason := string(call.Invalid)
		var args any
		_ = json.Unmarshal([]byte(call.Arguments), &args)
		if reason == "" && !fits(schemas[call.Name], args) {
			reason = "schema"
		}
		if reason != "" {
			invalid = append(invalid, map[string]any{"name": call.Name, "reason": reason})
			continue
		}
		valid = append(valid, map[string]any{"name": call.Name, "args": args})
		repaired = repaired || call.Repaired
	}
	return valid, invalid, repaired
}

func fits(schema json.RawMessage, args any) bool {
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(string(schema)))
	if err != nil {
		return false
	}
	compiler := jsonschema.NewCompiler()
	if compiler.AddResource("tool.json", document) != nil {
		return false
	}
	compiled, err := compiler.Compile("tool.json")
	return err == nil && compiled.Validate(args) == nil
}

func (o *outcome) addDone(out, asked map[string]any) {
	out["finish"] = string(o.Done.Finish)
	if o.Done.ContextFull {
		out["error_code"] = "context_window"
	}
	if o.Done.Refusal != "" {
		out["refusal"] = o.Done.Refusal
	}
	if _, ok := asked["reasoning"]; ok {
		out["reasoning"] = o.Done.Reasoning
	}
	if o.Done.UnclosedThinking {
		out["flags"] = []string{"unclosed_think"}
	}
	want, ok := asked["replay"].(map[string]any)
	if !ok {
		return
	}
	replay := map[string]any{}
	for path := range want {
		raw, field := o.Done.Replay, strings.TrimPrefix(path, "assistant.")
		if strings.HasPrefix(path, "tool_calls[0].") {
			raw, field = o.Calls[0].Replay, strings.TrimPrefix(path, "tool_calls[0].")
		}
		var fields map[string]any
		_ = json.Unmarshal(raw, &fields)
		replay[path] = fields[field]
	}
	out["replay"] = replay
}

// caseKinds are the names that the expectations have for our kinds. Where they have none of their own it is
// a bad request with a code.
var caseKinds = map[llm.Kind]struct{ kind, code string }{
	llm.Unauthorized:   {"auth", ""},
	llm.ModelNotFound:  {"bad_request", "model_not_found"},
	llm.NoTools:        {"bad_request", "tools_unsupported"},
	llm.ContentFilter:  {"bad_request", "content_filter"},
	llm.InvalidRequest: {"bad_request", ""},
	llm.RateLimited:    {"rate_limit", ""},
	llm.Quota:          {"quota", ""},
	llm.ContextTooLong: {"context_length", ""},
	llm.Unavailable:    {"overloaded", ""},
	llm.Timeout:        {"network", ""},
	llm.CutStream:      {"network", ""},
	llm.Malformed:      {"protocol", ""},
}

func addFailure(out, asked map[string]any, failure *llm.Error) {
	kind := caseKinds[failure.Kind]
	out["error_kind"], out["retryable"] = kind.kind, failure.Retryable
	if code := kind.code + failure.Code; code != "" && !strings.HasSuffix(code, "_timeout") {
		out["error_code"] = code
	}
	if failure.RetryAfter > 0 {
		out["retry_after_ms"] = failure.RetryAfter.Milliseconds()
	}
	if _, ok := asked["retry_now"]; ok {
		out["retry_now"] = failure.Retryable && failure.RetryAfter <= llm.MaxRetryWait
	}
	if failure.Leak != "" {
		out["leak"] = map[string]any{"format": failure.Leak}
	}
	if failure.Adapt != nil {
		out["adapt"] = adaptTable(failure.Adapt)
	}
}

func adaptTable(a *llm.Adaptation) map[string]any {
	out := map[string]any{}
	if a.Drop != nil {
		out["drop"] = a.Drop
	}
	if a.Rename != nil {
		out["rename"] = a.Rename
	}
	if a.Set != nil {
		out["set"] = a.Set
	}
	return out
}

// tally counts by group, which is the first digits of a case's number.
type tally struct {
	mu            sync.Mutex
	passed, total map[string]int
}

var groups = []struct{ letter, upTo string }{
	{"A", "030"}, {"B", "069"}, {"C", "099"}, {"D", "119"}, {"E", "149"}, {"F", "159"}, {"G", "199"}, {"H", "249"}, {"I", "299"}, {"J", "999"},
}

func (c *tally) count(id string, passed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, group := range groups {
		if id[:3] <= group.upTo {
			c.total[group.letter]++
			if passed {
				c.passed[group.letter]++
			}
			return
		}
	}
}

func (c *tally) log(t *testing.T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, group := range groups {
		t.Logf("%s: %d of %d", group.letter, c.passed[group.letter], c.total[group.letter])
	}
	for member, reason := range notCompared {
		t.Logf("not compared: %s (%s)", member, reason)
	}
}
