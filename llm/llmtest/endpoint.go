package llmtest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
)

// Endpoint answers requests with its replies, one each, in order.
type Endpoint struct {
	mu       sync.Mutex
	replies  []Reply
	requests []Request
	problems []string
}

// NewEndpoint makes an endpoint with a script.
func NewEndpoint(replies ...Reply) *Endpoint { return &Endpoint{replies: replies} }

// Script makes an endpoint that gives well-formed answers.
func Script(answers ...Answer) *Endpoint {
	e := NewEndpoint()
	for _, answer := range answers {
		e.Add(answer.Reply())
	}
	return e
}

// Add appends to the script.
func (e *Endpoint) Add(replies ...Reply) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.replies = append(e.replies, replies...)
}

// Requests gives what was asked so far.
func (e *Endpoint) Requests() []Request {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.requests)
}

// Problems are failed checks, unreadable requests, and requests beyond the script.
func (e *Endpoint) Problems() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.problems)
}

// ServeHTTP implements http.Handler.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	request, err := readRequest(w, req)
	if err != nil {
		e.problem("unreadable request: %v", err)
	}
	reply := e.next(request)
	if reply.Check != nil {
		if err := reply.Check(request); err != nil {
			e.problem("request %d: %v", len(e.Requests()), err)
		}
	}
	reply.send(w, req)
}

func (e *Endpoint) next(request Request) Reply {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.requests = append(e.requests, request)
	if len(e.replies) == 0 {
		e.problems = append(e.problems, fmt.Sprintf("request %d is beyond the script", len(e.requests)))
		return Refuse(http.StatusTeapot, `{"error":{"message":"the script is over"}}`)
	}
	reply := e.replies[0]
	e.replies = e.replies[1:]
	return reply
}

func (e *Endpoint) problem(format string, args ...any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.problems = append(e.problems, fmt.Sprintf(format, args...))
}

// Start serves handler until the test ends and gives its base URL, which ends in /v1. The problems of an
// Endpoint fail the test.
func Start(t testing.TB, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		if e, ok := handler.(*Endpoint); ok {
			for _, problem := range e.Problems() {
				t.Error("llmtest: " + problem)
			}
		}
	})
	return server.URL + "/v1"
}
