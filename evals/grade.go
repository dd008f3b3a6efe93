package evals

import (
	"fmt"
	"slices"
	"strings"
)

// Finding is an expectation that was not met.
type Finding struct {
	Field string `json:"field"`
	Want  string `json:"want"`
	Got   string `json:"got"`
}

func (f Finding) String() string { return fmt.Sprintf("%s: want %s, got %s", f.Field, f.Want, f.Got) }

// graders judge one field of a case each. A grader gives nothing where the case expects nothing.
var graders = []func(Case, Observation) []Finding{
	gradeTools, gradeArguments, gradeProposal, gradeWrites, gradeTotal,
	gradeAnswerHas, gradeAnswerNot, gradeLink, gradeFigures,
}

// Grade judges a turn; it passes when nothing is found.
func Grade(c Case, o Observation) []Finding {
	if o.Failure != "" {
		return []Finding{{"turn", "an answer", o.Failure}}
	}
	var found []Finding
	for _, grade := range graders {
		found = append(found, grade(c, o)...)
	}
	return found
}

func gradeTools(c Case, o Observation) (found []Finding) {
	called := make([]string, len(o.Calls))
	for i, call := range o.Calls {
		called[i] = call.Name
	}
	got := listed(called)
	if c.Tools != nil && len(c.Tools) == 0 && len(called) > 0 {
		return []Finding{{"tools", "no call", got}}
	}
	for _, want := range c.Tools {
		alternatives := strings.Split(want, "|")
		if !slices.ContainsFunc(alternatives, func(name string) bool { return slices.Contains(called, name) }) {
			found = append(found, Finding{"tools", strings.Join(alternatives, " or "), got})
		}
	}
	return found
}

func gradeArguments(c Case, o Observation) (found []Finding) {
	for _, tool := range sortedKeys(c.Arguments) {
		var seen []string
		fits := false
		for _, call := range o.Calls {
			if call.Name == tool {
				fits = fits || includes(call.Args, c.Arguments[tool])
				seen = append(seen, fmt.Sprint(call.Args))
			}
		}
		if !fits {
			found = append(found, Finding{"arguments", fmt.Sprintf("%s with %v", tool, c.Arguments[tool]), listed(seen)})
		}
	}
	return found
}

func includes(args, wanted map[string]any) bool {
	for name, value := range wanted {
		if fold(fmt.Sprint(args[name])) != fold(fmt.Sprint(value)) {
			return false
		}
	}
	return true
}

func gradeProposal(c Case, o Observation) []Finding {
	if !c.Proposal.Given {
		return nil
	}
	got := make([]string, len(o.Proposals))
	for i, p := range o.Proposals {
		got[i] = p.String()
	}
	want := c.Proposal.Value
	switch {
	case want == nil && len(got) == 0:
		return nil
	case want == nil:
		return []Finding{{"proposal", "none", listed(got)}}
	case len(got) != 1 || !o.Proposals[0].fits(*want):
		return []Finding{{"proposal", fmt.Sprintf("one: %+v", *want), listed(got)}}
	}
	return nil
}

func (p Proposal) fits(want ProposalWanted) bool {
	if want.Tool != "" && want.Tool != p.Tool {
		return false
	}
	if want.Target != "" && !p.Record.is(want.Target) && fold(p.Target.Name) != fold(want.Target) {
		return false
	}
	if want.LostReason != "" && !slices.ContainsFunc(p.Changes, func(c Change) bool {
		return c.Field == "lostReason" && c.to(want.LostReason)
	}) {
		return false
	}
	return slices.ContainsFunc(p.Changes, func(c Change) bool {
		return (want.Before == "" || c.from(want.Before)) && (want.After == "" || c.to(want.After))
	})
}

func (c Change) from(value string) bool { return same(value, c.Before, c.BeforeDisplay) }
func (c Change) to(value string) bool   { return same(value, c.After, c.AfterDisplay) }

// same reports whether a value is the wanted one, as it is stored or as it is shown.
func same(want string, stored any, shown string) bool {
	return fold(shown) == fold(want) || fold(fmt.Sprint(stored)) == fold(want)
}

func (p Proposal) String() string {
	changes := make([]string, len(p.Changes))
	for i, c := range p.Changes {
		changes[i] = fmt.Sprintf("%s %q→%q", c.Field, c.BeforeDisplay, c.AfterDisplay)
	}
	return fmt.Sprintf("%s of %s: %s", p.Tool, p.Target.Name, strings.Join(changes, ", "))
}

func gradeWrites(c Case, o Observation) []Finding {
	if c.Writes == nil || len(o.Written) == *c.Writes {
		return nil
	}
	paths := make([]string, len(o.Written))
	for i, r := range o.Written {
		paths[i] = r.Path
	}
	return []Finding{{"writes", fmt.Sprint(*c.Writes), fmt.Sprintf("%d: %s", len(paths), listed(paths))}}
}

// gradeTotal wants a written quotation that carries the amount in one of its own fields.
func gradeTotal(c Case, o Observation) []Finding {
	if c.TotalBeforeTax == "" {
		return nil
	}
	var amounts []string
	for _, r := range o.Written {
		if !strings.HasPrefix(r.Path, "quotations/") {
			continue
		}
		for _, field := range sortedKeys(r.Fields) {
			money, ok := r.Fields[field].(map[string]any)
			if !ok || money["amount"] == nil {
				continue
			}
			amounts = append(amounts, fmt.Sprintf("%s %v", field, money["amount"]))
			if equalFigures(c.TotalBeforeTax, fmt.Sprint(money["amount"])) {
				return nil
			}
		}
	}
	return []Finding{{"total_before_tax", "a quotation of " + c.TotalBeforeTax, listed(amounts)}}
}

func gradeAnswerHas(c Case, o Observation) (found []Finding) {
	for _, want := range c.AnswerHas {
		if !mentions(o.Answer, want) {
			found = append(found, Finding{"answer_has", want, quoted(o.Answer)})
		}
	}
	return found
}

func gradeAnswerNot(c Case, o Observation) (found []Finding) {
	for _, banned := range c.AnswerNot {
		if mentions(o.Answer, banned) {
			found = append(found, Finding{"answer_not", "no " + banned, quoted(o.Answer)})
		}
	}
	return found
}

func gradeLink(c Case, o Observation) []Finding {
	if c.AnswerHasLink == "" || slices.ContainsFunc(o.Linked, func(r Record) bool { return r.is(c.AnswerHasLink) }) {
		return nil
	}
	return []Finding{{"answer_has_link", "a link to " + c.AnswerHasLink, quoted(o.Answer)}}
}

func gradeFigures(c Case, o Observation) []Finding {
	if !c.NoInventedFigures {
		return nil
	}
	if invented := inventedFigures(o); len(invented) > 0 {
		return []Finding{{"no_invented_figures", "figures from results only", listed(invented)}}
	}
	return nil
}

func listed(items []string) string {
	if len(items) == 0 {
		return "nothing"
	}
	return strings.Join(items, "; ")
}

// maxQuoted bounds, in characters, what a finding repeats of an answer.
const maxQuoted = 300

func quoted(answer string) string {
	runes := []rune(strings.Join(strings.Fields(answer), " "))
	if len(runes) > maxQuoted {
		runes = append(runes[:maxQuoted], '…')
	}
	return fmt.Sprintf("%q", string(runes))
}
