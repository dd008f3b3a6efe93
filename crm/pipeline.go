package crm

import (
	"context"
	"time"

	"countersign/apperr"
	"countersign/audit"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// Pipelines is the service of pipelines and their stages.
type Pipelines struct{ base }

// NewPipelines returns the service.
func NewPipelines(runner store.Runner, gate *audit.Gate, now func() time.Time) *Pipelines {
	return &Pipelines{newBase(runner, gate, now)}
}

// List returns all pipelines with their stages, in order.
func (s *Pipelines) List(ctx context.Context, actor models.Actor) (pipelines []models.Pipeline, err error) {
	g, err := s.gate.Authorize(ctx, actor, rbac.PipelineRead)
	if err != nil {
		return nil, err
	}
	err = s.runner.View(ctx, func(r *store.Reader) error {
		pipelines, err = r.Pipelines(ctx, g)
		return err
	})
	return pipelines, err
}

// Get returns one pipeline with its stages.
func (s *Pipelines) Get(ctx context.Context, actor models.Actor, id string) (*models.Pipeline, error) {
	pipelines, err := s.List(ctx, actor)
	if err != nil {
		return nil, err
	}
	for i := range pipelines {
		if pipelines[i].ID == id {
			return &pipelines[i], nil
		}
	}
	return nil, apperr.NotFoundf("pipeline")
}
