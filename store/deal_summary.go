package store

import (
	"context"

	"countersign/apperr"
	"countersign/models"
)

// DealSummaryRow counts the deals of one group in one currency; Currency is empty for those without an
// amount. Key identifies the group, such as an owner's id; both Key and Label are empty for deals
// that have no such thing, Label alone for a company that the reader may not see.
type DealSummaryRow struct {
	Key      string
	Label    string
	Currency string
	Deals    int64
	Won      int64
	Lost     int64
	SumMinor int64
	WonMinor int64
}

// dealGroup says how deals are grouped: key, label and the joins that these need beyond stages and users.
type dealGroup struct {
	key, label string
	joins      []condition
}

func (r *Reader) dealGroup(by string, g DealGrants) (dealGroup, bool) {
	company := visibleCompanies(g.Company, "c")
	groups := map[string]dealGroup{
		"":      {key: "''", label: "''"},
		"stage": {key: "deals.stage_id", label: "stages.name"},
		"owner": {key: "deals.owner_id", label: "users.name"},
		"team": {key: "COALESCE(users.team_id, '')", label: "COALESCE(teams.name, '')", joins: []condition{
			{"LEFT JOIN teams ON teams.id = users.team_id", nil},
		}},
		"company": {key: "COALESCE(deals.company_id, '')", label: "COALESCE(c.name, '')", joins: []condition{
			{"LEFT JOIN companies c ON c.id = deals.company_id AND c.deleted_at IS NULL AND " + company.sql, company.args},
		}},
		"product": {key: "COALESCE(deals.product_id, '')", label: "COALESCE(products.name, '')", joins: []condition{
			{"LEFT JOIN products ON products.id = deals.product_id", nil},
		}},
		"pipeline": {key: "deals.pipeline_id", label: "pipelines.name", joins: []condition{
			{"JOIN pipelines ON pipelines.id = deals.pipeline_id", nil},
		}},
		"month": {key: "COALESCE(" + r.dialect.month("deals.closed_at") + ", '')", label: "COALESCE(" + r.dialect.month("deals.closed_at") + ", '')"},
	}
	group, ok := groups[by]
	return group, ok
}

// SummarizeDeals counts and sums live deals by group and currency, in the order of the groups' keys.
// by is stage, owner, team, company, product, pipeline, month (of closing), or empty for one group.
func (r *Reader) SummarizeDeals(ctx context.Context, g DealGrants, f DealFilter, by string) ([]DealSummaryRow, error) {
	if err := g.check(); err != nil {
		return nil, err
	}
	group, ok := r.dealGroup(by, g)
	if !ok {
		return nil, apperr.InvalidField("groupBy", "Deals cannot be grouped by \""+by+"\".")
	}
	q := f.apply(where(r.q.WithContext(ctx).Model(&models.Deal{}), visible(models.TypeDeal, g.Deal))).
		Joins("JOIN stages ON stages.id = deals.stage_id").Joins("JOIN users ON users.id = deals.owner_id")
	for _, j := range group.joins {
		q = q.Joins(j.sql, j.args...)
	}
	var rows []DealSummaryRow
	err := q.Select(group.key + " AS key, " + group.label + " AS label, COALESCE(deals.currency, '') AS currency, COUNT(*) AS deals, " +
		sum("CASE WHEN stages.kind = 'WON' THEN 1 ELSE 0 END", "won") + ", " +
		sum("CASE WHEN stages.kind = 'LOST' THEN 1 ELSE 0 END", "lost") + ", " +
		sum("COALESCE(deals.amount_minor, 0)", "sum_minor") + ", " +
		sum("CASE WHEN stages.kind = 'WON' THEN COALESCE(deals.amount_minor, 0) ELSE 0 END", "won_minor")).
		Group("1, 2, 3").Order("1, 3").Scan(&rows).Error
	return rows, translate(err)
}

// sum is an exact sum: PostgreSQL would answer with a numeric.
func sum(expr, name string) string { return "CAST(SUM(" + expr + ") AS BIGINT) AS " + name }
