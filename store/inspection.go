package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"countersign/models"
	"countersign/rbac"
)

var turnSorts = map[string]sortKey{"updatedAt": {expr: "turns.started_at", kind: sortTime}}

// modelName is the name of a call's model, as people know it.
const modelName = "model_calls.provider || '/' || model_calls.model"

// TurnFilter narrows the turns; zero fields do not. Model is "provider/model". A turn began in [From, To).
type TurnFilter struct {
	UserID   string
	Status   models.TurnStatus
	Model    string
	From, To *time.Time
}

// TurnView is a turn with whose it is and where it was asked.
type TurnView struct {
	models.Turn
	UserName string
	Channel  models.Via
}

// Turns lists everybody's turns, the newest first.
func (r *Reader) Turns(ctx context.Context, g rbac.Grant, f TurnFilter, p Page) (List[TurnView], error) {
	if err := g.For(rbac.AuditRead); err != nil {
		return List[TurnView]{}, err
	}
	keys, err := keysetOf(p, turnSorts, "turns.id")
	if err != nil {
		return List[TurnView]{}, err
	}
	all := r.q.WithContext(ctx).Model(&models.Turn{})
	return page(keys, f.apply(all), f.apply(r.turnViews(ctx)), func(v TurnView) (any, string) { return v.StartedAt, v.ID })
}

// InspectedTurn returns a turn of anybody.
func (r *Reader) InspectedTurn(ctx context.Context, g rbac.Grant, id string) (*TurnView, error) {
	if err := g.For(rbac.AuditRead); err != nil {
		return nil, err
	}
	var v TurnView
	return &v, notFound(translate(r.turnViews(ctx).Where("turns.id = ?", id).Take(&v).Error), "turn")
}

func (r *Reader) turnViews(ctx context.Context) *gorm.DB {
	return r.q.WithContext(ctx).Model(&models.Turn{}).Select("turns.*, users.name AS user_name, conversations.channel AS channel").
		Joins("JOIN users ON users.id = turns.user_id").Joins("JOIN conversations ON conversations.id = turns.conversation_id")
}

func (f TurnFilter) apply(q *gorm.DB) *gorm.DB {
	if f.UserID != "" {
		q = q.Where("turns.user_id = ?", f.UserID)
	}
	if f.Status != "" {
		q = q.Where("turns.status = ?", f.Status)
	}
	if f.Model != "" {
		q = q.Where("EXISTS (SELECT 1 FROM model_calls WHERE model_calls.turn_id = turns.id AND "+modelName+" = ?)", f.Model)
	}
	if f.From != nil {
		q = q.Where("turns.started_at >= ?", *f.From)
	}
	if f.To != nil {
		q = q.Where("turns.started_at < ?", *f.To)
	}
	return q
}

// TurnSum is what the calls of a turn have taken in one currency, which is empty for calls of unknown cost. Retries are
// attempts after the first one of a round.
type TurnSum struct {
	TurnID, Model, Currency                      string
	Calls, Rounds, Retries                       int64
	PromptTokens, CompletionTokens, CachedTokens int64
	Estimated, Unpriced                          int64
	CostE6                                       int64 `gorm:"column:cost_e6"`
}

// TurnSums adds up the calls of turns.
func (r *Reader) TurnSums(ctx context.Context, g rbac.Grant, turnIDs []string) ([]TurnSum, error) {
	if err := g.For(rbac.AuditRead); err != nil {
		return nil, err
	}
	var rows []TurnSum
	err := r.q.WithContext(ctx).Model(&models.ModelCall{}).Where("turn_id IN ? AND "+ofATurn, turnIDs).
		Select("turn_id, MAX(" + modelName + ") AS model, COALESCE(currency, '') AS currency, COUNT(*) AS calls, MAX(round) AS rounds, " +
			wholeSum("CASE WHEN attempt > 1 THEN 1 ELSE 0 END") + " AS retries, " +
			wholeSum("prompt_tokens") + " AS prompt_tokens, " + wholeSum("completion_tokens") + " AS completion_tokens, " + wholeSum("cached_tokens") + " AS cached_tokens, " +
			wholeSum("CASE WHEN estimated THEN 1 ELSE 0 END") + " AS estimated, " + wholeSum(unpriced) + " AS unpriced, " + wholeSum("cost_e6") + " AS cost_e6").
		Group("1, 3").Order("1, 3").Scan(&rows).Error
	return rows, translate(err)
}

// SpokenCall is a model call with what was said in it, which is nil once it was removed.
type SpokenCall struct {
	models.ModelCall
	Request, Answer models.JSON
}

// ModelCalls are the calls of a turn in the order in which they were made.
func (r *Reader) ModelCalls(ctx context.Context, g rbac.Grant, turnID string) ([]SpokenCall, error) {
	if err := g.For(rbac.AuditRead); err != nil {
		return nil, err
	}
	var rows []SpokenCall
	err := r.q.WithContext(ctx).Model(&models.ModelCall{}).Select("model_calls.*, texts.request, texts.answer").
		Joins("LEFT JOIN model_call_texts texts ON texts.call_id = model_calls.id").
		Where("turn_id = ? AND "+ofATurn, turnID).Order("model_calls.id").Find(&rows).Error
	return rows, translate(err)
}

// TurnMessages are the messages of a turn in order.
func (r *Reader) TurnMessages(ctx context.Context, g rbac.Grant, t *models.Turn) ([]models.Message, error) {
	if err := g.For(rbac.AuditRead); err != nil {
		return nil, err
	}
	var rows []models.Message
	err := r.q.WithContext(ctx).Where("conversation_id = ? AND turn_id = ?", t.ConversationID, t.ID).Order("seq").Find(&rows).Error
	return rows, translate(err)
}

// AddModelCallText keeps what was said in a call.
func (tx *Tx) AddModelCallText(ctx context.Context, t *models.ModelCallText) error {
	return insert(ctx, tx, t)
}

// DeleteOldModelCallTexts removes what was said in calls before a time.
func (tx *Tx) DeleteOldModelCallTexts(ctx context.Context, before time.Time) error {
	return translate(tx.q.WithContext(ctx).Where("created_at < ?", before).Delete(&models.ModelCallText{}).Error)
}
