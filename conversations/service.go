package conversations

import (
	"cmp"
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"countersign/apperr"
	"countersign/audit"
	"countersign/models"
	"countersign/store"
)

// Service keeps conversations.
type Service struct {
	runner store.Runner
	now    func() time.Time
}

// NewService returns a Service.
func NewService(runner store.Runner, now func() time.Time) *Service {
	return &Service{runner: runner, now: now}
}

// Opening is a turn about to start. An empty conversation id begins a new conversation.
type Opening struct {
	ConversationID string
	// NewID is the id that a new conversation gets.
	NewID string
	// CarryFrom is the conversation with whose summary a new one begins; empty for none.
	CarryFrom string
	Message   string
	// OnScreen is the record that the user was looking at, or nil.
	OnScreen *models.Ref
	Channel  models.Via
	Fence    int64
}

// Started is a turn that has been stored, with the message to which its answer goes.
type Started struct {
	Turn  models.Turn
	Reply models.Message
}

// Start stores a user's message, an empty running reply and the turn between them, in one transaction. The
// caller holds the conversation's lock. NotFound for a conversation that is not the actor's, Invalid for one to carry over
// that has no summary.
func (s *Service) Start(ctx context.Context, actor models.Actor, o Opening) (started *Started, err error) {
	err = s.runner.InTx(ctx, func(tx *store.Tx) error {
		now := s.now()
		turn := models.Turn{
			ID: models.NewID(), ConversationID: cmp.Or(o.ConversationID, o.NewID), UserID: actor.UserID, UserMessageID: models.NewID(),
			ReplyMessageID: models.NewID(), Status: models.TurnRunning, Fence: o.Fence, StartedAt: now,
		}
		message := newMessage(turn.ConversationID, turn.UserMessageID, models.RoleUser, now)
		message.TurnID, message.Content, message.Status = &turn.ID, models.CleanText(o.Message), models.MessageComplete
		if o.OnScreen != nil {
			message.Refs = models.ToJSON([]models.Ref{*o.OnScreen})
		}
		reply := newMessage(turn.ConversationID, turn.ReplyMessageID, models.RoleAssistant, now)
		reply.TurnID, reply.Status = &turn.ID, models.MessageRunning
		if err := s.open(ctx, tx, actor, o, message, reply); err != nil {
			return err
		}
		started = &Started{Turn: turn, Reply: *reply}
		return tx.InsertTurn(ctx, &turn)
	})
	return started, err
}

// open appends the messages of a turn to their conversation, or begins it with them.
func (s *Service) open(ctx context.Context, tx *store.Tx, actor models.Actor, o Opening, message, reply *models.Message) error {
	if o.ConversationID != "" {
		if _, err := tx.Conversation(ctx, actor.UserID, o.ConversationID); err != nil {
			return err
		}
		return tx.InsertMessages(ctx, message, reply)
	}
	now := message.CreatedAt
	c := &models.Conversation{ID: o.NewID, UserID: actor.UserID, Channel: o.Channel, Title: titleOf(o.Message), CreatedAt: now, UpdatedAt: now}
	if o.CarryFrom == "" {
		return tx.InsertOpening(ctx, c, message, reply)
	}
	summary, err := s.carried(ctx, tx, actor, c, o.CarryFrom)
	if err != nil {
		return err
	}
	if err := tx.InsertOpening(ctx, c, message, reply); err != nil {
		return err
	}
	return tx.PutSummary(ctx, summary)
}

func newMessage(conversationID, id string, role models.MessageRole, now time.Time) *models.Message {
	return &models.Message{ID: id, ConversationID: conversationID, Role: role, CreatedAt: now, UpdatedAt: now}
}

// maxTitle bounds a title in characters.
const maxTitle = 80

// titleOf is the first line of a message, cut to length.
func titleOf(message string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
	line = models.CleanLine(line)
	if utf8.RuneCountInString(line) <= maxTitle {
		return line
	}
	return string([]rune(line)[:maxTitle-1]) + "…"
}

// SaveReply writes what a running reply has become so far.
func (s *Service) SaveReply(ctx context.Context, reply *models.Message) error {
	return s.runner.InTx(ctx, func(tx *store.Tx) error { return s.save(ctx, tx, reply, s.now()) })
}

// MarkOutside remembers for good that text which its user did not write has come into a conversation, and with which
// record it came first.
func (s *Service) MarkOutside(ctx context.Context, conversationID string, record models.Ref) error {
	return s.runner.InTx(ctx, func(tx *store.Tx) error { return tx.MarkOutside(ctx, conversationID, models.ToJSON(record)) })
}

// save writes a reply. A model may say what a database cannot keep.
func (s *Service) save(ctx context.Context, tx *store.Tx, reply *models.Message, now time.Time) error {
	reply.Content, reply.UpdatedAt = models.CleanText(reply.Content), now
	return tx.UpdateMessage(ctx, reply)
}

// End writes a turn's end and its final reply in one transaction, once. Conflict when the turn has ended.
func (s *Service) End(ctx context.Context, turn *models.Turn, reply *models.Message) error {
	return s.runner.InTx(ctx, func(tx *store.Tx) error {
		now := s.now()
		turn.EndedAt = &now
		// The turn before its reply, as CloseAbandoned does: neither waits for the other while it holds one.
		if err := tx.EndTurn(ctx, turn); err != nil {
			return err
		}
		return s.save(ctx, tx, reply, now)
	})
}

// CloseAbandoned ends turns that started before a time and were never ended, as happens when a process
// dies. Their replies are kept and marked as stopped. It returns how many there were.
func (s *Service) CloseAbandoned(ctx context.Context, before time.Time) (int, error) {
	n := 0
	err := s.runner.InTx(ctx, func(tx *store.Tx) error {
		turns, err := tx.RunningTurns(ctx, before)
		if err != nil {
			return err
		}
		now := s.now()
		for i := range turns {
			t := &turns[i]
			t.Status, t.Reason, t.EndedAt = models.TurnStopped, "interrupted", &now
			err := tx.EndTurn(ctx, t)
			if apperr.Is(err, apperr.Conflict) {
				continue // it has ended by itself meanwhile
			}
			if err != nil {
				return err
			}
			if err := tx.StopReply(ctx, t.ReplyMessageID, now); err != nil {
				return err
			}
			n++
		}
		return nil
	})
	return n, err
}

// Tell appends a message of the server to a conversation, inside the transaction of what it tells.
func (s *Service) Tell(ctx context.Context, tx *store.Tx, conversationID, text string) error {
	m := newMessage(conversationID, models.NewID(), models.RoleAssistant, s.now())
	m.Content, m.Status = text, models.MessageComplete
	return tx.InsertMessages(ctx, m)
}

// Turn returns a turn of the actor.
func (s *Service) Turn(ctx context.Context, actor models.Actor, id string) (turn *models.Turn, err error) {
	err = s.runner.View(ctx, func(r *store.Reader) error {
		turn, err = r.Turn(ctx, actor.UserID, id)
		return err
	})
	return turn, err
}

// Owned answers NotFound for a conversation that is not the actor's.
func (s *Service) Owned(ctx context.Context, actor models.Actor, id string) error {
	return s.runner.View(ctx, func(r *store.Reader) error {
		_, err := r.Conversation(ctx, actor.UserID, id)
		return err
	})
}

// List returns a page of the actor's conversations, the latest activity first. A text narrows it to those that hold it,
// in the title or in a message.
func (s *Service) List(ctx context.Context, actor models.Actor, text string, page store.Page) (list store.List[models.Conversation], err error) {
	err = s.runner.View(ctx, func(r *store.Reader) error {
		list, err = r.Conversations(ctx, actor.UserID, text, page)
		return err
	})
	return list, err
}

// Thread is a conversation with its messages in order, and the summary of the older ones, nil while there is none.
type Thread struct {
	models.Conversation
	Messages []models.Message
	Summary  *models.ConversationSummary
}

// Get returns a conversation of the actor with its messages.
func (s *Service) Get(ctx context.Context, actor models.Actor, id string) (*Thread, error) {
	var thread Thread
	err := s.runner.View(ctx, func(r *store.Reader) error {
		c, err := r.Conversation(ctx, actor.UserID, id)
		if err != nil {
			return err
		}
		thread.Conversation = *c
		if thread.Summary, err = r.Summary(ctx, id); err != nil {
			return err
		}
		thread.Messages, err = r.Messages(ctx, id)
		return err
	})
	return &thread, err
}

// Rename gives a conversation of the actor another title. The list's order stays.
func (s *Service) Rename(ctx context.Context, actor models.Actor, id, title string) (c *models.Conversation, err error) {
	title = models.CleanLine(title)
	if audit.HasHidden(title) {
		return nil, apperr.InvalidField("title", "The title holds something that is hidden from you (••••••). Write it out, or give another title.")
	}
	if title == "" || utf8.RuneCountInString(title) > maxTitle {
		return nil, apperr.InvalidField("title", "Give a title of 1 to 80 characters.")
	}
	return s.change(ctx, actor, id, func(c *models.Conversation) { c.Title = title })
}

// Delete removes a conversation of the actor from their list.
func (s *Service) Delete(ctx context.Context, actor models.Actor, id string) error {
	_, err := s.change(ctx, actor, id, func(c *models.Conversation) {
		now := s.now()
		c.DeletedAt = &now
	})
	return err
}

func (s *Service) change(ctx context.Context, actor models.Actor, id string, change func(*models.Conversation)) (c *models.Conversation, err error) {
	err = s.runner.InTx(ctx, func(tx *store.Tx) error {
		if c, err = tx.Conversation(ctx, actor.UserID, id); err != nil {
			return err
		}
		change(c)
		return tx.UpdateConversation(ctx, c)
	})
	return c, err
}
