package seed_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/internal/dbtest"
	"countersign/seed"
)

func TestMavenSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	const teams, products, companies, deals = "sales_teams.csv", "products.csv", "accounts.csv", "sales_pipeline.csv"
	for name, c := range map[string]struct {
		edit
		want string
	}{
		"missing column":     {edit{deals, "close_value", "value"}, `sales_pipeline.csv has no column "close_value". Its columns are: opportunity_id, sales_agent`},
		"column twice":       {edit{products, "series", "product"}, `products.csv has two columns "product".`},
		"empty file":         {edit{products, small[products], ""}, "products.csv has no header. Its first row must name the columns: product, sales_price."},
		"not UTF-8":          {edit{companies, "Kenya", "K\xe9nya"}, "accounts.csv is not UTF-8 text. Save it as CSV in UTF-8."},
		"stray quote":        {edit{companies, "Daughter,", "Daugh\"ter,"}, "accounts.csv cannot be read from row 2 on: a quotation mark is out of place."},
		"open quote":         {edit{companies, "Daughter,", "\"Daughter,"}, "accounts.csv cannot be read from row 2 on: a quotation mark is out of place."},
		"short row":          {edit{deals, ",Lost,", ","}, "sales_pipeline.csv, row 4: There are 7 values, but the header names 8 columns."},
		"long row":           {edit{deals, "D2,", "D2,,"}, "sales_pipeline.csv, row 3: There are 9 values, but the header names 8 columns."},
		"long value":         {edit{companies, "Kenya", strings.Repeat("K", 91)}, "accounts.csv, row 2: A value may have at most 90 characters."},
		"no agent":           {edit{teams, "Cleo Tam", ""}, "sales_teams.csv, row 4, column sales_agent: A value is missing."},
		"no manager":         {edit{teams, "Mona Boss", ""}, "sales_teams.csv, row 2, column manager: A value is missing."},
		"agent twice":        {edit{teams, "Cleo Tam", "ann-marie ho"}, `sales_teams.csv, row 4, column sales_agent: "ann-marie ho" is listed twice.`},
		"e-mail twice":       {edit{teams, "Cleo Tam", "Ann-Marie Hó"}, `sales_teams.csv, row 4, column sales_agent: "Ann-Marie Hó" gives no e-mail address of its own.`},
		"no e-mail":          {edit{teams, "Cleo Tam", "陳大文"}, `sales_teams.csv, row 4, column sales_agent: "陳大文" gives no e-mail address of its own.`},
		"product twice":      {edit{products, "Beta", "alphapro"}, `products.csv, row 3, column product: "alphapro" is listed twice.`},
		"bad price":          {edit{products, "2.5", "\"2,5\""}, `products.csv, row 3, column sales_price: "2,5" is not an amount of 0 or more.`},
		"account twice":      {edit{companies, "Daughter", "MOTHER  INC"}, `accounts.csv, row 3, column account: "Mother Inc" is listed twice.`},
		"bad year":           {edit{companies, "2001", "MMI"}, `accounts.csv, row 2, column year_established: "MMI" is not a whole number of 0 or more.`},
		"bad revenue":        {edit{companies, "1100.04", "much"}, `accounts.csv, row 3, column revenue: "much" is not an amount of 0 or more.`},
		"negative employees": {edit{companies, "2822", "-1"}, `accounts.csv, row 3, column employees: "-1" is not a whole number of 0 or more.`},
		"unknown parent":     {edit{companies, "Kenya,Mother Inc", "Kenya,Father Inc"}, `accounts.csv, row 2, column subsidiary_of: "Father Inc" is not an account of this file.`},
		"own parent":         {edit{companies, "United States,", "United States,Daughter"}, "accounts.csv has accounts that are, by column subsidiary_of, subsidiaries of each other."},
		"no id":              {edit{deals, "D2", ""}, "sales_pipeline.csv, row 3, column opportunity_id: A value is missing."},
		"id twice":           {edit{deals, "D3", "D1"}, `sales_pipeline.csv, row 4, column opportunity_id: "D1" is in row 2, too.`},
		"unknown agent":      {edit{deals, "Cleo Tam", "Cleo Ham"}, `sales_pipeline.csv, row 4, column sales_agent: "Cleo Ham" is not in sales_teams.csv.`},
		"unknown product":    {edit{deals, "AlphaPro", "Alpha"}, `sales_pipeline.csv, row 2, column product: "Alpha" is not in products.csv.`},
		"no product":         {edit{deals, "AlphaPro", ""}, "sales_pipeline.csv, row 2, column product: A value is missing."},
		"unknown account":    {edit{deals, "Mother Inc", "Mother"}, `sales_pipeline.csv, row 2, column account: "Mother" is not in accounts.csv.`},
		"unknown stage":      {edit{deals, "Lost", "Gone"}, `sales_pipeline.csv, row 4, column deal_stage: "Gone" is not a stage. The stages are Prospecting, Engaging, Won and Lost.`},
		"bad date":           {edit{deals, "2017-03-01", "01/03/2017"}, `sales_pipeline.csv, row 2, column close_date: "01/03/2017" is not a date. Write it like 2017-12-31.`},
		"no such day":        {edit{deals, "2017-02-01", "2017-02-30"}, `sales_pipeline.csv, row 4, column close_date: "2017-02-30" is not a date.`},
		"negative value":     {edit{deals, "1054", "-1054"}, `sales_pipeline.csv, row 2, column close_value: "-1054" is not an amount of 0 or more.`},
		"won without value":  {edit{deals, "1054", ""}, "sales_pipeline.csv, row 2, column close_value: A value is missing."},
		"lost without date":  {edit{deals, "2017-02-01", ""}, "sales_pipeline.csv, row 4, column close_date: A value is missing."},
		"open with a date":   {edit{deals, "2017-01-02,,", "2017-01-02,2017-02-01,"}, "sales_pipeline.csv, row 3, column close_date: A deal in stage Engaging is open and has none."},
		"open with a value":  {edit{deals, "Prospecting,,,", "Prospecting,,,5"}, "sales_pipeline.csv, row 5, column close_value: A deal in stage Prospecting is open and has none."},
		"closed too early":   {edit{deals, "2017-03-01", "2016-10-19"}, "sales_pipeline.csv, row 2, column close_date: The deal closed before it was engaged, on 2016-10-20."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireRefused(t, folder(t, c.edit), c.want)
		})
	}
}

// requireRefused fails unless a folder is refused with a sentence, with nothing written.
func requireRefused(t *testing.T, dir, want string) {
	t.Helper()
	s := newSystem(t, dbtest.Open(t, "sqlite"))
	before := s.count(t, everything...)
	o := s.Options
	o.Dir = dir
	report, err := seed.Maven(t.Context(), o)
	require.True(t, apperr.Is(err, apperr.Invalid), "%v", err)
	require.Contains(t, apperr.As(err).Message, want)
	require.NotEmpty(t, apperr.As(err).Fields)
	require.Empty(t, report)
	require.Equal(t, before, s.count(t, everything...))
}

func TestMavenWithoutItsFiles(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	requireRefused(t, filepath.Join(dir, "nowhere"), "There is no folder")
	requireRefused(t, filepath.Join(dir, "accounts.csv"), "There is no folder")
	requireRefused(t, "", "There is no folder")
	require.NoError(t, os.Remove(filepath.Join(dir, "accounts.csv")))
	requireRefused(t, dir, "accounts.csv cannot be opened. Give the folder that holds it.")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "accounts.csv"), make([]byte, 17<<20), 0o600))
	requireRefused(t, dir, "accounts.csv is larger than 16 MB.")
}

func TestMavenCountsWhatItDoesNotTell(t *testing.T) {
	t.Parallel()
	rows := strings.Repeat("X,Nobody,Beta,,Engaging,,,\n", 200)
	dir := folder(t, edit{"sales_pipeline.csv", "D1,", rows + "D1,"})
	requireRefused(t, dir, "There are 389 more problems.\nNothing was imported.")
}

func TestMavenReadsWhatSpreadsheetsWrite(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(string) string{
		"CRLF":          func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
		"BOM":           func(s string) string { return "\uFEFF" + s },
		"blank rows":    func(s string) string { return strings.ReplaceAll(s, "\n", "\n\n") },
		"no last break": func(s string) string { return strings.TrimSuffix(s, "\n") },
		"loud header": func(s string) string {
			head, rest, _ := strings.Cut(s, "\n")
			return " " + strings.ToUpper(head) + " \n" + rest
		},
		"more columns": func(s string) string { return strings.ReplaceAll(s, "\n", ",extra\n") },
		"quoted":       func(s string) string { return strings.ReplaceAll(s, "Mother Inc", "\"Mother\nInc\"") },
		"spaces":       func(s string) string { return strings.ReplaceAll(s, ",", " , ") },
		"column order": reversed,
		"empty row cell": func(s string) string {
			return s + strings.Repeat(",", strings.Count(strings.SplitN(s, "\n", 2)[0], ",")) + "\n"
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for file, content := range small {
				require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(change(content)), 0o600))
			}
			s := newSystem(t, dbtest.Open(t, "sqlite"))
			admin := s.admin(t)
			report := s.load(t, dir)
			require.Equal(t, seed.Count{New: 4}, report.Deals)
			require.Equal(t, "Alpha Pro – Mother Inc (D1)", s.dealsByID(t, admin)["D1"].Title)
			if name == "more columns" {
				require.Contains(t, report.Notes, "accounts.csv: not imported: extra.")
			}
		})
	}
}

// reversed turns the order of columns around.
func reversed(content string) string {
	lines := strings.Split(content, "\n")
	for i, line := range lines {
		cells := strings.Split(line, ",")
		for a, b := 0, len(cells)-1; a < b; a, b = a+1, b-1 {
			cells[a], cells[b] = cells[b], cells[a]
		}
		lines[i] = strings.Join(cells, ",")
	}
	return strings.Join(lines, "\n")
}
