package tools

import (
	"context"
	"errors"

	"countersign/apperr"
	"countersign/models"
	"countersign/resolve"
)

// named resolves an argument that names a record to read.
func named(ctx context.Context, r *resolve.Resolver, actor models.Actor, kind models.RecordType, text string) (models.Ref, error) {
	match, err := r.Resolve(ctx, actor, resolve.Query{Kind: kind, Text: text})
	return match.Ref, err
}

// namedForWrite resolves an argument that names a record to change, or to link something to: several hits
// are never guessed.
func namedForWrite(ctx context.Context, r *resolve.Resolver, actor models.Actor, kind models.RecordType, text string) (models.Ref, error) {
	match, err := r.Resolve(ctx, actor, resolve.Query{Kind: kind, Text: text, ForWrite: true})
	return match.Ref, err
}

// optionalID resolves an argument that may be empty; "" stays "".
func optionalID(ctx context.Context, r *resolve.Resolver, actor models.Actor, kind models.RecordType, text string) (string, error) {
	if text == "" {
		return "", nil
	}
	ref, err := named(ctx, r, actor, kind, text)
	return ref.ID, err
}

// fixID puts the id in place of an optional argument that names a record to link something to.
func fixID(ctx context.Context, r *resolve.Resolver, actor models.Actor, kind models.RecordType, arg *string) error {
	if *arg == "" {
		return nil
	}
	ref, err := namedForWrite(ctx, r, actor, kind, *arg)
	*arg = ref.ID
	return err
}

// idOrNil is an id that may be missing.
func idOrNil(id string) *string {
	if id == "" {
		return nil
	}
	return &id
}

// stageIDs resolves a stage to filter by. Without a pipeline, a name that occurs in several pipelines
// means the stages of all of them.
func stageIDs(ctx context.Context, r *resolve.Resolver, actor models.Actor, pipelineID, text string) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	match, err := r.Resolve(ctx, actor, resolve.Query{Kind: models.TypeStage, Text: text, Parent: pipelineID, ForWrite: true})
	var several *apperr.Error
	if errors.As(err, &several) && several.Kind == apperr.Ambiguous {
		ids := make([]string, len(several.Candidates))
		for i, c := range several.Candidates {
			ids[i] = c.ID
		}
		return ids, nil
	}
	if err != nil {
		return nil, err
	}
	return []string{match.Ref.ID}, nil
}

// dateArg reads an optional argument that is a day.
func dateArg(name, text, lang string) (*models.Date, error) {
	if text == "" {
		return nil, nil
	}
	d, err := models.ParseDate(text)
	if err != nil {
		return nil, apperr.InvalidField(name, argText(lang, "args.date", name))
	}
	return &d, nil
}
