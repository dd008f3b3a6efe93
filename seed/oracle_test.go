package seed_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/crm"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/resolve"
	"countersign/seed"
	"countersign/store"
	"countersign/tools"
)

// truth is what was counted in the files by other means.
type truth struct {
	Counts struct{ Accounts, Products, Agents, Deals int } `json:"counts"`

	Stages      map[string]int64 `json:"stage_counts"`
	WonTotal    int64            `json:"won_value_total"`
	WinRate     float64          `json:"win_rate_closed_pct"`
	AverageWon  json.Number      `json:"avg_won_value"`
	ByManager   map[string]int64 `json:"won_value_by_manager"`
	ByProduct   map[string]int64 `json:"won_value_by_product_as_stored"`
	TopAgents   map[string]int64 `json:"won_value_top5_agents"`
	TopAccounts map[string]int64 `json:"won_value_top5_accounts"`
	NoAccount   int64            `json:"deals_without_account"`
	Idle        []string         `json:"agents_without_deals"`
	Parents     map[string]int   `json:"parents_with_subsidiaries"`
	Darcel      map[string]int64 `json:"own_scope_Darcel_Schlecht"`
	Melvin      int64            `json:"team_scope_Melvin_Marxen_deal_count"`
	Quarters    map[string]int64 `json:"won_value_by_close_quarter"`
}

// maven is the real data set, imported.
type maven struct {
	*system
	truth
	admin, manager, agent models.Actor
}

// TestMavenOracle imports the real data set once for each dialect.
func TestMavenOracle(t *testing.T) {
	t.Parallel()
	dir := mavenDir(t)
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		m := &maven{system: newSystem(t, db)}
		raw, err := os.ReadFile(filepath.Join(dir, "ground_truth.json"))
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(raw, &m.truth))
		m.admin = m.system.admin(t)

		started := time.Now()
		report := m.load(t, dir)
		t.Logf("the import took %v", time.Since(started).Round(time.Millisecond))
		m.manager, m.agent = m.person(t, "melvin.marxen@maven.example"), m.person(t, "darcel.schlecht@maven.example")

		m.requireReport(t, report)
		m.requireTotals(t)
		m.requireGroups(t)
		m.requireScopes(t)
		m.requireHidden(t)
		m.requireTool(t)
		m.requirePrices(t)
		m.requireRecords(t)
		m.requireNothingNew(t, dir)
	})
}

func (m *maven) requireReport(t *testing.T, report seed.Report) {
	t.Helper()
	require.Equal(t, seed.Count{New: m.Counts.Deals}, report.Deals)
	require.Equal(t, seed.Count{New: m.Counts.Accounts}, report.Companies)
	require.Equal(t, seed.Count{New: m.Counts.Products}, report.Products)
	require.Equal(t, seed.Count{New: m.Counts.Agents + len(m.ByManager)}, report.Users)
	require.Equal(t, seed.Count{New: len(m.ByManager)}, report.Teams)
	require.Contains(t, report.Notes, `sales_pipeline.csv: the product "GTXPro" of 1480 deals is "GTX Pro" of products.csv.`)
}

func (m *maven) summarize(t *testing.T, actor models.Actor, f store.DealFilter, by string) *crm.DealSummary {
	t.Helper()
	summary, err := m.deals.Summarize(t.Context(), actor, f, by)
	require.NoError(t, err)
	return summary
}

// counts are the numbers of deals by group, wonBy the won values in whole dollars.
func counts(s *crm.DealSummary) map[string]int64 {
	n := map[string]int64{}
	for _, g := range s.Groups {
		n[g.Label] = g.Deals
	}
	return n
}

func wonBy(t *testing.T, groups []crm.DealGroup) map[string]int64 {
	t.Helper()
	won := map[string]int64{}
	for _, g := range groups {
		for _, a := range g.Amounts {
			require.Equal(t, "USD", a.Won.Currency)
			require.Zero(t, a.Won.Minor%100)
			won[g.Label] += a.Won.Minor / 100
		}
	}
	return won
}

func (m *maven) requireTotals(t *testing.T) {
	t.Helper()
	total := m.summarize(t, m.admin, store.DealFilter{}, "").Total
	require.EqualValues(t, m.Counts.Deals, total.Deals)
	require.Equal(t, m.Stages["Won"], total.Won)
	require.Equal(t, m.Stages["Lost"], total.Lost)
	require.InDelta(t, m.WinRate, *total.WinRate, 1e-9)
	require.Len(t, total.Amounts, 1, "all in one currency")
	require.Equal(t, m.WonTotal*100, total.Amounts[0].Won.Minor)
	require.Equal(t, m.AverageWon.String(), total.Amounts[0].WonAvg.Amount())
	require.Equal(t, total.Won+total.Lost, total.Amounts[0].Deals, "open deals have no amount")
}

func (m *maven) requireGroups(t *testing.T) {
	t.Helper()
	group := func(by string) *crm.DealSummary { return m.summarize(t, m.admin, store.DealFilter{}, by) }
	require.Equal(t, m.Stages, counts(group("stage")))
	require.Equal(t, m.ByManager, wonBy(t, group("team").Groups))
	require.Equal(t, m.TopAgents, wonBy(t, group("owner").Groups[:5]))
	require.Equal(t, m.TopAccounts, wonBy(t, group("company").Groups[:5]))
	require.Equal(t, m.NoAccount, counts(group("company"))[""])

	products := map[string]int64{}
	for name, won := range m.ByProduct {
		products[strings.Replace(name, "GTXPro", "GTX Pro", 1)] = won
	}
	require.Equal(t, products, wonBy(t, group("product").Groups))

	quarters := map[string]int64{}
	for month, won := range wonBy(t, group("month").Groups) {
		if month != "" {
			quarters[month[:4]+map[string]string{"01": "-Q1", "02": "-Q1", "03": "-Q1", "04": "-Q2", "05": "-Q2", "06": "-Q2", "07": "-Q3", "08": "-Q3", "09": "-Q3", "10": "-Q4", "11": "-Q4", "12": "-Q4"}[month[5:]]] += won
		}
	}
	require.Equal(t, m.Quarters, quarters)
}

func (m *maven) requireScopes(t *testing.T) {
	t.Helper()
	team := m.summarize(t, m.manager, store.DealFilter{}, "team")
	require.Equal(t, map[string]int64{"Melvin Marxen": m.Melvin}, counts(team))
	require.Equal(t, m.Melvin, team.Total.Deals)
	require.Equal(t, m.ByManager["Melvin Marxen"]*100, team.Total.Amounts[0].Won.Minor)

	require.Equal(t, m.Darcel, counts(m.summarize(t, m.agent, store.DealFilter{}, "stage")))
	own := m.summarize(t, m.agent, store.DealFilter{}, "owner")
	require.Equal(t, map[string]int64{"Darcel Schlecht": m.TopAgents["Darcel Schlecht"]}, wonBy(t, own.Groups))
	for _, name := range m.Idle {
		email := strings.ToLower(strings.ReplaceAll(name, " ", ".")) + "@maven.example"
		require.Zero(t, m.summarize(t, m.person(t, email), store.DealFilter{}, "").Total.Deals, name)
	}
}

// requireHidden fails if an agent gets at a deal of somebody else in any way.
func (m *maven) requireHidden(t *testing.T) {
	t.Helper()
	other := m.person(t, "moses.frase@maven.example")
	list, err := m.deals.List(t.Context(), other, store.DealFilter{Text: "1C1I7A6R"}, store.Page{})
	require.NoError(t, err)
	require.Len(t, list.Items, 1)
	deal := list.Items[0]
	require.Equal(t, "GTX Plus Basic – Cancity (1C1I7A6R)", deal.Title)

	for _, f := range []store.DealFilter{{Text: "1C1I7A6R"}, {OwnerID: other.UserID}, {TeamID: deal.OwnerTeamID}} {
		list, err := m.deals.List(t.Context(), m.agent, f, store.Page{})
		require.NoError(t, err)
		require.Zero(t, list.Total)
		require.Empty(t, list.Items)
		require.Zero(t, m.summarize(t, m.agent, f, "").Total.Deals)
	}
	_, err = m.deals.Get(t.Context(), m.agent, deal.ID)
	require.True(t, apperr.Is(err, apperr.NotFound))
	for _, text := range []string{deal.ID, deal.Title, *deal.ExternalID} {
		_, err := m.resolver.Resolve(t.Context(), m.agent, resolve.Query{Kind: models.TypeDeal, Text: text})
		require.True(t, apperr.Is(err, apperr.NotFound), text)
		for _, c := range apperr.As(err).Candidates {
			require.NotEqual(t, deal.ID, c.ID)
		}
		found, err := m.search.Find(t.Context(), m.agent, text, []models.RecordType{models.TypeDeal}, 10)
		require.NoError(t, err)
		require.Zero(t, found.Total, text)
	}
	for _, name := range []string{"get_deal", "update_deal_stage"} {
		outcome := m.call(t, m.agent, name, `{"deal":"1C1I7A6R"`+map[string]string{"update_deal_stage": `,"stage":"Won"`}[name]+`}`)
		require.Equal(t, models.CallFailed, outcome.Status, name)
		require.NotContains(t, string(models.ToJSON(outcome)), deal.ID)
	}
}

func (m *maven) call(t *testing.T, actor models.Actor, tool, args string) tools.Outcome {
	t.Helper()
	return m.executor.Call(t.Context(), actor, tools.Call{ID: "call-1", Name: tool, Args: json.RawMessage(args), Channel: models.ViaCommand})
}

// told is the part of a tool's answer that the oracle knows.
type told struct {
	Total  toldGroup
	Groups struct{ Items []toldGroup }
}

type toldGroup struct {
	Group          string
	Deals          int64
	WinRatePercent float64
	Amounts        []struct {
		WonValue models.Money `json:"wonValue"`
	}
}

// ask runs summarize_deals.
func (m *maven) ask(t *testing.T, actor models.Actor, args string) (answer told, won map[string]int64) {
	t.Helper()
	outcome := m.call(t, actor, "summarize_deals", args)
	require.Equal(t, models.CallOK, outcome.Status, "%+v", outcome.Error)
	require.NoError(t, outcome.Result.Into(&answer))
	won = map[string]int64{}
	for _, g := range append(answer.Groups.Items, answer.Total) {
		for _, a := range g.Amounts {
			won[g.Group] += a.WonValue.Minor / 100
		}
	}
	return answer, won
}

// requirePrices asks for products as people write them.
func (m *maven) requirePrices(t *testing.T) {
	t.Helper()
	for query, price := range map[string]string{"GTX Pro": "4821.00", "GTK500": "26768.00", "gtk 500": "26768.00"} {
		outcome := m.call(t, m.agent, "search_products", `{"query":"`+query+`"}`)
		require.Equal(t, models.CallOK, outcome.Status, "%+v", outcome.Error)
		require.Contains(t, string(outcome.Result), `"price":{"amount":"`+price+`","currency":"USD"}`, query)
	}
}

func (m *maven) requireTool(t *testing.T) {
	t.Helper()
	answer, won := m.ask(t, m.admin, `{"group_by":"stage"}`)
	require.InDelta(t, m.WinRate, answer.Total.WinRatePercent, 1e-9)
	require.Equal(t, m.WonTotal, won[""])
	for _, g := range answer.Groups.Items {
		require.Equal(t, m.Stages[g.Group], g.Deals, g.Group)
	}
	for by, want := range map[string]map[string]int64{"team": m.ByManager, "owner": m.TopAgents, "company": m.TopAccounts} {
		_, won := m.ask(t, m.admin, `{"group_by":"`+by+`","limit":`+map[string]string{"team": "6", "owner": "5", "company": "5"}[by]+`}`)
		delete(won, "")
		require.Equal(t, want, won, by)
	}
	answer, _ = m.ask(t, m.manager, `{}`)
	require.Equal(t, m.Melvin, answer.Total.Deals)
	for stage, n := range m.Darcel {
		answer, _ = m.ask(t, m.agent, `{"stage":"`+stage+`"}`)
		require.Equal(t, n, answer.Total.Deals, stage)
	}
	answer, _ = m.ask(t, m.admin, `{"product":"GTXPro"}`)
	require.EqualValues(t, 1480, answer.Total.Deals)
	answer, _ = m.ask(t, m.admin, `{"owner":"Darcel Schlecht","team":"Melvin Marxen"}`)
	require.EqualValues(t, 747, answer.Total.Deals)
}

func (m *maven) requireRecords(t *testing.T) {
	t.Helper()
	companies := m.companiesOf(t, m.agent)
	require.Len(t, companies, m.Counts.Accounts, "shared")
	daughters, typos := map[string]int{}, 0
	for _, c := range companies {
		if c.ParentID != nil {
			daughters[companies[*c.ParentID].Name]++
		}
		if c.Industry == typo {
			typos++
		}
	}
	require.Equal(t, m.Parents, daughters)
	require.Equal(t, 12, typos, "nothing is corrected silently")
}

func (m *maven) requireNothingNew(t *testing.T, dir string) {
	t.Helper()
	before := m.count(t, everything...)
	started := time.Now()
	report := m.load(t, dir)
	t.Logf("importing again took %v", time.Since(started).Round(time.Millisecond))
	require.False(t, report.Changed())
	require.Equal(t, seed.Count{Known: m.Counts.Deals}, report.Deals)
	require.Contains(t, report.String(), "deals: 0 new, 8800 there already\n")
	require.Equal(t, before, m.count(t, everything...))
}
