package main

import (
	"bytes"
	"flag"
	"io"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"time"

	"countersign/llm/llmtest"
)

const answerTokens = 20

func main() {
	addr := flag.String("addr", "127.0.0.1:18080", "address to listen on")
	flag.Parse()
	mux := http.NewServeMux()
	mux.Handle("POST /v1/chat/completions", newModel())
	server := &http.Server{Addr: *addr, Handler: mux, ReadHeaderTimeout: time.Minute}
	if err := server.ListenAndServe(); err != nil {
		slog.Error("the endpoint has ended", "error", err)
		os.Exit(1)
	}
}

// reply is an answer in both forms.
type reply struct {
	frames [][]byte
	whole  []byte
}

// model answers a person's message with call, and the result of a tool with text.
type model struct{ call, text reply }

func newModel() model {
	call := llmtest.CallTool("get_deal", `{"deal":"Acme renewal"}`).Costs(900, 20)
	text := llmtest.Say(slices.Repeat([]string{"word "}, answerTokens)...).Costs(1100, answerTokens)
	return model{reply{call.Frames(), completion(call)}, reply{text.Frames(), completion(text)}}
}

// ServeHTTP implements http.Handler.
func (m model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answer := m.call
	if lastRole(body) == "tool" {
		answer = m.text
	}
	if !streams(body) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer.whole)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	control := http.NewResponseController(w)
	for _, frame := range answer.frames {
		_, _ = w.Write(frame)
		_ = control.Flush()
	}
}

// lastRole is the role of the last message. Decoding a whole prompt would cost more than all the rest; within a text
// the quotes are escaped, so what is found is a member of an object, and a tool's parameter of that name is followed
// by an object.
func lastRole(body []byte) string {
	const name = `"role":`
	for end := bytes.LastIndex(body, []byte(name)); end >= 0; end = bytes.LastIndex(body[:end], []byte(name)) {
		value, isText := bytes.CutPrefix(bytes.TrimSpace(body[end+len(name):]), []byte{'"'})
		if role, _, closed := bytes.Cut(value, []byte{'"'}); isText && closed {
			return string(role)
		}
	}
	return ""
}

func streams(body []byte) bool {
	return bytes.Contains(body, []byte(`"stream":true`)) || bytes.Contains(body, []byte(`"stream": true`))
}
