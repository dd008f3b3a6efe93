package seed

import (
	"context"

	"countersign/crm"
	"countersign/models"
)

// addQuotations drafts quotations in the name of who owns their deals, and takes them to their statuses.
func (l *demoLoad) addQuotations(ctx context.Context) error {
	for _, row := range l.data.quotations.rows {
		deal := l.dealRecords[row.get("deal")]
		actor := inNameOf(l.ownerOf(deal))
		quotation, err := l.quotations.Create(ctx, actor, crm.QuotationInput{
			DealID: &deal.ID, ValidUntil: l.ahead(row, "valid"), Notes: row.get("notes"), Discount: percentOff(row), Items: l.quotationLines(deal),
		})
		if err != nil {
			return err
		}
		for _, status := range stepsTo(models.QuotationStatus(row.get("status"))) {
			patch := crm.QuotationPatch{Status: models.Some(status)}
			if quotation, err = l.quotations.Update(ctx, actor, quotation.ID, quotation.Version, patch); err != nil {
				return err
			}
		}
		l.report.Quotations.New++
	}
	return nil
}

func (l *demoLoad) quotationLines(deal models.Deal) []crm.QuotationLine {
	var lines []crm.QuotationLine
	for _, row := range l.data.quotationItems.rows {
		if row.get("deal") != deal.Title {
			continue
		}
		line := crm.QuotationLine{
			ProductID: idOrNil(l.productIDs[row.get("product")]), Name: row.get("name"), QuantityE4: int64(row.whole("quantity")) * 1e4,
			Discount: percentOff(row),
		}
		if price := row.money("price", models.DefaultCurrency); price != nil {
			line.PriceE4 = new(price.Decimal().Shift(4).IntPart())
		}
		lines = append(lines, line)
	}
	return lines
}

// percentOff is a discount in whole percent.
func percentOff(row row) models.Discount {
	return models.Discount{DiscountRateE4: int64(row.whole("discount")) * 1e4}
}

// stepsTo are the statuses that a draft goes through to reach one.
func stepsTo(status models.QuotationStatus) []models.QuotationStatus {
	switch status {
	case models.QuotationDraft:
		return nil
	case models.QuotationSent:
		return []models.QuotationStatus{models.QuotationSent}
	default:
		return []models.QuotationStatus{models.QuotationSent, status}
	}
}
