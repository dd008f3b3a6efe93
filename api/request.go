package api

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"countersign/accounts"
	"countersign/i18n"
	"countersign/models"
	"countersign/rbac"
)

// request is what the door knows of one request. It belongs to the goroutine that serves it.
type request struct {
	id string
	accounts.Meta
	// route is the pattern of the matched route; empty while and where there is none.
	route string
	// token is the session's, actor who it belongs to, subject their rights when the session was found.
	token   string
	actor   models.Actor
	subject rbac.Subject
	// rest is what is left of an answer once the router is done with it; nil for nothing.
	rest func(http.ResponseWriter)
}

type requestKey struct{}

// requestOf gives the request that a context belongs to. Handlers take from it what they pass on explicitly.
func requestOf(ctx context.Context) *request {
	if req, ok := ctx.Value(requestKey{}).(*request); ok {
		return req
	}
	return &request{}
}

const requestIDHeader = "X-Request-Id"

// saneID is what is accepted as a request id from outside: it goes into logs and headers.
var saneID = regexp.MustCompile(`^[A-Za-z0-9._-]{8,64}$`)

// received gives every request its id, contains panics and writes its log line.
func (s *server) received(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		started := time.Now()
		req := s.newRequest(r)
		w.Header().Set(requestIDHeader, req.id)
		rec := &recorder{ResponseWriter: w}
		defer func() {
			p := recover()
			broken := s.contain(rec, r, req, p)
			s.logRequest(r, req, rec.status, time.Since(started))
			if broken {
				panic(http.ErrAbortHandler)
			}
		}()
		next.ServeHTTP(rec, r.WithContext(context.WithValue(r.Context(), requestKey{}, req)))
		if req.rest != nil {
			req.rest(rec)
		}
	})
}

func (s *server) newRequest(r *http.Request) *request {
	id := r.Header.Get(requestIDHeader)
	if !saneID.MatchString(id) {
		id = models.NewID()
	}
	req := &request{id: id, Meta: accounts.Meta{IP: clientIP(r, s.TrustedProxies), UserAgent: r.UserAgent(), RequestID: id}}
	if wanted := r.Header.Get("Accept-Language"); wanted != "" {
		req.Lang = string(i18n.Match(wanted))
	}
	return req
}

// contain answers a panic with a problem document, or says that the connection has to be broken because the
// answer has begun: a client must not take a cut answer for a whole one.
func (s *server) contain(w *recorder, r *http.Request, req *request, p any) (broken bool) {
	if p == nil {
		return false
	}
	if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		return true
	}
	s.Logger.ErrorContext(r.Context(), "request panicked", slog.String("request_id", req.id), slog.String("route", req.route),
		slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
	if w.status != 0 {
		return true
	}
	newProblem(req, errPanic).write(w)
	return false
}

func (s *server) logRequest(r *http.Request, req *request, status int, took time.Duration) {
	s.Logger.LogAttrs(r.Context(), slog.LevelInfo, "request",
		slog.String("request_id", req.id), slog.String("user_id", req.actor.UserID), slog.String("method", r.Method),
		slog.String("route", req.route), slog.Int("status", status), slog.Int64("ms", took.Milliseconds()))
}

// noteRoute keeps the pattern for the log: the path itself may hold what does not belong there.
func (s *server) noteRoute(c *gin.Context) { requestOf(c.Request.Context()).route = c.FullPath() }

// clientIP is the address of the client: the peer's, unless trusted proxies say whom they speak for. The header
// is read from its end, where the nearest proxy wrote; what lies before the first stranger is hearsay.
func clientIP(r *http.Request, trusted []netip.Prefix) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	client, err := netip.ParseAddr(host)
	if err != nil {
		return ""
	}
	client = client.Unmap().WithZone("")
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && contains(trusted, client); i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		client = hop.Unmap().WithZone("")
	}
	return client.String()
}

func contains(networks []netip.Prefix, addr netip.Addr) bool {
	for _, n := range networks {
		if n.Contains(addr) {
			return true
		}
	}
	return false
}

// recorder notes the status of an answer; zero means that none has begun.
type recorder struct {
	http.ResponseWriter
	status int
}

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

// Flush implements http.Flusher, which gin asserts.
func (w *recorder) Flush() {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	_ = http.NewResponseController(w.ResponseWriter).Flush()
}

// Unwrap lets http.ResponseController reach the connection.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }
