package api

import (
	"context"
	"strings"

	"countersign/models"
	"countersign/rbac"
)

// identified is a record as it is shown.
type identified interface {
	identity() (id string, version int64)
}

// recordRoutes are the routes that all kinds of CRM records have alike.
type recordRoutes[T identified] struct {
	kind                  models.RecordType
	plural                string
	read, remove, restore rbac.Permission

	get      func(ctx context.Context, actor models.Actor, id string) (T, error)
	delete   func(ctx context.Context, actor models.Actor, id string, version int64) error
	undelete func(ctx context.Context, actor models.Actor, id string) (T, error)
}

// deletion names the version of the record that is to go.
type deletion struct {
	Seen
	Version int64 `query:"version" minimum:"1" doc:"The version that you have seen."`
}

// restoration may name a version as other writes do. It decides nothing: in the bin a record does not change.
type restoration struct {
	Seen
	Body *struct {
		Version int64 `json:"version,omitempty" minimum:"1"`
	}
}

// patchOf is a partial update of a record.
type patchOf[T any] struct {
	Seen
	Body T
}

func addRecord[T identified](s *server, r recordRoutes[T]) {
	path, title := "/api/"+r.plural+"/{id}", titleOf(r.kind)
	handle(s, get(path, "get"+title, "Read one").needs(r.read),
		func(ctx context.Context, actor models.Actor, in *ByID) (*versioned[T], error) {
			return record(r.get(ctx, actor, in.id()))
		})
	handle(s, del(path, "delete"+title, "Put into the bin").needs(r.remove).empty(),
		func(ctx context.Context, actor models.Actor, in *deletion) (*none, error) {
			version, err := in.version(in.Version)
			if err != nil {
				return nil, err
			}
			return &none{}, r.delete(ctx, actor, in.id(), version)
		})
	handle(s, post(path+"/restore", "restore"+title, "Take out of the bin").needs(r.restore).replays(),
		func(ctx context.Context, actor models.Actor, in *restoration) (*versioned[T], error) {
			return record(r.undelete(ctx, actor, in.id()))
		})
	handle(s, get(path+"/history", "get"+title+"History", "Who changed what, newest first").needs(r.read),
		func(ctx context.Context, actor models.Actor, in *ByID) (*one[Page[HistoryItem]], error) {
			items, err := s.History.Of(ctx, actor, r.kind, in.id())
			return allOf(items, err, historyItemOf)
		})
}

// titleOf is a kind as operation ids spell it.
func titleOf(kind models.RecordType) string {
	return strings.ToUpper(string(kind[:1])) + string(kind[1:])
}

// record answers with one record, its version as the entity tag.
func record[T identified](v T, err error) (*versioned[T], error) {
	if err != nil {
		return nil, err
	}
	_, version := v.identity()
	return &versioned[T]{ETag: quoted(version), Body: v}, nil
}

// created answers with a new record and where it is.
func created[T identified](v T, err error, plural string) (*versioned[T], error) {
	answer, err := record(v, err)
	if err == nil {
		id, _ := v.identity()
		answer.Location = "/api/" + plural + "/" + id
	}
	return answer, err
}

// shownOne shows what a service answers with.
func shownOne[A, B any](show func(*A) B) func(*A, error) (B, error) {
	return func(a *A, err error) (b B, _ error) {
		if err == nil {
			b = show(a)
		}
		return b, err
	}
}
