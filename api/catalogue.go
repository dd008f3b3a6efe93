package api

import (
	"context"

	"countersign/models"
	"countersign/rbac"
)

// Pipeline is a pipeline with its stages in order.
type Pipeline struct {
	ID       string  `json:"id"`
	Name     string  `json:"name"`
	Position int     `json:"position"`
	Stages   []Stage `json:"stages"`
}

// Stage is a step of a pipeline. Probability is the chance of winning in percent.
type Stage struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Kind        string `json:"kind" enum:"OPEN,WON,LOST"`
	Probability int    `json:"probability"`
	Position    int    `json:"position"`
}

func pipelineOf(p *models.Pipeline) Pipeline {
	return Pipeline{ID: p.ID, Name: p.Name, Position: p.Position, Stages: shown(p.Stages, func(s *models.Stage) Stage {
		return Stage{ID: s.ID, Name: s.Name, Kind: string(s.Kind), Probability: s.Probability, Position: s.Position}
	})}
}

// ProductList narrows and orders a list of products.
type ProductList struct {
	Sorted
	Q string `query:"q" maxLength:"300" doc:"A part of the name or SKU."`
}

func (s *server) catalogueRoutes() {
	handle(s, get("/api/pipelines", "listPipelines", "List all pipelines with their stages").needs(rbac.PipelineRead), s.listPipelines)
	handle(s, get("/api/pipelines/{id}", "getPipeline", "Read one").needs(rbac.PipelineRead), s.getPipeline)
	handle(s, get("/api/products", "listProducts", "List products").needs(rbac.ProductRead), s.listProducts)
	handle(s, get("/api/products/{id}", "getProduct", "Read one").needs(rbac.ProductRead), s.getProduct)
}

// listPipelines takes the parameters of lists as all lists do; there are never so many that it needs pages.
func (s *server) listPipelines(ctx context.Context, actor models.Actor, _ *Paged) (*one[Page[Pipeline]], error) {
	pipelines, err := s.Pipelines.List(ctx, actor)
	return allOf(pipelines, err, pipelineOf)
}

func (s *server) getPipeline(ctx context.Context, actor models.Actor, in *ByID) (*one[Pipeline], error) {
	return answer(shownOne(pipelineOf)(s.Pipelines.Get(ctx, actor, in.id())))
}

func (s *server) listProducts(ctx context.Context, actor models.Actor, in *ProductList) (*one[Page[Product]], error) {
	list, err := s.Products.List(ctx, actor, in.Q, in.page())
	return pageOf(list, err, productOf)
}

func (s *server) getProduct(ctx context.Context, actor models.Actor, in *ByID) (*one[Product], error) {
	return answer(shownOne(productOf)(s.Products.Get(ctx, actor, in.id())))
}
