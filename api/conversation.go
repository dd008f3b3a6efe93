package api

import (
	"context"
	"errors"
	"time"

	"countersign/conversations"
	"countersign/models"
	"countersign/proposals"
)

// Conversation is a thread of the person with the assistant.
type Conversation struct {
	ID        string    `json:"id"`
	Title     string    `json:"title"`
	Channel   string    `json:"channel"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// ConversationDetail is a conversation with all that was said and done in it.
type ConversationDetail struct {
	Conversation
	Messages []ConversationMessage `json:"messages"`
	// Summary is missing while there is none.
	Summary *ConversationSummary `json:"summary,omitempty"`
}

// ConversationSummary is the assistant's own summary of the older messages, with which a new conversation can begin.
type ConversationSummary struct {
	Text      string    `json:"text"`
	CreatedAt time.Time `json:"createdAt"`
	// UpToSeq is the last message that it stands for; 0 for one that was carried over from another conversation.
	UpToSeq int64 `json:"upToSeq"`
}

// ConversationMessage is one utterance, with the tool calls and proposals of its turn.
type ConversationMessage struct {
	ID        string            `json:"id"`
	Seq       int64             `json:"seq"`
	Role      string            `json:"role" enum:"user,assistant"`
	Content   string            `json:"content"`
	Status    string            `json:"status" enum:"complete,running,stopped,failed"`
	TurnID    *string           `json:"turnId,omitempty"`
	ToolCalls []models.ToolCall `json:"toolCalls"`
	Proposals []proposals.View  `json:"proposals"`
	Refs      []models.Ref      `json:"refs"`
	Notices   []models.Notice   `json:"notices"`
	CreatedAt time.Time         `json:"createdAt"`
}

// ConversationPatch gives a conversation another title.
type ConversationPatch struct {
	Title string `json:"title"`
}

// ConversationQuery are the parameters of the list.
type ConversationQuery struct {
	Paged
	Q string `query:"q" maxLength:"300" doc:"A part of the title or of a message."`
}

func conversationOf(c *models.Conversation) Conversation {
	return Conversation{ID: c.ID, Title: c.Title, Channel: string(c.Channel), CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt}
}

func (s *server) conversationRoutes() {
	const path = "/api/conversations/{id}"
	handle(s, get("/api/conversations", "listConversations", "List your conversations"), s.listConversations)
	handle(s, get(path, "getConversation", "Read one with its messages"), s.getConversation)
	handle(s, patch(path, "renameConversation", "Give it another title"), s.renameConversation)
	handle(s, del(path, "deleteConversation", "Take it off your list").empty(), s.deleteConversation)
}

func (s *server) listConversations(ctx context.Context, actor models.Actor, in *ConversationQuery) (*one[Page[Conversation]], error) {
	list, err := s.Conversations.List(ctx, actor, in.Q, in.page())
	return pageOf(list, err, conversationOf)
}

func (s *server) getConversation(ctx context.Context, actor models.Actor, in *ByID) (*one[ConversationDetail], error) {
	thread, err := s.Conversations.Get(ctx, actor, in.id())
	if err != nil {
		return nil, err
	}
	made, err := s.Proposals.OfConversation(ctx, actor, thread.ID)
	if err != nil {
		return nil, err
	}
	return answer(detailOf(thread, made))
}

func detailOf(thread *conversations.Thread, made []models.Proposal) (detail ConversationDetail, err error) {
	detail = ConversationDetail{Conversation: conversationOf(&thread.Conversation), Messages: make([]ConversationMessage, len(thread.Messages))}
	if summary := thread.Summary; summary != nil {
		detail.Summary = &ConversationSummary{Text: summary.Text, CreatedAt: summary.CreatedAt, UpToSeq: summary.UpToSeq}
	}
	byTurn := map[string][]proposals.View{}
	for i := range made {
		view, err := proposals.ViewOf(&made[i])
		if err != nil {
			return detail, err
		}
		if made[i].TurnID != nil {
			byTurn[*made[i].TurnID] = append(byTurn[*made[i].TurnID], view)
		}
	}
	for i := range thread.Messages {
		if detail.Messages[i], err = messageOf(&thread.Messages[i], byTurn); err != nil {
			return detail, err
		}
	}
	return detail, nil
}

func messageOf(m *models.Message, byTurn map[string][]proposals.View) (ConversationMessage, error) {
	shown := ConversationMessage{
		ID: m.ID, Seq: m.Seq, Role: string(m.Role), Content: m.Content, Status: string(m.Status), TurnID: m.TurnID, CreatedAt: m.CreatedAt,
		ToolCalls: []models.ToolCall{}, Proposals: []proposals.View{}, Refs: []models.Ref{},
		Notices: []models.Notice{},
	}
	if m.TurnID != nil && m.Role == models.RoleAssistant {
		shown.Proposals = append(shown.Proposals, byTurn[*m.TurnID]...)
	}
	if err := m.ToolCalls.Into(&shown.ToolCalls); err != nil {
		return shown, err
	}
	return shown, errors.Join(m.Refs.Into(&shown.Refs), m.Notices.Into(&shown.Notices))
}

func (s *server) renameConversation(ctx context.Context, actor models.Actor, in *struct {
	ByID
	Body ConversationPatch
},
) (*one[Conversation], error) {
	return answer(shownOne(conversationOf)(s.Conversations.Rename(ctx, actor, in.id(), in.Body.Title)))
}

func (s *server) deleteConversation(ctx context.Context, actor models.Actor, in *ByID) (*none, error) {
	return &none{}, s.Conversations.Delete(ctx, actor, in.id())
}
