package llm

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"strings"
)

// Dialect is how a kind of endpoints is spoken to.
type Dialect interface {
	// Send posts req through x and gives the response, whatever its status. Errors: that of a request that
	// cannot be written, or x.Failure.
	Send(x *Exchange, req Request) (*http.Response, error)
	// Answer begins the reading of an answer to req.
	Answer(req Request) Answer
}

// Answer is one message in the making, read in a dialect.
type Answer interface {
	// Add takes a payload of the stream, with the name of its event, and gives what can be shown of it.
	// Errors: io.EOF for the dialect's end mark, ErrRefused, ErrUnreadable.
	Add(event, payload string) ([]Event, error)
	// AddWhole takes a document that came in place of a stream. Errors: as Add.
	AddWhole(document []byte) ([]Event, error)
	// Stopped reports whether the message has ended, so that at most usage may follow.
	Stopped() bool
	// Usage gives what was counted so far: one Usage, or nothing.
	Usage() []Event
	// End decides what the message was, and gives what is left of it: all calls, usage, Done. complete says
	// that a stream ended with an end mark, or that a document was whole.
	End(complete bool) ([]Event, error)
}

var (
	// ErrRefused is a payload that is an error of the provider's.
	ErrRefused = errors.New("llm: the payload is an error")
	// ErrUnreadable is a payload that is not of the dialect.
	ErrUnreadable = errors.New("llm: the payload cannot be read")
)

// Speak makes one attempt in a dialect, as Model.Stream describes it.
func Speak(ctx context.Context, o Options, d Dialect, req Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		exchange := NewExchange(ctx, o.Client, o.Limits)
		defer exchange.Close()
		resp, err := d.Send(exchange, req)
		if err != nil {
			yield(nil, err)
			return
		}
		defer func() { _ = resp.Body.Close() }()
		r := reading{Options: o, exchange: exchange, resp: resp, yield: yield}
		if resp.StatusCode != http.StatusOK {
			yield(nil, r.refusal())
			return
		}
		r.answer = d.Answer(req)
		r.read()
		if r.marked {
			exchange.Drain(resp.Body)
		}
	}
}

// reading is one response on its way to yield.
type reading struct {
	Options
	exchange *Exchange
	resp     *http.Response
	answer   Answer
	yield    func(Event, error) bool
	// payloads counts what was read; end marks do not count.
	payloads int
	// marked says that an end mark came.
	marked bool
}

// refusal is the error of a response of another status than 200.
func (r *reading) refusal() error {
	if r.resp.StatusCode < http.StatusBadRequest {
		code := CodeRedirected
		if r.resp.StatusCode < http.StatusMultipleChoices {
			code = CodeNotEventStream
		}
		err := Fail(InvalidRequest, code)
		err.Status = r.resp.StatusCode
		return err
	}
	body, err := io.ReadAll(r.resp.Body)
	if err != nil {
		return r.exchange.Failure(err)
	}
	return r.classify(body)
}

func (r *reading) classify(body []byte) error {
	return Classify(Response{Status: r.resp.StatusCode, Header: r.resp.Header, Body: body, Now: r.Now(), Key: r.Key})
}

// read sends the answer in a 200 response to yield.
func (r *reading) read() {
	body := bufio.NewReader(r.resp.Body)
	form, err := sniff(body)
	switch {
	case err != nil:
		r.yield(nil, r.exchange.Failure(err))
	case form == formJSON:
		r.readWhole(body)
	case form == formEmpty:
		r.yield(nil, Fail(Malformed, CodeEmptyStream))
	case form == formStream, strings.HasPrefix(r.resp.Header.Get("Content-Type"), "text/event-stream") && form == formOther:
		r.readStream(body)
	default:
		r.yield(nil, Fail(Malformed, CodeNotEventStream))
	}
}

// readWhole reads a message that came as one JSON document although a stream was asked for.
func (r *reading) readWhole(body io.Reader) {
	document, err := io.ReadAll(body)
	if err != nil {
		r.yield(nil, r.exchange.Failure(err))
		return
	}
	events, err := r.answer.AddWhole(document)
	switch {
	case errors.Is(err, ErrRefused), errors.Is(err, ErrUnreadable) && isReport(document):
		r.yield(nil, r.classify(document))
	case err != nil, !json.Valid(document):
		r.yield(nil, Fail(Malformed, CodeNotEventStream))
	case r.emit(events):
		r.payloads++
		r.end(true)
	}
}

// readStream reads an event stream up to its end mark, its end, or a failure.
func (r *reading) readStream(body io.Reader) {
	for frame, err := range Frames(body, r.Limits.Line) {
		if err != nil {
			r.broken(err)
			return
		}
		for _, payload := range frame.Payloads() {
			if !r.take(frame, payload) {
				return
			}
		}
	}
	r.end(false)
}

// take reads a payload, and reports whether to go on.
func (r *reading) take(frame Frame, payload string) bool {
	var events []Event
	err := io.EOF
	if !isEndMark(payload) {
		events, err = r.answer.Add(frame.Event, payload)
	}
	if errors.Is(err, io.EOF) {
		r.marked = true
		r.end(true)
		return false
	}
	r.payloads++
	if !r.readable(frame, payload, err) || !r.emit(events) {
		return false
	}
	if r.answer.Stopped() {
		r.exchange.Finished()
	}
	return true
}

// isEndMark reports whether a payload is the end mark, however it is written.
func isEndMark(payload string) bool {
	return strings.EqualFold(strings.Trim(strings.TrimSpace(payload), `"`), "[DONE]")
}

// readable ends a stream at a payload that is no part of a message. A payload that cannot be read is never
// skipped: text or arguments would be lost. What was counted before the provider's own error is void.
func (r *reading) readable(frame Frame, payload string, err error) bool {
	switch {
	case errors.Is(err, ErrUnreadable) && frame.Cut:
		r.fail(Fail(CutStream, ""))
	case errors.Is(err, ErrRefused), frame.Event == "error", errors.Is(err, ErrUnreadable) && isReport([]byte(payload)):
		r.yield(nil, r.classify([]byte(payload)))
	case err != nil:
		r.fail(Fail(Malformed, CodeBadFrame))
	default:
		return true
	}
	return false
}

// broken ends a stream whose connection failed. After the end of the message only usage is lost.
func (r *reading) broken(err error) {
	failure := r.exchange.Failure(err)
	if _, ours := errors.AsType[*Error](failure); ours && r.answer.Stopped() {
		r.end(true)
		return
	}
	r.fail(failure)
}

// end ends a message that nothing failed of.
func (r *reading) end(complete bool) {
	if r.payloads == 0 {
		r.yield(nil, Fail(Malformed, CodeEmptyStream))
		return
	}
	events, err := r.answer.End(complete)
	if r.emit(events) && err != nil {
		r.yield(nil, err)
	}
}

// fail yields what was counted, then the failure.
func (r *reading) fail(err error) {
	if r.emit(r.answer.Usage()) {
		r.yield(nil, err)
	}
}

func (r *reading) emit(events []Event) bool {
	for _, event := range events {
		if !r.yield(event, nil) {
			return false
		}
	}
	return true
}
