package agent

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"
	"unicode/utf8"

	"countersign/apperr"
	"countersign/audit"
	"countersign/conversations"
	"countersign/events"
	"countersign/models"
	"countersign/rbac"
	"countersign/resolve"
	"countersign/store"
	"countersign/tools"
)

// The limits of chatting.
const (
	// MaxMessage bounds a message in characters.
	MaxMessage = 8000
	// MessagesPerWindow is how many messages a user may send in any Window.
	MessagesPerWindow = 10
	Window            = time.Minute

	turnTimeout = 2 * time.Minute
	leaseTTL    = 30 * time.Second
	leaseRenew  = 10 * time.Second
	saveTimeout = 10 * time.Second
)

// CodeTurnInProgress is the code of a Conflict with a turn that still runs in the same conversation.
const CodeTurnInProgress = "TURN_IN_PROGRESS"

// Options are what a Service works with.
type Options struct {
	Executor      *tools.Executor
	Gate          *audit.Gate
	Conversations *conversations.Service
	Ledger        *conversations.Ledger
	Assistants    Assistants
	Prompter      Prompter
	Resolver      *resolve.Resolver
	Proposals     OpenProposals
	// Runner and Now are for the record of failed model calls.
	Runner  store.Runner
	Now     func() time.Time
	Limiter events.Limiter
	Locker  events.Locker
	Log     events.TurnLog
	Bus     events.Bus
}

func (o Options) validate() error {
	if o.Executor == nil || o.Gate == nil || o.Conversations == nil || o.Ledger == nil || o.Assistants == nil || o.Prompter == nil ||
		o.Resolver == nil || o.Proposals == nil || o.Runner == nil || o.Now == nil ||
		o.Limiter == nil || o.Locker == nil || o.Log == nil || o.Bus == nil {
		return errors.New("agent: executor, gate, conversations, ledger, assistants, prompter, resolver, proposals, runner, clock, limiter, locker, log and bus are needed")
	}
	return nil
}

// Service runs turns.
type Service struct {
	Options
	life     context.Context
	end      context.CancelFunc
	mu       sync.Mutex
	running  map[string]context.CancelFunc
	closed   bool
	turns    sync.WaitGroup
	listens  sync.WaitGroup
	watched  watched
	followed followed
}

// stopTopic carries the ids of turns to stop to all replicas.
const stopTopic = "turn-stop"

// New checks the options and returns a Service, which listens for stop requests until it is closed.
func New(o Options) (*Service, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	life, end := context.WithCancel(context.Background())
	s := &Service{Options: o, life: life, end: end, running: map[string]context.CancelFunc{}, watched: watched{seen: map[string]time.Time{}}, followed: followed{turns: map[string]int{}}}
	err := errors.Join(
		s.listen(stopTopic, s.stopLocal),
		s.listen(watchTopic, func(id string) { s.watched.mark(id, time.Now()) }),
	)
	if err != nil {
		end()
		s.listens.Wait()
		return nil, err
	}
	s.listens.Go(s.tellAllWatched)
	return s, nil
}

// listen calls handle with every message of a topic until the service is closed.
func (s *Service) listen(topic string, handle func(string)) error {
	subscription, err := s.Bus.Subscribe(s.life, topic)
	if err != nil {
		return fmt.Errorf("agent: listen on %s: %w", topic, err)
	}
	s.listens.Go(func() {
		for id := range subscription.Messages() {
			handle(string(id))
		}
	})
	return nil
}

// Close takes no new turns and waits for those that run. When ctx ends first, they are stopped as by their users.
func (s *Service) Close(ctx context.Context) {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	done := make(chan struct{})
	go func() {
		s.turns.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
	s.end()
	<-done
	s.listens.Wait()
}

// Request is a person's message.
type Request struct {
	// ConversationID is empty to begin a new conversation.
	ConversationID string
	Message        string
	// OnScreen is the record that the person is looking at, or nil. One that they may not see, or that is no
	// record at all, counts as none.
	OnScreen *models.Ref
	// Fallback answers text by a search while no model is set up, Search does whether or not one is: the person
	// knows that it does not answer.
	Fallback, Search bool
	// CarryFrom is the conversation with whose summary a new one begins; empty for none.
	CarryFrom string
	Channel   models.Via
}

// mode is how a message is answered.
type mode uint8

const (
	modeCommand mode = iota
	modeSearch
	modeChat
)

// Start begins a turn and returns its id; its events are there to follow. The actor needs assistant:use.
// Every refusal comes from here, before any event, and uses none of the limit: Invalid for an empty or too
// long message, or a conversation to carry over that has no summary, NotFound for a conversation of somebody else,
// NotConfigured for text without a model, Conflict with CodeTurnInProgress, RateLimited with the time after which a try
// passes.
func (s *Service) Start(ctx context.Context, actor models.Actor, r Request) (turnID string, err error) {
	if _, err := s.Gate.Authorize(ctx, actor, rbac.AssistantUse); err != nil {
		return "", err
	}
	r.Message = models.CleanText(r.Message)
	if err := checkMessage(r.Message); err != nil {
		return "", err
	}
	if r.ConversationID != "" && r.CarryFrom != "" {
		return "", apperr.InvalidField("carryFrom", "Only a new conversation can begin with a summary. Leave out conversationId or carryFrom.")
	}
	mode, err := s.modeOf(ctx, r)
	if err != nil {
		return "", err
	}
	if !s.enter() {
		return "", apperr.New(apperr.Unavailable, "SHUTTING_DOWN", "The server is restarting. Send your message again in a moment.")
	}
	started := false
	defer func() {
		if !started {
			s.turns.Done()
		}
	}()
	t, err := s.open(ctx, actor, r, mode)
	if err != nil {
		return "", err
	}
	started = true
	// A stop request may come before the turn's goroutine gets to run.
	running, stop := context.WithTimeout(s.life, turnTimeout)
	s.register(t.ID, stop)
	go s.run(running, stop, t)
	return t.ID, nil
}

// enter counts a turn in, unless the service is closing.
func (s *Service) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.turns.Add(1)
	return true
}

func checkMessage(message string) error {
	if models.CleanLine(message) == "" {
		return apperr.InvalidField("message", "Write a message first.")
	}
	if n := utf8.RuneCountInString(message); n > MaxMessage {
		return apperr.InvalidField("message", fmt.Sprintf("A message may have at most %d characters; this one has %d. Shorten it or send it in parts.", MaxMessage, n))
	}
	return nil
}

func (s *Service) modeOf(ctx context.Context, r Request) (mode, error) {
	if tools.IsCommand(r.Message) {
		return modeCommand, nil
	}
	configured, err := s.Assistants.Configured(ctx)
	switch {
	case err != nil:
		return 0, err
	case r.Search || r.Fallback && !configured:
		return modeSearch, nil
	case configured:
		return modeChat, nil
	}
	return 0, apperr.New(apperr.NotConfigured, "NOT_CONFIGURED",
		"The assistant has no model yet. Ask an administrator to set it up at /admin/ai-config. Commands such as /help work without one.")
}

// open takes the conversation's lock, counts the message and stores the turn.
func (s *Service) open(ctx context.Context, actor models.Actor, r Request, mode mode) (*turn, error) {
	id, fresh := r.ConversationID, models.NewID()
	if id == "" {
		id = fresh
	} else if err := s.Conversations.Owned(ctx, actor, id); err != nil {
		return nil, err
	}
	lease, err := s.Locker.Acquire(ctx, "conversation:"+id, leaseTTL)
	if apperr.HasCode(err, events.CodeLocked) {
		return nil, apperr.New(apperr.Conflict, CodeTurnInProgress, "The assistant is still answering in this conversation. Wait for it, or stop it first.")
	}
	if err != nil {
		return nil, err
	}
	t, err := s.store(ctx, actor, r, lease, fresh)
	if err != nil {
		release, cancel := aside(ctx)
		defer cancel()
		return nil, errors.Join(err, lease.Release(release))
	}
	t.mode = mode
	return t, nil
}

func (s *Service) store(ctx context.Context, actor models.Actor, r Request, lease events.Lease, fresh string) (*turn, error) {
	place, err := s.Limiter.Allow(ctx, "chat:"+actor.UserID, MessagesPerWindow, Window)
	if err != nil {
		return nil, err
	}
	if !place.Allowed {
		return nil, apperr.Limited(place.RetryAfter)
	}
	started, err := s.begin(ctx, actor, r, lease, fresh)
	if err != nil {
		return nil, errors.Join(err, place.GiveBack(ctx))
	}
	actor.ConversationID = started.Turn.ConversationID
	t := &turn{
		Turn: started.Turn, reply: started.Reply, actor: actor, request: r, lease: lease, service: s,
		out: emitter{log: s.Log, turnID: started.Turn.ID}, usage: Usage{Known: true},
	}
	return t, t.out.emit(ctx, "start", startEvent{
		Type: "start", TurnID: t.ID, ConversationID: t.ConversationID, MessageID: t.reply.ID,
	})
}

func (s *Service) begin(ctx context.Context, actor models.Actor, r Request, lease events.Lease, fresh string) (*conversations.Started, error) {
	onScreen, err := s.seen(ctx, actor, r.OnScreen)
	if err != nil {
		return nil, err
	}
	return s.Conversations.Start(ctx, actor, conversations.Opening{
		ConversationID: r.ConversationID, NewID: fresh, CarryFrom: r.CarryFrom, Message: r.Message, OnScreen: onScreen, Channel: r.Channel, Fence: lease.Fence(),
	})
}

// Follow gives a turn's events after a sequence number, past and coming, until its end. Only the user whose turn it is
// may follow: others get NotFound, and so do all once its events are gone.
func (s *Service) Follow(ctx context.Context, actor models.Actor, turnID string, after int64) (iter.Seq2[events.Frame, error], error) {
	if _, err := s.Conversations.Turn(ctx, actor, turnID); err != nil {
		return nil, err
	}
	if err := s.Log.Known(ctx, turnID); err != nil {
		return nil, err
	}
	return s.FollowOwn(ctx, turnID, after), nil
}

// FollowOwn is Follow for whoever has started the turn just now, and by that is its user.
func (s *Service) FollowOwn(ctx context.Context, turnID string, after int64) iter.Seq2[events.Frame, error] {
	return func(yield func(events.Frame, error) bool) {
		s.followed.add(turnID)
		defer s.followed.remove(turnID)
		s.tellWatched(ctx, turnID)
		s.Log.Follow(ctx, turnID, after)(yield)
	}
}

// Stop ends a turn of the actor on whichever replica it runs. A turn that has ended stays as it is.
func (s *Service) Stop(ctx context.Context, actor models.Actor, turnID string) error {
	t, err := s.Conversations.Turn(ctx, actor, turnID)
	if err != nil || t.Status != models.TurnRunning {
		return err
	}
	s.stopLocal(turnID)
	return s.Bus.Publish(ctx, stopTopic, []byte(turnID))
}

func (s *Service) register(turnID string, stop context.CancelFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[turnID] = stop
}

func (s *Service) unregister(turnID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, turnID)
}

func (s *Service) stopLocal(turnID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if stop := s.running[turnID]; stop != nil {
		stop()
	}
}

// aside is a context for clean-up that goes on when the work it belongs to was stopped.
func aside(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
}
