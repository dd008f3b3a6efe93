package api

import (
	"context"
	"fmt"
	"strconv"

	"countersign/conversations"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// OutcomeQuery asks what came of the proposals made in a period.
type OutcomeQuery struct {
	By string `query:"by" enum:"tool,user,channel,month" doc:"What the lines are grouped by; tool if left out."`
	PeriodQuery
}

func (s *server) outcomeRoutes() {
	handle(s, get("/api/ai/usage/outcomes", "getOutcomes", "What came of proposals: yours, your team's or everybody's").needs(rbac.UsageRead).plain(), s.getOutcomes)
	handle(s, get("/api/ai/usage/outcomes.csv", "getOutcomeTable", "The lines of that as a table").needs(rbac.UsageRead).plain(), s.getOutcomeTable)
}

func (s *server) getOutcomes(ctx context.Context, actor models.Actor, in *OutcomeQuery) (*one[*conversations.OutcomeReport], error) {
	return answer(s.outcomes(ctx, actor, in))
}

// outcomes is a report in which tools are called as the person knows them.
func (s *server) outcomes(ctx context.Context, actor models.Actor, in *OutcomeQuery) (*conversations.OutcomeReport, error) {
	from, to, err := in.days()
	if err != nil {
		return nil, err
	}
	report, err := s.Ledger.Outcomes(ctx, actor, store.OutcomesBy(in.By), from, to)
	if err != nil || report.By != store.OutcomesByTool {
		return report, err
	}
	for i := range report.Lines {
		report.Lines[i].Name = s.Tools.Label(actor.Lang, report.Lines[i].Key)
	}
	return report, nil
}

func (s *server) getOutcomeTable(ctx context.Context, actor models.Actor, in *OutcomeQuery) (*tableFile, error) {
	report, err := s.outcomes(ctx, actor, in)
	if err != nil {
		return nil, err
	}
	table, err := encodeTable(outcomeTable(report))
	return csvFile(fmt.Sprintf("proposals-%s-%s-%s", report.By, report.From, report.To), table), err
}

func outcomeTable(report *conversations.OutcomeReport) [][]string {
	rows := [][]string{{
		string(report.By), "name", "made", "pending", "decided", "executed", "edited", "undone", "cancelled", "explained", "stale", "failed",
		"expired", "superseded", "accept_rate", "edit_rate", "reject_rate", "stale_rate", "decision_p50_s", "decision_p90_s",
	}}
	for _, line := range report.Lines {
		row := []string{line.Key, line.Name}
		for _, n := range []int64{
			line.Made, line.Pending, line.Decided, line.Executed, line.Edited, line.Undone, line.Cancelled, line.Explained, line.Stale, line.Failed,
			line.Expired, line.Superseded,
		} {
			row = append(row, strconv.FormatInt(n, 10))
		}
		for _, rate := range []*float64{line.AcceptRate, line.EditRate, line.RejectRate, line.StaleRate} {
			row = append(row, optionalRate(rate))
		}
		rows = append(rows, append(row, optionalNumber(line.P50Seconds), optionalNumber(line.P90Seconds)))
	}
	return rows
}

func optionalRate(rate *float64) string {
	if rate == nil {
		return ""
	}
	return strconv.FormatFloat(*rate, 'f', 4, 64)
}
