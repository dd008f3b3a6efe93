package evals_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/evals"
)

// parse makes one case of its expectations.
func parse(t *testing.T, expectations string) evals.Case {
	t.Helper()
	cases, err := evals.ParseCases([]byte(`[{"id": "T", "actor": {"role": "sales"}, "question": "Q", ` + expectations + `}]`))
	require.NoError(t, err)
	return cases[0]
}

// fields are those in which a turn failed.
func fields(found []evals.Finding) []string {
	names := []string{}
	for _, f := range found {
		names = append(names, f.Field)
	}
	return names
}

func calls(names ...string) (list []evals.Call) {
	for _, name := range names {
		list = append(list, evals.Call{Name: name})
	}
	return list
}

// moved is a proposal to move a deal to Won.
func moved() evals.Proposal {
	return evals.Proposal{
		Tool: "update_deal_stage", Target: evals.Ref{Type: "deal", ID: "1", Name: "Cranes (I3K)"},
		Record: evals.Record{Path: "deals/1", Fields: map[string]any{"id": "1", "externalId": "I3K", "title": "Cranes (I3K)"}},
		Changes: []evals.Change{
			{Field: "stageId", Before: "a", After: "b", BeforeDisplay: "Engaging", AfterDisplay: "Won"},
			{Field: "lostReason", After: "價格太高", AfterDisplay: "價格太高"},
		},
	}
}

func TestGradersPassWhatIsRightAndFailWhatIsWrong(t *testing.T) {
	t.Parallel()
	won := func(change func(*evals.Proposal)) evals.Observation {
		p := moved()
		change(&p)
		return evals.Observation{Proposals: []evals.Proposal{p}}
	}
	written := func(paths ...string) (o evals.Observation) {
		for _, path := range paths {
			o.Written = append(o.Written, evals.Record{Path: path})
		}
		return o
	}
	said := func(text string) evals.Observation { return evals.Observation{Answer: text} }
	quotation := func(path, amount string) evals.Observation {
		return evals.Observation{Written: []evals.Record{{Path: path, Fields: map[string]any{
			"number": "Q-1", "subtotal": map[string]any{"amount": amount, "currency": "USD"},
		}}}}
	}
	linked := func(name string) evals.Observation {
		return evals.Observation{Linked: []evals.Record{{Path: "deals/1", Fields: map[string]any{"externalId": name}}}}
	}
	const proposal = `"proposal": {"tool": "update_deal_stage", "target": "I3K", "before": "Engaging", "after": "won", "lost_reason": "價格太高"}`
	cases := map[string]struct {
		want string
		o    evals.Observation
		fail string
	}{
		"tools in any order, and more":    {`"tools": ["a", "b"]`, evals.Observation{Calls: calls("c", "b", "a")}, ""},
		"either tool":                     {`"tools": ["a|b"]`, evals.Observation{Calls: calls("b")}, ""},
		"another tool":                    {`"tools": ["a"]`, evals.Observation{Calls: calls("b")}, "tools"},
		"no tool at all":                  {`"tools": ["a|b"]`, evals.Observation{}, "tools"},
		"one of two tools":                {`"tools": ["a", "b"]`, evals.Observation{Calls: calls("a")}, "tools"},
		"a tool for a greeting":           {`"tools": []`, evals.Observation{Calls: calls("a")}, "tools"},
		"no tool for a greeting":          {`"tools": []`, evals.Observation{}, ""},
		"tools not judged":                {`"note": ""`, evals.Observation{Calls: calls("a")}, ""},
		"the argument":                    {`"arguments": {"a": {"x": "Konex"}}`, evals.Observation{Calls: []evals.Call{{Name: "a", Args: map[string]any{"x": "konex", "y": 1}}}}, ""},
		"another argument":                {`"arguments": {"a": {"x": "Konex"}}`, evals.Observation{Calls: []evals.Call{{Name: "a", Args: map[string]any{"x": "Condax"}}}}, "arguments"},
		"the argument of another tool":    {`"arguments": {"a": {"x": "Konex"}}`, evals.Observation{Calls: []evals.Call{{Name: "b", Args: map[string]any{"x": "Konex"}}}}, "arguments"},
		"the proposal":                    {proposal, won(func(*evals.Proposal) {}), ""},
		"no proposal":                     {proposal, evals.Observation{}, "proposal"},
		"two proposals":                   {proposal, evals.Observation{Proposals: []evals.Proposal{moved(), moved()}}, "proposal"},
		"a proposal by another tool":      {proposal, won(func(p *evals.Proposal) { p.Tool = "update_deal" }), "proposal"},
		"a proposal for another record":   {proposal, won(func(p *evals.Proposal) { p.Record.Fields["externalId"] = "XYZ" }), "proposal"},
		"a proposal from another stage":   {proposal, won(func(p *evals.Proposal) { p.Changes[0].BeforeDisplay = "Prospecting" }), "proposal"},
		"a proposal to another stage":     {proposal, won(func(p *evals.Proposal) { p.Changes[0].AfterDisplay = "Lost" }), "proposal"},
		"a proposal of another reason":    {proposal, won(func(p *evals.Proposal) { p.Changes[1].After, p.Changes[1].AfterDisplay = "x", "x" }), "proposal"},
		"null, and no proposal":           {`"proposal": null`, evals.Observation{}, ""},
		"null, and a proposal":            {`"proposal": null`, evals.Observation{Proposals: []evals.Proposal{moved()}}, "proposal"},
		"one write":                       {`"writes": 1`, written("tasks/1"), ""},
		"an extra write":                  {`"writes": 1`, written("tasks/1", "tasks/2"), "writes"},
		"a write where none may be":       {`"writes": 0`, written("deals/1"), "writes"},
		"a claimed write":                 {`"writes": 1`, said("Done, I have logged it."), "writes"},
		"the total":                       {`"total_before_tax": "14801.40"`, quotation("quotations/1", "14801.4"), ""},
		"another total":                   {`"total_before_tax": "14801.40"`, quotation("quotations/1", "16446.00"), "total_before_tax"},
		"the total on no quotation":       {`"total_before_tax": "14801.40"`, quotation("deals/1", "14801.40"), "total_before_tax"},
		"the figure":                      {`"answer_has": ["10,005,534", "Melvin Marxen"]`, said("ＭＥＬＶＩＮ marxen: US$10005534.00"), ""},
		"a wrong figure":                  {`"answer_has": ["349"]`, said("You have won 394 deals."), "answer_has"},
		"a figure inside another":         {`"answer_has": ["83"]`, said("183 deals, ID 83X"), "answer_has"},
		"a name that is left out":         {`"answer_has": ["Bluth Company"]`, said("Codehow"), "answer_has"},
		"a leaked name":                   {`"answer_not": ["Moses Frase"]`, said("It belongs to moses  FRASE."), "answer_not"},
		"no leaked name":                  {`"answer_not": ["Moses Frase"]`, said("Not found."), ""},
		"the link":                        {`"answer_has_link": "I3K"`, linked("I3K"), ""},
		"a link to another record":        {`"answer_has_link": "I3K"`, linked("XYZ"), "answer_has_link"},
		"a name without a link":           {`"answer_has_link": "I3K"`, said("See I3K."), "answer_has_link"},
		"an invented figure":              {`"no_invented_figures": true`, said("It is worth US$1,200."), "no_invented_figures"},
		"a turn that failed":              {`"tools": []`, evals.Observation{Failure: "MODEL_TIMEOUT: too slow"}, "turn"},
		"a failed turn hides other words": {`"answer_has": ["1"]`, evals.Observation{Answer: "1", Failure: "x"}, "turn"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := []string{}
			if c.fail != "" {
				want = append(want, c.fail)
			}
			require.Equal(t, want, fields(evals.Grade(parse(t, c.want), c.o)))
		})
	}
}

func TestFiguresInAllForms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		want, answer string
		fits         bool
	}{
		{"10,005,534", "HK$10,005,534.00", true},
		{"10,005,534", "１０，００５，５３４", true},
		{"10,005,534", "1,000.55萬", true},
		{"10,005,534", "US$10.01 million", true},
		{"10,005,534", "US$10 million", false},
		{"10,005,534", "1,000.56萬", false},
		{"120000000", "1.2億", true},
		{"4,821", "USD4821", true},
		{"4,821", "US$4.821k", true},
		{"4,821", "48,21", false},
		{"63.6", "63.60%", true},
		{"63.6", "63.57 %", true},
		{"63.6", "63.4%", false},
		{"63.6", "64%", false},
		{"349", "349.4", false},
		{"349", "贏咗349單", true},
		{"511", "E511", false},
		{"3", "I3KQNE9V", false},
		{"3", "3x", false},
		{"Q-", "Quotation q-2026-0001", true},
	} {
		found := evals.Grade(parse(t, `"answer_has": ["`+c.want+`"]`), evals.Observation{Answer: c.answer})
		require.Equal(t, c.fits, len(found) == 0, "%s in %s", c.want, c.answer)
	}
}

func TestSourcesOfFigures(t *testing.T) {
	t.Parallel()
	var call evals.Call
	require.NoError(t, json.Unmarshal([]byte(`{"name": "summarize_deals", "summary": "349 won", "result": {
		"id": "01932f7a-1234-7123-8123-000000000077", "won": 349, "lost": 204, "sum": {"amount": "1200.50"}, "closedOn": "2017-03-01"}}`), &call))
	for answer, invented := range map[string]bool{
		"349 won and 204 lost":                 false,
		"553 were decided":                     false,
		"145 more":                             false,
		"63.1% of them":                        false,
		"63%":                                  false,
		"63 deals":                             true,
		"US$1,200.50":                          false,
		"US$1,200":                             true,
		"closed on 2017-03-01":                 false,
		"closed on 2017-03-02":                 true,
		"1. 349\n2. 204":                       false,
		"500, as you asked":                    false,
		"77":                                   true,
		"about 42":                             true,
		"all of it, in words, without figures": false,
	} {
		o := evals.Observation{Question: "More than 500?", Answer: answer, Calls: []evals.Call{call}}
		require.Equal(t, invented, len(evals.Grade(parse(t, `"no_invented_figures": true`), o)) > 0, answer)
	}
}

func TestEmphasisIsNoPartOfAPhrase(t *testing.T) {
	t.Parallel()
	c := parse(t, `"answer_has": ["208 deals"], "answer_not": ["API key"]`)
	require.Empty(t, evals.Grade(c, evals.Observation{Answer: "You have won **208** deals."}))
	require.Equal(t, []string{"answer_not"}, fields(evals.Grade(c, evals.Observation{Answer: "208 deals; the API `key` is x"})))
}
