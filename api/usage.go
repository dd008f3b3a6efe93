package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"countersign/conversations"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// UsageQuery asks for a report of what the assistant has used.
type UsageQuery struct {
	By string `query:"by" enum:"day,user,role,channel,model,tool" doc:"What the lines are grouped by; day if left out."`
	PeriodQuery
}

// PeriodQuery are the days of a report.
type PeriodQuery struct {
	From string `query:"from" format:"date" doc:"The first day, as 2006-01-02 in Hong Kong; the first of the month if left out."`
	To   string `query:"to" format:"date" doc:"The last day, included; today if left out."`
}

func (s *server) usageRoutes() {
	handle(s, get("/api/ai/usage", "getUsage", "What the assistant has used: yours, your team's or everybody's").needs(rbac.UsageRead).plain(), s.getUsage)
	handle(s, get("/api/ai/usage.csv", "getUsageTable", "The lines of that as a table").needs(rbac.UsageRead).plain(), s.getUsageTable)
}

func (s *server) getUsage(ctx context.Context, actor models.Actor, in *UsageQuery) (*one[*conversations.Usage], error) {
	q, err := in.question()
	if err != nil {
		return nil, err
	}
	return answer(s.usage(ctx, actor, q))
}

// usage is a report in which tools are called as the person knows them.
func (s *server) usage(ctx context.Context, actor models.Actor, q conversations.Question) (*conversations.Usage, error) {
	usage, err := s.Ledger.Usage(ctx, actor, q)
	if err != nil || usage.By != store.ByTool {
		return usage, err
	}
	for i := range usage.Lines {
		usage.Lines[i].Name = s.Tools.Label(actor.Lang, usage.Lines[i].Key)
	}
	return usage, nil
}

func (in *UsageQuery) question() (q conversations.Question, err error) {
	q.By = store.UsageBy(in.By)
	q.From, q.To, err = in.days()
	return q, err
}

// days are empty where they are left out.
func (in *PeriodQuery) days() (first, last models.Date, err error) {
	from, wrongFrom := dateParam("from", in.From)
	to, wrongTo := dateParam("to", in.To)
	if from != nil {
		first = *from
	}
	if to != nil {
		last = *to
	}
	return first, last, cmp.Or(wrongFrom, wrongTo)
}

// tableFile is a table to be saved as a file.
type tableFile struct {
	ContentType string `header:"Content-Type"`
	Disposition string `header:"Content-Disposition"`
	Body        []byte
}

func (s *server) getUsageTable(ctx context.Context, actor models.Actor, in *UsageQuery) (*tableFile, error) {
	q, err := in.question()
	if err != nil {
		return nil, err
	}
	usage, err := s.usage(ctx, actor, q)
	if err != nil {
		return nil, err
	}
	table, err := encodeTable(usageTable(usage))
	return csvFile(fmt.Sprintf("usage-%s-%s-%s", usage.By, usage.From, usage.To), table), err
}

func csvFile(name string, table []byte) *tableFile {
	return &tableFile{
		ContentType: "text/csv; charset=utf-8",
		Disposition: fmt.Sprintf(`attachment; filename="%s.csv"`, name),
		Body:        table,
	}
}

// usageTable has no line for the total: what adds a column up gets the total that the report tells.
func usageTable(u *conversations.Usage) [][]string {
	if u.By == store.ByTool {
		return toolTable(u)
	}
	head := []string{
		string(u.By), "name", "calls", "errors", "prompt_tokens", "completion_tokens", "cached_tokens", "estimated_calls", "unpriced_calls",
		"first_token_p50_ms", "first_token_p95_ms",
	}
	var currencies []string
	for _, cost := range u.Total.Costs {
		currencies = append(currencies, cost.Currency)
		head = append(head, "cost_"+cost.Currency)
	}
	rows := [][]string{head}
	for _, line := range u.Lines {
		row := []string{line.Key, line.Name}
		for _, n := range []int64{line.Calls, line.Errors, line.PromptTokens, line.CompletionTokens, line.CachedTokens, line.Estimated, line.Unpriced} {
			row = append(row, strconv.FormatInt(n, 10))
		}
		row = append(row, optionalNumber(line.P50MS), optionalNumber(line.P95MS))
		for _, currency := range currencies {
			row = append(row, costIn(line.Costs, currency))
		}
		rows = append(rows, row)
	}
	return rows
}

func toolTable(u *conversations.Usage) [][]string {
	rows := [][]string{{"tool", "name", "calls", "errors", "proposals", "average_ms"}}
	for _, line := range u.Lines {
		rows = append(rows, []string{
			line.Key, line.Name, strconv.FormatInt(line.Calls, 10), strconv.FormatInt(line.Errors, 10),
			optionalNumber(line.Proposals), optionalNumber(line.AverageMS),
		})
	}
	return rows
}

func optionalNumber(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}

// costIn is the cost in a currency; empty where none is known.
func costIn(costs []models.Cost, currency string) string {
	i := slices.IndexFunc(costs, func(c models.Cost) bool { return c.Currency == currency })
	if i < 0 {
		return ""
	}
	return costs[i].Amount()
}

// byteOrderMark tells spreadsheets that a table is UTF-8.
const byteOrderMark = "\uFEFF"

// encodeTable writes CSV that a spreadsheet reads as text: no cell is taken for a formula.
func encodeTable(rows [][]string) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString(byteOrderMark)
	w := csv.NewWriter(&out)
	for _, row := range rows {
		for i, cell := range row {
			if strings.IndexAny(cell, "=+-@\t\r") == 0 {
				row[i] = "'" + cell
			}
		}
		if err := w.Write(row); err != nil {
			return nil, fmt.Errorf("api: write a table: %w", err)
		}
	}
	w.Flush()
	return out.Bytes(), w.Error()
}
