package agent

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"countersign/conversations"
	"countersign/i18n"
	"countersign/llm"
	"countersign/models"
)

// The codes of notices on what may be used.
const (
	NoticeConversationFull = "CONVERSATION_FULL"
	NoticeBudgetReached    = "BUDGET_REACHED"
	NoticeBudgetNearly     = "BUDGET_NEARLY"
)

// answerAllowance is how many tokens are reserved for an answer that nothing bounds.
const answerAllowance = 1000

// full answers a message in a conversation that has used what it may.
func (c *chat) full(ctx context.Context) (bool, error) {
	if full, err := c.service.isFull(ctx, c.assistant, c.ConversationID); err != nil || !full {
		return false, err
	}
	text := i18n.T(c.actor.Lang, "chat.conversation_full", "limit", models.Thousands(c.assistant.ConversationTokens))
	if err := c.say(ctx, text); err != nil {
		return false, err
	}
	return true, c.note(ctx, NoticeConversationFull, "notice.conversation_full", "")
}

// isFull reports whether a conversation has used what it may.
func (s *Service) isFull(ctx context.Context, a Assistant, conversationID string) (bool, error) {
	if a.ConversationTokens == 0 {
		return false, nil
	}
	spent, err := s.Ledger.Spent(ctx, conversationID)
	return err == nil && spent >= a.ConversationTokens, err
}

// overBudget ends a turn for which a budget has no room, in words: which one, until when, whom to ask. Any other
// error it passes.
func (c *chat) overBudget(ctx context.Context, err error) (reason string, _ error) {
	var over *conversations.OverBudget
	if !errors.As(err, &over) {
		return "", err
	}
	text := i18n.T(c.actor.Lang, "chat.budget_reached",
		"scope", scopeText(c.actor.Lang, over.Budget), "limit", limitText(c.actor.Lang, over.Budget), "date", dayText(c.actor.Lang, over.Resets))
	if err := c.say(ctx, text); err != nil {
		return "", err
	}
	return ReasonStop, c.note(ctx, NoticeBudgetReached, "notice.budget_reached", "")
}

// warn tells once a turn of each budget that is nearly used up.
func (c *chat) warn(ctx context.Context, nearly []conversations.Standing) error {
	for _, s := range nearly {
		if c.warned[s.ID] {
			continue
		}
		c.warned[s.ID] = true
		text := i18n.T(c.actor.Lang, "notice.budget_nearly",
			"scope", scopeText(c.actor.Lang, s.Budget), "limit", limitText(c.actor.Lang, s.Budget), "percent", s.Used*100/s.Amount)
		if err := c.tell(ctx, models.Notice{Code: NoticeBudgetNearly, Text: text}); err != nil {
			return err
		}
	}
	return nil
}

func scopeText(lang string, b models.Budget) string {
	switch b.Scope {
	case models.BudgetInstallation:
		return i18n.T(lang, "budget.installation")
	case models.BudgetRole:
		return i18n.T(lang, "budget.role", "role", b.Subject)
	default:
		return i18n.T(lang, "budget.user")
	}
}

func limitText(lang string, b models.Budget) string {
	if b.Unit == models.BudgetCost {
		return models.Cost{E6: b.Amount, Currency: b.Currency}.String()
	}
	return i18n.T(lang, "budget.tokens", "amount", models.Thousands(b.Amount))
}

func dayText(lang string, t time.Time) string {
	if i18n.Match(lang) == i18n.ZhHK {
		return t.In(models.Zone()).Format("2006年1月2日")
	}
	return t.In(models.Zone()).Format("2 January 2006")
}

// meter watches one model call for the ledger. asked and came are estimates of the tokens on either side.
type meter struct {
	open        *conversations.OpenCall
	started     time.Time
	first       time.Duration
	asked, came int64
	usage       *llm.Usage
	spoken      spoken
}

// reserve opens the account of the next model call.
func (c *chat) reserve(ctx context.Context, attempt int) (*meter, error) {
	intent := c.assistant.intent(c.request)
	intent.Turn, intent.Channel, intent.Round, intent.Attempt = c.Turn, c.turn.request.Channel, c.usage.Rounds+1, attempt
	m, err := c.service.meter(ctx, intent)
	if err != nil {
		return nil, err
	}
	return m, c.warn(ctx, m.open.Nearly)
}

// intent is what a request may take, by estimate.
func (a Assistant) intent(r llm.Request) conversations.Intent {
	provider, model, _ := strings.Cut(a.Name, "/")
	allowance := int64(answerAllowance)
	if r.MaxTokens > 0 {
		allowance = int64(r.MaxTokens)
	}
	return conversations.Intent{Provider: provider, Model: model, PromptTokens: tokensOf(r), CompletionTokens: allowance}
}

// meter opens the account of a call that is made now.
func (s *Service) meter(ctx context.Context, i conversations.Intent) (*meter, error) {
	open, err := s.Ledger.Reserve(ctx, i)
	if err != nil {
		return nil, err
	}
	return &meter{open: open, started: time.Now(), asked: i.PromptTokens}, nil
}

// see notes what an event says of the call.
func (m *meter) see(event llm.Event) {
	m.spoken.add(event)
	switch e := event.(type) {
	case llm.TextDelta:
		m.came += estimate(e.Text)
	case llm.ToolCall:
		m.came += estimate(e.Name) + estimate(e.Arguments)
	case llm.Usage:
		m.usage = &e
		return
	default:
		return
	}
	if m.first == 0 {
		m.first = time.Since(m.started)
	}
}

// listen hears an answer out, for a call that is made beside a turn.
func (m *meter) listen(ctx context.Context, model llm.Model, request llm.Request) error {
	for event, err := range model.Stream(ctx, request) {
		if err != nil {
			return err
		}
		m.see(event)
	}
	return nil
}

// settle writes the call into the ledger and adds it to what the turn has used.
func (c *chat) settle(ctx context.Context, m *meter, finish llm.Finish, failed error) error {
	if failed == nil {
		c.usage.Rounds++
	}
	if err := c.service.settle(ctx, m, c.request, finish, failed); err != nil {
		return err
	}
	ctx, cancel := aside(ctx)
	defer cancel()
	return c.charge(ctx, m.open.Call)
}

// settle writes a call that has ended into the ledger.
func (s *Service) settle(ctx context.Context, m *meter, asked llm.Request, finish llm.Finish, failed error) error {
	m.end(finish, failed, ctx.Err() != nil)
	m.open.Texts = transcriptOf(asked, &m.spoken)
	ctx, cancel := aside(ctx)
	defer cancel()
	return s.Ledger.Settle(ctx, m.open)
}

// end fills in how the call ended.
func (m *meter) end(finish llm.Finish, failed error, stopped bool) {
	call := &m.open.Call
	call.DurationMS = time.Since(m.started).Milliseconds()
	if m.first > 0 {
		ms := m.first.Milliseconds()
		call.FirstTokenMS = &ms
	}
	var model *llm.Error
	switch {
	case failed == nil:
		call.Finish = string(finish)
	case stopped:
		call.Finish = models.FinishStopped
	case errors.As(failed, &model):
		call.ErrorKind, call.ErrorCode = string(model.Kind), model.Code
	default:
		call.ErrorKind = "internal"
	}
	m.count(call, model)
}

// count fills in the tokens: as the provider counted them, else by the characters, else not at all: what was
// refused before it began took none that anybody knows of.
func (m *meter) count(call *models.ModelCall, failed *llm.Error) {
	var prompt, completion, cached int64
	switch {
	case m.usage != nil:
		prompt, completion, cached = int64(m.usage.InputTokens), int64(m.usage.OutputTokens), int64(m.usage.CachedTokens)
		call.CachedTokens = &cached
	case failed != nil && m.came == 0 && failed.Kind != llm.Timeout && failed.Kind != llm.CutStream:
		return
	default:
		prompt, completion, call.Estimated = m.asked, m.came, true
	}
	call.PromptTokens, call.CompletionTokens = &prompt, &completion
}

// bill adds up what the calls of a turn cost. It is open once the cost of one of them is unknown. shown says whether
// the person may see it, once that was asked.
type bill struct {
	cost  models.Cost
	open  bool
	shown *bool
}

func (b *bill) add(cost *models.Cost) {
	if cost == nil || b.cost.Currency != "" && b.cost.Currency != cost.Currency {
		b.open = true
		return
	}
	b.cost.E6, b.cost.Currency = b.cost.E6+cost.E6, cost.Currency
}

// charge adds a call to what the turn has used.
func (c *chat) charge(ctx context.Context, call models.ModelCall) error {
	if !call.Counted() {
		return nil
	}
	c.usage.PromptTokens += *call.PromptTokens
	c.usage.CompletionTokens += *call.CompletionTokens
	if call.CachedTokens != nil {
		c.usage.CachedTokens += *call.CachedTokens
	}
	c.usage.Known = c.usage.Known && !call.Estimated
	c.bill.add(call.Cost())
	return c.priceTag(ctx)
}

// priceTag puts what the turn has cost so far into what is told of it, where that is known and the person may see it.
func (c *chat) priceTag(ctx context.Context) error {
	c.usage.Cost, c.usage.Currency = "", ""
	if c.bill.open {
		return nil
	}
	if c.bill.shown == nil {
		shown, err := c.service.Ledger.ShowsCost(ctx, c.actor)
		if err != nil {
			return err
		}
		c.bill.shown = &shown
	}
	if *c.bill.shown {
		c.usage.Cost, c.usage.Currency = c.bill.cost.Amount(), c.bill.cost.Currency
	}
	return nil
}

// tokensOf estimates how many tokens a request has.
func tokensOf(r llm.Request) int64 {
	n := estimate(r.System)
	for _, m := range r.Messages {
		n += estimate(m.Text)
		for _, call := range m.Calls {
			n += estimate(call.Name) + estimate(call.Arguments)
		}
	}
	for _, tool := range r.Tools {
		n += estimate(tool.Name) + estimate(tool.Description) + estimate(tool.Schema)
	}
	return n
}

// estimate is how many tokens a text has, about: one to four Latin characters, one to each Chinese one.
func estimate[T string | json.RawMessage](text T) int64 {
	latin, other := int64(0), int64(0)
	for i := range len(text) {
		switch {
		case text[i] < utf8.RuneSelf:
			latin++
		case utf8.RuneStart(text[i]):
			other++
		}
	}
	return (latin+3)/4 + other
}
