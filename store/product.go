package store

import (
	"context"

	"countersign/models"
	"countersign/rbac"
)

var productSorts = map[string]sortKey{
	"updatedAt": {expr: "products.updated_at", kind: sortTime},
	"name":      {expr: nameSort(models.TypeProduct, "products.id")},
	"sku":       {expr: "products.sku"},
}

// Product returns a live product.
func (r *Reader) Product(ctx context.Context, g rbac.Grant, id string) (*models.Product, error) {
	if err := g.For(rbac.ProductRead); err != nil {
		return nil, err
	}
	var p models.Product
	q := r.q.WithContext(ctx).Where("id = ? AND deleted_at IS NULL", id)
	return &p, notFound(translate(q.Take(&p).Error), "product")
}

// Products lists live products; text narrows by name or SKU.
func (r *Reader) Products(ctx context.Context, g rbac.Grant, text string, p Page) (List[models.Product], error) {
	if err := g.For(rbac.ProductRead); err != nil {
		return List[models.Product]{}, err
	}
	keys, err := keysetOf(p, productSorts, "products.id")
	if err != nil {
		return List[models.Product]{}, err
	}
	q := r.q.WithContext(ctx).Model(&models.Product{}).Where("deleted_at IS NULL")
	if key := models.FoldName(text); key != "" {
		q = where(q, namedLike(q, "products.id", models.TypeProduct, key))
	}
	total, err := count(q)
	if err != nil {
		return List[models.Product]{}, err
	}
	var rows []models.Product
	if err := keys.apply(q).Find(&rows).Error; err != nil {
		return List[models.Product]{}, translate(err)
	}
	return listOf(keys, rows, total, func(v models.Product) (any, string) {
		switch keys.name {
		case "name", "-name":
			return models.FoldName(v.Name), v.ID
		case "sku", "-sku":
			return v.SKU, v.ID
		}
		return v.UpdatedAt, v.ID
	}), nil
}

// InsertProduct adds a product. It is for setting up an installation and asks for no grant.
func (tx *Tx) InsertProduct(ctx context.Context, p *models.Product) error {
	if err := tx.q.WithContext(ctx).Create(p).Error; err != nil {
		return translate(err)
	}
	return tx.addNames(ctx, goesBy{models.TypeProduct, p.ID, nil, p.UpdatedAt, p.Names()})
}
