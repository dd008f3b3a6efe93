package tools

import (
	"context"
	"fmt"

	"countersign/crm"
	"countersign/i18n"
	"countersign/models"
	"countersign/rbac"
	"countersign/resolve"
)

type summarizeDealsArgs struct {
	GroupBy string `json:"group_by,omitempty" enum:"stage,owner,team,company,product,pipeline,month" jsonschema:"How to group. team is a manager's team, month the month of closing. Leave it out for one total."`
	dealFilterArgs
	Limit int `json:"limit,omitempty" max:"50" jsonschema:"How many groups to show, the highest won value first; 20 when left out."`
}

type groupRow struct {
	Group   string      `json:"group,omitempty"`
	ID      string      `json:"id,omitempty"`
	Deals   int64       `json:"deals"`
	Open    int64       `json:"open"`
	Won     int64       `json:"won"`
	Lost    int64       `json:"lost"`
	WinRate *float64    `json:"winRatePercent,omitempty"`
	Amounts []amountRow `json:"amounts,omitempty"`
}

// amountRow sums amounts of one currency. Deals without an amount are in none.
type amountRow struct {
	Deals      int64         `json:"dealsWithAmount"`
	Sum        models.Money  `json:"sum"`
	Average    models.Money  `json:"average"`
	Won        models.Money  `json:"wonValue"`
	WonAverage *models.Money `json:"averageWonValue,omitempty"`
}

type summaryData struct {
	Total  groupRow        `json:"total"`
	Groups *rows[groupRow] `json:"groups,omitempty"`
}

func newSummarizeDeals(deals *crm.Deals, resolver *resolve.Resolver) *Tool {
	return newTool(Definition{
		Name: "summarize_deals", Effect: Read, After: Continue, Permission: rbac.DealRead,
		Main: "group_by", Short: []string{"pipeline"}, Example: `/summarize_deals group_by=stage owner=me`,
	}, func(ctx context.Context, actor models.Actor, in summarizeDealsArgs) (Result, error) {
		filter, err := in.filter(ctx, resolver, actor)
		if err != nil {
			return Result{}, err
		}
		summary, err := deals.Summarize(ctx, actor, filter, in.GroupBy)
		if err != nil {
			return Result{}, err
		}
		return summaryResult(actor.Lang, in, summary), nil
	})
}

func summaryResult(lang string, in summarizeDealsArgs, s *crm.DealSummary) Result {
	data := summaryData{Total: groupRowOf(lang, s.Total)}
	data.Total.Group = ""
	headline := groupText(lang, i18n.T(lang, "summary.total"), s.Total)
	if in.GroupBy == "" {
		return Result{Data: data, Summary: headline, Text: headline}
	}
	shown := s.Groups[:min(len(s.Groups), rowLimit(in.Limit))]
	list := make([]groupRow, len(shown))
	lines := make([]string, len(shown))
	var refs []models.Ref
	for i, g := range shown {
		list[i] = groupRowOf(lang, g)
		lines[i] = groupText(lang, list[i].Group, g)
		if in.GroupBy == "company" && g.Label != "" {
			refs = append(refs, models.Ref{Type: models.TypeCompany, ID: g.Key, Name: g.Label})
		}
	}
	groups := rowsOf(list, int64(len(s.Groups)))
	data.Groups = &groups
	return Result{Data: data, Summary: headline, Text: listText(headline, lines), Refs: refs}
}

func groupRowOf(lang string, g crm.DealGroup) groupRow {
	row := groupRow{Group: g.Label, Deals: g.Deals, Open: g.Open, Won: g.Won, Lost: g.Lost, WinRate: g.WinRate}
	switch g.Label {
	case "":
		row.Group = i18n.T(lang, "summary.none")
	case g.Key: // a month is its own name
	default:
		row.ID = g.Key
	}
	for _, a := range g.Amounts {
		row.Amounts = append(row.Amounts, amountRow{Deals: a.Deals, Sum: a.Sum, Average: a.Average, Won: a.Won, WonAverage: a.WonAvg})
	}
	return row
}

// groupText is one group for a person: counts, sums, won values, win rate.
func groupText(lang, name string, g crm.DealGroup) string {
	parts := []string{i18n.T(lang, "summary.counts", "name", name, "count", g.Deals, "open", g.Open, "won", g.Won, "lost", g.Lost)}
	for _, a := range g.Amounts {
		parts = append(parts, i18n.T(lang, "summary.sum", "value", a.Sum.String()))
		if a.WonAvg != nil {
			parts = append(parts, i18n.T(lang, "summary.won_value", "value", a.Won.String()))
		}
	}
	if g.WinRate != nil {
		parts = append(parts, i18n.T(lang, "summary.win_rate", "rate", fmt.Sprintf("%.2f%%", *g.WinRate)))
	}
	return dots(parts...)
}
