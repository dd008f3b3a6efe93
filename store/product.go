package store

import (
	"context"
	"strings"

	"gorm.io/gorm"

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

// Products lists live products; text narrows by name or SKU. When no name holds the text, names are compared
// without their spaces, so that "GTK500" finds "GTK 500".
func (r *Reader) Products(ctx context.Context, g rbac.Grant, text string, p Page) (List[models.Product], error) {
	if err := g.For(rbac.ProductRead); err != nil {
		return List[models.Product]{}, err
	}
	keys, err := keysetOf(p, productSorts, "products.id")
	if err != nil {
		return List[models.Product]{}, err
	}
	q := r.q.WithContext(ctx).Model(&models.Product{}).Where("deleted_at IS NULL")
	q, total, err := narrowProducts(q, models.FoldName(text))
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

// narrowProducts narrows to the products that go by a folded text, and counts them. No text leaves all.
func narrowProducts(all *gorm.DB, key string) (narrowed *gorm.DB, total int64, err error) {
	all = all.Session(&gorm.Session{})
	narrowed = all
	if key != "" {
		narrowed = where(all, namedLike(all, "products.id", models.TypeProduct, key))
	}
	if total, err = count(narrowed); err == nil && total == 0 && key != "" {
		narrowed = all.Where(namedWithoutSpaces, models.TypeProduct, likePattern(strings.ReplaceAll(key, " ", "")))
		total, err = count(narrowed)
	}
	return narrowed, total, err
}

// namedWithoutSpaces is a condition on products, with the kind and a likePattern without spaces as its values.
const namedWithoutSpaces = `products.id IN (SELECT record_id FROM record_names WHERE kind = ? AND REPLACE(name_key, ' ', '') LIKE ? ESCAPE '\')`

// InsertProduct adds a product. It is for setting up an installation and asks for no grant.
func (tx *Tx) InsertProduct(ctx context.Context, p *models.Product) error {
	if err := tx.q.WithContext(ctx).Create(p).Error; err != nil {
		return translate(err)
	}
	return tx.addNames(ctx, goesBy{models.TypeProduct, p.ID, nil, p.UpdatedAt, p.Names()})
}
