package anthropic_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/llm"
	"countersign/llm/llmtest"
)

// TestAnswers holds what comes out of streams that break the rules in ways of their own.
func TestAnswers(t *testing.T) {
	t.Parallel()
	const find1, find2 = `find({"q":1})`, `find({"q":2})`
	for name, test := range map[string]struct {
		payloads []string
		want     string
	}{
		// framing
		"no message_start":         {[]string{begin("0", textOpen), add("0", said("Hi")), finish("end_turn"), stop}, "Hi | stop"},
		"no beginning of a block":  {[]string{start, add("0", said("Hi")), finish("end_turn")}, "Hi | stop"},
		"text in the beginning":    {[]string{start, begin("0", `{"type":"text","text":"Hi"}`), add("0", said(" there")), finish("end_turn")}, "Hi there | stop"},
		"no index":                 {[]string{start, begin("null", textOpen), add("null", said("Hi")), finish("end_turn")}, "Hi | stop"},
		"what follows the end":     {[]string{start, begin("0", textOpen), add("0", said("Hi")), finish("end_turn"), stop, add("0", said("rubbish")), "{"}, "Hi | stop"},
		"another end mark":         {[]string{start, begin("0", textOpen), add("0", said("Hi")), finish("end_turn"), "[DONE]"}, "Hi | stop"},
		"an end mark alone":        {[]string{stop}, "ERROR malformed/empty_stream"},
		"pings alone":              {[]string{`{"type":"ping"}`}, "ERROR cut_stream"},
		"a corrupt frame":          {[]string{start, add("0", said("Hi")), `{"type":"content_bl`, finish("end_turn")}, "Hi | ERROR malformed/bad_frame"},
		"odd fields cost nothing":  {[]string{`{"type":"message_start","message":7}`, begin(`"0"`, textOpen), add("0", said("Hi")), `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":"none"}`}, "Hi | stop"},
		"a block that is none":     {[]string{start, begin("0", `"what"`), begin("1", textOpen), add("1", said("Hi")), finish("end_turn")}, "Hi | stop"},
		"error null is no error":   {[]string{`{"type":"message_start","error":null,"message":{}}`, add("0", said("Hi")), finish("end_turn")}, "Hi | stop"},
		"another dialect's stream": {[]string{`{"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}`, "[DONE]"}, "ERROR malformed/not_event_stream"},
		"another dialect's error":  {[]string{start, add("0", said("Hi")), `{"error":{"code":"insufficient_quota","message":"x"}}`}, "Hi | ERROR quota"},
		// routing
		"index from one, with gaps":  {[]string{start, begin("1", tool("a", "find")), begin("5", tool("b", "find")), add("5", input(`{"q":2}`)), add("1", input(`{"q":1}`)), finish("tool_use"), stop}, find1 + " | " + find2 + " | tool_calls"},
		"one index for all":          {[]string{start, begin("0", tool("a", "find")), add("0", input(`{"q":1}`)), begin("0", tool("b", "find")), add("0", input(`{"q":2}`)), finish("tool_use")}, find1 + " | " + find2 + " | tool_calls"},
		"input at an unknown index":  {[]string{start, begin("0", tool("a", "find")), add("0", input(`{"q"`)), add("7", input(`:1}`)), finish("tool_use")}, find1 + " | tool_calls"},
		"input at the text's index":  {[]string{start, begin("0", textOpen), add("0", said("Hi")), begin("1", tool("a", "find")), add("0", input(`{"q":1}`)), finish("tool_use")}, "Hi | " + find1 + " | tool_calls"},
		"text amid the input":        {[]string{start, begin("0", tool("a", "find")), add("0", input(`{"q":`)), add("0", said("Hi")), add("0", input(`1}`)), finish("tool_use")}, "Hi | " + find1 + " | tool_calls"},
		"input without a block":      {[]string{start, add("0", input(`{"q":1}`)), finish("tool_use")}, "({}) unknown_tool | tool_calls"},
		"one id for two calls":       {[]string{start, begin("0", tool("a", "find")), add("0", input(`{"q":1}`)), begin("1", tool("a", "find")), add("1", input(`{"q":2}`)), finish("tool_use")}, find1 + " | " + find2 + " | tool_calls"},
		"a tool of the provider":     {[]string{start, begin("0", `{"type":"server_tool_use","id":"s","name":"web_search","input":{}}`), add("0", input(`{"q":9}`)), begin("1", tool("a", "find")), add("1", input(`{"q":1}`)), add("0", input(`x`)), finish("tool_use")}, find1 + " | tool_calls"},
		"text of an unknown kind":    {[]string{start, begin("0", `{"type":"compaction","text":"secret"}`), add("0", `{"type":"compaction_delta","text":"secret"}`), begin("1", textOpen), add("1", said("Hi")), finish("end_turn")}, "Hi | stop"},
		"a delta without a type":     {[]string{start, begin("0", textOpen), add("0", `{"text":"Hi"}`), add("0", said("Ho")), finish("end_turn")}, "HiHo | stop"},
		"a call's name is decorated": {[]string{start, begin("0", tool("a", "functions.find<|x|>")), add("0", input(`{"q":1}`)), finish("tool_use")}, find1 + " | tool_calls"},
		// input
		"input in the beginning":     {[]string{start, begin("0", `{"type":"tool_use","id":"a","name":"find","input":{"q":1}}`), finish("tool_use")}, find1 + " | tool_calls"},
		"empty delta after input":    {[]string{start, begin("0", `{"type":"tool_use","id":"a","name":"find","input":{"q":1}}`), add("0", input("")), finish("tool_use")}, find1 + " | tool_calls"},
		"cut delta after input":      {[]string{start, begin("0", `{"type":"tool_use","id":"a","name":"find","input":{"q":1}}`), add("0", input(`{"q":`)), finish("tool_use")}, "find({}) invalid_json | tool_calls"},
		"input as an encoded string": {[]string{start, begin("0", `{"type":"tool_use","id":"a","name":"find","input":"{\"q\":1}"}`), finish("tool_use")}, find1 + " | tool_calls"},
		"input as an object":         {[]string{start, begin("0", tool("a", "find")), add("0", `{"type":"input_json_delta","partial_json":{"q":1}}`), finish("tool_use")}, find1 + " | tool_calls"},
		"input null":                 {[]string{start, begin("0", `{"type":"tool_use","id":"a","name":"list","input":null}`), finish("tool_use")}, "list({}) | tool_calls"},
		"no input at all":            {[]string{start, begin("0", `{"type":"tool_use","id":"a","name":"list"}`), finish("tool_use")}, "list({}) | tool_calls"},
		"a list":                     {[]string{start, begin("0", tool("a", "find")), add("0", input(`[1]`)), finish("tool_use")}, "find({}) not_object | tool_calls"},
		"a tail":                     {[]string{start, begin("0", tool("a", "find")), add("0", input(`{"q":1}]`)), finish("tool_use")}, "find({\"q\":1}) repaired | tool_calls"},
		"an unknown tool":            {[]string{start, begin("0", tool("a", "drop")), finish("tool_use")}, "drop({}) unknown_tool | tool_calls"},
		// ends
		"a call, end_turn":                {[]string{start, begin("0", tool("a", "list")), finish("end_turn")}, "list({}) | tool_calls"},
		"tool_use, no call, no text":      {[]string{start, finish("tool_use"), stop}, "ERROR malformed/empty_response"},
		"tool_use, no call, text":         {[]string{start, add("0", said("Hi")), finish("tool_use"), stop}, "Hi | stop"},
		"a call, no end":                  {[]string{start, begin("0", tool("a", "find")), add("0", input(`{"q":1}`))}, "ERROR cut_stream"},
		"a call, an end without a reason": {[]string{start, begin("0", tool("a", "list")), `{"type":"message_delta","delta":{"stop_reason":null}}`, stop}, "ERROR cut_stream"},
		"a call, another end mark":        {[]string{start, begin("0", tool("a", "list")), "[DONE]"}, "ERROR cut_stream"},
		"a reason, no end mark":           {[]string{start, begin("0", tool("a", "list")), finish("tool_use")}, "list({}) | tool_calls"},
		"max_tokens with a whole call":    {[]string{start, begin("0", tool("a", "find")), add("0", input(`{"q":1}`)), finish("max_tokens")}, "find({}) truncated | length"},
		"refusal with a call":             {[]string{start, begin("0", tool("a", "list")), finish("refusal")}, "list({}) truncated | refusal"},
		"refusal without a word":          {[]string{start, finish("refusal")}, "refusal"},
		"pause with a call":               {[]string{start, begin("0", tool("a", "list")), finish("pause_turn")}, "list({}) truncated | pause"},
		"window full with a call":         {[]string{start, begin("0", tool("a", "list")), finish("model_context_window_exceeded")}, "list({}) truncated | length"},
		"stop_sequence":                   {[]string{start, add("0", said("Hi")), finish("stop_sequence")}, "Hi | stop"},
		"a reason of the future":          {[]string{start, add("0", said("Hi")), finish("sunset")}, "Hi | stop"},
		"null after the reason":           {[]string{start, add("0", said("Hi")), finish("max_tokens"), `{"type":"message_delta","delta":{"stop_reason":null}}`}, "Hi | length"},
		"nothing said":                    {[]string{start, begin("0", textOpen), finish("end_turn"), stop}, "ERROR malformed/empty_response"},
		"only thought":                    {[]string{start, begin("0", `{"type":"thinking","thinking":"Hm","signature":"x"}`), finish("end_turn")}, "ERROR malformed/empty_response"},
		"error after a call":              {[]string{start, begin("0", tool("a", "list")), `{"type":"error","error":{"type":"api_error","message":"x"}}`}, "ERROR unavailable"},
		"error by its type":               {[]string{start, `{"type":"error","error":{"type":"invalid_request_error","message":"x"}}`}, "ERROR invalid_request"},
		"no permission":                   {[]string{start, `{"type":"error","error":{"type":"permission_error","message":"x"}}`}, "ERROR unauthorized"},
		"bill":                            {[]string{start, `{"type":"error","error":{"type":"billing_error","message":"x"}}`}, "ERROR quota"},
		"timeout":                         {[]string{start, `{"type":"error","error":{"type":"timeout_error","message":"x"}}`}, "ERROR unavailable"},
		// markup
		"thinking in tags":  {[]string{start, add("0", said("<think>Hm</thi")), add("0", said("nk>Hi")), finish("end_turn")}, "Hi | stop"},
		"leaked calls":      {[]string{start, add("0", said("<tool_call>{")), finish("end_turn")}, "ERROR malformed/leaked_tool_markup"},
		"thinking is blank": {[]string{start, begin("0", `{"type":"thinking","thinking":"Hm"}`), begin("1", textOpen), add("1", said("\n\nHi")), finish("end_turn")}, "Hi | stop"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, play(t, events(test.payloads...)).Brief())
		})
	}
}

// TestTypeInTheNameAlone: a proxy may leave the type out of the payload.
func TestTypeInTheNameAlone(t *testing.T) {
	t.Parallel()
	body := "event: content_block_start\ndata: {\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n" +
		"event: content_block_delta\ndata: {\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hi\"}}\n\n" +
		"event: message_delta\ndata: {\"delta\":{\"stop_reason\":\"end_turn\"}}\n\nevent: message_stop\ndata: {}\n\n"
	require.Equal(t, "Hi | stop", play(t, llmtest.Reply{Chunks: [][]byte{[]byte(body)}}).Brief())
	body = "event: error\ndata: upstream died\n\n"
	require.Equal(t, "ERROR unavailable", play(t, llmtest.Reply{Chunks: [][]byte{[]byte(body)}}).Brief())
}

func TestWholeDocuments(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]string{
		`{"type":"message","content":[{"type":"text","text":"Hi"}],"stop_reason":"end_turn"}`:                                                                               "Hi | stop",
		`{"content":[{"type":"thinking","thinking":"Hm"},{"type":"text","text":"Hi"},{"type":"tool_use","id":"a","name":"find","input":{"q":1}}],"stop_reason":"tool_use"}`: `Hi | find({"q":1}) | tool_calls`,
		`{"type":"message","content":[{"type":"tool_use","id":"a","name":"find","input":{"q":1}}],"stop_reason":"max_tokens"}`:                                              "find({}) truncated | length",
		`{"type":"message","content":[{"type":"text","text":"Hi"}]}`:                                                                                                        "Hi | stop",
		`{"type":"message","content":[],"stop_reason":"end_turn"}`:                                                                                                          "ERROR malformed/empty_response",
		`{"type":"error","error":{"type":"overloaded_error","message":"Busy"}}`:                                                                                             "ERROR unavailable",
		`{"error":{"type":"authentication_error","message":"no"}}`:                                                                                                          "ERROR unauthorized",
		`{"message":"no","type":"invalid_request_error"}`:                                                                                                                   "ERROR invalid_request",
		`{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}`:                                                                                                 "ERROR malformed/not_event_stream",
		`{"status":"ok"}`:                   "ERROR malformed/not_event_stream",
		`{"type":"message","content":[{"ty`: "ERROR malformed/not_event_stream",
	} {
		require.Equal(t, want, play(t, whole(document)).Brief(), document)
	}
}

func TestWholeIsTold(t *testing.T) {
	t.Parallel()
	require.True(t, play(t, whole(`{"content":[{"type":"text","text":"Hi"}],"stop_reason":"end_turn"}`)).Done.Whole)
	require.False(t, play(t, events(start, add("0", said("Hi")), finish("end_turn"))).Done.Whole)
}

func TestUsage(t *testing.T) {
	t.Parallel()
	counts := func(start, end string) string {
		o := play(t, events(
			`{"type":"message_start","message":{"usage":`+start+`}}`, add("0", said("Hi")),
			`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":`+end+`}`, stop,
		))
		require.NoError(t, o.Err)
		if o.Usage == nil {
			return ""
		}
		return fmt.Sprintf("%d/%d/%d/%d", o.Usage.InputTokens, o.Usage.OutputTokens, o.Usage.CachedTokens, o.Usage.CacheWriteTokens)
	}
	require.Equal(t, "25/15/0/0", counts(`{"input_tokens":25,"output_tokens":1}`, `{"output_tokens":15}`), "totals, not added up")
	require.Equal(t, "135/15/100/10", counts(`{"input_tokens":25,"cache_read_input_tokens":100,"cache_creation_input_tokens":10,"output_tokens":1}`, `{"output_tokens":15}`))
	require.Equal(t, "30/15/5/0", counts(`{"input_tokens":0,"output_tokens":0}`, `{"input_tokens":25,"cache_read_input_tokens":5,"output_tokens":15}`), "a proxy counts at the end only")
	require.Equal(t, "25/1/0/0", counts(`{"input_tokens":25,"output_tokens":1,"cache_read_input_tokens":null}`, `{"input_tokens":0,"output_tokens":0}`), "zero keeps the one before")
	require.Empty(t, counts(`null`, `{}`), "not counted is not zero")

	require.Equal(t, 9, play(t, events(start, add("0", said("Hi")))).Usage.InputTokens, "a stream that broke off was counted")
	require.Nil(t, play(t, events(start, `{"type":"error","error":{"type":"overloaded_error"}}`)).Usage, "what the provider failed at is void")
}

// TestHIS05ThinkingIsReplayedAsItWas: signed blocks go back unchanged and in their places, and are never shown.
func TestHIS05ThinkingIsReplayedAsItWas(t *testing.T) {
	t.Parallel()
	const odd = "a <b> & \u2028 \"c\" 多謝"
	first := play(t, events(start,
		begin("0", `{"type":"thinking","thinking":"","signature":"","extra":7}`),
		add("0", `{"type":"thinking_delta","thinking":`+quote(odd)+`}`), add("0", `{"type":"signature_delta","signature":"Eq"}`), add("0", `{"type":"signature_delta","signature":"=="}`),
		begin("1", textOpen), add("1", said("Look")), begin("2", `{"type":"redacted_thinking","data":"ZW5j"}`), add("1", said("ing.")),
		begin("3", tool("a", "find")), begin("4", `{"type":"thinking","thinking":"","signature":"S"}`), begin("5", tool("b", "list")), finish("tool_use"), stop,
	))
	require.Equal(t, `Looking. | find({}) | list({}) | tool_calls`, first.Brief())
	require.Equal(t, odd, first.Done.Reasoning)

	got := sent(t, llm.Request{Messages: []llm.Message{
		{Role: llm.RoleAssistant, Text: first.Text, Calls: first.Calls, Replay: first.Done.Replay},
	}})
	var body struct {
		Messages []struct{ Content json.RawMessage }
	}
	require.NoError(t, json.Unmarshal(got.Raw, &body))
	require.JSONEq(t, `[
		{"type":"thinking","thinking":`+quote(odd)+`,"signature":"Eq==","extra":7},
		{"type":"text","text":"Looking."},
		{"type":"redacted_thinking","data":"ZW5j"},
		{"type":"tool_use","id":"a","name":"find","input":{}},
		{"type":"thinking","thinking":"","signature":"S"},
		{"type":"tool_use","id":"b","name":"list","input":{}}]`, string(body.Messages[0].Content))
}

func TestContextFull(t *testing.T) {
	t.Parallel()
	full := play(t, events(start, add("0", said("Hi")), finish("model_context_window_exceeded")))
	require.True(t, full.Done.ContextFull)
	require.False(t, play(t, events(start, add("0", said("Hi")), finish("max_tokens"))).Done.ContextFull)
}
