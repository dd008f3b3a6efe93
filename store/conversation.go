package store

import (
	"context"
	"slices"
	"time"

	"countersign/models"
)

// Conversations belong to one user; every method that reads one takes that user's id.

var conversationSorts = map[string]sortKey{"updatedAt": {expr: "conversations.updated_at", kind: sortTime}}

// Conversation returns a user's conversation.
func (r *Reader) Conversation(ctx context.Context, userID, id string) (*models.Conversation, error) {
	c, err := findOne[models.Conversation](ctx, r, "SELECT * FROM conversations WHERE id = ? AND user_id = ? AND deleted_at IS NULL", id, userID)
	return mustFind(c, err, "conversation")
}

// foldedConversation and foldedMessage are rows with what a search compares, which nothing reads back.
type foldedConversation struct {
	models.Conversation
	SearchKey string
}

func (foldedConversation) TableName() string { return "conversations" }

type foldedMessage struct {
	models.Message
	SearchKey string
}

func (foldedMessage) TableName() string { return "messages" }

// holdsText finds conversations by their titles and by what was said in them.
const holdsText = `search_key LIKE ? ESCAPE '\' OR EXISTS (
	SELECT 1 FROM messages m WHERE m.conversation_id = conversations.id AND m.search_key LIKE ? ESCAPE '\')`

// Conversations lists a user's conversations, the latest activity first: those that hold a text, in whatever case and
// width, or all where it is empty.
func (r *Reader) Conversations(ctx context.Context, userID, text string, p Page) (List[models.Conversation], error) {
	keys, err := keysetOf(p, conversationSorts, "conversations.id")
	if err != nil {
		return List[models.Conversation]{}, err
	}
	q := r.q.WithContext(ctx).Model(&models.Conversation{}).Where("user_id = ? AND deleted_at IS NULL", userID)
	if key := models.FoldName(text); key != "" {
		q = q.Where(holdsText, likePattern(key), likePattern(key))
	}
	return page(keys, q, q, func(v models.Conversation) (any, string) { return v.UpdatedAt, v.ID })
}

// Messages are the messages of a conversation in order.
func (r *Reader) Messages(ctx context.Context, conversationID string) ([]models.Message, error) {
	return find[models.Message](ctx, r, "SELECT * FROM messages WHERE conversation_id = ? ORDER BY seq", conversationID)
}

// SaidSince reports whether the person of a conversation has written one of some texts in it after a time, in whatever
// case and width. An empty text is none.
func (r *Reader) SaidSince(ctx context.Context, conversationID string, after time.Time, texts ...string) (bool, error) {
	for _, text := range texts {
		key := models.FoldName(text)
		if key == "" {
			continue
		}
		said, err := firstOf[models.Message](r.q.WithContext(ctx).Where("conversation_id = ? AND role = ? AND created_at > ?", conversationID, models.RoleUser, after).
			Where(`search_key LIKE ? ESCAPE '\'`, likePattern(key)))
		if err != nil || said != nil {
			return said != nil, err
		}
	}
	return false, nil
}

// Turn returns a turn of a user.
func (r *Reader) Turn(ctx context.Context, userID, id string) (*models.Turn, error) {
	t, err := findOne[models.Turn](ctx, r, "SELECT * FROM turns WHERE id = ? AND user_id = ?", id, userID)
	return mustFind(t, err, "turn")
}

// RunningTurns are the turns that started before a time and have not ended.
func (r *Reader) RunningTurns(ctx context.Context, before time.Time) ([]models.Turn, error) {
	var rows []models.Turn
	err := r.q.WithContext(ctx).Where("status = ? AND started_at < ?", models.TurnRunning, before).Order("started_at").Find(&rows).Error
	return rows, translate(err)
}

// InsertConversation adds a conversation.
func (tx *Tx) InsertConversation(ctx context.Context, c *models.Conversation) error {
	return insert(ctx, tx, foldedConversation{*c, models.FoldName(c.Title)})
}

// UpdateConversation writes the title of a conversation and whether it was deleted. A deleted one stays so.
func (tx *Tx) UpdateConversation(ctx context.Context, c *models.Conversation) error {
	return oneRow(tx.q.WithContext(ctx).Model(&models.Conversation{}).Where("id = ? AND deleted_at IS NULL", c.ID).
		UpdateColumns(map[string]any{"title": c.Title, "search_key": models.FoldName(c.Title), "deleted_at": c.DeletedAt}))
}

// Outside gives the record through which text from outside came into a conversation, nil for none.
func (r *Reader) Outside(ctx context.Context, id string) (models.JSON, error) {
	c, err := firstOf[models.Conversation](r.q.WithContext(ctx).Select("outside").Where("id = ?", id))
	if err != nil || c == nil {
		return nil, err
	}
	return c.Outside, nil
}

// MarkOutside stores through which record text from outside came into a conversation. The first one stays.
func (tx *Tx) MarkOutside(ctx context.Context, id string, record models.JSON) error {
	return translate(tx.q.WithContext(ctx).Model(&models.Conversation{}).Where("id = ? AND outside IS NULL", id).
		UpdateColumns(map[string]any{"outside": record}).Error)
}

// InsertMessages appends messages of one conversation and gives them the next sequence numbers. It marks the conversation as
// active first, which makes writers of one conversation wait for each other.
func (tx *Tx) InsertMessages(ctx context.Context, messages ...*models.Message) error {
	first := messages[0]
	if err := tx.execOne(ctx, "UPDATE conversations SET updated_at = ? WHERE id = ?", first.CreatedAt, first.ConversationID); err != nil {
		return err
	}
	return tx.insertMessages(ctx, messages)
}

// InsertOpening adds a conversation with its first messages.
func (tx *Tx) InsertOpening(ctx context.Context, c *models.Conversation, messages ...*models.Message) error {
	if err := tx.InsertConversation(ctx, c); err != nil {
		return err
	}
	return tx.insertMessages(ctx, messages)
}

// insertMessages adds messages after the last one of their conversation, and tells them their numbers.
func (tx *Tx) insertMessages(ctx context.Context, messages []*models.Message) error {
	rows := make([]foldedMessage, len(messages))
	for i, m := range messages {
		rows[i] = foldedMessage{*m, models.FoldName(m.Content)}
		rows[i].Seq = int64(i) + 1
	}
	last := condition{"(SELECT COALESCE(MAX(seq), 0) FROM messages WHERE conversation_id = ?)", []any{messages[0].ConversationID}}
	statement, err := inserting(ctx, tx, rows, map[string]condition{"seq": last})
	if err != nil {
		return err
	}
	numbered, err := find[models.Message](ctx, tx.Reader, statement.sql+" RETURNING id, seq", statement.args...)
	for _, n := range numbered {
		at := slices.IndexFunc(messages, func(m *models.Message) bool { return m.ID == n.ID })
		messages[at].Seq = n.Seq
	}
	return err
}

// StopReply marks a reply that is still running as stopped.
func (tx *Tx) StopReply(ctx context.Context, id string, now time.Time) error {
	return translate(tx.q.WithContext(ctx).Model(&models.Message{}).Where("id = ? AND status = ?", id, models.MessageRunning).
		Updates(map[string]any{"status": models.MessageStopped, "updated_at": now}).Error)
}

// UpdateMessage writes what a running message has become; one that has ended stays as it is.
func (tx *Tx) UpdateMessage(ctx context.Context, m *models.Message) error {
	return tx.execOne(ctx,
		`UPDATE messages SET content = ?, search_key = ?, status = ?, tool_calls = ?, refs = ?, notices = ?, updated_at = ? WHERE id = ? AND status = ?`,
		m.Content, models.FoldName(m.Content), m.Status, m.ToolCalls, m.Refs, m.Notices, m.UpdatedAt, m.ID, models.MessageRunning)
}

// InsertTurn adds a running turn.
func (tx *Tx) InsertTurn(ctx context.Context, t *models.Turn) error {
	return insert(ctx, tx, t)
}

// EndTurn moves a running turn to its end, once.
func (tx *Tx) EndTurn(ctx context.Context, t *models.Turn) error {
	return tx.execOne(ctx, "UPDATE turns SET status = ?, reason = ?, code = ?, ended_at = ? WHERE id = ? AND status = ?",
		t.Status, t.Reason, t.Code, t.EndedAt, t.ID, models.TurnRunning)
}
