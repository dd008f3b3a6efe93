package evals

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"countersign/app"
	"countersign/figures"
)

// fold makes texts comparable: width, letter case and spaces make no difference.
func fold(text string) string {
	return strings.Join(strings.Fields(cases.Fold().String(norm.NFKC.String(text))), " ")
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func equalFigures(a, b string) bool {
	x, okX := figures.Parse(a)
	y, okY := figures.Parse(b)
	return okX && okY && x.Tells(y) && y.Tells(x)
}

// mentions reports whether a text says a figure, in whatever form, or contains a phrase.
func mentions(text, want string) bool {
	if wanted, ok := figures.Parse(want); ok {
		return slices.ContainsFunc(figures.Find(text), func(f figures.Figure) bool { return f.Tells(wanted) })
	}
	return strings.Contains(fold(unemphasised.Replace(text)), fold(unemphasised.Replace(want)))
}

// unemphasised takes the marks of Markdown out of a phrase.
var unemphasised = strings.NewReplacer("*", "", "`", "")

// inventedFigures are the figures of an answer that have no source: no result of a tool, no word of the question.
func inventedFigures(o Observation) (invented []string) {
	sources := figures.NewSources(app.Now())
	sources.Say(o.Question)
	for _, call := range o.Calls {
		if args, err := json.Marshal(call.Args); err == nil {
			sources.Period(args)
		}
		sources.Say(call.Summary)
		sources.Return([]byte(call.Result))
	}
	for _, f := range sources.Untraced(o.Answer) {
		invented = append(invented, f.Text)
	}
	return invented
}
