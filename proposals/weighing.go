package proposals

import (
	"context"
	"time"

	"countersign/i18n"
	"countersign/models"
	"countersign/store"
)

// window is how long small changes of one person count together.
const window = 24 * time.Hour

// amountFields are the fields whose value rules on the amount compare.
var amountFields = map[models.RecordType]string{models.TypeDeal: "amount", models.TypeQuotation: "total"}

// DiscountField is the field of a card that says what all discounts of a new quotation together take off, in percent
// scaled by 10⁴. It is left out where there are none.
const DiscountField = "discountShare"

// weighing compares a proposal with rules. Its figures come from rows: the record as it is, the change as it is shown,
// and what the requester has done within the window without anybody's approval.
type weighing struct {
	reader   *store.Reader
	proposal *models.Proposal
	since    time.Time
	lang     string
}

// weigh reports whether a rule applies, and why in words.
func (w weighing) weigh(ctx context.Context, rule models.ApprovalRule) (why string, applies bool, err error) {
	switch rule.Metric {
	case models.RuleAmount:
		return w.amountOfAny(ctx, models.Money{Minor: rule.Threshold, Currency: rule.Currency})
	case models.RuleCount:
		return w.count(ctx, rule.Threshold)
	case models.RuleDiscount:
		return w.discount(ctx, rule.Threshold)
	default:
		return i18n.T(w.lang, "approval.always"), true, nil
	}
}

// amountOfAny is amount of each of the records.
func (w weighing) amountOfAny(ctx context.Context, limit models.Money) (why string, applies bool, err error) {
	parts, err := w.proposal.Parts()
	for _, part := range parts {
		w.proposal = part
		if why, applies, err = w.amount(ctx, limit); err != nil || applies {
			break
		}
	}
	return why, applies, err
}

// amount compares a limit with the amount that the record would have, and with how much of it the requester would have
// moved within the window. An amount in another currency cannot be compared: then the rule applies.
func (w weighing) amount(ctx context.Context, limit models.Money) (why string, applies bool, err error) {
	before, after, err := w.amounts(ctx)
	if err != nil {
		return "", false, err
	}
	moved, err := w.moved(ctx, before, after)
	if err != nil {
		return "", false, err
	}
	total, larger := models.Money{Currency: limit.Currency}, absolute(after)
	for _, m := range append(moved, larger...) {
		if m.Currency != limit.Currency {
			return i18n.T(w.lang, "approval.currency", "amount", m, "limit", limit), true, nil
		}
	}
	for _, m := range moved {
		total.Minor += m.Minor
	}
	if len(larger) > 0 && larger[0].Minor > limit.Minor {
		return i18n.T(w.lang, "approval.amount", "amount", larger[0], "limit", limit), true, nil
	}
	return i18n.T(w.lang, "approval.moved", "amount", total, "limit", limit), total.Minor > limit.Minor, nil
}

// amounts are those of the target as it is and as it would be; nil for none.
func (w weighing) amounts(ctx context.Context) (before, after *models.Money, err error) {
	p := w.proposal
	if !p.Creates() {
		if before, err = w.reader.RecordAmount(ctx, p.TargetType, p.TargetID); err != nil {
			return nil, nil, err
		}
	}
	found, err := w.changed(amountFields[p.TargetType], &after)
	if !found {
		after = before
	}
	return before, after, err
}

// changed reads into a pointer what the change makes of a field, and reports whether it is about that field.
func (w weighing) changed(field string, value any) (found bool, err error) {
	var changes []struct {
		Field string      `json:"field"`
		After models.JSON `json:"after"`
	}
	if err := w.proposal.Changes.Into(&changes); err != nil {
		return false, err
	}
	for _, c := range changes {
		if c.Field == field {
			return true, c.After.Into(value)
		}
	}
	return false, nil
}

// moved are by how much the requester has changed the target's amount within the window, and would now.
func (w weighing) moved(ctx context.Context, before, after *models.Money) ([]models.Money, error) {
	p := w.proposal
	moved := difference(before, after)
	changes, err := w.reader.UnapprovedChanges(ctx, p.RequestedBy, p.TargetType, p.TargetID, amountFields[p.TargetType], w.since)
	if err != nil {
		return nil, err
	}
	for _, c := range changes {
		var from, to *models.Money
		if err := c.BeforeValue.Into(&from); err != nil {
			return nil, err
		}
		if err := c.AfterValue.Into(&to); err != nil {
			return nil, err
		}
		moved = append(moved, difference(from, to)...)
	}
	return moved, nil
}

// difference is by how much two amounts differ: in one figure, or in both amounts when their currencies differ.
func difference(a, b *models.Money) []models.Money {
	if a == nil || b == nil || a.Currency != b.Currency {
		return append(absolute(a), absolute(b)...)
	}
	return absolute(&models.Money{Minor: a.Minor - b.Minor, Currency: a.Currency})
}

// absolute is an amount without its sign; empty for none and for nothing.
func absolute(m *models.Money) []models.Money {
	switch {
	case m == nil || m.Minor == 0:
		return nil
	case m.Minor < 0:
		return []models.Money{{Minor: -m.Minor, Currency: m.Currency}}
	default:
		return []models.Money{*m}
	}
}

// discount compares a limit in hundredths of a percent with what all discounts of the quotation would take off. Other
// records have none.
func (w weighing) discount(ctx context.Context, limit int64) (why string, applies bool, err error) {
	p, share, limitE4 := w.proposal, int64(0), limit*100
	if p.TargetType != models.TypeQuotation {
		return "", false, nil
	}
	if p.Creates() {
		_, err = w.changed(DiscountField, &share)
	} else {
		share, err = w.reader.QuotationDiscount(ctx, p.TargetID)
	}
	return i18n.T(w.lang, "approval.discount", "discount", models.FormatE4(share), "limit", models.FormatE4(limitE4)), share > limitE4, err
}

// count compares a limit with how many records the requester would have changed by this tool within the window.
func (w weighing) count(ctx context.Context, limit int64) (why string, applies bool, err error) {
	p := w.proposal
	parts, err := p.Parts()
	if err != nil {
		return "", false, err
	}
	n, err := w.reader.CountUnapproved(ctx, p.RequestedBy, p.Tool, w.since)
	n += int64(len(parts))
	return i18n.T(w.lang, "approval.count", "records", n, "limit", limit), n > limit, err
}
