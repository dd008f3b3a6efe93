package evals

import (
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"
	"text/tabwriter"
)

// Status is how a case ended.
type Status string

// The statuses. Only Passed and Failed are verdicts: the others are of cases that could not be judged, and never count
// as passed.
const (
	Passed      Status = "passed"
	Failed      Status = "failed"
	NotYet      Status = "not yet"
	NotRecorded Status = "not recorded"
)

// Result is a case with its runs. It has passed when every run has.
type Result struct {
	ID       string `json:"id"`
	Category string `json:"category"`
	Question string `json:"question"`
	Status   Status `json:"status"`
	// Reason says why a case was not judged.
	Reason string  `json:"reason,omitempty"`
	Runs   []Trial `json:"runs,omitempty"`
}

// Trial is one run of a case.
type Trial struct {
	Passed   bool      `json:"passed"`
	Findings []Finding `json:"findings,omitempty"`
	// Untraced are figures of the answer without a source, whether the case asks about them or not.
	Untraced []string `json:"untracedFigures,omitempty"`
	Answer   string   `json:"answer"`
	Tools    []string `json:"tools"`
	Spent    Spent    `json:"spent"`
}

func (r *Result) add(o Observation, findings []Finding) {
	trial := Trial{Passed: len(findings) == 0, Findings: findings, Untraced: inventedFigures(o), Answer: o.Answer, Tools: []string{}}
	for _, call := range o.Calls {
		trial.Tools = append(trial.Tools, call.Name)
	}
	trial.Spent.add(o.Usage)
	r.Runs = append(r.Runs, trial)
	if !trial.Passed {
		r.Status = Failed
	}
}

// passes is in how many runs the case passed.
func (r Result) passes() (n int) {
	for _, t := range r.Runs {
		if t.Passed {
			n++
		}
	}
	return n
}

// Spent is what turns have used. Cost has an amount per currency; CostUnknown is how many turns had no price, and
// TokensUnknown how many did not tell their tokens.
type Spent struct {
	Turns            int               `json:"turns"`
	PromptTokens     int64             `json:"promptTokens"`
	CompletionTokens int64             `json:"completionTokens"`
	TokensUnknown    int               `json:"tokensUnknown,omitempty"`
	Cost             map[string]string `json:"cost,omitempty"`
	CostUnknown      int               `json:"costUnknown,omitempty"`
}

func (s *Spent) add(u Usage) {
	one := Spent{Turns: 1}
	if u.Known {
		one.PromptTokens, one.CompletionTokens = u.PromptTokens, u.CompletionTokens
	} else {
		one.TokensUnknown = 1 // what is told is an estimate
	}
	if u.Cost == "" {
		one.CostUnknown = 1
	} else {
		one.Cost = map[string]string{u.Currency: string(u.Cost)}
	}
	s.join(one)
}

func (s *Spent) join(other Spent) {
	s.Turns += other.Turns
	s.PromptTokens += other.PromptTokens
	s.CompletionTokens += other.CompletionTokens
	s.TokensUnknown += other.TokensUnknown
	s.CostUnknown += other.CostUnknown
	for currency, cost := range other.Cost {
		if s.Cost == nil {
			s.Cost = map[string]string{}
		}
		s.Cost[currency] = sum(s.Cost[currency], cost)
	}
}

// costDigits are the decimals to which costs are summed.
const costDigits = 6

func sum(a, b string) string {
	total := new(big.Rat)
	for _, text := range []string{a, b} {
		if value, ok := new(big.Rat).SetString(text); ok {
			total.Add(total, value)
		}
	}
	return total.FloatString(costDigits)
}

func (s Spent) String() string {
	tokens := fmt.Sprintf("%d in, %d out", s.PromptTokens, s.CompletionTokens)
	if s.TokensUnknown > 0 {
		tokens += fmt.Sprintf(", unknown for %d of %d turns", s.TokensUnknown, s.Turns)
	}
	costs := []string{}
	for _, currency := range sortedKeys(s.Cost) {
		costs = append(costs, strings.TrimSpace(currency+" "+s.Cost[currency]))
	}
	switch {
	case s.Turns > 0 && s.CostUnknown == s.Turns:
		costs = append(costs, "unknown")
	case s.CostUnknown > 0:
		costs = append(costs, fmt.Sprintf("unknown for %d of %d turns", s.CostUnknown, s.Turns))
	}
	return "Tokens: " + tokens + ". Cost: " + listed(costs) + "."
}

// Report is what a run of the evaluations gave.
type Report struct {
	Model string `json:"model"`
	// K is how often each case ran.
	K     int           `json:"runs"`
	Cases []Result      `json:"cases"`
	Score []ScoreOfKind `json:"score"`
	Spent Spent         `json:"spent"`
}

// ScoreOfKind counts the cases of a category, or of all.
type ScoreOfKind struct {
	Category string         `json:"category"`
	Counts   map[Status]int `json:"counts"`
	// Trials counts the runs of the cases that were judged, and TrialsPassed those that passed.
	Trials       int `json:"trials"`
	TrialsPassed int `json:"trialsPassed"`
}

// all is the category of the last row.
const all = "all"

func newReport(o Options, results []Result) *Report {
	r := &Report{Model: o.Endpoint.Model, K: o.Runs, Cases: results}
	total := ScoreOfKind{Category: all, Counts: map[Status]int{}}
	for _, result := range results {
		i := slices.IndexFunc(r.Score, func(s ScoreOfKind) bool { return s.Category == result.Category })
		if i < 0 {
			i = len(r.Score)
			r.Score = append(r.Score, ScoreOfKind{Category: result.Category, Counts: map[Status]int{}})
		}
		r.Score[i].add(result)
		total.add(result)
		for _, trial := range result.Runs {
			r.Spent.join(trial.Spent)
		}
	}
	slices.SortFunc(r.Score, func(a, b ScoreOfKind) int { return strings.Compare(a.Category, b.Category) })
	r.Score = append(r.Score, total)
	return r
}

func (s *ScoreOfKind) add(r Result) {
	s.Counts[r.Status]++
	s.Trials += len(r.Runs)
	s.TrialsPassed += r.passes()
}

// Total is the score of all cases.
func (r *Report) Total() ScoreOfKind { return r.Score[len(r.Score)-1] }

// percent is a share of cases or runs that were judged.
func percent(part, whole int) string {
	if whole == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f%%", 100*float64(part)/float64(whole))
}

// Write prints the report: what failed and why, what was not judged, a table by category, tokens and cost.
func (r *Report) Write(w io.Writer) error {
	var b strings.Builder
	for _, result := range r.Cases {
		result.explain(&b)
	}
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "category\tpassed\tfailed\tnot yet\tnot recorded\tpass^%d\tper run\n", r.K)
	for _, s := range r.Score {
		judged := s.Counts[Passed] + s.Counts[Failed]
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%s\t%s\n", s.Category, s.Counts[Passed], s.Counts[Failed], s.Counts[NotYet], s.Counts[NotRecorded],
			percent(s.Counts[Passed], judged), percent(s.TrialsPassed, s.Trials))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(&b, "\nModel: %s. %s\n", r.Model, r.Spent)
	_, err := io.WriteString(w, b.String())
	return err
}

// explain tells what a case that has not passed lacked: of its runs, the first that failed.
func (r Result) explain(b *strings.Builder) {
	if r.Status == Passed {
		return
	}
	fmt.Fprintf(b, "%s %s: %s\n", r.ID, r.Status, r.Question)
	if r.Reason != "" {
		fmt.Fprintf(b, "    %s\n", r.Reason)
	}
	if failed := len(r.Runs) - r.passes(); failed > 0 {
		first := slices.IndexFunc(r.Runs, func(t Trial) bool { return !t.Passed })
		fmt.Fprintf(b, "    %d of %d runs failed\n", failed, len(r.Runs))
		for _, f := range r.Runs[first].Findings {
			fmt.Fprintf(b, "    %s\n", f)
		}
	}
	b.WriteString("\n")
}
