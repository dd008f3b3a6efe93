package crm

import (
	"cmp"
	"context"
	"slices"

	"countersign/models"
	"countersign/store"
)

// DealSummary tells how many deals there are, what they are worth and how many were won, in groups.
type DealSummary struct {
	Total  DealGroup
	Groups []DealGroup
}

// DealGroup is one group of a summary. Key and Label are empty for the deals that have no such thing.
// WinRate is won / (won + lost) in percent to two digits; nil while nothing is decided. Amounts
// has one entry per currency: amounts of different currencies are never added.
type DealGroup struct {
	Key     string
	Label   string
	Deals   int64
	Open    int64
	Won     int64
	Lost    int64
	WinRate *float64
	Amounts []GroupAmount
}

// GroupAmount sums the amounts of a group in one currency. Deals counts those that carry an amount.
type GroupAmount struct {
	Deals   int64
	Sum     models.Money
	Average models.Money
	Won     models.Money
	WonAvg  *models.Money
}

// Summarize counts and sums the deals that the actor sees. by is one of stage, owner, team, company,
// product, pipeline, month, or empty. Groups come with the highest won value first, then the most deals;
// months come in order.
func (s *Deals) Summarize(ctx context.Context, actor models.Actor, f store.DealFilter, by string) (*DealSummary, error) {
	g, err := s.grants(ctx, actor)
	if err != nil {
		return nil, err
	}
	var rows []store.DealSummaryRow
	err = s.runner.View(ctx, func(r *store.Reader) error {
		rows, err = r.SummarizeDeals(ctx, g, f, by)
		return err
	})
	if err != nil {
		return nil, err
	}
	summary := &DealSummary{Total: group("", "", rows)}
	if by == "" {
		return summary, nil
	}
	for _, part := range groupRows(rows) {
		summary.Groups = append(summary.Groups, group(part[0].Key, part[0].Label, part))
	}
	if by != "month" {
		slices.SortStableFunc(summary.Groups, byWorth)
	}
	return summary, nil
}

// groupRows splits rows, which come ordered by key, into the parts of one key each.
func groupRows(rows []store.DealSummaryRow) [][]store.DealSummaryRow {
	var parts [][]store.DealSummaryRow
	for start := 0; start < len(rows); {
		end := start + 1
		for end < len(rows) && rows[end].Key == rows[start].Key {
			end++
		}
		parts = append(parts, rows[start:end])
		start = end
	}
	return parts
}

// group adds up rows, keeping currencies apart.
func group(key, label string, rows []store.DealSummaryRow) DealGroup {
	g := DealGroup{Key: key, Label: label}
	sums := map[string]*amountSum{}
	var order []string
	for _, r := range rows {
		g.Deals, g.Won, g.Lost = g.Deals+r.Deals, g.Won+r.Won, g.Lost+r.Lost
		if r.Currency == "" {
			continue
		}
		if sums[r.Currency] == nil {
			sums[r.Currency] = &amountSum{}
			order = append(order, r.Currency)
		}
		sums[r.Currency].add(r)
	}
	g.Open = g.Deals - g.Won - g.Lost
	if decided := g.Won + g.Lost; decided > 0 {
		rate := roundedRatio(g.Won*10_000, decided)
		percent := float64(rate) / 100
		g.WinRate = &percent
	}
	slices.Sort(order)
	for _, currency := range order {
		g.Amounts = append(g.Amounts, sums[currency].amount(currency))
	}
	return g
}

type amountSum struct{ deals, won, sum, wonSum int64 }

func (a *amountSum) add(r store.DealSummaryRow) {
	a.deals, a.won, a.sum, a.wonSum = a.deals+r.Deals, a.won+r.Won, a.sum+r.SumMinor, a.wonSum+r.WonMinor
}

func (a *amountSum) amount(currency string) GroupAmount {
	out := GroupAmount{
		Deals: a.deals, Sum: models.Money{Minor: a.sum, Currency: currency}, Won: models.Money{Minor: a.wonSum, Currency: currency},
		Average: models.Money{Minor: roundedRatio(a.sum, a.deals), Currency: currency},
	}
	if a.won > 0 {
		out.WonAvg = &models.Money{Minor: roundedRatio(a.wonSum, a.won), Currency: currency}
	}
	return out
}

// roundedRatio is a/b rounded half away from zero; b is positive.
func roundedRatio(a, b int64) int64 {
	if a < 0 {
		return -roundedRatio(-a, b)
	}
	return (a + b/2) / b
}

func byWorth(a, b DealGroup) int {
	return cmp.Or(cmp.Compare(worth(b), worth(a)), cmp.Compare(b.Deals, a.Deals), cmp.Compare(a.Label, b.Label), cmp.Compare(a.Key, b.Key))
}

// worth orders groups by won value; groups in several currencies are ordered by their first.
func worth(g DealGroup) int64 {
	if len(g.Amounts) == 0 {
		return 0
	}
	return g.Amounts[0].Won.Minor
}
