package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"countersign/events"
	"countersign/models"
	"countersign/proposals"
)

// Reply is a turn as a whole, for channels that send messages instead of streams. It holds what the events of
// the turn tell, and nothing else.
type Reply struct {
	TurnID, ConversationID, MessageID string
	// Text is what the person reads, without what was taken back.
	Text      string
	Calls     []Call
	Proposals []proposals.View
	Refs      []models.Ref
	Notices   []models.Notice
	// Reason is why the turn is over; empty when it failed.
	Reason string
	// Failure is how the turn failed, or nil.
	Failure *Failure
	Usage   Usage
}

// Call is a tool call of a Reply.
type Call struct {
	Name    string
	Args    json.RawMessage
	Status  models.ToolCallStatus
	Summary string
}

// Answer runs a turn to its end and gives the whole of it. It refuses as Start does. When ctx ends first, the
// turn goes on as when a reader of its events leaves.
func (s *Service) Answer(ctx context.Context, actor models.Actor, r Request) (*Reply, error) {
	id, err := s.Start(ctx, actor, r)
	if err != nil {
		return nil, err
	}
	g := gathering{reply: &Reply{TurnID: id}, calls: map[string]int{}}
	for frame, err := range s.FollowOwn(ctx, id, 0) {
		if err == nil {
			err = g.take(frame)
		}
		if err != nil {
			return nil, err
		}
	}
	g.reply.Text = g.text.String()
	return g.reply, nil
}

// gathering puts a Reply together. kept is how much of the text no reset takes back, calls where each call stands.
type gathering struct {
	reply *Reply
	text  strings.Builder
	kept  int
	calls map[string]int
}

// told is the data of any event.
type told struct {
	ConversationID string                `json:"conversationId"`
	MessageID      string                `json:"messageId"`
	Delta          string                `json:"delta"`
	CallID         string                `json:"callId"`
	Name           string                `json:"name"`
	Args           json.RawMessage       `json:"args"`
	Status         models.ToolCallStatus `json:"status"`
	Summary        string                `json:"summary"`
	Proposal       proposals.View        `json:"proposal"`
	Refs           []models.Ref          `json:"refs"`
	Code           string                `json:"code"`
	Text           string                `json:"text"`
	Marks          []models.Mark         `json:"marks"`
	Reason         string                `json:"reason"`
	Usage          Usage                 `json:"usage"`
	Message        string                `json:"message"`
	Retryable      bool                  `json:"retryable"`
}

func (g *gathering) take(frame events.Frame) error {
	var e told
	if err := json.Unmarshal(frame.Data, &e); err != nil {
		return fmt.Errorf("agent: read %s event: %w", frame.Type, err)
	}
	r := g.reply
	switch frame.Type {
	case "start":
		r.ConversationID, r.MessageID = e.ConversationID, e.MessageID
	case "token":
		g.text.WriteString(e.Delta)
	case "reset":
		g.takeBack()
	case "tool_start":
		g.kept, g.calls[e.CallID] = g.text.Len(), len(r.Calls)
		r.Calls = append(r.Calls, Call{Name: e.Name, Args: e.Args, Status: models.CallRunning})
	case "tool_end":
		call := &r.Calls[g.calls[e.CallID]]
		call.Status, call.Summary, g.kept = e.Status, e.Summary, g.text.Len()
	case "proposal":
		r.Proposals = append(r.Proposals, e.Proposal)
	case "records":
		r.Refs = append(r.Refs, e.Refs...)
	case "notice":
		r.Notices = append(r.Notices, models.Notice{Code: e.Code, Text: e.Text, Marks: e.Marks})
	case "done":
		r.Reason, r.Usage = e.Reason, e.Usage
	case "error":
		r.Failure = &Failure{e.Code, e.Message, e.Retryable}
	}
	return nil
}

// takeBack drops the text since the last event of a tool.
func (g *gathering) takeBack() {
	kept := g.text.String()[:g.kept]
	g.text.Reset()
	g.text.WriteString(kept)
}
