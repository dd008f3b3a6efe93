package seed_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/accounts"
	"countersign/apperr"
	"countersign/crm"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/resolve"
	"countersign/seed"
	"countersign/store"
)

// typo is how the real data set spells one of its sectors.
const typo = "technolgy" //nolint:misspell // that is the point

// small is a data set of the layout, invented here: two teams, two products, a company and its daughter, a deal per stage.
var small = map[string]string{
	"sales_teams.csv": "sales_agent,manager,regional_office\n" +
		"Ann-Marie Ho,Mona Boss,East\nBen O'Déa,Mona Boss,East\nCleo Tam,Nils Boss,West\nNils Boss,Nils Boss,West\n",
	"products.csv": "product,series,sales_price\nAlpha Pro,A,100\nBeta,B,2.5\n",
	"accounts.csv": "account,sector,year_established,revenue,employees,office_location,subsidiary_of\n" +
		"Daughter,retail,2001,1.5,20,Kenya,Mother Inc\nMother Inc," + typo + ",1990,1100.04,2822,United States,\n",
	"sales_pipeline.csv": "opportunity_id,sales_agent,product,account,deal_stage,engage_date,close_date,close_value\n" +
		"D1,Ann-Marie Ho,AlphaPro,Mother Inc,Won,2016-10-20,2017-03-01,1054\n" +
		"D2,Ben O'Déa,Beta,,Engaging,2017-01-02,,\n" +
		"D3,Cleo Tam,beta,Daughter,Lost,2017-01-03,2017-02-01,0\n" +
		"D4,Nils Boss,Alpha Pro,,Prospecting,,,\n",
}

// edit replaces a text in a file of the small data set.
type edit struct{ file, old, new string }

// folder writes the small data set, edited.
func folder(t *testing.T, edits ...edit) string {
	t.Helper()
	files := maps.Clone(small)
	for _, e := range edits {
		require.Contains(t, files[e.file], e.old)
		files[e.file] = strings.Replace(files[e.file], e.old, e.new, 1)
	}
	dir := t.TempDir()
	for name, content := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	return dir
}

func (s *system) load(t *testing.T, dir string) seed.Report {
	t.Helper()
	o := s.Options
	o.Dir, o.Password = dir, "a first password"
	report, err := seed.Maven(t.Context(), o)
	require.NoError(t, err)
	return report
}

func (s *system) admin(t *testing.T) models.Actor {
	t.Helper()
	_, err := s.Accounts.CreateUser(t.Context(), accounts.UserInput{Email: "admin@example.test", Name: "Ada Admin", Role: "admin"})
	require.NoError(t, err)
	return s.person(t, "admin@example.test")
}

// dealsByID are all deals by external id.
func (s *system) dealsByID(t *testing.T, actor models.Actor) map[string]store.DealView {
	t.Helper()
	deals := map[string]store.DealView{}
	for _, d := range s.dealsOf(t, actor, store.DealFilter{}) {
		deals[*d.ExternalID] = d
	}
	return deals
}

func TestMavenReadsEveryColumn(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		s := newSystem(t, db)
		admin := s.admin(t)
		report := s.load(t, folder(t))
		require.Equal(t, seed.Report{
			Teams: seed.Count{New: 2}, Users: seed.Count{New: 5}, Products: seed.Count{New: 2}, Companies: seed.Count{New: 2},
			Pipelines: seed.Count{New: 1}, Deals: seed.Count{New: 4},
			Notes: []string{
				"sales_teams.csv: not imported: regional_office.",
				"products.csv: not imported: series.",
				`sales_pipeline.csv: the product "AlphaPro" of 1 deals is "Alpha Pro" of products.csv.`,
				`sales_pipeline.csv: the product "beta" of 1 deals is "Beta" of products.csv.`,
			},
		}, report)

		deals := s.dealsByID(t, admin)
		won := deals["D1"]
		require.Equal(t, "Alpha Pro – Mother Inc (D1)", won.Title)
		require.Equal(t, []string{"Mother Inc", "Alpha Pro", "Sales", "Won", "Ann-Marie Ho"},
			[]string{won.CompanyName, won.ProductName, won.PipelineName, won.StageName, won.OwnerName})
		require.Equal(t, &models.Money{Minor: 105400, Currency: "USD"}, won.Amount())
		require.Equal(t, models.Date("2016-10-20").Start(), *won.OpenedAt)
		require.Equal(t, models.Date("2017-03-01").Start(), *won.ClosedAt)

		require.Equal(t, "Beta (D2)", deals["D2"].Title)
		require.Nil(t, deals["D2"].CompanyID)
		require.Nil(t, deals["D2"].Amount())
		require.Nil(t, deals["D2"].ClosedAt)
		require.Equal(t, "Engaging", deals["D2"].StageName)
		require.Equal(t, &models.Money{Currency: "USD"}, deals["D3"].Amount(), "lost deals are worth 0")
		require.Nil(t, deals["D4"].OpenedAt)
		require.Equal(t, "Nils Boss", deals["D4"].OwnerName, "a manager may sell, too")
	})
}

func TestMavenCompaniesProductsAndPeople(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		s := newSystem(t, db)
		admin := s.admin(t)
		s.load(t, folder(t))
		byName := map[string]crm.Company{}
		for _, c := range s.companiesOf(t, admin) {
			byName[c.Name] = c
		}
		mother := byName["Mother Inc"]
		require.Equal(t, typo, mother.Industry, "as the file has it")
		require.Equal(t, "United States", mother.Address)
		require.Equal(t, "Established: 1990\nAnnual revenue: US$1,100.04 million\nEmployees: 2822", mother.Notes)
		require.Nil(t, mother.OwnerID, "shared")
		require.Nil(t, mother.ParentID)
		require.Equal(t, mother.ID, *byName["Daughter"].ParentID)

		for text, want := range map[string]string{"ALPHA-PRO": "Alpha Pro", "AlphaPro": "Alpha Pro", "beta": "Beta"} {
			match, err := s.resolver.Resolve(t.Context(), admin, resolve.Query{Kind: models.TypeProduct, Text: text, ForWrite: true})
			require.NoError(t, err)
			require.Equal(t, want, match.Ref.Name)
			require.Equal(t, resolve.HowExact, match.How)
		}
		for email, want := range map[string][2]string{
			"mona.boss@maven.example": {"manager", "Mona Boss"}, "ann-marie.ho@maven.example": {"sales", "Mona Boss"},
			"ben.odea@maven.example": {"sales", "Mona Boss"}, "nils.boss@maven.example": {"manager", "Nils Boss"},
		} {
			_, me, err := s.Accounts.Login(t.Context(), accounts.LoginInput{Email: email, Password: "a first password"})
			require.NoError(t, err, email)
			require.Equal(t, want, [2]string{me.User.Role, me.User.TeamName}, email)
		}
		var managed int
		require.NoError(t, dbtest.Raw(t, db).QueryRowContext(t.Context(),
			"SELECT COUNT(*) FROM teams JOIN users ON users.id = teams.manager_id AND users.name = teams.name AND users.team_id = teams.id").Scan(&managed))
		require.Equal(t, 2, managed)
	})
}

func TestMavenWithoutAPassword(t *testing.T) {
	t.Parallel()
	s := newSystem(t, dbtest.Open(t, "sqlite"))
	o := s.Options
	o.Dir = folder(t)
	_, err := seed.Maven(t.Context(), o)
	require.NoError(t, err)
	_, _, err = s.Accounts.Login(t.Context(), accounts.LoginInput{Email: "cleo.tam@maven.example"})
	require.True(t, apperr.HasCode(err, accounts.CodeInvalidCredentials))

	o = newSystem(t, dbtest.Open(t, "sqlite")).Options
	o.Dir, o.Password = folder(t), "short"
	_, err = seed.Maven(t.Context(), o)
	require.ErrorContains(t, err, "A password needs")
}

// What people have changed since stays; only what is new in the files is added.
func TestMavenAgainAddsWhatIsNew(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		s := newSystem(t, db)
		admin := s.admin(t)
		s.load(t, folder(t))
		deal := s.dealsByID(t, admin)["D2"]
		_, err := s.deals.Update(t.Context(), admin, deal.ID, deal.Version, crm.DealPatch{Title: models.Some("Renamed")})
		require.NoError(t, err)
		for _, c := range s.companiesOf(t, admin) {
			_, err := s.companies.Update(t.Context(), admin, c.ID, c.Version, crm.CompanyPatch{Name: models.Some("Renamed " + c.Name)})
			require.NoError(t, err)
		}
		require.NoError(t, s.Accounts.DisableUser(t.Context(), "cleo.tam@maven.example"))
		before := s.count(t, everything...)

		report := s.load(t, folder(t))
		require.False(t, report.Changed())
		require.Contains(t, report.String(), "deals: 0 new, 4 there already\n")
		require.Equal(t, before, s.count(t, everything...))

		report = s.load(t, folder(t, edit{"sales_pipeline.csv", "D4,", "D5,Mona Boss,Beta,Daughter,Won,2017-05-01,2017-05-02,9\nD4,"}))
		require.Equal(t, seed.Count{New: 1, Known: 4}, report.Deals)
		require.Equal(t, seed.Count{Known: 2}, report.Companies)
		deals := s.dealsByID(t, admin)
		require.Equal(t, "Renamed", deals["D2"].Title)
		require.Equal(t, "Renamed Daughter", deals["D5"].CompanyName)
	})
}

// What only the database can refuse undoes all of it.
func TestMavenIsAllOrNothing(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		s := newSystem(t, db)
		s.load(t, folder(t))
		require.NoError(t, s.Accounts.DisableUser(t.Context(), "cleo.tam@maven.example"))
		before := s.count(t, everything...)
		o := s.Options
		o.Dir = folder(t, edit{"sales_pipeline.csv", "D4,", "D5,Cleo Tam,Beta,,Engaging,2017-05-01,,\nD4,"},
			edit{"products.csv", "Beta,", "Gamma,C,7\nBeta,"}, edit{"sales_teams.csv", "Cleo", "Dora New,Olga Boss,West\nCleo"})
		_, err := seed.Maven(t.Context(), o)
		require.True(t, apperr.Is(err, apperr.Conflict), "%v", err)
		require.ErrorContains(t, err, "Cleo Tam, such as D5")
		require.Equal(t, before, s.count(t, everything...))
	})
}

func TestMavenKeepsOutOfAnotherPipeline(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		s := newSystem(t, db)
		require.NoError(t, db.InTx(t.Context(), func(tx *store.Tx) error {
			return tx.InsertPipeline(t.Context(), &models.Pipeline{ID: models.NewID(), Name: "Sales", CreatedAt: s.Now(), UpdatedAt: s.Now()})
		}))
		before := s.count(t, everything...)
		o := s.Options
		o.Dir = folder(t)
		_, err := seed.Maven(t.Context(), o)
		require.ErrorContains(t, err, `There is a pipeline "Sales" without a stage "Prospecting"`)
		require.Equal(t, before, s.count(t, everything...))
	})
}

// The demo data and the data set live side by side.
func TestMavenBesideTheDemo(t *testing.T) {
	t.Parallel()
	s, _ := newDemo(t, dbtest.Open(t, "sqlite"))
	report := s.load(t, folder(t))
	require.Equal(t, seed.Count{New: 4}, report.Deals)
	require.Equal(t, map[string]int{"pipelines": 3, "deals": 154}, s.count(t, "pipelines", "deals"))
}
