package openai

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"countersign/llm"
)

type yieldFunc = func(llm.Event, error) bool

// refusal turns a response of another status than 200 into its error.
func (m *Model) refusal(exchange *llm.Exchange, resp *http.Response) error {
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode < http.StatusBadRequest {
		code := llm.CodeRedirected
		if resp.StatusCode < http.StatusMultipleChoices {
			code = llm.CodeNotEventStream
		}
		err := llm.Fail(llm.InvalidRequest, code)
		err.Status = resp.StatusCode
		return err
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return exchange.Failure(err)
	}
	return m.classify(resp.StatusCode, resp.Header, body)
}

func (m *Model) classify(status int, header http.Header, body []byte) error {
	return llm.Classify(llm.Response{Status: status, Header: header, Body: body, Now: m.o.Now(), Key: m.o.Key})
}

// read sends the answer in a 200 response to yield.
func (m *Model) read(exchange *llm.Exchange, resp *http.Response, a *answer, yield yieldFunc) {
	body := bufio.NewReader(resp.Body)
	form, err := sniff(body)
	switch {
	case err != nil:
		yield(nil, exchange.Failure(err))
	case form == formJSON:
		m.readWhole(exchange, resp.Header, body, a, yield)
	case form == formEmpty:
		yield(nil, llm.Fail(llm.Malformed, llm.CodeEmptyStream))
	case form == formStream, strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") && form == formOther:
		m.readStream(exchange, resp.Header, body, a, yield)
	default:
		yield(nil, llm.Fail(llm.Malformed, llm.CodeNotEventStream))
	}
}

// bodyForm is what a body looks like, whatever its content type says.
type bodyForm int

const (
	formOther bodyForm = iota
	formEmpty
	formStream
	formJSON
	formForeign
)

// sniffLimit is how many leading blanks are looked through.
const sniffLimit = 512

// sniff looks at the first bytes without taking them.
func sniff(body *bufio.Reader) (bodyForm, error) {
	for n := 1; n <= sniffLimit; n++ {
		head, err := body.Peek(n)
		if len(head) < n {
			if errors.Is(err, io.EOF) {
				return formEmpty, nil
			}
			return formOther, err
		}
		if c := head[n-1]; !strings.ContainsRune(" \t\r\n", rune(c)) {
			return formOf(body, n-1), nil
		}
	}
	return formOther, nil
}

func formOf(body *bufio.Reader, at int) bodyForm {
	head, _ := body.Peek(body.Buffered())
	head = head[at:]
	switch head[0] {
	case '{', '[':
		return formJSON
	case '<', 0x1f:
		return formForeign
	}
	for _, field := range []string{":", "data", "event", "id", "retry", "error", "\uFEFF"} {
		known := []byte(field)
		if bytes.HasPrefix(head, known) || bytes.HasPrefix(known, head) {
			return formStream
		}
	}
	return formOther
}

// readWhole reads a completion that came as one JSON document although a stream was asked for.
func (m *Model) readWhole(exchange *llm.Exchange, header http.Header, body io.Reader, a *answer, yield yieldFunc) {
	document, err := io.ReadAll(body)
	if err != nil {
		yield(nil, exchange.Failure(err))
		return
	}
	var c chunk
	_ = json.Unmarshal(document, &c) // what does not fit is looked at below
	switch {
	case json.Valid(document) && c.refused(document):
		yield(nil, m.classify(http.StatusOK, header, document))
	case c.Choices == nil:
		yield(nil, llm.Fail(llm.Malformed, llm.CodeNotEventStream))
	default:
		a.whole = true
		finish(a, a.add(c), true, yield)
	}
}

// readStream reads an event stream up to its end mark, its end, or a failure.
func (m *Model) readStream(exchange *llm.Exchange, header http.Header, body io.Reader, a *answer, yield yieldFunc) {
	frames := 0
	for frame, err := range llm.Frames(body, m.o.Limits.Line) {
		if err != nil {
			m.broken(exchange, err, a, yield)
			return
		}
		for _, payload := range frame.Payloads() {
			if strings.TrimSpace(payload) == "[DONE]" {
				m.complete(frames, a, yield)
				return
			}
			frames++
			c, err := m.decode(frame, payload, header)
			if err != nil {
				fail(a, err, yield)
				return
			}
			if !emit(a.add(c), yield) {
				return
			}
			if a.finish != "" {
				exchange.Finished()
			}
		}
	}
	if frames == 0 {
		yield(nil, llm.Fail(llm.Malformed, llm.CodeEmptyStream))
		return
	}
	finish(a, nil, false, yield)
}

// decode reads a payload. A payload that is no JSON is never skipped: text or arguments would be lost.
func (m *Model) decode(frame llm.Frame, payload string, header http.Header) (chunk, error) {
	var c chunk
	err := json.Unmarshal([]byte(payload), &c)
	if odd, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && odd.Field != "" {
		err = nil // one field of an odd type; the others are there
	}
	switch {
	case err != nil && frame.Cut:
		return c, llm.Fail(llm.CutStream, "")
	case frame.Event == "error", c.failed():
		return c, m.classify(http.StatusOK, header, []byte(payload))
	case err != nil:
		return c, llm.Fail(llm.Malformed, llm.CodeBadFrame)
	}
	return c, nil
}

// complete ends a stream at its end mark.
func (m *Model) complete(frames int, a *answer, yield yieldFunc) {
	if frames == 0 {
		yield(nil, llm.Fail(llm.Malformed, llm.CodeEmptyStream))
		return
	}
	finish(a, nil, true, yield)
}

// broken ends a stream whose connection failed. After a finish reason only usage is lost.
func (m *Model) broken(exchange *llm.Exchange, err error, a *answer, yield yieldFunc) {
	failure := exchange.Failure(err)
	if _, ours := errors.AsType[*llm.Error](failure); ours && a.finish != "" {
		finish(a, nil, true, yield)
		return
	}
	fail(a, failure, yield)
}

func finish(a *answer, first []llm.Event, complete bool, yield yieldFunc) {
	events, err := a.end(complete)
	if emit(append(first, events...), yield) && err != nil {
		yield(nil, err)
	}
}

// fail yields what was counted, then the failure.
func fail(a *answer, err error, yield yieldFunc) {
	if emit(a.count(), yield) {
		yield(nil, err)
	}
}

func emit(events []llm.Event, yield yieldFunc) bool {
	for _, event := range events {
		if !yield(event, nil) {
			return false
		}
	}
	return true
}
