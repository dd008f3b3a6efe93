package openai_test

import (
	"compress/gzip"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/llm"
	"countersign/llm/llmtest"
)

// TestHIS06Answers holds what comes out of streams that break the rules in ways of their own.
func TestHIS06Answers(t *testing.T) {
	t.Parallel()
	const find1, find2 = `find({"q":1})`, `find({"q":2})`
	for name, test := range map[string]struct {
		payloads []string
		want     string
	}{
		// framing
		"error null is no error":           {[]string{`{"error":null,"choices":[{"delta":{"content":"Hi"}}]}`, finish("stop")}, "Hi | stop"},
		"one odd field costs nothing else": {[]string{`{"created":"x","choices":[{"index":"0","delta":{"content":"Hi","role":7},"finish_reason":null}]}`, finish("stop")}, "Hi | stop"},
		"what follows the end mark":        {[]string{said("Hi"), finish("stop"), doneMark, said("rubbish"), "{"}, "Hi | stop"},
		"no end mark":                      {[]string{said("Hi"), finish("stop")}, "Hi | stop"},
		"an end mark alone":                {[]string{doneMark}, "ERROR malformed/empty_stream"},
		"a corrupt frame":                  {[]string{said("Hi"), `{"choices":[{`, finish("stop")}, "Hi | ERROR malformed/bad_frame"},
		"a bare string":                    {[]string{said("Hi"), `"what"`, finish("stop")}, "Hi | ERROR malformed/bad_frame"},
		// routing of fragments
		"null index, ids": {[]string{
			calls(`{"index":null,"id":"a","function":{"name":"find","arguments":"{\"q\":"}}`), calls(`{"index":null,"function":{"arguments":"1}"}}`),
			calls(`{"index":null,"id":"b","function":{"name":"find","arguments":"{\"q\":2}"}}`), finish("tool_calls"),
		}, find1 + " | " + find2 + " | tool_calls"},
		"minus one for all": {[]string{
			calls(`{"index":-1,"id":"a","function":{"name":"find","arguments":"{\"q\":1}"}}`),
			calls(`{"index":-1,"id":"b","function":{"name":"find","arguments":"{\"q\":2}"}}`), finish("tool_calls"),
		}, find1 + " | " + find2 + " | tool_calls"},
		"placeholder slots": {[]string{
			calls(`{"index":0,"id":"","function":{"name":"","arguments":""}}`),
			calls(`{"index":1,"id":"a","function":{"name":"find","arguments":"{\"q\":1}"}}`), finish("tool_calls"),
		}, find1 + " | tool_calls"},
		"name and id repeated": {[]string{
			calls(`{"index":0,"id":"a","function":{"name":"find","arguments":"{\"q\""}}`), calls(`{"index":0,"id":"a","function":{"name":"find","arguments":":1}"}}`),
			calls(`{"index":0,"id":"a","function":{"name":"find","arguments":""}}`), finish("tool_calls"),
		}, find1 + " | tool_calls"},
		"name repeated without id": {[]string{
			calls(`{"index":0,"function":{"name":"find","arguments":"{\"q\""}}`), calls(`{"index":0,"function":{"name":"find","arguments":":1}"}}`), finish("tool_calls"),
		}, find1 + " | tool_calls"},
		"index counts up with the id kept": {[]string{
			calls(`{"index":0,"id":"a","function":{"name":"find","arguments":"{\"q\""}}`), calls(`{"index":1,"id":"a","function":{"arguments":":1}"}}`), finish("tool_calls"),
		}, find1 + " | tool_calls"},
		"interleaved by id alone": {[]string{
			calls(`{"id":"a","function":{"name":"find","arguments":"{\"q\""}}`), calls(`{"id":"b","function":{"name":"find","arguments":"{\"q\""}}`),
			calls(`{"id":"a","function":{"arguments":":1}"}}`), calls(`{"id":"b","function":{"arguments":":2}"}}`), finish("tool_calls"),
		}, find1 + " | " + find2 + " | tool_calls"},
		"no index, no id, two tools": {[]string{
			calls(`{"function":{"name":"list"}}`), calls(`{"function":{"name":"find","arguments":"{\"q\":1}"}}`), finish("tool_calls"),
		}, "list({}) | " + find1 + " | tool_calls"},
		"arguments sent whole again": {[]string{
			calls(`{"index":0,"id":"a","function":{"name":"find","arguments":"{\"q\""}}`), calls(`{"index":0,"id":"a","function":{"arguments":"{\"q\":1"}}`),
			calls(`{"index":0,"id":"a","function":{"arguments":"{\"q\":1}"}}`), finish("tool_calls"),
		}, find1 + " | tool_calls"},
		"glued calls":      {[]string{calls(`{"index":0,"id":"a","function":{"name":"find","arguments":"{\"q\":1}{\"q\":2}"}}`), finish("tool_calls")}, find1 + " | " + find2 + " | tool_calls"},
		"a number for id":  {[]string{calls(`{"index":0,"id":7,"function":{"name":"find","arguments":"{\"q\":1}"}}`), finish("tool_calls")}, find1 + " | tool_calls"},
		"no name at all":   {[]string{calls(`{"index":0,"id":"a","function":{"arguments":"{\"q\":1}"}}`), finish("tool_calls")}, "({}) unknown_tool | tool_calls"},
		"one good, one no": {[]string{calls(`{"index":0,"id":"a","function":{"name":"find","arguments":"{\"q\":1}"}}`, `{"index":1,"id":"b","function":{"name":"drop"}}`), finish("tool_calls")}, find1 + " | drop({}) unknown_tool | tool_calls"},
		// ends
		"calls, end mark, no reason":   {[]string{calls(`{"index":0,"id":"a","function":{"name":"find","arguments":"{\"q\":1}"}}`), doneMark}, find1 + " | tool_calls"},
		"calls, no end at all":         {[]string{calls(`{"index":0,"id":"a","function":{"name":"find","arguments":"{\"q\":1}"}}`)}, "ERROR cut_stream"},
		"text, no end at all":          {[]string{said("Hi")}, "Hi | ERROR cut_stream"},
		"length after tool_calls":      {[]string{calls(`{"index":0,"id":"a","function":{"name":"find","arguments":"{\"q\":1}"}}`), finish("tool_calls"), finish("length")}, "find({}) truncated | length"},
		"null after the reason":        {[]string{said("Hi"), finish("length"), `{"choices":[{"finish_reason":null,"delta":{}}]}`}, "Hi | length"},
		"stop after length":            {[]string{said("Hi"), finish("length"), finish("stop")}, "Hi | length"},
		"MAX_TOKENS":                   {[]string{said("Hi"), finish("MAX_TOKENS")}, "Hi | length"},
		"filter with a call":           {[]string{calls(`{"index":0,"id":"a","function":{"name":"find","arguments":"{\"q\":1}"}}`), finish("content_filter")}, "find({}) truncated | content_filter"},
		"filter without a word":        {[]string{finish("content_filter")}, "content_filter"},
		"reason error":                 {[]string{said("Hi"), finish("error")}, "Hi | ERROR unavailable"},
		"blanks are no answer":         {[]string{said(" \n"), finish("stop")}, "ERROR malformed/empty_response"},
		"thinking is no answer":        {[]string{delta(`"reasoning_content":"Hm."`), finish("stop")}, "ERROR malformed/empty_response"},
		"whole message in a stream":    {[]string{`{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}`, doneMark}, "Hi | stop"},
		"calls in a second choice":     {[]string{`{"choices":[{"delta":{"content":"Hi"}},{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"list"}}]},"finish_reason":"tool_calls"}]}`}, "Hi | list({}) | tool_calls"},
		"error with a code in a frame": {[]string{said("Hi"), `{"error":{"code":"insufficient_quota","message":"x"}}`, doneMark}, "Hi | ERROR quota"},
		// thinking and markup
		"closing tag alone":         {[]string{said("Think"), said("ing.</th"), said("ink>\n\nHi"), finish("stop")}, "Hi | stop"},
		"closing tag in code":       {[]string{said("Write `</think>` at the end"), finish("stop")}, "Write `</think>` at the end | stop"},
		"thinking never closed":     {[]string{said("<think>Hm"), calls(`{"index":0,"id":"a","function":{"name":"list"}}`), finish("tool_calls")}, "list({}) | tool_calls"},
		"thinking cut by length":    {[]string{said("<think>Hm"), finish("length")}, "length"},
		"a tag that is none":        {[]string{said("<thi"), said("s> is"), finish("stop")}, "<this> is | stop"},
		"hermes":                    {[]string{said("<tool"), said("_call>\n{\"name\":\"find\"}</tool_call>"), finish("stop")}, "ERROR malformed/leaked_tool_markup"},
		"kimi tokens":               {[]string{said("Yes. <|tool_calls_sec"), said("tion_begin|>x"), finish("stop")}, "Yes.  | ERROR malformed/leaked_tool_markup"},
		"quoted markup":             {[]string{said("The mail says: <tool_call>{\"name\":\"find\"}</tool_call>"), finish("stop")}, "The mail says: <tool_call>{\"name\":\"find\"}</tool_call> | stop"},
		"quoted tokens":             {[]string{said("The mail says \"<|tool_call_begin|>\" twice"), finish("stop")}, "The mail says \"<|tool_call_begin|>\" twice | stop"},
		"JSON that is an answer":    {[]string{said(`{"name": "Acme",`), said(` "parameters": {}}`), finish("stop")}, `{"name": "Acme", "parameters": {}} | stop`},
		"code that is an answer":    {[]string{said("```"), said("json\n{\"total\": 5}\n```"), finish("stop")}, "```json\n{\"total\": 5}\n``` | stop"},
		"markup beside a real call": {[]string{said("<tool_call>x"), calls(`{"index":0,"id":"a","function":{"name":"list"}}`), finish("tool_calls")}, "list({}) | tool_calls"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, play(t, events(test.payloads...)).Brief())
		})
	}
}

func TestEnvelopes(t *testing.T) {
	t.Parallel()
	var zipped strings.Builder
	w := gzip.NewWriter(&zipped)
	_, err := w.Write([]byte("data: " + said("Hi") + "\n\n"))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	for name, test := range map[string]struct {
		body, contentType string
		want              string
	}{
		"empty":                    {"", "text/event-stream", "ERROR malformed/empty_stream"},
		"blanks":                   {"\n\n  \n", "text/event-stream", "ERROR malformed/empty_stream"},
		"comments":                 {": a\n\n: b\n\n", "text/event-stream", "ERROR malformed/empty_stream"},
		"gzip that is not said":    {zipped.String(), "text/event-stream", "ERROR malformed/not_event_stream"},
		"page that says stream":    {"<html></html>", "text/event-stream", "ERROR malformed/not_event_stream"},
		"words":                    {"Welcome", "text/plain", "ERROR malformed/not_event_stream"},
		"JSON of something else":   {`{"status":"ok"}`, "application/json", "ERROR malformed/not_event_stream"},
		"broken JSON":              {`{"choices":[`, "application/json", "ERROR malformed/not_event_stream"},
		"JSON without a message":   {`{"choices":[]}`, "application/json", "ERROR malformed/empty_response"},
		"JSON that says stream":    {`{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}`, "text/event-stream", "Hi | stop"},
		"stream that says JSON":    {"\n\ndata: " + said("Hi") + "\n\ndata: [DONE]\n\n", "application/json", "Hi | stop"},
		"error array":              {`[{"error":{"code":429,"message":"slow"}}]`, "application/json", "ERROR rate_limited"},
		"error at the top":         {`{"message":"no","type":"invalid_request_error"}`, "application/json", "ERROR invalid_request"},
		"error field of a stream":  {"data: " + said("Hi") + "\n\nerror: {\"code\":500,\"message\":\"context size exceeded\"}\n\n", "text/event-stream", "Hi | ERROR context_too_long"},
		"error event with words":   {"data: " + said("Hi") + "\n\nevent: error\ndata: upstream died\n\n", "text/event-stream", "Hi | ERROR unavailable"},
		"cut in the last frame":    {"data: " + said("Hi") + "\n\ndata: {\"choices\":[{\"del", "text/event-stream", "Hi | ERROR cut_stream"},
		"a line of more than 1 MB": {"data: " + said(strings.Repeat("x", 1_200_000)) + "\n\ndata: [DONE]\n\n", "text/event-stream", strings.Repeat("x", 1_200_000) + " | stop"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reply := llmtest.Reply{Header: map[string]string{"Content-Type": test.contentType}, Chunks: [][]byte{[]byte(test.body)}}
			require.Equal(t, test.want, play(t, reply).Brief())
		})
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		usage string
		want  string
	}{
		"last one wins":             {`"usage":{"prompt_tokens":9,"completion_tokens":7}`, "9/7/0"},
		"thinking beside output":    {`"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":35,"completion_tokens_details":{"reasoning_tokens":20}}`, "10/25/0"},
		"thinking within output":    {`"usage":{"prompt_tokens":10,"completion_tokens":25,"total_tokens":35,"completion_tokens_details":{"reasoning_tokens":20}}`, "10/25/0"},
		"cached":                    {`"usage":{"prompt_tokens":10,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":8}}`, "10/1/8"},
		"in an extension":           {`"x_groq":{"usage":{"prompt_tokens":4,"completion_tokens":2}}`, "4/2/0"},
		"null keeps the one before": {`"usage":null`, "1/1/0"},
		"zero keeps the one before": {`"usage":{"prompt_tokens":0,"completion_tokens":0}`, "1/1/0"},
		"odd keeps the one before":  {`"usage":"none"`, "1/1/0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := play(t, events(said("Hi"), `{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}`, finish("stop"), `{"choices":[],`+test.usage+`}`, doneMark))
			require.NoError(t, o.Err)
			require.NotNil(t, o.Usage)
			require.Equal(t, test.want, counts(o.Usage))
		})
	}
	require.Nil(t, play(t, events(said("Hi"), finish("stop"))).Usage, "not counted is not zero")
}

func counts(u *llm.Usage) string {
	return fmt.Sprintf("%d/%d/%d", u.InputTokens, u.OutputTokens, u.CachedTokens)
}
