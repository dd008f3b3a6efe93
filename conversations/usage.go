package conversations

import (
	"cmp"
	"context"
	"slices"
	"time"

	"countersign/apperr"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// Figures are sums over calls. Costs has one sum for each currency; calls whose cost is unknown are in none of them.
type Figures struct {
	Calls            int64 `json:"calls"`
	Errors           int64 `json:"errors"`
	PromptTokens     int64 `json:"promptTokens"`
	CompletionTokens int64 `json:"completionTokens"`
	CachedTokens     int64 `json:"cachedTokens"`
	// Estimated is how many calls were counted by their characters, Unpriced how many took tokens at no known price.
	Estimated int64 `json:"estimated"`
	Unpriced  int64 `json:"unpriced"`
	// Costs is nil for those who do not see costs.
	Costs []models.Cost `json:"costs,omitempty"`
	// P50MS and P95MS are the times to the first token, nil where none came.
	P50MS *int64 `json:"firstTokenP50Ms,omitempty"`
	P95MS *int64 `json:"firstTokenP95Ms,omitempty"`
	// Proposals is how many calls of tools have proposed a change, AverageMS how long a call took; nil for calls of models.
	Proposals *int64 `json:"proposals,omitempty"`
	AverageMS *int64 `json:"averageMs,omitempty"`
}

// UsageLine is the use of one group: a day, user, role, channel, model or tool.
type UsageLine struct {
	Key  string `json:"key"`
	Name string `json:"name"`
	Figures
}

// Usage is a report of calls of models, and by tool one of calls of tools. Total is the sum of the lines. Month is the calendar month so far and Ever all there is, whatever
// the period; those two tell calls, tokens and costs only.
type Usage struct {
	By    store.UsageBy `json:"by" enum:"day,user,role,channel,model,tool"`
	From  models.Date   `json:"from"`
	To    models.Date   `json:"to"`
	Scope rbac.Scope    `json:"scope" enum:"own,team,all"`
	// CostShown says that the person sees costs.
	CostShown bool        `json:"costShown"`
	Lines     []UsageLine `json:"lines"`
	Total     Figures     `json:"total"`
	Month     Figures     `json:"month"`
	Ever      Figures     `json:"ever"`
}

// Question asks for a report of the days from From to To, both included. Empty ones are the first of the month, and
// today.
type Question struct {
	By       store.UsageBy
	From, To models.Date
}

// Usage needs usage:read and reports the calls of those whom the right reaches: oneself, one's team, everybody. Days
// first come first, other groups by their tokens, tools by their calls. Invalid for a period that ends before it begins.
func (l *Ledger) Usage(ctx context.Context, actor models.Actor, q Question) (*Usage, error) {
	grant, err := l.gate.Authorize(ctx, actor, rbac.UsageRead)
	if err != nil {
		return nil, err
	}
	if q, err = l.complete(q); err != nil {
		return nil, err
	}
	shown, err := l.ShowsCost(ctx, actor)
	if err != nil {
		return nil, err
	}
	u := &Usage{By: q.By, From: q.From, To: q.To, Scope: grant.Scope(), CostShown: shown, Lines: []UsageLine{}}
	if err := l.runner.View(ctx, func(r *store.Reader) error { return l.fill(ctx, r, grant, u) }); err != nil {
		return nil, err
	}
	u.sort()
	if !shown {
		u.hideCosts()
	}
	return u, nil
}

func (l *Ledger) complete(q Question) (Question, error) {
	today := models.DateOf(l.now())
	q.By, q.To = cmp.Or(q.By, store.ByDay), cmp.Or(q.To, today)
	q.From = cmp.Or(q.From, models.DateOf(models.MonthOf(q.To.Start()).Start()))
	if q.To < q.From {
		return q, apperr.InvalidField("to", "The period ends before it begins.")
	}
	return q, nil
}

func (l *Ledger) fill(ctx context.Context, r *store.Reader, g rbac.Grant, u *Usage) error {
	fillLines := u.addModels
	if u.By == store.ByTool {
		fillLines = u.addTools
	}
	if err := fillLines(ctx, r, g); err != nil {
		return err
	}
	month := models.MonthOf(l.now())
	if err := sumUp(ctx, r, g, month, month, &u.Month); err != nil {
		return err
	}
	return sumUp(ctx, r, g, "", month, &u.Ever)
}

// period is from the start of the first day to the end of the last one.
func (u *Usage) period() (from, to time.Time) { return period(u.From, u.To) }

func period(first, last models.Date) (from, to time.Time) {
	return first.Start(), last.Start().AddDate(0, 0, 1)
}

// addModels fills in the calls of models.
func (u *Usage) addModels(ctx context.Context, r *store.Reader, g rbac.Grant) error {
	from, to := u.period()
	rows, err := r.Usage(ctx, g, u.By, from, to)
	if err != nil {
		return err
	}
	for _, row := range rows {
		u.line(row).add(row)
		u.Total.add(row)
	}
	return u.time(ctx, r, g)
}

// addTools fills in the calls of tools. Lines are named as the tools are.
func (u *Usage) addTools(ctx context.Context, r *store.Reader, g rbac.Grant) error {
	from, to := u.period()
	rows, err := r.ToolUsage(ctx, g, from, to)
	var total store.ToolUsageRow
	for _, row := range rows {
		u.Lines = append(u.Lines, UsageLine{Key: row.Tool, Name: row.Tool, Figures: toolFigures(row)})
		total.Calls, total.Errors = total.Calls+row.Calls, total.Errors+row.Errors
		total.Proposals, total.DurationMS = total.Proposals+row.Proposals, total.DurationMS+row.DurationMS
	}
	u.Total = toolFigures(total)
	return err
}

func toolFigures(row store.ToolUsageRow) Figures {
	f := Figures{Calls: row.Calls, Errors: row.Errors, Proposals: &row.Proposals}
	if row.Calls > 0 {
		average := (row.DurationMS + row.Calls/2) / row.Calls
		f.AverageMS = &average
	}
	return f
}

// line is the line of a row's group. The rows of a group follow each other.
func (u *Usage) line(row store.UsageRow) *Figures {
	if n := len(u.Lines); n == 0 || u.Lines[n-1].Key != row.Key {
		u.Lines = append(u.Lines, UsageLine{Key: row.Key, Name: row.Name})
	}
	return &u.Lines[len(u.Lines)-1].Figures
}

// time fills in how long first tokens took.
func (u *Usage) time(ctx context.Context, r *store.Reader, g rbac.Grant) error {
	from, to := u.period()
	groups, err := r.Latencies(ctx, g, u.By, from, to)
	if err != nil {
		return err
	}
	all, err := r.Latencies(ctx, g, "", from, to)
	if err != nil {
		return err
	}
	byKey := map[string]store.Quantiles{}
	for _, l := range groups {
		byKey[l.Key] = l
	}
	for i := range u.Lines {
		if l, ok := byKey[u.Lines[i].Key]; ok {
			u.Lines[i].P50MS, u.Lines[i].P95MS = &l.P50, &l.P95
		}
	}
	if len(all) == 1 {
		u.Total.P50MS, u.Total.P95MS = &all[0].P50, &all[0].P95
	}
	return nil
}

// sumUp adds months up from the sums that are kept of them.
func sumUp(ctx context.Context, r *store.Reader, g rbac.Grant, first, last models.Month, f *Figures) error {
	sums, err := r.UsageSums(ctx, g, first, last)
	for _, s := range sums {
		f.add(store.UsageRow{
			Currency: s.Currency, Calls: s.Calls, PromptTokens: s.PromptTokens, CompletionTokens: s.CompletionTokens, CostE6: s.CostE6,
		})
	}
	return err
}

func (f *Figures) add(row store.UsageRow) {
	f.Calls += row.Calls
	f.Errors += row.Errors
	f.PromptTokens += row.PromptTokens
	f.CompletionTokens += row.CompletionTokens
	f.CachedTokens += row.CachedTokens
	f.Estimated += row.Estimated
	f.Unpriced += row.Unpriced
	if row.Currency == "" {
		return
	}
	for i := range f.Costs {
		if f.Costs[i].Currency == row.Currency {
			f.Costs[i].E6 += row.CostE6
			return
		}
	}
	f.Costs = append(f.Costs, models.Cost{E6: row.CostE6, Currency: row.Currency})
}

// sort puts those with the most tokens, or calls of tools, first; days stay in their order.
func (u *Usage) sort() {
	if u.By == store.ByDay {
		return
	}
	slices.SortStableFunc(u.Lines, func(a, b UsageLine) int {
		return cmp.Or(cmp.Compare(b.PromptTokens+b.CompletionTokens, a.PromptTokens+a.CompletionTokens), cmp.Compare(b.Calls, a.Calls))
	})
}

func (u *Usage) hideCosts() {
	u.Total.Costs, u.Month.Costs, u.Ever.Costs = nil, nil, nil
	for i := range u.Lines {
		u.Lines[i].Costs = nil
	}
}
