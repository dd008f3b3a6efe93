package proposals

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"countersign/apperr"
	"countersign/i18n"
	"countersign/models"
	"countersign/store"
)

// ItemView is one record of a change of several, with what came of it once the proposal is executed or failed.
type ItemView struct {
	models.Item
	Status models.ItemStatus      `json:"status,omitempty" enum:"done,stale,failed,skipped"`
	Error  *models.OutcomeFailure `json:"error,omitempty"`
}

func itemViews(p *models.Proposal) ([]ItemView, error) {
	var items []ItemView
	var outcome models.Outcome
	if err := p.Items.Into(&items); err != nil {
		return nil, err
	}
	if err := p.Outcome.Into(&outcome); err != nil {
		return nil, err
	}
	for i, result := range outcome.Items {
		items[i].Status, items[i].Error = result.Status, result.Error
	}
	return items, nil
}

// recorded is what the audit tells of items.
func recorded(items []ItemView) []map[string]any {
	list := make([]map[string]any, len(items))
	for i, item := range items {
		list[i] = map[string]any{"id": item.Target.ID, "version": item.Version}
		if item.Status != "" {
			list[i]["status"] = item.Status
		}
	}
	return list
}

// setOf tells one set of records from another, whatever their order.
func setOf(items []models.Item) string {
	ids := make([]string, len(items))
	for i, item := range items {
		ids[i] = item.Target.ID
	}
	slices.Sort(ids)
	return hashOf(models.ToJSON(ids))
}

// executeItems carries out the records that were kept of a proposal about several, each with its own right and
// version and in a savepoint of its own. What is done stays, whatever comes of the others.
func (d *decision) executeItems(ctx context.Context, tx *store.Tx) error {
	if err := d.applyEdits(); err != nil {
		return err
	}
	parts, err := d.proposal.Parts()
	if err != nil {
		return err
	}
	kept, err := d.kept(parts)
	if err != nil {
		return err
	}
	outcome := models.Outcome{Records: []models.Ref{}}
	var refusal error
	d.results = make([]models.ItemResult, len(parts))
	for _, i := range inOrder(parts) {
		part := parts[i]
		d.results[i] = models.ItemResult{ID: part.TargetID, Status: models.ItemSkipped}
		if !kept[part.TargetID] {
			continue
		}
		done, err := d.executeItem(ctx, tx, part)
		d.results[i].Status, d.results[i].Error = d.itemResult(ctx, err)
		if err == nil {
			outcome.Records, outcome.NoUndo = append(outcome.Records, done.Records...), done.NoUndo
		} else if refusal == nil || apperr.Is(refusal, apperr.Stale) {
			refusal = err
		}
	}
	if len(outcome.Records) == 0 {
		return d.ended(ctx, tx, refusal)
	}
	outcome.Items = d.results
	outcome.Summary = d.summary(parts, len(outcome.Records))
	return d.executed(ctx, tx, outcome)
}

// kept are the ids of the records that the person has not left out.
func (d *decision) kept(parts []*models.Proposal) (map[string]bool, error) {
	all := map[string]bool{}
	for _, part := range parts {
		all[part.TargetID] = true
	}
	if d.Items == nil {
		return all, nil
	}
	if len(d.Items) == 0 {
		return nil, invalidItems("Keep at least one record, or cancel the change.")
	}
	kept := map[string]bool{}
	for _, id := range d.Items {
		if !all[id] {
			return nil, invalidItems("A record in items is not on this card. Give ids of the records that it shows.")
		}
		kept[id] = true
	}
	return kept, nil
}

func invalidItems(message string) error {
	return apperr.InvalidField("items", message)
}

// inOrder are the indexes of parts in the order of their records' ids: two decisions about the same records take them in
// the same order, so that neither waits for the other for ever.
func inOrder(parts []*models.Proposal) []int {
	order := make([]int, len(parts))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(parts[a].TargetID, parts[b].TargetID) })
	return order
}

func (d *decision) executeItem(ctx context.Context, tx *store.Tx, part *models.Proposal) (outcome models.Outcome, err error) {
	if err := d.check(ctx, tx, part); err != nil {
		return models.Outcome{}, err
	}
	err = tx.InTx(ctx, func(inner *store.Tx) error {
		outcome, err = d.perform.Execute(ctx, inner, d.executor(), part.Final())
		return err
	})
	return outcome, err
}

// itemResult is what came of an item by the error of its execution.
func (d *decision) itemResult(ctx context.Context, err error) (models.ItemStatus, *models.OutcomeFailure) {
	switch {
	case err == nil:
		return models.ItemDone, nil
	case apperr.Is(err, apperr.Stale):
		return models.ItemStale, &models.OutcomeFailure{Code: CodeStale, Message: i18n.T(d.requester.Lang, "outcome.item_stale")}
	}
	failure := d.failure(ctx, err)
	switch apperr.As(err).Kind {
	case apperr.Forbidden, apperr.Unauthenticated:
		failure.Message = i18n.T(d.requester.Lang, "outcome.no_right")
	case apperr.Internal:
		failure.Message = i18n.T(d.requester.Lang, "error.internal")
	}
	return models.ItemFailed, failure
}

// summary tells how many records were changed, and of each other one why it was not.
func (d *decision) summary(parts []*models.Proposal, done int) string {
	lang := d.requester.Lang
	sentences := []string{i18n.T(lang, "outcome.items", "done", done, "total", len(parts))}
	for i, result := range d.results {
		switch {
		case result.Status == models.ItemSkipped:
			sentences = append(sentences, i18n.T(lang, "outcome.item_skipped", "name", parts[i].TargetName))
		case result.Error != nil:
			sentences = append(sentences, i18n.T(lang, "outcome.item", "name", parts[i].TargetName, "message", result.Error.Message))
		}
	}
	return strings.Join(sentences, " ")
}
