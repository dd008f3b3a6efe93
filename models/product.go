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

// UnitPrice is the price as a plain decimal, with at least the minor digits of the currency, and the currency's
// code. Both are empty without a price.
func (p Product) UnitPrice() (amount, currency string) {
	if p.PriceE4 == nil || p.Currency == nil {
		return "", ""
	}
	return Price(*p.PriceE4, *p.Currency), *p.Currency
}

// UnitPriceText is the price as a person in Hong Kong writes it, such as "HK$1.2345"; empty without one.
func (p Product) UnitPriceText() string {
	amount, currency := p.UnitPrice()
	if amount == "" {
		return ""
	}
	return written(amount, currency)
}
