package store

import (
	"context"
	"slices"
	"time"

	"gorm.io/gorm"

	"countersign/models"
	"countersign/rbac"
)

// AddModelCall appends a call to the ledger and adds it to the sums of its month.
func (tx *Tx) AddModelCall(ctx context.Context, c *models.ModelCall) error {
	if err := insert(ctx, tx, c); err != nil {
		return err
	}
	m := models.UsageMonth{Month: models.MonthOf(c.StartedAt), UserID: c.UserID, Role: c.Role, Calls: 1}
	if c.Counted() {
		m.PromptTokens, m.CompletionTokens = *c.PromptTokens, *c.CompletionTokens
	}
	if cost := c.Cost(); cost != nil {
		m.CostE6, m.Currency = cost.E6, cost.Currency
	}
	_, err := tx.exec(ctx, `INSERT INTO usage_months (month, user_id, role, currency, calls, prompt_tokens, completion_tokens, cost_e6)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (month, user_id, role, currency) DO UPDATE SET
		calls = usage_months.calls + excluded.calls, prompt_tokens = usage_months.prompt_tokens + excluded.prompt_tokens,
		completion_tokens = usage_months.completion_tokens + excluded.completion_tokens, cost_e6 = usage_months.cost_e6 + excluded.cost_e6`,
		m.Month, m.UserID, m.Role, m.Currency, m.Calls, m.PromptTokens, m.CompletionTokens, m.CostE6)
	return err
}

// LastModelCall is the latest call since a time that tells whether the model works, or nil.
func (r *Reader) LastModelCall(ctx context.Context, since time.Time) (*models.ModelCall, error) {
	return firstOf[models.ModelCall](r.telling(ctx, since).Order("started_at DESC, id DESC"))
}

// FailingCalls are the first and the last call in a row that all failed in one of the ways named, which are error
// kinds, up to now; both nil when the latest call did not. Only calls since a time count that tell whether the model
// works.
func (r *Reader) FailingCalls(ctx context.Context, since time.Time, kinds []string) (first, last *models.ModelCall, err error) {
	last, err = r.LastModelCall(ctx, since)
	if err != nil || last == nil || !slices.Contains(kinds, last.ErrorKind) {
		return nil, nil, err
	}
	good, err := firstOf[models.ModelCall](r.telling(ctx, since).Where("error_kind NOT IN ?", kinds).Order("started_at DESC"))
	if err != nil {
		return nil, nil, err
	}
	if good != nil {
		since = good.StartedAt
	}
	first, err = firstOf[models.ModelCall](r.telling(ctx, since).Where("error_kind IN ?", kinds).Order("started_at, id"))
	return first, last, err
}

// telling narrows to the calls since a time that tell whether the model works: not one that a person stopped before
// its first word, nor a failed attempt of a turn that still tries.
func (r *Reader) telling(ctx context.Context, since time.Time) *gorm.DB {
	trying := r.q.WithContext(ctx).Model(&models.Turn{}).Select("1").Where("turns.id = model_calls.turn_id AND turns.status = ?", models.TurnRunning)
	return r.q.WithContext(ctx).Where("started_at >= ?", since).
		Where("finish <> ? OR first_token_ms IS NOT NULL", models.FinishStopped).
		Where("error_kind = '' OR NOT EXISTS (?)", trying)
}

// ConversationTokens is how many tokens the calls of a conversation have taken, as far as that is known. What a provider had
// in its cache was not read anew, and counts for nothing.
func (r *Reader) ConversationTokens(ctx context.Context, conversationID string) (n int64, err error) {
	q := r.q.WithContext(ctx).Model(&models.ModelCall{}).Where("conversation_id = ? AND "+ofATurn, conversationID)
	err = translate(q.Select(wholeSum("COALESCE(prompt_tokens, 0) - COALESCE(cached_tokens, 0) + COALESCE(completion_tokens, 0)")).Scan(&n).Error)
	return n, err
}

// ofATurn narrows to calls that a turn made: no checks.
const ofATurn = "purpose <> '" + string(models.PurposeCheck) + "'"

// UsageBy is what use is grouped by.
type UsageBy string

// The groupings. Days are those of the organisation's time zone.
const (
	ByDay     UsageBy = "day"
	ByUser    UsageBy = "user"
	ByRole    UsageBy = "role"
	ByChannel UsageBy = "channel"
	ByModel   UsageBy = "model"
	// ByTool groups the calls of tools, not those of models.
	ByTool UsageBy = "tool"
)

// key is the expression of a grouping.
func (by UsageBy) key(d dialect) string {
	switch by {
	case ByDay:
		return d.day("model_calls.started_at")
	case ByUser:
		return "model_calls.user_id"
	case ByRole:
		return "model_calls.role"
	case ByChannel:
		return "model_calls.channel"
	case ByModel:
		return modelName
	default:
		return "'total'"
	}
}

// unpriced is one for a call that took tokens, at no known price.
const unpriced = "CASE WHEN cost_e6 IS NULL AND prompt_tokens IS NOT NULL THEN 1 ELSE 0 END"

// UsageRow is the use of one group in one currency, which is empty for calls of unknown cost. Calls of which nobody
// knows the tokens count only as calls.
type UsageRow struct {
	Key, Name, Currency                          string
	Calls, Errors                                int64
	PromptTokens, CompletionTokens, CachedTokens int64
	// Estimated calls were counted by their characters; Unpriced ones took tokens, at no known price.
	Estimated, Unpriced int64
	CostE6              int64 `gorm:"column:cost_e6"`
}

// Usage sums up the calls that began in [from, to).
func (r *Reader) Usage(ctx context.Context, g rbac.Grant, by UsageBy, from, to time.Time) ([]UsageRow, error) {
	if err := g.For(rbac.UsageRead); err != nil {
		return nil, err
	}
	key, name := by.key(r.dialect), by.key(r.dialect)
	if by == ByUser {
		name = "users.name"
	}
	var rows []UsageRow
	err := r.usage(ctx, g, from, to).Joins("JOIN users ON users.id = model_calls.user_id").
		Select(key + " AS key, MAX(" + name + ") AS name, COALESCE(currency, '') AS currency, COUNT(*) AS calls, " +
			wholeSum("CASE WHEN error_kind <> '' THEN 1 ELSE 0 END") + " AS errors, " +
			wholeSum("prompt_tokens") + " AS prompt_tokens, " + wholeSum("completion_tokens") + " AS completion_tokens, " + wholeSum("cached_tokens") + " AS cached_tokens, " +
			wholeSum("CASE WHEN estimated THEN 1 ELSE 0 END") + " AS estimated, " +
			wholeSum(unpriced) + " AS unpriced, " +
			wholeSum("cost_e6") + " AS cost_e6").
		Group("1, 3").Order("1, 3").Scan(&rows).Error
	for i := range rows {
		rows[i].Key, rows[i].Name = by.read(rows[i].Key), by.read(rows[i].Name)
	}
	return rows, translate(err)
}

// read is a key as it is stored. The driver of SQLite takes a day for a time and adds one.
func (by UsageBy) read(key string) string {
	if by == ByDay && len(key) > len(time.DateOnly) {
		return key[:len(time.DateOnly)]
	}
	return key
}

// usage narrows to the calls of a period within a grant.
func (r *Reader) usage(ctx context.Context, g rbac.Grant, from, to time.Time) *gorm.DB {
	q := r.q.WithContext(ctx).Model(&models.ModelCall{}).Where("started_at >= ? AND started_at < ?", from, to)
	return where(q, ownedBy(g, "model_calls.user_id"))
}

// Quantiles are the 50th, 90th and 95th of a hundred values of a group.
type Quantiles struct {
	Key           string
	P50, P90, P95 int64
}

// Latencies are how long, in milliseconds, calls took until their first token, in the groups that have had one. An
// unknown grouping is one over all.
func (r *Reader) Latencies(ctx context.Context, g rbac.Grant, by UsageBy, from, to time.Time) ([]Quantiles, error) {
	if err := g.For(rbac.UsageRead); err != nil {
		return nil, err
	}
	rows, err := r.quantiles(ctx, r.usage(ctx, g, from, to).Where("first_token_ms IS NOT NULL"), by.key(r.dialect), "first_token_ms")
	for i := range rows {
		rows[i].Key = by.read(rows[i].Key)
	}
	return rows, err
}

// quantiles ranks the values of each group of q; both are expressions.
func (r *Reader) quantiles(ctx context.Context, q *gorm.DB, group, value string) ([]Quantiles, error) {
	ranked := q.Select(group + " AS key, " + value + " AS value, " +
		"ROW_NUMBER() OVER (PARTITION BY " + group + " ORDER BY " + value + ") AS n, COUNT(*) OVER (PARTITION BY " + group + ") AS size")
	var rows []Quantiles
	err := r.q.WithContext(ctx).Table("(?) AS ranked", ranked).
		Select("key, MAX(CASE WHEN n = (size * 50 + 99) / 100 THEN value END) AS p50, " +
			"MAX(CASE WHEN n = (size * 90 + 99) / 100 THEN value END) AS p90, MAX(CASE WHEN n = (size * 95 + 99) / 100 THEN value END) AS p95").
		Group("key").Order("key").Scan(&rows).Error
	return rows, translate(err)
}

// UsageSums adds up the months of a period, one sum per currency. The first month may be empty for all up to last.
func (r *Reader) UsageSums(ctx context.Context, g rbac.Grant, first, last models.Month) ([]models.UsageMonth, error) {
	if err := g.For(rbac.UsageRead); err != nil {
		return nil, err
	}
	var rows []models.UsageMonth
	q := r.q.WithContext(ctx).Model(&models.UsageMonth{}).Where("month >= ? AND month <= ?", first, last)
	err := where(q, ownedBy(g, "usage_months.user_id")).
		Select("currency, " + wholeSum("calls") + " AS calls, " + wholeSum("prompt_tokens") + " AS prompt_tokens, " +
			wholeSum("completion_tokens") + " AS completion_tokens, " + wholeSum("cost_e6") + " AS cost_e6").
		Group("currency").Order("currency").Scan(&rows).Error
	return rows, translate(err)
}
