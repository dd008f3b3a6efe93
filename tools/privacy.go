package tools

import (
	"encoding/json"
	"errors"

	"countersign/apperr"
	"countersign/audit"
	"countersign/i18n"
	"countersign/models"
)

// Services mask the fields that hold personal data, record by record. What people write into other fields is masked
// here, for those who may see nobody's.

// private is an outcome as somebody sees it who may see no personal data.
func private(o Outcome) Outcome {
	o.Summary, o.Text, o.Result = audit.MaskText(o.Summary), audit.MaskText(o.Text), audit.MaskResult(o.Result)
	refs := make([]models.Ref, len(o.Refs))
	for i, r := range o.Refs {
		refs[i] = models.Ref{Type: r.Type, ID: r.ID, Name: audit.MaskText(r.Name)}
	}
	o.Refs = refs
	if o.Error != nil {
		masked := *o.Error
		masked.Message, masked.Candidates = audit.MaskText(masked.Message), make([]apperr.Candidate, len(o.Error.Candidates))
		for i, c := range o.Error.Candidates {
			c.Name, c.Detail = audit.MaskText(c.Name), audit.MaskText(c.Detail)
			masked.Candidates[i] = c
		}
		o.Error = &masked
	}
	return o
}

// privateProposal is a proposal as such a person sees it, who may have had the right when it was made.
func privateProposal(p *models.Proposal) (*models.Proposal, error) {
	masked := *p
	var changes []models.Change
	var items []models.Item
	if err := errors.Join(p.Changes.Into(&changes), p.Items.Into(&items)); err != nil {
		return nil, err
	}
	masked.Changes = models.ToJSON(privateChanges(changes))
	if p.Several() {
		masked.Items = models.ToJSON(privateItems(items))
	}
	return &masked, nil
}

func privateItems(all []models.Item) []models.Item {
	items := make([]models.Item, len(all))
	for i, item := range all {
		item.Changes = privateChanges(item.Changes)
		items[i] = item
	}
	return items
}

// privateChanges hides what stands in a record before a change. What the change makes of it is the actor's own.
func privateChanges(all []models.Change) []models.Change {
	changes := make([]models.Change, len(all))
	for i, c := range all {
		c.Before, c.BeforeDisplay = maskValue(c.Before), audit.MaskText(c.BeforeDisplay)
		c.Was, c.WasDisplay = maskValue(c.Was), audit.MaskText(c.WasDisplay)
		changes[i] = c
	}
	return changes
}

func maskValue(value any) any {
	if text, ok := value.(string); ok {
		return audit.MaskText(text)
	}
	return value
}

// refuseMasks answers Invalid for arguments with a value that was hidden from whoever gives them: it would be saved in
// the place of the real one.
func refuseMasks(lang string, args json.RawMessage) error {
	if !audit.HasHidden(string(args)) {
		return nil
	}
	return apperr.New(apperr.Invalid, "HIDDEN_VALUE", i18n.T(lang, "args.hidden"))
}
