package api

import (
	"github.com/shopspring/decimal"

	"countersign/models"
)

// Product is something that is sold. A unit price may be finer than a minor unit of its currency.
type Product struct {
	ID      string `json:"id"`
	SKU     string `json:"sku"`
	Name    string `json:"name"`
	Unit    string `json:"unit"`
	Price   *Money `json:"price,omitempty"`
	TaxRate string `json:"taxRate" doc:"Percent as a decimal text."`
	Active  bool   `json:"active"`
	Version int64  `json:"version"`
}

func productOf(p *models.Product) Product {
	return Product{
		ID: p.ID, SKU: p.SKU, Name: p.Name, Unit: p.Unit, Price: unitPrice(p), TaxRate: scaled(p.TaxRateE4).String(),
		Active: p.Active, Version: p.Version,
	}
}

// scaled is a number that is stored times 10⁴.
func scaled(e4 int64) decimal.Decimal { return decimal.New(e4, -4) }

func unitPrice(p *models.Product) *Money {
	amount, currency := p.UnitPrice()
	if amount == "" {
		return nil
	}
	return &Money{Amount: amount, Currency: currency}
}
