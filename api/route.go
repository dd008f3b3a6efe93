package api

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"countersign/models"
	"countersign/rbac"
)

// Route is what a route says of itself.
type Route struct {
	Method, Path string
	// Public routes answer without a session; all others demand one.
	Public bool
	// Permission is the right that the service behind the route asks for; empty where being signed in is
	// enough, because the rows are the person's own.
	Permission rbac.Permission
	// Replays says that an Idempotency-Key is honoured.
	Replays bool
	// Plain says that answers hold no text of records, and are not masked for those without contact:pii. All others are.
	Plain bool

	// Summary is one line for the document; empty for what is no operation of the API.
	Summary string

	id string
	// status is that of success.
	status int
	// stream routes answer with server-sent events.
	stream bool
}

func newRoute(method, path, id, summary string) Route {
	return Route{Method: method, Path: path, Summary: summary, id: id, status: http.StatusOK}
}

func get(path, id, summary string) Route   { return newRoute(http.MethodGet, path, id, summary) }
func post(path, id, summary string) Route  { return newRoute(http.MethodPost, path, id, summary) }
func put(path, id, summary string) Route   { return newRoute(http.MethodPut, path, id, summary) }
func patch(path, id, summary string) Route { return newRoute(http.MethodPatch, path, id, summary) }
func del(path, id, summary string) Route   { return newRoute(http.MethodDelete, path, id, summary) }

func (r Route) public() Route                 { r.Public = true; return r }
func (r Route) needs(p rbac.Permission) Route { r.Permission = p; return r }
func (r Route) replays() Route                { r.Replays = true; return r }
func (r Route) plain() Route                  { r.Plain = true; return r }
func (r Route) creates() Route                { r.status = http.StatusCreated; return r }
func (r Route) empty() Route                  { r.status = http.StatusNoContent; return r }
func (r Route) streams() Route                { r.stream = true; return r }

// tag groups the document's operations: companies, deals, auth.
func (r Route) tag() string {
	segment, _, _ := strings.Cut(strings.TrimPrefix(r.Path, "/api/"), "/")
	return segment
}

// Routes lists all routes by path and method.
func Routes() []Route { return build(Options{}.withDefaults()).sorted() }

func (s *server) sorted() []Route {
	return slices.SortedFunc(maps.Values(s.routes), func(a, b Route) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Method, b.Method))
	})
}

// bodyTimeout bounds reading a body.
const bodyTimeout = 30 * time.Second

// declare records a route under the pattern that gin knows it by.
func (s *server) declare(r Route) { s.routes[r.Method+" "+ginPath(r.Path)] = r }

// ginPath turns /deals/{id} into /deals/:id.
func ginPath(path string) string {
	return strings.NewReplacer("{", ":", "}", "").Replace(path)
}

// handle adds a route for signed-in people. h gets the actor explicitly; its error becomes a problem document.
func handle[I, O any](s *server, r Route, h func(ctx context.Context, actor models.Actor, in *I) (*O, error)) {
	add(s, r, func(ctx context.Context, req *request, in *I) (*O, error) { return h(ctx, req.actor, in) })
}

// add adds a route whose handler wants to know more of the request than the actor.
func add[I, O any](s *server, r Route, h func(ctx context.Context, req *request, in *I) (*O, error)) {
	r.Plain = r.Plain || r.Public || r.stream
	s.declare(r)
	huma.Register(s.api, s.operation(r), func(ctx context.Context, in *I) (*O, error) {
		req := requestOf(ctx)
		out, err := h(ctx, req, in)
		if err != nil {
			return nil, s.problem(ctx, err)
		}
		return out, nil
	})
}

// addPlain adds a public route that is no operation of the API.
func (s *server) addPlain(path string, h gin.HandlerFunc) {
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		s.declare(Route{Method: method, Path: path, Public: true, Plain: true})
		s.engine.Handle(method, path, h)
	}
}

func (s *server) operation(r Route) huma.Operation {
	op := huma.Operation{
		OperationID: r.id, Method: r.Method, Path: r.Path, Summary: r.Summary, Tags: []string{r.tag()},
		DefaultStatus: r.status, BodyReadTimeout: bodyTimeout,
		// The limit of bodies is the same for all requests, see limitBody.
		MaxBodyBytes: -1,
		Security:     []map[string][]string{{sessionScheme: {}}},
	}
	if r.stream {
		op.Responses = map[string]*huma.Response{"200": {
			Description: "Server-sent events until there is no more to tell.",
			Content:     map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{Type: huma.TypeString}}},
		}}
	}
	if r.Public {
		op.Security = []map[string][]string{}
	}
	if r.Permission != "" {
		op.Extensions = map[string]any{"x-permission": r.Permission}
	}
	if r.Replays {
		op.Parameters = []*huma.Param{{
			Name: idempotencyHeader, In: "header", Schema: &huma.Schema{Type: huma.TypeString},
			Description: "A key of your choice: the same request under the same key is carried out once and answered the same.",
		}}
	}
	return op
}

// one is the answer of a route with one thing.
type one[T any] struct{ Body T }

func answer[T any](v T, err error) (*one[T], error) {
	if err != nil {
		return nil, err
	}
	return &one[T]{v}, nil
}

// none is the answer of a route without content.
type none struct{}
