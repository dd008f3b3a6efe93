package agent

import (
	"context"
	"encoding/json"
	"fmt"

	"countersign/events"
	"countersign/models"
	"countersign/proposals"
	"countersign/tools"
)

// The reasons of a done event.
const (
	ReasonStop       = "stop"
	ReasonFinishTool = "finish_tool"
	ReasonAwaiting   = "awaiting_confirmation"
	ReasonStopped    = "stopped"
)

type startEvent struct {
	Type           string `json:"type"`
	TurnID         string `json:"turnId"`
	ConversationID string `json:"conversationId"`
	MessageID      string `json:"messageId"`
}

type tokenEvent struct {
	Type  string `json:"type"`
	Delta string `json:"delta"`
}

type toolStartEvent struct {
	Type   string `json:"type"`
	CallID string `json:"callId"`
	Name   string `json:"name"`
	Label  string `json:"label"`
	Args   any    `json:"args"`
}

type toolEndEvent struct {
	Type    string                `json:"type"`
	CallID  string                `json:"callId"`
	Name    string                `json:"name"`
	Status  models.ToolCallStatus `json:"status"`
	Summary string                `json:"summary"`
	Result  models.JSON           `json:"result"`
	Error   *tools.CallError      `json:"error,omitempty"`
	MS      int64                 `json:"ms"`
}

type proposalEvent struct {
	Type     string         `json:"type"`
	Proposal proposals.View `json:"proposal"`
}

type recordsEvent struct {
	Type string       `json:"type"`
	Refs []models.Ref `json:"refs"`
}

type noticeEvent struct {
	Type string `json:"type"`
	models.Notice
}

// Usage is what a turn has used. Known is false where tokens were estimated because an endpoint did not tell them or
// an answer broke off; a turn without model calls has used nothing, and knows it. Cost, a decimal, and Currency are
// there when the cost of all calls is known and the person may see it.
type Usage struct {
	PromptTokens     int64  `json:"promptTokens"`
	CompletionTokens int64  `json:"completionTokens"`
	CachedTokens     int64  `json:"cachedTokens"`
	Cost             string `json:"cost,omitempty"`
	Currency         string `json:"currency,omitempty"`
	Known            bool   `json:"known"`
	Rounds           int    `json:"rounds"`
}

type usageEvent struct {
	Type string `json:"type"`
	Usage
}

type resetEvent struct {
	Type string `json:"type"`
}

type doneEvent struct {
	Type      string `json:"type"`
	Reason    string `json:"reason"`
	MessageID string `json:"messageId"`
	Usage     Usage  `json:"usage"`
}

type errorEvent struct {
	Type      string `json:"type"`
	Code      string `json:"code"`
	Message   string `json:"message"`
	RequestID string `json:"requestId"`
	Retryable bool   `json:"retryable"`
}

// emitter appends a turn's events to its log.
type emitter struct {
	log    events.TurnLog
	turnID string
}

func (e emitter) emit(ctx context.Context, name string, event any) error {
	return e.append(ctx, name, event, false)
}

// end appends the one terminal event.
func (e emitter) end(ctx context.Context, name string, event any) error {
	return e.append(ctx, name, event, true)
}

func (e emitter) append(ctx context.Context, name string, event any, terminal bool) error {
	data, err := json.Marshal(event)
	if err != nil {
		return fmt.Errorf("agent: encode %s event: %w", name, err)
	}
	_, err = e.log.Append(ctx, e.turnID, events.Frame{Type: name, Data: data, Terminal: terminal})
	return err
}
