package llm_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/llm"
)

var now = time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)

func classify(status int, body string, header ...string) *llm.Error {
	h := http.Header{}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return llm.Classify(llm.Response{Status: status, Header: h, Body: []byte(body), Now: now})
}

func TestClassify(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status    int
		body      string
		kind      llm.Kind
		code      string
		retryable bool
	}{
		"403":                       {403, `{}`, llm.Unauthorized, "", false},
		"401 without a body":        {401, ``, llm.Unauthorized, "", false},
		"key refused as 400":        {400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`, llm.Unauthorized, "", false},
		"model refused as 400":      {400, `{"error":{"message":"Model Not Exist","type":"invalid_request_error"}}`, llm.ModelNotFound, "", false},
		"model in a bare string":    {404, `{"error":"model 'llama9' not found"}`, llm.ModelNotFound, "", false},
		"path in a bare string":     {404, `{"error":"Unexpected endpoint or method. (POST /chat/completions)"}`, llm.InvalidRequest, llm.CodeEndpointNotFound, false},
		"words after a number":      {400, `400 prompt is too long: 9000 tokens > 8192 maximum`, llm.ContextTooLong, "", false},
		"404 of a framework":        {404, `{"detail":"Not Found"}`, llm.InvalidRequest, llm.CodeEndpointNotFound, false},
		"405":                       {405, ``, llm.InvalidRequest, llm.CodeEndpointNotFound, false},
		"quota by code on 429":      {429, `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`, llm.Quota, "", false},
		"the words without a code":  {429, `{"error":{"message":"You exceeded your current quota"}}`, llm.RateLimited, "", true},
		"429 that speaks of tokens": {429, `{"error":{"message":"too many tokens for your context length limit"}}`, llm.RateLimited, "", true},
		"429 without a body":        {429, ``, llm.RateLimited, "", true},
		"throttled as 400":          {400, `{"message":"ThrottlingException: Too many tokens, please wait"}`, llm.RateLimited, "", true},
		"413 without a body":        {413, ``, llm.ContextTooLong, "", false},
		"overflow as 500":           {500, `{"error":{"code":500,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`, llm.ContextTooLong, "", false},
		"no tools, router":          {404, `{"error":{"message":"No endpoints found that support tool use.","code":404}}`, llm.NoTools, "", false},
		"no tools, flag":            {400, `{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","type":"BadRequestError","code":400}`, llm.NoTools, "", false},
		"filter as 400":             {400, `{"error":{"code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation"}}}`, llm.ContentFilter, "", false},
		"filter of another vendor":  {400, `{"error":{"code":"data_inspection_failed","type":"data_inspection_failed","message":"Input data may contain inappropriate content."}}`, llm.ContentFilter, "", false},
		"filter by number":          {400, `{"error":{"code":"1301","message":"系统检测到输入内容可能包含敏感内容"}}`, llm.ContentFilter, "", false},
		"529":                       {529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, llm.Unavailable, "", true},
		"408":                       {408, ``, llm.Unavailable, "", true},
		"page with 502":             {502, `<html>`, llm.Unavailable, "", true},
		"text with 503":             {503, `upstream connect error`, llm.Unavailable, "", true},
		"template as 500":           {500, `{"error":{"message":"Jinja Exception: unknown filter"}}`, llm.InvalidRequest, "", false},
		"errors list":               {400, `{"success":false,"errors":[{"code":7003,"message":"no such thing"}]}`, llm.InvalidRequest, "", false},
		"in a stream: type":         {200, `{"error":{"type":"overloaded_error","message":"Overloaded"}}`, llm.Unavailable, "", true},
		"in a stream: own status":   {200, `{"error":{"status_code":403,"message":"x"}}`, llm.Unauthorized, "", false},
		"in a stream: bad request":  {200, `{"error":{"type":"invalid_request_error","message":"x"}}`, llm.InvalidRequest, "", false},
		"in a stream: nothing":      {200, `{"error":{"message":"x"}}`, llm.Unavailable, "", true},
		"vendor envelope: key":      {200, `{"base_resp":{"status_code":1004,"status_msg":"login fail"}}`, llm.Unauthorized, "", false},
		"vendor envelope: request":  {200, `{"base_resp":{"status_code":2013,"status_msg":"invalid params"}}`, llm.InvalidRequest, "", false},
		"null":                      {400, `null`, llm.InvalidRequest, "", false},
		"empty list":                {400, `[]`, llm.InvalidRequest, "", false},
		"list of nothing":           {400, `{"errors":[7]}`, llm.InvalidRequest, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := classify(test.status, test.body)
			require.Equal(t, test.kind, err.Kind)
			require.Equal(t, test.code, err.Code)
			require.Equal(t, test.retryable, err.Retryable)
			require.Equal(t, test.status, err.Status)
		})
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		body   string
		header []string
		want   time.Duration
	}{
		"seconds":          {"", []string{"Retry-After", "7"}, 7 * time.Second},
		"fraction":         {"", []string{"Retry-After", "0.5"}, 500 * time.Millisecond},
		"date":             {"", []string{"Retry-After", now.Add(9 * time.Second).Format(http.TimeFormat)}, 9 * time.Second},
		"date that passed": {"", []string{"Retry-After", now.Add(-time.Hour).Format(http.TimeFormat)}, 0},
		"nonsense":         {"", []string{"Retry-After", "soon"}, 0},
		"negative":         {"", []string{"Retry-After", "-3"}, 0},
		"without end":      {"", []string{"Retry-After", "1e300"}, 0},
		"header before the rest": {
			`{"error":{"metadata":{"headers":{"X-RateLimit-Reset":"5"}}}}`, []string{"Retry-After", "2"}, 2 * time.Second,
		},
		"used-up budget": {"", []string{
			"X-Ratelimit-Remaining-Requests", "0", "X-Ratelimit-Reset-Requests", "1m2s",
			"X-Ratelimit-Remaining-Tokens", "9", "X-Ratelimit-Reset-Tokens", "1h",
		}, 62 * time.Second},
		"used-up budget, the other way round": {"", []string{
			"Anthropic-Ratelimit-Input-Tokens-Remaining", "0", "Anthropic-Ratelimit-Input-Tokens-Reset", "2026-11-29T10:00:12Z",
			"Anthropic-Ratelimit-Requests-Remaining", "4", "Anthropic-Ratelimit-Requests-Reset", "2026-11-29T11:00:00Z",
		}, 12 * time.Second},
		"budget without a name": {"", []string{"X-Ratelimit-Remaining", "0", "X-Ratelimit-Reset", "30"}, 30 * time.Second},
		"epoch seconds":         {"", []string{"X-Ratelimit-Remaining", "0", "X-Ratelimit-Reset", "1795946405"}, 5 * time.Second},
		"in the details":        {`[{"error":{"details":[7,{"retryDelay":"27s"}]}}]`, nil, 27 * time.Second},
		"epoch milliseconds":    {`{"error":{"metadata":{"headers":{"X-RateLimit-Reset":"1795946403500"}}}}`, nil, 3500 * time.Millisecond},
	} {
		require.Equal(t, test.want, classify(429, test.body, test.header...).RetryAfter, name)
	}
	require.Zero(t, classify(401, "", "Retry-After", "7").RetryAfter, "what never succeeds has no later")
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	require.Equal(t, "req_1", classify(500, "", "Request-Id", "req_1").RequestID)
	require.Equal(t, "req_2", classify(500, "", "X-Request-Id", "req_2").RequestID)
	require.Equal(t, "req_3", classify(500, `{"type":"error","error":{"type":"api_error"},"request_id":"req_3"}`).RequestID)
	require.Equal(t, "req_4", classify(500, `{"error":{"message":"x","request_id":"req_4"}}`).RequestID)
	require.Len(t, classify(500, "", "Request-Id", strings.Repeat("x", 9000)).RequestID, 100)
	require.Empty(t, classify(500, "").RequestID)
}

func TestDetailHoldsNoKey(t *testing.T) {
	t.Parallel()
	key := "sk-abcdefghijklmnop"
	err := llm.Classify(llm.Response{
		Status: 400, Now: now, Key: key,
		Body: []byte(`{"error":"key ` + key + `, ` + key[:9] + `***` + key[12:] + `, c2stYWJjZGVmZ2hpamtsbW5vcA=="}`),
	})
	require.Equal(t, "key [key], [key]***[key], [key]", err.Detail)
	require.NotContains(t, err.Error(), "key")
}

func TestDetailIsShort(t *testing.T) {
	t.Parallel()
	long := make([]byte, 20_000)
	for i := range long {
		long[i] = 'x'
	}
	require.Len(t, []rune(classify(400, `{"error":"`+string(long)+`"}`).Detail), 501)
}

func TestAdaptations(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]*llm.Adaptation{
		"Unrecognized request argument supplied: stream_options":                                                   {Drop: []string{"stream_options"}},
		"'temperature' does not support 0.2 with this model.":                                                      {Drop: []string{"temperature"}},
		"Argument not supported on this model: parallelToolCalls":                                                  {Drop: []string{"parallel_tool_calls"}},
		"Something else is wrong.":                                                                                 nil,
		"messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'":                         {Set: map[string]any{"tool_call_ids": "rewrite"}},
		"tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'":                                {Set: map[string]any{"tool_name_rule": "^[a-zA-Z][a-zA-Z0-9_-]{0,63}$"}},
		"tools.0.custom.input_schema: input_schema does not support oneOf at the top level":                        {Set: map[string]any{"schema_profile": "minimal"}},
		"messages.3: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.": {Set: map[string]any{"strip_thinking": true}},
		"Expected `thinking`, but found `tool_use`. A final `assistant` message must start with a thinking block.": {Set: map[string]any{"replay_reasoning": true}},
		"messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1.":                   {Set: map[string]any{"repair_history": true}},
		"messages: text content blocks must contain non-whitespace text":                                           {Set: map[string]any{"assistant_empty_content": "omit"}},
		"system.0.cache_control: Extra inputs are not permitted":                                                   {Drop: []string{"cache_control"}},
	} {
		require.Equal(t, want, classify(400, `{"error":{"message":"`+message+`"}}`).Adapt, message)
	}
	require.Nil(t, classify(401, `{"error":{"message":"stream_options"}}`).Adapt, "only a bad request can be adapted")
}

func FuzzClassify(f *testing.F) {
	for _, seed := range []string{"", "{}", `{"error":"x"}`, `[{"error":{"details":[{}]}}]`, `{"errors":[{}],"base_resp":{}}`, "<html>"} {
		f.Add(200, seed)
		f.Add(500, seed)
	}
	f.Fuzz(func(t *testing.T, status int, body string) {
		err := classify(status, body)
		require.NotEmpty(t, err.Kind)
		require.GreaterOrEqual(t, err.RetryAfter, time.Duration(0))
		require.NotContains(t, []llm.Kind{llm.Unauthorized, llm.Quota, llm.InvalidRequest, llm.ModelNotFound, llm.NoTools}, retryableKind(err))
	})
}

// retryableKind is the kind of an error that may be retried, else empty.
func retryableKind(err *llm.Error) llm.Kind {
	if err.Retryable {
		return err.Kind
	}
	return ""
}
