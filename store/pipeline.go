package store

import (
	"context"

	"countersign/models"
	"countersign/rbac"
)

// Pipelines are all pipelines with their stages, both in their order.
func (r *Reader) Pipelines(ctx context.Context, g rbac.Grant) ([]models.Pipeline, error) {
	if err := g.For(rbac.PipelineRead); err != nil {
		return nil, err
	}
	var pipelines []models.Pipeline
	if err := r.q.WithContext(ctx).Order("position, id").Find(&pipelines).Error; err != nil {
		return nil, translate(err)
	}
	var stages []models.Stage
	if err := r.q.WithContext(ctx).Order("position, id").Find(&stages).Error; err != nil {
		return nil, translate(err)
	}
	for i := range pipelines {
		for _, s := range stages {
			if s.PipelineID == pipelines[i].ID {
				pipelines[i].Stages = append(pipelines[i].Stages, s)
			}
		}
	}
	return pipelines, nil
}

// StageView is a stage with the name of its pipeline.
type StageView struct {
	models.Stage
	PipelineName string
}

// Stage returns a stage.
func (r *Reader) Stage(ctx context.Context, g rbac.Grant, id string) (*StageView, error) {
	if err := g.For(rbac.PipelineRead); err != nil {
		return nil, err
	}
	s, err := findOne[StageView](ctx, r, "SELECT stages.*, pipelines.name AS pipeline_name FROM stages JOIN pipelines ON pipelines.id = stages.pipeline_id "+
		"WHERE stages.id = ?", id)
	return mustFind(s, err, "stage")
}

// InsertPipeline adds a pipeline with its stages. It is for setting up an installation and asks for no grant.
func (tx *Tx) InsertPipeline(ctx context.Context, p *models.Pipeline) error {
	if err := tx.q.WithContext(ctx).Create(p).Error; err != nil {
		return translate(err)
	}
	if err := tx.addNames(ctx, goesBy{models.TypePipeline, p.ID, nil, p.UpdatedAt, []string{p.Name}}); err != nil {
		return err
	}
	for i := range p.Stages {
		s := &p.Stages[i]
		if err := tx.q.WithContext(ctx).Create(s).Error; err != nil {
			return translate(err)
		}
		if err := tx.addNames(ctx, goesBy{models.TypeStage, s.ID, nil, p.UpdatedAt, s.Names()}); err != nil {
			return err
		}
	}
	return nil
}
