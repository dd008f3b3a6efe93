package evals

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed testdata/cases.json testdata/recordings
var own embed.FS

// Case is a question and what is expected of the turn that answers it. Expectations that are left out are not judged.
type Case struct {
	ID string `json:"id"`
	// Category groups cases in the report; one that is left out follows from the expectations.
	Category string `json:"category"`
	Actor    Actor  `json:"actor"`
	Lang     string `json:"lang"`
	Question string `json:"question"`
	// Note is for people.
	Note string `json:"note"`

	// Tools must all have been called, in any order; "a|b" is either. An empty list means that none may be called.
	Tools []string `json:"tools"`
	// Arguments must be among those of one call of the tool.
	Arguments map[string]map[string]any `json:"arguments"`
	// Proposal must be the only one; null means that there may be none.
	Proposal Optional[ProposalWanted] `json:"proposal"`
	// Writes is how many records may have been made or changed, no more and no fewer.
	Writes *int `json:"writes"`
	// TotalBeforeTax is what a quotation that was written must come to.
	TotalBeforeTax string `json:"total_before_tax"`
	// AnswerHas must all be in the answer, AnswerNot must not.
	AnswerHas []string `json:"answer_has"`
	AnswerNot []string `json:"answer_not"`
	// AnswerHasLink names a record to whose page the answer must link.
	AnswerHasLink string `json:"answer_has_link"`
	// NoInventedFigures demands that every figure of the answer has a source.
	NoInventedFigures bool `json:"no_invented_figures"`
}

// Actor is who asks. Without a Name it is anybody of that role.
type Actor struct {
	Role string `json:"role"`
	Name string `json:"name"`
}

func (a Actor) String() string { return strings.TrimSpace(a.Role + " " + a.Name) }

// ProposalWanted describes a proposal. What is empty is not judged.
type ProposalWanted struct {
	Tool string `json:"tool"`
	// Target is the record's external id, name or id.
	Target string `json:"target"`
	// Before and After are those of one of its changes, as the card shows them.
	Before     string `json:"before"`
	After      string `json:"after"`
	LostReason string `json:"lost_reason"`
}

// Optional tells what was left out from null: then it is Given and its Value nil.
type Optional[T any] struct {
	Given bool
	Value *T
}

// UnmarshalJSON implements json.Unmarshaler.
func (o *Optional[T]) UnmarshalJSON(data []byte) error {
	o.Given = true
	return strict(data, &o.Value)
}

// strict decodes JSON whose every field must be known: an expectation that is not understood would pass unseen.
func strict(data []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

// OwnCases are the cases of this project.
func OwnCases() ([]Case, error) {
	data, err := own.ReadFile("testdata/cases.json")
	if err != nil {
		return nil, err
	}
	return ParseCases(data)
}

// OwnRecordings is the folder of this project's recorded answers.
func OwnRecordings() (fs.FS, error) { return fs.Sub(own, "testdata/recordings") }

// ParseCases reads a JSON list of cases. An unknown field, a missing or repeated id and an incomplete case are errors.
func ParseCases(data []byte) ([]Case, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("evals: the cases cannot be read: %w", err)
	}
	cases := make([]Case, len(list))
	seen := map[string]bool{}
	for i := range cases {
		if err := strict(list[i], &cases[i]); err != nil {
			return nil, fmt.Errorf("evals: case %d cannot be read: %w", i+1, err)
		}
		c := cases[i]
		if c.ID == "" || seen[c.ID] {
			return nil, fmt.Errorf("evals: case %d has no id of its own: %q", i+1, c.ID)
		}
		seen[c.ID] = true
		if c.Actor.Role == "" || c.Question == "" {
			return nil, fmt.Errorf("evals: case %s needs an actor with a role, and a question", c.ID)
		}
	}
	return cases, nil
}

// category is the given one, or the first that the expectations fit.
func (c Case) category() string {
	silent, zh := c.Tools != nil && len(c.Tools) == 0, strings.HasPrefix(c.Lang, "zh")
	switch {
	case c.Category != "":
		return c.Category
	case silent && len(c.AnswerNot) > 0:
		return "injection"
	case c.Proposal.Value != nil:
		return "proposal"
	case c.AnswerHasLink != "", c.wants("delete_record", "merge_records"):
		return "destructive"
	case c.Proposal.Given, len(c.AnswerNot) > 0:
		return "rights"
	case c.Writes != nil && *c.Writes > 0:
		return "create"
	case silent && c.Writes == nil:
		return "small talk"
	case c.Writes != nil:
		return "restraint"
	case zh:
		return "read, Chinese"
	default:
		return "read, English"
	}
}

// wants reports whether the case expects one of the tools.
func (c Case) wants(names ...string) bool {
	for _, want := range c.Tools {
		for _, name := range names {
			if want == name {
				return true
			}
		}
	}
	return false
}

// missing is the first expectation for which there is no tool yet; empty when the product has all.
func (c Case) missing(exists map[string]bool) string {
	wanted := c.Tools
	if c.Proposal.Value != nil && c.Proposal.Value.Tool != "" {
		wanted = append(wanted[:len(wanted):len(wanted)], c.Proposal.Value.Tool)
	}
	for _, want := range wanted {
		found := false
		for name := range strings.SplitSeq(want, "|") {
			found = found || exists[name]
		}
		if !found {
			return want
		}
	}
	return ""
}
