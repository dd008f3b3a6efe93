package tools

import (
	"context"
	"encoding/json"
	"slices"

	"countersign/apperr"
	"countersign/i18n"
	"countersign/models"
	"countersign/proposals"
	"countersign/resolve"
)

// draft prepares what a tool proposes, and warns of names in it that look like those of other records.
func (r *Registry) draft(ctx context.Context, actor models.Actor, tool *Tool, args json.RawMessage) (proposals.Draft, error) {
	d, err := tool.propose.prepare(ctx, actor, args)
	if err != nil {
		return d, err
	}
	if d.Editable, err = tool.editable(actor.Lang, d); err != nil || r.resolver == nil {
		return d, err
	}
	for _, named := range namesOn(d) {
		twin, err := r.twinOf(ctx, actor, named)
		if err != nil {
			return d, err
		}
		if twin != nil {
			d.Warnings = append(d.Warnings, i18n.T(actor.Lang, "proposal.looks_like", "name", named.Name, "other", dots(twin.Name, twin.Detail)))
		}
	}
	return d, nil
}

// namesOn are the names on a card: those of the records, and the one that the target would get.
func namesOn(d proposals.Draft) []models.Ref {
	names := []models.Ref{d.Target}
	for _, item := range d.Items {
		names = append(names, item.Target)
	}
	for _, c := range d.Changes {
		if after, ok := c.After.(string); ok && (c.Field == "name" || c.Field == "title") && after != d.Target.Name {
			names = append(names, models.Ref{Type: d.Target.Type, ID: d.Target.ID, Name: after})
		}
	}
	return names
}

// twinOf is another record of the same kind for which one could be mistaken by its name, as far as the actor sees it.
func (r *Registry) twinOf(ctx context.Context, actor models.Actor, target models.Ref) (*apperr.Candidate, error) {
	twin, other := models.LatinTwin(target.Name)
	if !other || !slices.Contains([]models.RecordType{models.TypeCompany, models.TypeContact, models.TypeDeal}, target.Type) {
		return nil, nil
	}
	found, err := r.resolver.Lookup(ctx, actor, resolve.Query{Kind: target.Type, Text: twin})
	if err != nil || found.How != resolve.HowExact || found.Match == nil || found.Match.ID == target.ID {
		return nil, err
	}
	return found.Match, nil
}
