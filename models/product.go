package models

// Product is something that is sold. PriceE4 and Currency are both set or both nil;
// the price is scaled by 10⁴ (unit prices may be finer than a minor unit), TaxRate is percent scaled by 10⁴.
type Product struct {
	Record
	SKU        string `gorm:"column:sku"`
	Name       string
	OtherNames Strings
	Unit       string
	PriceE4    *int64 `gorm:"column:price_e4"`
	Currency   *string
	TaxRateE4  int64 `gorm:"column:tax_rate_e4"`
	Active     bool
}

// Names are all names that the product goes by, the main one first; the SKU is one of them.
func (p Product) Names() []string { return append([]string{p.Name, p.SKU}, p.OtherNames...) }
