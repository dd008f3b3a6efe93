package crm

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"countersign/apperr"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// maxItems bounds the items of a quotation.
const maxItems = 100

// hundredPercent is as rates are stored.
const hundredPercent = 100_0000

// QuotationLine is an item as it is asked for. What is left empty is the product's; a line without a product needs a name
// and a price. The price is in the quotation's currency. Quantity, price and tax rate are scaled by 10⁴.
type QuotationLine struct {
	ProductID  *string
	Name       string
	Unit       string
	QuantityE4 int64
	PriceE4    *int64
	models.Discount
	TaxRateE4 *int64
}

// items turns lines into items in a currency. A product that the quotation held before keeps the snapshot that was taken
// of it then; the price of another currency is asked for anew.
func (rights quotationRights) items(ctx context.Context, r *store.Reader, before *models.Quotation, currency string, lines []QuotationLine) ([]models.QuotationItem, error) {
	if len(lines) > maxItems {
		return nil, apperr.InvalidField("items", fmt.Sprintf("A quotation can have at most %d lines.", maxItems))
	}
	var wrong problems
	items := make([]models.QuotationItem, len(lines))
	for i, line := range lines {
		path := fmt.Sprintf("items[%d]", i)
		taken, err := rights.snapshot(ctx, r, before, currency, path, line.ProductID)
		if err != nil {
			return nil, err
		}
		items[i] = wrong.item(path, currency, line, taken)
	}
	return items, wrong.err()
}

// snapshot is what an item takes from its product. Without a product it is empty.
type snapshot struct {
	sku, name, unit string
	price           *int64
	taxRate         int64
}

func (rights quotationRights) snapshot(ctx context.Context, r *store.Reader, before *models.Quotation, currency, path string, productID *string) (snapshot, error) {
	if productID == nil {
		return snapshot{}, nil
	}
	var taken snapshot
	var priced string
	if i := slices.IndexFunc(before.Items, func(i models.QuotationItem) bool { return same(i.ProductID, productID) }); i >= 0 {
		old := before.Items[i]
		taken, priced = snapshot{old.SKU, old.Name, old.Unit, &old.PriceE4, old.TaxRateE4}, before.Currency
	} else {
		if err := holds(rights.product, rbac.ProductRead); err != nil {
			return taken, err
		}
		product, err := r.Product(ctx, rights.product, *productID)
		if err != nil {
			return taken, reference(err, path+".productId", "product")
		}
		if !product.Active {
			return taken, apperr.InvalidField(path+".productId", "This product is no longer sold. Choose another one.")
		}
		taken, priced = snapshot{product.SKU, product.Name, product.Unit, product.PriceE4, product.TaxRateE4}, orZero(product.Currency)
	}
	if priced != currency {
		taken.price = nil
	}
	return taken, nil
}

// item checks a line and completes it by what was taken from its product.
func (p *problems) item(path, currency string, line QuotationLine, taken snapshot) models.QuotationItem {
	item := models.QuotationItem{
		ProductID: line.ProductID, SKU: taken.sku, QuantityE4: line.QuantityE4, Discount: line.Discount, TaxRateE4: taken.taxRate,
		Name: p.line(path+".name", cmp.Or(line.Name, taken.name), false),
		Unit: p.line(path+".unit", cmp.Or(line.Unit, taken.unit), false),
	}
	price := cmp.Or(line.PriceE4, taken.price)
	if price != nil {
		item.PriceE4 = *price
	}
	if line.TaxRateE4 != nil {
		item.TaxRateE4 = *line.TaxRateE4
	}
	switch {
	case models.FoldName(item.Name) == "":
		p.add(path+".name", "Give each line a name or a product.")
	case item.QuantityE4 <= 0:
		p.add(path+".quantity", "The quantity must be more than 0.")
	case price == nil:
		p.add(path+".unitPrice", "Give the price of %s in %s.", item.Name, currency)
	case item.PriceE4 < 0:
		p.add(path+".unitPrice", "A price cannot be negative.")
	case item.TaxRateE4 < 0 || item.TaxRateE4 > hundredPercent:
		p.add(path+".taxPercent", "The tax must be between 0 and 100 percent.")
	}
	p.discount(path+".", item.Discount)
	return item
}

// discount checks a discount. prefix is the path of what it is on, with a dot at its end.
func (p *problems) discount(prefix string, d models.Discount) {
	switch {
	case d.DiscountRateE4 != 0 && d.DiscountFixedE4 != 0:
		p.add(prefix+"discountAmount", "Give a discount in percent or as an amount, not both.")
	case d.DiscountRateE4 < 0 || d.DiscountRateE4 > hundredPercent:
		p.add(prefix+"discountPercent", "The discount must be between 0 and 100 percent.")
	case d.DiscountFixedE4 < 0:
		p.add(prefix+"discountAmount", "A discount cannot be negative.")
	}
}
