package llm

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"syscall"
	"time"
)

// Limits bound one exchange with a provider.
type Limits struct {
	// Header bounds the wait for the response headers: a local model loads and thinks before them.
	Header time.Duration
	// Idle bounds the silence between two reads of the body.
	Idle time.Duration
	// Tail replaces Idle once the answer is finished and only usage may follow.
	Tail time.Duration
	// Total bounds the whole exchange.
	Total time.Duration
	// Body and ErrorBody bound the bytes read of a response below and from status 400; Line bounds one line.
	Body, ErrorBody int64
	Line            int
}

// DefaultLimits fit a person who waits for an answer.
func DefaultLimits() Limits {
	return Limits{
		Header: 60 * time.Second, Idle: 45 * time.Second, Tail: 3 * time.Second, Total: 120 * time.Second,
		Body: 64 << 20, ErrorBody: 64 << 10, Line: 16 << 20,
	}
}

// DialControl judges an address after its name was resolved and before it is connected to. An error refuses it.
type DialControl func(network, address string, conn syscall.RawConn) error

// requestBuffer is how much of a request, in bytes, is sent at once: most with all their tools fit.
const requestBuffer = 64 << 10

// NewHTTPClient makes the client that all models share. It follows no redirect, because keys would follow it,
// and uses no proxy of the environment. control is the guard of outbound addresses; nil allows every address.
func NewHTTPClient(control DialControl) *http.Client {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	if control != nil {
		dialer.Control = func(network, address string, conn syscall.RawConn) error {
			if err := control(network, address, conn); err != nil {
				return &blockedError{err}
			}
			return nil
		}
	}
	return &http.Client{
		Transport: &http.Transport{
			DialContext:           dialer.DialContext,
			ForceAttemptHTTP2:     true,
			WriteBufferSize:       requestBuffer,
			MaxIdleConnsPerHost:   16,
			IdleConnTimeout:       90 * time.Second,
			TLSHandshakeTimeout:   10 * time.Second,
			ExpectContinueTimeout: time.Second,
			TLSClientConfig:       &tls.Config{MinVersion: tls.VersionTLS12},
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

type blockedError struct{ error }

func (e *blockedError) Unwrap() error { return e.error }

var (
	errHeaderTimeout = errors.New("llm: no response headers in time")
	errIdleTimeout   = errors.New("llm: the stream went silent")
	errTotalTimeout  = errors.New("llm: the answer took too long")
	errBodyTooLarge  = errors.New("llm: the response is too large")
)

// Exchange is one request and its response under Limits. It does requests as an *http.Client does.
type Exchange struct {
	client *http.Client
	limits Limits
	parent context.Context
	ctx    context.Context
	cancel context.CancelCauseFunc
	stop   context.CancelFunc
	timer  *time.Timer
}

// NewExchange starts the clocks. The caller sends its request with Context and calls Close in the end.
func NewExchange(ctx context.Context, client *http.Client, limits Limits) *Exchange {
	x := &Exchange{client: client, limits: limits, parent: ctx}
	timed, stop := context.WithTimeoutCause(ctx, limits.Total, errTotalTimeout)
	x.stop = stop
	x.ctx, x.cancel = context.WithCancelCause(timed)
	x.timer = time.AfterFunc(limits.Header, func() { x.cancel(errHeaderTimeout) })
	return x
}

// Context is the context of the request.
func (x *Exchange) Context() context.Context { return x.ctx }

// Close ends the exchange and its connection where it is still in use.
func (x *Exchange) Close() {
	x.timer.Stop()
	x.cancel(context.Canceled)
	x.stop()
}

// Do sends the request and puts the response body under the limits.
func (x *Exchange) Do(req *http.Request) (*http.Response, error) {
	resp, err := x.client.Do(req)
	if err != nil {
		return nil, err
	}
	x.timer.Stop()
	limit := x.limits.Body
	if resp.StatusCode >= http.StatusBadRequest {
		limit = x.limits.ErrorBody
	}
	x.timer = time.AfterFunc(x.limits.Idle, func() { x.cancel(errIdleTimeout) })
	resp.Body = &guardedBody{ReadCloser: resp.Body, exchange: x, left: limit, errorBody: limit != x.limits.Body}
	return resp, nil
}

// Finished says that the answer is complete, so that a server that keeps the connection open delays no one.
func (x *Exchange) Finished() {
	x.limits.Idle = min(x.limits.Idle, x.limits.Tail)
	x.timer.Reset(x.limits.Idle)
}

// The bounds of what is read after an end mark: the end of the body follows at once or never.
const (
	drainTime  = 20 * time.Millisecond
	drainBytes = 4 << 10
)

// Drain reads the end of a body whose answer has ended, so that the next request can use the connection.
func (x *Exchange) Drain(body io.Reader) {
	x.limits.Idle = drainTime
	x.timer.Reset(drainTime)
	_, _ = io.CopyN(io.Discard, body, drainBytes)
}

type guardedBody struct {
	io.ReadCloser
	exchange  *Exchange
	left      int64
	errorBody bool
}

func (b *guardedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, b.overflow()
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	if n > 0 {
		b.exchange.timer.Reset(b.exchange.limits.Idle)
	}
	return n, err
}

// overflow cuts an error page silently, because its beginning says enough, and refuses a longer answer.
func (b *guardedBody) overflow() error {
	if b.errorBody {
		return io.EOF
	}
	return errBodyTooLarge
}

// Failure turns an error of Do or of a read into an *Error, or into the caller's own context error.
func (x *Exchange) Failure(err error) error {
	if x.parent.Err() != nil {
		return context.Cause(x.parent)
	}
	switch cause := context.Cause(x.ctx); {
	case errors.Is(cause, errHeaderTimeout):
		return Fail(Timeout, CodeHeaderTimeout).because(cause)
	case errors.Is(cause, errIdleTimeout):
		return Fail(Timeout, CodeIdleTimeout).because(cause)
	case errors.Is(cause, errTotalTimeout):
		return Fail(Timeout, CodeTotalTimeout).because(cause)
	case errors.Is(err, errBodyTooLarge), errors.Is(err, ErrLineTooLong):
		return Fail(Malformed, CodeTooLarge).because(err)
	}
	return connectionFailure(err)
}

func connectionFailure(err error) *Error {
	if blocked, ok := errors.AsType[*blockedError](err); ok {
		return Fail(InvalidRequest, CodeBlockedAddress).because(blocked)
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		failure := Fail(Unavailable, CodeDNS).because(err)
		failure.Retryable = !dns.IsNotFound
		return failure
	}
	if isTLS(err) {
		failure := Fail(Unavailable, CodeTLS).because(err)
		failure.Retryable = false
		return failure
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return Fail(Unavailable, CodeConnect).because(err)
	}
	return Fail(CutStream, "").because(err)
}

func isTLS(err error) bool {
	_, unverified := errors.AsType[*tls.CertificateVerificationError](err)
	_, noTLS := errors.AsType[tls.RecordHeaderError](err)
	_, alert := errors.AsType[tls.AlertError](err)
	return unverified || noTLS || alert || errors.Is(err, http.ErrSchemeMismatch)
}
