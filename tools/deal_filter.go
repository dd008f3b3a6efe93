package tools

import (
	"context"

	"countersign/models"
	"countersign/resolve"
	"countersign/store"
)

// dealFilterArgs are the arguments by which deals are narrowed. Every one that names a record takes its
// name or its ID.
type dealFilterArgs struct {
	Text       string `json:"text,omitempty" jsonschema:"A part of the deal's title or external id."`
	Status     string `json:"status,omitempty" enum:"open,won,lost" jsonschema:"Only open, won or lost deals."`
	Pipeline   string `json:"pipeline,omitempty" kind:"pipeline" jsonschema:"The pipeline: ID or name."`
	Stage      string `json:"stage,omitempty" kind:"stage" jsonschema:"The stage: ID or name."`
	Owner      string `json:"owner,omitempty" kind:"person" jsonschema:"The owner: ID, e-mail, name, or \"me\"."`
	Team       string `json:"team,omitempty" kind:"team" jsonschema:"The owner's team: ID or name."`
	Company    string `json:"company,omitempty" kind:"company" jsonschema:"The company: ID or any of its names."`
	Product    string `json:"product,omitempty" kind:"product" jsonschema:"The product: ID, SKU or name."`
	ClosedFrom string `json:"closed_from,omitempty" jsonschema:"Closed on or after this day, as 2026-01-31."`
	ClosedTo   string `json:"closed_to,omitempty" jsonschema:"Closed on or before this day, as 2026-01-31."`
	DueFrom    string `json:"due_from,omitempty" jsonschema:"Expected to close on or after this day, as 2026-01-31."`
	DueTo      string `json:"due_to,omitempty" jsonschema:"Expected to close on or before this day, as 2026-01-31."`
}

var stageKinds = map[string]models.StageKind{"open": models.StageOpen, "won": models.StageWon, "lost": models.StageLost}

// filter resolves the names to ids.
func (a dealFilterArgs) filter(ctx context.Context, r *resolve.Resolver, actor models.Actor) (store.DealFilter, error) {
	f := store.DealFilter{Text: a.Text, StageKind: stageKinds[a.Status]}
	for _, ref := range []struct {
		kind models.RecordType
		text string
		id   *string
	}{
		{models.TypePipeline, a.Pipeline, &f.PipelineID},
		{models.TypePerson, a.Owner, &f.OwnerID},
		{models.TypeTeam, a.Team, &f.TeamID},
		{models.TypeCompany, a.Company, &f.CompanyID},
		{models.TypeProduct, a.Product, &f.ProductID},
	} {
		id, err := optionalID(ctx, r, actor, ref.kind, ref.text)
		if err != nil {
			return f, err
		}
		*ref.id = id
	}
	var err error
	if f.StageIDs, err = stageIDs(ctx, r, actor, f.PipelineID, a.Stage); err != nil {
		return f, err
	}
	err = a.dates(&f, actor.Lang)
	return f, err
}

func (a dealFilterArgs) dates(f *store.DealFilter, lang string) error {
	from, err := dateArg("closed_from", a.ClosedFrom, lang)
	if err != nil {
		return err
	}
	to, err := dateArg("closed_to", a.ClosedTo, lang)
	if err != nil {
		return err
	}
	if from != nil {
		start := from.Start()
		f.ClosedFrom = &start
	}
	if to != nil {
		end := to.Start().AddDate(0, 0, 1)
		f.ClosedBefore = &end
	}
	if f.ExpectedFrom, err = dateArg("due_from", a.DueFrom, lang); err != nil {
		return err
	}
	f.ExpectedTo, err = dateArg("due_to", a.DueTo, lang)
	return err
}
