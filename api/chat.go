package api

import (
	"context"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"countersign/agent"
	"countersign/apperr"
	"countersign/models"
	"countersign/rbac"
)

// Message is what a person says to the assistant.
type Message struct {
	ConversationID string          `json:"conversationId,omitempty" maxLength:"100" doc:"A new conversation begins if left out."`
	Message        string          `json:"message" doc:"A text, or a command that begins with /."`
	CarryFrom      string          `json:"carryFrom,omitempty" maxLength:"100" doc:"A conversation of yours with whose summary a new one begins."`
	Fallback       bool            `json:"fallback,omitempty" doc:"Answer a text by a search while no model is set up."`
	Search         bool            `json:"search,omitempty" doc:"Answer a text by a search, because the model does not answer."`
	Context        *MessageContext `json:"context,omitempty" doc:"The record that the person is looking at."`
}

// MessageContext names the record that a person is looking at.
type MessageContext struct {
	Type string `json:"type" maxLength:"50"`
	ID   string `json:"id" maxLength:"100"`
}

func (c *MessageContext) ref() *models.Ref {
	if c == nil {
		return nil
	}
	return &models.Ref{Type: models.RecordType(c.Type), ID: c.ID}
}

// turnEvents asks for the events of a turn from a place on.
type turnEvents struct {
	ByID
	After       int64  `query:"after" minimum:"0" doc:"The id of the last event that you have."`
	LastEventID string `header:"Last-Event-ID" maxLength:"20" doc:"The same, as browsers send it."`
}

func (s *server) chatRoutes() {
	handle(s, post("/api/chat", "chat", "Say something and follow the turn").needs(rbac.AssistantUse).streams(), s.chat)
	handle(s, get("/api/turns/{id}/events", "followTurn", "Follow a turn again").streams(), s.followTurn)
	handle(s, post("/api/turns/{id}/stop", "stopTurn", "Stop a turn").empty(), s.stopTurn)
}

func (s *server) chat(ctx context.Context, actor models.Actor, in *one[Message]) (*huma.StreamResponse, error) {
	turnID, err := s.Agent.Start(ctx, actor, agent.Request{
		ConversationID: in.Body.ConversationID, CarryFrom: in.Body.CarryFrom, Message: in.Body.Message, Fallback: in.Body.Fallback, Search: in.Body.Search,
		OnScreen: in.Body.Context.ref(), Channel: models.ViaWeb,
	})
	if err != nil {
		return nil, err
	}
	return s.stream(ctx, eventsOf(turnID), s.Agent.FollowOwn(ctx, turnID, 0)), nil
}

// eventsOf is where the events of a turn are.
func eventsOf(turnID string) string { return "/api/turns/" + turnID + "/events" }

func (s *server) followTurn(ctx context.Context, actor models.Actor, in *turnEvents) (*huma.StreamResponse, error) {
	after := in.After
	if after == 0 && in.LastEventID != "" {
		seq, err := strconv.ParseInt(in.LastEventID, 10, 64)
		if err != nil || seq < 0 {
			return nil, apperr.InvalidField("Last-Event-ID", "Last-Event-ID must be the id of an event, which is a whole number.")
		}
		after = seq
	}
	frames, err := s.Agent.Follow(ctx, actor, in.id(), after)
	if err != nil {
		return nil, err
	}
	return s.stream(ctx, eventsOf(in.id()), frames), nil
}

func (s *server) stopTurn(ctx context.Context, actor models.Actor, in *struct {
	ByID
	Body *struct{}
},
) (*none, error) {
	return &none{}, s.Agent.Stop(ctx, actor, in.id())
}
