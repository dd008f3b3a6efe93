package proposals

import (
	"bytes"
	"context"

	"countersign/models"
)

// CodeNotEditable is the code of edits of arguments that are not editable, or by somebody who may not edit.
const CodeNotEditable = "NOT_EDITABLE"

// Editable is an argument of a pending proposal that its person may give another value, with the label of the field that
// it sets. A choice has the values to choose from; money is a decimal without its currency, a date is as 2026-01-31.
type Editable struct {
	Arg     string   `json:"arg"`
	Field   string   `json:"field"`
	Label   string   `json:"label"`
	Type    string   `json:"type" enum:"text,multiline,money,date,choice,list"`
	Value   any      `json:"value"`
	Choices []Choice `json:"choices,omitempty"`
}

// Choice is a value of an [Editable] with its name for a person.
type Choice struct {
	Value string `json:"value"`
	Label string `json:"label"`
}

// edit prepares what the edits make of the proposal. That happens before the transaction of the decision, because it
// reads, and records refusals, in others; it counts only if the record is then still at the version of the card.
func (d *decision) edit(ctx context.Context) {
	if !d.Confirm || len(d.Edits) == 0 {
		return
	}
	p, err := d.service.Get(ctx, d.actor, d.ProposalID)
	switch {
	case err != nil:
		d.editErr = err
	case p.Status == models.ProposalPending && p.Digest == d.Digest: // anything else is refused before edits count
		d.edited, d.editErr = d.perform.Edit(ctx, d.actor, p, d.Edits)
	}
}

// applyEdits puts what the edits have made in place of what was proposed, which is kept. Values that are as they were are
// no edit.
func (d *decision) applyEdits() error {
	if len(d.Edits) == 0 || d.editErr != nil {
		return d.editErr
	}
	args, err := canonical(d.edited.Args)
	if err != nil || bytes.Equal(args, d.proposal.Args) {
		return err
	}
	changes, err := d.editedChanges()
	d.proposal.EditedArgs, d.proposal.EditedChanges = args, models.ToJSON(changes)
	return err
}

// editedChanges are what the card says after its edits; of several records, what it says of the edited fields, once for
// all of them.
func (d *decision) editedChanges() ([]models.Change, error) {
	if !d.proposal.Several() {
		return d.edited.Changes, nil
	}
	var editable []Editable
	if err := d.proposal.Editable.Into(&editable); err != nil {
		return nil, err
	}
	fields := map[string]bool{}
	for _, e := range editable {
		_, fields[e.Field] = d.Edits[e.Arg]
	}
	changes := []models.Change{}
	for _, item := range d.edited.Items {
		for _, c := range item.Changes {
			if fields[c.Field] {
				changes, fields[c.Field] = append(changes, c), false
			}
		}
	}
	return changes, nil
}
