package conversations

import (
	"context"
	"time"

	"countersign/audit"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// ActionInspect is the audited action of opening a turn.
const ActionInspect = "turn:inspect"

// textsTTL is how long it is kept what was said in calls.
const textsTTL = 30 * 24 * time.Hour

// TurnLine is what a turn took, without a word of what was said in it.
type TurnLine struct {
	ID             string            `json:"id"`
	ConversationID string            `json:"conversationId"`
	UserID         string            `json:"userId"`
	UserName       string            `json:"userName"`
	Channel        models.Via        `json:"channel"`
	Status         models.TurnStatus `json:"status" enum:"running,done,failed,stopped"`
	Reason         string            `json:"reason,omitempty"`
	Code           string            `json:"code,omitempty"`
	StartedAt      time.Time         `json:"startedAt"`
	EndedAt        *time.Time        `json:"endedAt,omitempty"`
	// DurationMS is missing while the turn runs.
	DurationMS *int64 `json:"durationMs,omitempty"`
	// Model is missing for a turn that called none.
	Model  string `json:"model,omitempty"`
	Calls  int64  `json:"calls"`
	Rounds int64  `json:"rounds"`
	// Retries are attempts after the first one of a round.
	Retries          int64 `json:"retries"`
	PromptTokens     int64 `json:"promptTokens"`
	CompletionTokens int64 `json:"completionTokens"`
	CachedTokens     int64 `json:"cachedTokens"`
	// Estimated is how many calls were counted by their characters, Unpriced how many took tokens at no known price.
	Estimated int64 `json:"estimated"`
	Unpriced  int64 `json:"unpriced"`
	// Costs has one sum for each currency; it is nil for those who do not see costs.
	Costs []models.Cost `json:"costs,omitempty"`
}

// Inspection is a turn with everything that was said and done in it.
type Inspection struct {
	TurnLine
	Message    string            `json:"message"`
	Reply      string            `json:"reply"`
	ToolCalls  []models.ToolCall `json:"toolCalls"`
	ModelCalls []InspectedCall   `json:"modelCalls"`
}

// InspectedCall is one attempt to call the model. Numbers that nobody knows are missing, and so are the texts once they
// are older than thirty days.
type InspectedCall struct {
	ID               string              `json:"id"`
	Model            string              `json:"model"`
	Purpose          models.CallPurpose  `json:"purpose" enum:"answer,summary"`
	Round            int                 `json:"round"`
	Attempt          int                 `json:"attempt"`
	StartedAt        time.Time           `json:"startedAt"`
	FirstTokenMS     *int64              `json:"firstTokenMs,omitempty"`
	DurationMS       int64               `json:"durationMs"`
	PromptTokens     *int64              `json:"promptTokens,omitempty"`
	CompletionTokens *int64              `json:"completionTokens,omitempty"`
	CachedTokens     *int64              `json:"cachedTokens,omitempty"`
	Estimated        bool                `json:"estimated"`
	Cost             *models.Cost        `json:"cost,omitempty"`
	Finish           string              `json:"finish,omitempty"`
	ErrorKind        string              `json:"errorKind,omitempty"`
	ErrorCode        string              `json:"errorCode,omitempty"`
	Request          *models.CallRequest `json:"request,omitempty"`
	Answer           *models.CallAnswer  `json:"answer,omitempty"`
}

// Turns needs audit:read and lists everybody's turns, the newest first.
func (l *Ledger) Turns(ctx context.Context, actor models.Actor, f store.TurnFilter, p store.Page) (list store.List[TurnLine], err error) {
	grant, err := l.gate.Authorize(ctx, actor, rbac.AuditRead)
	if err != nil {
		return list, err
	}
	shown, err := l.ShowsCost(ctx, actor)
	if err != nil {
		return list, err
	}
	err = l.runner.View(ctx, func(r *store.Reader) error {
		turns, err := r.Turns(ctx, grant, f, p)
		if err != nil {
			return err
		}
		list.Next, list.Total = turns.Next, turns.Total
		list.Items, err = turnLines(ctx, r, grant, turns.Items, shown)
		return err
	})
	return list, err
}

// turnLines adds to turns what their calls took.
func turnLines(ctx context.Context, r *store.Reader, g rbac.Grant, turns []store.TurnView, costShown bool) ([]TurnLine, error) {
	lines, places, ids := make([]TurnLine, len(turns)), map[string]int{}, make([]string, len(turns))
	for i := range turns {
		lines[i], places[turns[i].ID], ids[i] = turnLineOf(&turns[i]), i, turns[i].ID
	}
	sums, err := r.TurnSums(ctx, g, ids)
	for _, sum := range sums {
		lines[places[sum.TurnID]].add(sum, costShown)
	}
	return lines, err
}

func turnLineOf(t *store.TurnView) TurnLine {
	line := TurnLine{
		ID: t.ID, ConversationID: t.ConversationID, UserID: t.UserID, UserName: t.UserName, Channel: t.Channel,
		Status: t.Status, Reason: t.Reason, Code: t.Code, StartedAt: t.StartedAt, EndedAt: t.EndedAt,
	}
	if t.EndedAt != nil {
		ms := t.EndedAt.Sub(t.StartedAt).Milliseconds()
		line.DurationMS = &ms
	}
	return line
}

func (t *TurnLine) add(sum store.TurnSum, costShown bool) {
	t.Model = max(t.Model, sum.Model)
	t.Calls += sum.Calls
	t.Rounds = max(t.Rounds, sum.Rounds)
	t.Retries += sum.Retries
	t.PromptTokens += sum.PromptTokens
	t.CompletionTokens += sum.CompletionTokens
	t.CachedTokens += sum.CachedTokens
	t.Estimated += sum.Estimated
	t.Unpriced += sum.Unpriced
	if costShown && sum.Currency != "" {
		t.Costs = append(t.Costs, models.Cost{E6: sum.CostE6, Currency: sum.Currency})
	}
}

// Inspect needs audit:read and opens a turn of anybody, which is recorded. NotFound for one that does not exist.
func (l *Ledger) Inspect(ctx context.Context, actor models.Actor, turnID string) (*Inspection, error) {
	grant, err := l.gate.Authorize(ctx, actor, rbac.AuditRead)
	if err != nil {
		return nil, err
	}
	shown, err := l.ShowsCost(ctx, actor)
	if err != nil {
		return nil, err
	}
	var opened *Inspection
	err = l.runner.InTx(ctx, func(tx *store.Tx) error {
		turn, err := tx.InspectedTurn(ctx, grant, turnID)
		if err != nil {
			return err
		}
		if opened, err = inspect(ctx, tx.Reader, grant, turn, shown); err != nil {
			return err
		}
		return audit.Write(ctx, tx, actor, l.now(), audit.Entry{
			Action: ActionInspect, Target: models.Ref{Type: models.TypeConversation, ID: turn.ConversationID}, Decision: models.DecisionAllowed,
			Detail: map[string]string{"turnId": turn.ID, "userId": turn.UserID},
		})
	})
	if err != nil {
		return nil, err
	}
	return opened, nil
}

func inspect(ctx context.Context, r *store.Reader, g rbac.Grant, turn *store.TurnView, costShown bool) (*Inspection, error) {
	lines, err := turnLines(ctx, r, g, []store.TurnView{*turn}, costShown)
	if err != nil {
		return nil, err
	}
	i := &Inspection{TurnLine: lines[0], ToolCalls: []models.ToolCall{}, ModelCalls: []InspectedCall{}}
	messages, err := r.TurnMessages(ctx, g, &turn.Turn)
	if err != nil {
		return nil, err
	}
	for _, m := range messages {
		if err := i.tell(m); err != nil {
			return nil, err
		}
	}
	calls, err := r.ModelCalls(ctx, g, turn.ID)
	if err != nil {
		return nil, err
	}
	for _, c := range calls {
		call, err := inspectedCallOf(c, costShown)
		if err != nil {
			return nil, err
		}
		i.ModelCalls = append(i.ModelCalls, call)
	}
	return i, nil
}

// tell adds a message of the turn. Results are masked as they are in the requests that hold them, too.
func (i *Inspection) tell(m models.Message) error {
	if m.Role == models.RoleUser {
		i.Message = m.Content
		return nil
	}
	i.Reply = m.Content
	if err := m.ToolCalls.Into(&i.ToolCalls); err != nil {
		return err
	}
	for n := range i.ToolCalls {
		i.ToolCalls[n].Result = models.JSON(audit.MaskJSON(string(i.ToolCalls[n].Result)))
	}
	return nil
}

func inspectedCallOf(c store.SpokenCall, costShown bool) (InspectedCall, error) {
	call := InspectedCall{
		ID: c.ID, Model: c.Provider + "/" + c.ModelCall.Model, Purpose: c.Purpose, Round: c.Round, Attempt: c.Attempt, StartedAt: c.StartedAt,
		FirstTokenMS: c.FirstTokenMS, DurationMS: c.DurationMS, PromptTokens: c.PromptTokens, CompletionTokens: c.CompletionTokens,
		CachedTokens: c.CachedTokens, Estimated: c.Estimated, Finish: c.Finish, ErrorKind: c.ErrorKind, ErrorCode: c.ErrorCode,
	}
	if costShown {
		call.Cost = c.Cost()
	}
	if err := c.Request.Into(&call.Request); err != nil {
		return call, err
	}
	return call, c.Answer.Into(&call.Answer)
}

// RemoveOldTexts removes what was said in calls more than thirty days ago. What they took and cost stays.
func (l *Ledger) RemoveOldTexts(ctx context.Context) error {
	return l.runner.InTx(ctx, func(tx *store.Tx) error { return tx.DeleteOldModelCallTexts(ctx, l.now().Add(-textsTTL)) })
}
