package conversations

import (
	"cmp"
	"context"
	"slices"

	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// OutcomeFigures tell what came of proposals, and how long people took to decide.
type OutcomeFigures struct {
	models.ProposalCounts
	// The rates are the shares of the decided ones, from 0 to 1, that were executed, that were edited before, that were
	// cancelled, and that ended stale; nil while none is decided.
	AcceptRate *float64 `json:"acceptRate,omitempty"`
	EditRate   *float64 `json:"editRate,omitempty"`
	RejectRate *float64 `json:"rejectRate,omitempty"`
	StaleRate  *float64 `json:"staleRate,omitempty"`
	// P50Seconds and P90Seconds are the times from a proposal to its decision, nil while none is decided.
	P50Seconds *int64 `json:"decisionP50Seconds,omitempty"`
	P90Seconds *int64 `json:"decisionP90Seconds,omitempty"`
}

// OutcomeLine is what came of the proposals of one group: a tool, user, channel or month.
type OutcomeLine struct {
	Key  string `json:"key"`
	Name string `json:"name"`
	OutcomeFigures
}

// OutcomeReport tells what has come so far of the proposals made in a period. Total is over all lines.
type OutcomeReport struct {
	By    store.OutcomesBy `json:"by" enum:"tool,user,channel,month"`
	From  models.Date      `json:"from"`
	To    models.Date      `json:"to"`
	Scope rbac.Scope       `json:"scope" enum:"own,team,all"`
	Lines []OutcomeLine    `json:"lines"`
	Total OutcomeFigures   `json:"total"`
}

// Outcomes needs usage:read and reports the proposals of those whom the right reaches: oneself, one's team, everybody. By
// is the tool if empty, the period that of a [Question]. Months come in their order, other groups by how many proposals they
// made. Invalid for a period that ends before it begins.
func (l *Ledger) Outcomes(ctx context.Context, actor models.Actor, by store.OutcomesBy, from, to models.Date) (*OutcomeReport, error) {
	grant, err := l.gate.Authorize(ctx, actor, rbac.UsageRead)
	if err != nil {
		return nil, err
	}
	q, err := l.complete(Question{From: from, To: to})
	if err != nil {
		return nil, err
	}
	report := &OutcomeReport{By: cmp.Or(by, store.OutcomesByTool), From: q.From, To: q.To, Scope: grant.Scope(), Lines: []OutcomeLine{}}
	if err := l.runner.View(ctx, func(r *store.Reader) error { return l.fillOutcomes(ctx, r, grant, report) }); err != nil {
		return nil, err
	}
	if report.By != store.OutcomesByMonth {
		slices.SortStableFunc(report.Lines, func(a, b OutcomeLine) int { return cmp.Compare(b.Made, a.Made) })
	}
	return report, nil
}

func (l *Ledger) fillOutcomes(ctx context.Context, r *store.Reader, g rbac.Grant, report *OutcomeReport) error {
	from, to := period(report.From, report.To)
	rows, err := r.Outcomes(ctx, g, report.By, from, to, l.now())
	if err != nil {
		return err
	}
	times, err := r.DecisionTimes(ctx, g, report.By, from, to)
	if err != nil {
		return err
	}
	all, err := r.DecisionTimes(ctx, g, "", from, to)
	if err != nil {
		return err
	}
	byKey := map[string]*store.Quantiles{}
	for i := range times {
		byKey[times[i].Key] = &times[i]
	}
	var sum models.ProposalCounts
	for _, row := range rows {
		report.Lines = append(report.Lines, OutcomeLine{Key: row.Key, Name: row.Name, OutcomeFigures: outcomeFigures(row.ProposalCounts, byKey[row.Key])})
		sum.Add(row.ProposalCounts)
	}
	var total *store.Quantiles
	if len(all) == 1 {
		total = &all[0]
	}
	report.Total = outcomeFigures(sum, total)
	return nil
}

// outcomeFigures takes no times where nothing is decided.
func outcomeFigures(counts models.ProposalCounts, times *store.Quantiles) OutcomeFigures {
	f := OutcomeFigures{
		ProposalCounts: counts, AcceptRate: counts.Share(counts.Executed), EditRate: counts.Share(counts.Edited),
		RejectRate: counts.Share(counts.Cancelled), StaleRate: counts.Share(counts.Stale),
	}
	if times != nil {
		f.P50Seconds, f.P90Seconds = &times.P50, &times.P90
	}
	return f
}
