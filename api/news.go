package api

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"countersign/events"
	"countersign/proposals"
)

// The news that a page is told. newsReady comes first: what changes from then on is told.
const (
	newsReady     = "ready"
	newsProposals = "proposals"
)

func (s *server) newsRoutes() {
	add(s, get("/api/events", "followNews", "Hear at once that something of yours has changed, and read it again").streams(), s.followNews)
}

func (s *server) followNews(ctx context.Context, req *request, _ *struct{}) (*huma.StreamResponse, error) {
	return s.stream(ctx, "", s.news(ctx, req)), nil
}

// news tells a person that proposals of theirs, or that those of their role may approve, have changed. It ends with their
// session, when their role has changed, and when the server stops: whoever still may comes back.
func (s *server) news(ctx context.Context, req *request) iter.Seq2[events.Frame, error] {
	return func(yield func(events.Frame, error) bool) {
		own, err := s.Bus.Subscribe(ctx, proposals.PersonTopic(req.actor.UserID))
		if err != nil {
			yield(events.Frame{}, err)
			return
		}
		defer own.Close()
		ofRole, err := s.Bus.Subscribe(ctx, proposals.RoleTopic(req.subject.Role))
		if err != nil {
			yield(events.Frame{}, err)
			return
		}
		defer ofRole.Close()
		check := time.NewTicker(s.Heartbeat)
		defer check.Stop()
		seq := int64(0)
		tell := func(kind string) bool {
			seq++
			return yield(events.Frame{Seq: seq, Type: kind, Data: fmt.Appendf(nil, `{"type":%q}`, kind)}, nil)
		}
		for more := tell(newsReady); more; {
			select {
			case _, more = <-own.Messages():
				more = more && s.isStill(ctx, req) && tell(newsProposals)
			case _, more = <-ofRole.Messages():
				more = more && s.isStill(ctx, req) && tell(newsProposals)
			case <-check.C:
				more = s.isStill(ctx, req)
			case <-s.Stopping:
				return
			case <-ctx.Done():
				return
			}
		}
	}
}

// isStill reports whether a request's session lasts and its person has the role that they had.
func (s *server) isStill(ctx context.Context, req *request) bool {
	_, subject, err := s.Accounts.Authenticate(ctx, req.token, req.Meta)
	return err == nil && subject.Role == req.subject.Role
}
