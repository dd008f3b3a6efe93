package llmtest

import (
	"encoding/json"
	"net/http"
	"time"
)

// Answer is what a model says in one message.
type Answer struct {
	// Text is sent one element per chunk.
	Text  []string `json:"text,omitempty"`
	Calls []Call   `json:"calls,omitempty"`
	Usage *Usage   `json:"usage,omitempty"`
	// Finish is the finish reason: stop, or tool_calls when there are Calls, when empty.
	Finish string `json:"finish,omitempty"`
}

// Call is a tool call. An empty ID becomes call_1, call_2 and so on.
type Call struct {
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// Usage is counted in tokens. Cached ones are among those of the input.
type Usage struct {
	Input  int `json:"input"`
	Output int `json:"output"`
	Cached int `json:"cached,omitempty"`
}

// Say answers with text, one chunk per piece.
func Say(pieces ...string) Answer { return Answer{Text: pieces} }

// CallTool answers with one call. arguments is the text of a JSON object.
func CallTool(name, arguments string) Answer {
	return Answer{Calls: []Call{{Name: name, Arguments: json.RawMessage(arguments)}}}
}

// And gives an answer that makes the calls of both and says what both say.
func (a Answer) And(b Answer) Answer {
	a.Text = append(a.Text[:len(a.Text):len(a.Text)], b.Text...)
	a.Calls = append(a.Calls[:len(a.Calls):len(a.Calls)], b.Calls...)
	return a
}

// Costs gives the answer with a usage chunk.
func (a Answer) Costs(input, output int) Answer {
	a.Usage = &Usage{Input: input, Output: output}
	return a
}

// Cached says how many tokens of an answer's input the endpoint had in its cache.
func (a Answer) Cached(tokens int) Answer {
	usage := *a.Usage
	usage.Cached = tokens
	a.Usage = &usage
	return a
}

// Frames encodes the answer as a well-formed stream of chat completions, one element per event.
func (a Answer) Frames() [][]byte { return a.FramesIn(Chat) }

// FramesIn encodes the answer as a well-formed stream in a dialect.
func (a Answer) FramesIn(d Dialect) [][]byte {
	if d == Messages {
		return a.messagesFrames()
	}
	return a.chatFrames()
}

// Reply makes the HTTP reply that streams the answer.
func (a Answer) Reply() Reply { return Reply{Answer: &a} }

// End is how a reply ends.
type End int

// The ends of a reply.
const (
	// EndClean closes the reply as servers should.
	EndClean End = iota
	// EndCut resets the connection.
	EndCut
	// EndSilence sends nothing more and waits for the client to leave.
	EndSilence
)

// Reply is one HTTP response.
type Reply struct {
	// Status is 200 when zero.
	Status int
	// Header is set on top of the content type of an event stream.
	Header map[string]string
	// Chunks are flushed one by one, each after Delay.
	Chunks [][]byte
	// Answer, where there is one, makes the Chunks, in the dialect of the request.
	Answer *Answer
	// Omit is how many of the last events of Answer are left out. Without the last one there is no end mark;
	// without the last two, nothing says that the message is complete.
	Omit  int
	Delay time.Duration
	End   End
	// Check judges the request. What it finds fails the test.
	Check func(Request) error
}

// Checked gives the reply with a check of the request that it answers.
func (r Reply) Checked(check func(Request) error) Reply {
	r.Check = check
	return r
}

// Refuse replies with a status and a JSON body.
func Refuse(status int, body string) Reply {
	return Reply{
		Status: status, Header: map[string]string{"Content-Type": "application/json"},
		Chunks: [][]byte{[]byte(body)},
	}
}

// send writes the reply.
func (r Reply) send(w http.ResponseWriter, req *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	for name, value := range r.Header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(max(r.Status, http.StatusOK))
	flusher := http.NewResponseController(w)
	for _, chunk := range r.chunks(dialectOf(req)) {
		if !wait(req, r.Delay) {
			return
		}
		_, _ = w.Write(chunk)
		_ = flusher.Flush()
	}
	switch r.End {
	case EndCut:
		panic(http.ErrAbortHandler)
	case EndSilence:
		_ = flusher.Flush()
		<-req.Context().Done()
	}
}

func (r Reply) chunks(d Dialect) [][]byte {
	if r.Answer == nil {
		return r.Chunks
	}
	frames := r.Answer.FramesIn(d)
	return frames[:len(frames)-r.Omit]
}

// wait reports whether the client is still there after d.
func wait(req *http.Request, d time.Duration) bool {
	if d == 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-req.Context().Done():
		return false
	}
}
