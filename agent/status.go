package agent

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"countersign/apperr"
	"countersign/conversations"
	"countersign/llm"
	"countersign/models"
	"countersign/rbac"
	"countersign/settings"
)

// State says whether the assistant's model can be asked.
type State string

// The states. A model is StateDown when the next message would fail, too: its last call failed in one of [lasting], its
// key cannot be read, or a budget has no room.
const (
	StateReady State = "ready"
	StateDown  State = "down"
	StateNone  State = "none"
)

// ModelStatus is what everybody who uses the assistant may know of its model.
type ModelStatus struct {
	State State `json:"state" enum:"ready,down,none"`
	// Code is why the model is down: that of a failed turn's error event, or [NoticeBudgetReached].
	Code string `json:"code,omitempty"`
	// Since is when the failing calls began.
	Since *time.Time `json:"since,omitempty"`
	// CheckAfterSeconds is when to ask again for the status of a model that is down.
	CheckAfterSeconds int `json:"checkAfterSeconds,omitempty"`
}

// lasting are the failures that hit the next message, too.
var lasting = []string{
	string(llm.Timeout), string(llm.Unavailable), string(llm.Unauthorized), string(llm.ModelNotFound), string(llm.Quota), string(llm.RateLimited),
}

const (
	// checkEvery is how often a model that is down is called to see whether it answers again, checkSlowly how often once
	// it has been down for longer than soonBack.
	checkEvery  = 15 * time.Second
	checkSlowly = time.Minute
	soonBack    = 10 * time.Minute
	// The times after which to ask again for what a check may change, and for what only an administrator or a new month
	// does.
	askAgain      = 5
	askAgainLater = 60
)

// Status tells whether the assistant's model can be asked by the actor, who needs assistant:use. Of a model whose
// calls fail it may have one tiny call made in the background, at most one in a while over all replicas, on account of
// the actor. Without room in a budget none is made.
func (s *Service) Status(ctx context.Context, actor models.Actor) (ModelStatus, error) {
	if _, err := s.Gate.Authorize(ctx, actor, rbac.AssistantUse); err != nil {
		return ModelStatus{}, err
	}
	assistant, err := s.Assistants.Assistant(ctx)
	if err == nil {
		err = s.room(ctx, actor, assistant)
	}
	var over *conversations.OverBudget
	switch {
	case apperr.HasCode(err, settings.CodeNotConfigured):
		return ModelStatus{State: StateNone}, nil
	case apperr.Is(err, apperr.NotConfigured):
		return ModelStatus{State: StateDown, Code: apperr.As(err).Code, CheckAfterSeconds: askAgainLater}, nil
	case errors.As(err, &over):
		return ModelStatus{State: StateDown, Code: NoticeBudgetReached, CheckAfterSeconds: askAgainLater}, nil
	case err != nil:
		return ModelStatus{}, err
	}
	outage, err := s.Ledger.Outage(ctx, lasting)
	if err != nil || outage == nil {
		return ModelStatus{State: StateReady}, err
	}
	down := ModelStatus{
		State: StateDown, Code: modelFailures[llm.Kind(outage.Last.ErrorKind)], Since: &outage.Since, CheckAfterSeconds: askAgain,
	}
	return down, s.checkSoon(ctx, actor.UserID, assistant, outage)
}

// room refuses with *[conversations.OverBudget] when a budget has no room for the least that a turn of the actor's takes.
func (s *Service) room(ctx context.Context, actor models.Actor, a Assistant) error {
	request, err := s.blank(ctx, actor, a, false)
	if err != nil {
		return err
	}
	intent := a.intent(request)
	intent.Turn.UserID = actor.UserID
	return s.Ledger.Room(ctx, intent)
}

// checkSoon starts a check in the background, unless there was one a short while ago on any replica.
func (s *Service) checkSoon(ctx context.Context, userID string, a Assistant, outage *conversations.Outage) error {
	window := checkEvery
	if s.Now().Sub(outage.Since) > soonBack {
		window = checkSlowly
	}
	place, err := s.Limiter.Allow(ctx, "model-check", 1, window)
	if err != nil || !place.Allowed || !s.enter() {
		return err
	}
	go func() {
		defer s.turns.Done()
		limited, cancel := context.WithTimeout(s.life, defaultTestLimit)
		defer cancel()
		if err := s.check(limited, userID, a, outage.Last); err != nil {
			slog.WarnContext(limited, "model not checked", "error", err)
		}
	}()
	return nil
}

// check calls the model once. What comes of it stands in the ledger, beside the call that failed: nowhere else is it
// kept whether the model answers, and nobody is alarmed by it.
func (s *Service) check(ctx context.Context, userID string, a Assistant, failed models.ModelCall) error {
	intent := a.intent(hello)
	intent.Turn = models.Turn{ID: failed.TurnID, ConversationID: failed.ConversationID, UserID: userID}
	intent.Purpose, intent.Channel, intent.Attempt = models.PurposeCheck, failed.Channel, 1
	m, err := s.meter(ctx, intent)
	if err != nil {
		return err
	}
	err = m.listen(ctx, a, hello)
	if errors.Is(err, context.DeadlineExceeded) {
		err = llm.Fail(llm.Timeout, llm.CodeTotalTimeout)
	}
	m.end(m.spoken.done.Finish, err, s.life.Err() != nil)
	ctx, cancel := aside(ctx)
	defer cancel()
	return s.Ledger.Settle(ctx, m.open)
}
