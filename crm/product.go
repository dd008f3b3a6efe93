package crm

import (
	"context"
	"time"

	"countersign/audit"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// Products is the service of products.
type Products struct{ base }

// NewProducts returns the service.
func NewProducts(runner store.Runner, gate *audit.Gate, now func() time.Time) *Products {
	return &Products{newBase(runner, gate, now)}
}

// List returns a page of the products; text narrows by name or SKU.
func (s *Products) List(ctx context.Context, actor models.Actor, text string, p store.Page) (list store.List[models.Product], err error) {
	g, err := s.gate.Authorize(ctx, actor, rbac.ProductRead)
	if err != nil {
		return list, err
	}
	err = s.runner.View(ctx, func(r *store.Reader) error {
		list, err = r.Products(ctx, g, text, p)
		return err
	})
	return list, err
}

// Get returns a product.
func (s *Products) Get(ctx context.Context, actor models.Actor, id string) (product *models.Product, err error) {
	g, err := s.gate.Authorize(ctx, actor, rbac.ProductRead)
	if err != nil {
		return nil, err
	}
	err = s.runner.View(ctx, func(r *store.Reader) error {
		product, err = r.Product(ctx, g, id)
		return err
	})
	return product, err
}
