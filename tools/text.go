package tools

import (
	"strings"

	"countersign/i18n"
	"countersign/models"
	"countersign/store"
)

// argText is a sentence about an argument.
func argText(lang, key, name string) string { return i18n.T(lang, key, "name", name) }

// listText is an answer for a person: a headline and one line per item.
func listText(headline string, lines []string) string {
	if len(lines) == 0 {
		return headline
	}
	return headline + "\n- " + strings.Join(lines, "\n- ")
}

// dots joins the parts that are not empty.
func dots(parts ...string) string {
	var kept []string
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, " · ")
}

// amountText is a deal's amount for a person.
func amountText(lang string, m *models.Money) string {
	if m == nil {
		return i18n.T(lang, "value.no_amount")
	}
	return m.String()
}

// shownOf is the headline of a list: how many of how many.
func shownOf(lang, key string, shown int, total int64) string {
	headline := i18n.T(lang, key, "count", total)
	if int64(shown) < total {
		return i18n.T(lang, "list.shown", "headline", headline, "shown", shown)
	}
	return headline
}

// dealRow is a deal in a result.
type dealRow struct {
	ID                string        `json:"id"`
	Title             string        `json:"title"`
	ExternalID        string        `json:"externalId,omitempty"`
	Company           string        `json:"company,omitempty"`
	Product           string        `json:"product,omitempty"`
	Pipeline          string        `json:"pipeline"`
	Stage             string        `json:"stage"`
	Kind              string        `json:"kind"`
	Amount            *models.Money `json:"amount,omitempty"`
	ExpectedCloseDate string        `json:"expectedCloseDate,omitempty"`
	ClosedOn          string        `json:"closedOn,omitempty"`
	Owner             string        `json:"owner"`
	LostReason        string        `json:"lostReason,omitempty"`
}

func dealRowOf(v store.DealView) dealRow {
	row := dealRow{
		ID: v.ID, Title: v.Title, Company: v.CompanyName, Product: v.ProductName, Pipeline: v.PipelineName, Stage: v.StageName,
		Kind: string(v.StageKind), Amount: v.Amount(), Owner: v.OwnerName, LostReason: v.LostReason,
	}
	if v.ExternalID != nil {
		row.ExternalID = *v.ExternalID
	}
	if v.ExpectedCloseDate != nil {
		row.ExpectedCloseDate = string(*v.ExpectedCloseDate)
	}
	if v.ClosedAt != nil {
		row.ClosedOn = string(models.DateOf(*v.ClosedAt))
	}
	return row
}

func dealRefOf(v store.DealView) models.Ref {
	return models.Ref{Type: models.TypeDeal, ID: v.ID, Name: v.Title}
}
