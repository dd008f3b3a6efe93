package seed_test

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

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

func newDemo(t *testing.T, db *store.DB) (*system, seed.Report) {
	t.Helper()
	s := newSystem(t, db)
	started := time.Now()
	report, err := seed.Demo(t.Context(), s.Options)
	require.NoError(t, err)
	t.Logf("the demo data took %v", time.Since(started).Round(time.Millisecond))
	return s, report
}

// statusChanges of the quotations are on their timelines.
const statusChanges = 12

func TestDemoKeepsItsPromises(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		s, report := newDemo(t, db)
		require.Equal(t, seed.Count{New: 2}, report.Teams)
		require.Equal(t, seed.Count{New: 40}, report.Products)
		require.Equal(t, seed.Count{New: 60}, report.Companies)
		require.Equal(t, seed.Count{New: 80}, report.Contacts)
		require.Equal(t, seed.Count{New: 150}, report.Deals)
		require.Equal(t, seed.Count{New: 30}, report.Tasks)
		require.Equal(t, seed.Count{New: 11}, report.Quotations)
		require.Equal(t, map[string]int{
			"users": 5, "teams": 2, "products": 40, "companies": 60, "pipelines": 2, "deals": 150, "activities": report.Activities.New + statusChanges, "contacts": 80, "tasks": 30,
			"quotations": 11,
		}, s.count(t, "users", "teams", "products", "companies", "pipelines", "deals", "activities", "contacts", "tasks", "quotations"))
		s.requirePeople(t)
		s.requirePipelines(t)
		s.requireCompanies(t)
		s.requireDeals(t)
		s.requireOwnOpenDeals(t)
		s.requireActivities(t, report)
		s.requireContacts(t)
		s.requireTasks(t)
		s.requireQuotations(t)
	})
}

func (s *system) requirePeople(t *testing.T) {
	t.Helper()
	teams := map[string]bool{}
	for handle, role := range map[string]string{"admin": "admin", "manager": "manager", "sales": "sales", "sales2": "sales", "viewer": "viewer"} {
		email := handle + "@demo.test"
		require.Contains(t, seed.DemoEmails(), email)
		_, me, err := s.Accounts.Login(t.Context(), accounts.LoginInput{Email: email, Password: "demo-password", Meta: accounts.Meta{IP: "127.0.0.1"}})
		require.NoError(t, err, email)
		require.Equal(t, role, me.User.Role)
		require.Regexp(t, `^[A-Z][a-z]+( [A-Z][a-z]+){2} \p{Han}{3}$`, me.User.Name)
		teams[me.User.TeamName] = true
	}
	require.Len(t, teams, 2)
	_, _, err := s.Accounts.Login(t.Context(), accounts.LoginInput{Email: "sales@demo.test", Password: "demo-passwort"})
	require.True(t, apperr.HasCode(err, accounts.CodeInvalidCredentials))
}

func (s *system) allPipelines(t *testing.T) map[string]models.Pipeline {
	t.Helper()
	list, err := s.pipelines.List(t.Context(), s.person(t, "viewer@demo.test"))
	require.NoError(t, err)
	byID := map[string]models.Pipeline{}
	for _, p := range list {
		byID[p.ID] = p
	}
	return byID
}

func openStages(p models.Pipeline) (n int) {
	for _, stage := range p.Stages {
		if stage.Kind == models.StageOpen {
			n++
		}
	}
	return n
}

func (s *system) requirePipelines(t *testing.T) {
	t.Helper()
	pipelinesOf := map[string]int{}
	for _, p := range s.allPipelines(t) {
		require.GreaterOrEqual(t, openStages(p), 3, p.Name)
		names := map[string]bool{}
		for _, stage := range p.Stages {
			for _, name := range stage.Names() {
				key := models.FoldName(name)
				require.False(t, names[key], "%q is twice in %s", name, p.Name)
				names[key] = true
			}
			require.True(t, hasHan(stage.OtherNames[0]), stage.Name)
			pipelinesOf[stage.Name]++
		}
		require.True(t, names["won"] && names["lost"])
	}
	require.Equal(t, 2, pipelinesOf["Proposal"], "a name may occur in two pipelines")
}

func hasHan(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}

// companiesOf are the companies that an actor sees.
func (s *system) companiesOf(t *testing.T, actor models.Actor) map[string]crm.Company {
	t.Helper()
	list, err := s.companies.List(t.Context(), actor, store.CompanyFilter{}, store.Page{Limit: 200})
	require.NoError(t, err)
	byID := map[string]crm.Company{}
	for _, c := range list.Items {
		byID[c.ID] = c
	}
	return byID
}

// dealsOf are the deals that an actor sees.
func (s *system) dealsOf(t *testing.T, actor models.Actor, f store.DealFilter) []store.DealView {
	t.Helper()
	list, err := s.deals.List(t.Context(), actor, f, store.Page{Limit: 200})
	require.NoError(t, err)
	return list.Items
}

var (
	fictitiousPhone = regexp.MustCompile(`^\+852 2555 \d{4}$`)
	fictitiousSite  = regexp.MustCompile(`^https://www\.[a-z0-9]+\.example$`)
)

func (s *system) requireCompanies(t *testing.T) {
	t.Helper()
	shared, industries, names := 0, map[string]bool{}, map[string]bool{}
	for _, c := range s.companiesOf(t, s.person(t, "admin@demo.test")) {
		require.False(t, hasHan(c.Name), "the main name is English")
		require.True(t, hasHan(c.OtherNames[0]), c.Name)
		require.Regexp(t, fictitiousPhone, c.Phone)
		require.Regexp(t, fictitiousSite, c.Website)
		require.False(t, names[c.Name], c.Name)
		names[c.Name], industries[c.Industry] = true, true
		if c.OwnerID == nil {
			shared++
		}
	}
	require.Positive(t, shared)
	require.GreaterOrEqual(t, len(industries), 10)
}

func (s *system) requireDeals(t *testing.T) {
	t.Helper()
	admin := s.person(t, "admin@demo.test")
	companies, titles, currencies, kinds := s.companiesOf(t, admin), map[string]bool{}, map[string]int{}, map[models.StageKind]int{}
	for _, d := range s.dealsOf(t, admin, store.DealFilter{}) {
		require.False(t, titles[models.FoldName(d.Title)], d.Title)
		titles[models.FoldName(d.Title)] = true
		if owner := companies[*d.CompanyID].OwnerID; owner != nil {
			require.Equal(t, *owner, d.OwnerID, "%s is of the company's owner", d.Title)
		}
		require.NotNil(t, d.ProductID, d.Title)
		require.True(t, d.OpenedAt.Before(s.Now()), d.Title)
		require.Equal(t, d.StageKind != models.StageOpen, d.ClosedAt != nil, d.Title)
		require.Equal(t, d.StageKind == models.StageLost, d.LostReason != "", d.Title)
		if d.ClosedAt != nil {
			require.True(t, d.ClosedAt.After(*d.OpenedAt) && d.ClosedAt.Before(s.Now()), d.Title)
		}
		currency := "none"
		if d.Currency != nil {
			currency = *d.Currency
		}
		currencies[currency]++
		kinds[d.StageKind]++
	}
	require.Greater(t, currencies["HKD"], 100)
	require.Greater(t, currencies["USD"], 5)
	require.Greater(t, currencies["none"], 5)
	require.True(t, kinds[models.StageOpen] > 75 && kinds[models.StageWon] > 20 && kinds[models.StageLost] > 10, kinds)
}

func (s *system) requireOwnOpenDeals(t *testing.T) {
	t.Helper()
	pipelines := s.allPipelines(t)
	for _, email := range []string{"sales@demo.test", "sales2@demo.test", "manager@demo.test"} {
		actor, own := s.person(t, email), 0
		for _, d := range s.dealsOf(t, actor, store.DealFilter{OwnerID: actor.UserID, StageKind: models.StageOpen}) {
			if openStages(pipelines[d.PipelineID]) >= 3 {
				own++
			}
		}
		require.GreaterOrEqual(t, own, 6, email)
	}
	match, err := s.resolver.Resolve(t.Context(), s.person(t, "sales@demo.test"),
		resolve.Query{Kind: models.TypeDeal, Text: "acme renewal", ForWrite: true})
	require.NoError(t, err)
	require.Equal(t, "Acme renewal", match.Ref.Name)
}

func (s *system) requireActivities(t *testing.T, report seed.Report) {
	t.Helper()
	onDeals, onCompanies := 0, 0
	for _, email := range []string{"sales@demo.test", "sales2@demo.test", "manager@demo.test"} {
		actor := s.person(t, email)
		list, err := s.activities.List(t.Context(), actor, store.ActivityFilter{OwnerID: actor.UserID}, store.Page{Limit: 200})
		require.NoError(t, err)
		for _, a := range list.Items {
			if a.QuotationID != nil {
				continue
			}
			require.True(t, a.At.Before(s.Now()), a.Subject)
			if a.DealID != nil {
				require.NotEmpty(t, a.DealTitle, "the owner sees what it is about")
				onDeals++
			} else {
				onCompanies++
			}
		}
	}
	require.Equal(t, report.Activities.New, onDeals+onCompanies)
	require.True(t, onDeals > 50 && onCompanies > 10)
}

var (
	fictitiousMobile = regexp.MustCompile(`^(\+8526555\d{4})?$`)
	fictitiousEmail  = regexp.MustCompile(`^([a-z.]+@[a-z0-9]+\.example)?$`)
)

func (s *system) requireContacts(t *testing.T) {
	t.Helper()
	admin := s.person(t, "admin@demo.test")
	companies, names, chinese := s.companiesOf(t, admin), map[string]bool{}, 0
	list, err := s.contacts.List(t.Context(), admin, store.ContactFilter{}, store.Page{Limit: 200})
	require.NoError(t, err)
	for _, c := range list.Items {
		require.False(t, names[c.Name], c.Name)
		names[c.Name] = true
		require.Regexp(t, fictitiousMobile, c.Phone)
		require.Regexp(t, fictitiousMobile, c.WhatsApp)
		require.Regexp(t, fictitiousEmail, c.Email)
		if owner := companies[*c.CompanyID].OwnerID; owner != nil {
			require.Equal(t, *owner, c.OwnerID, "%s is of the company's owner", c.Name)
		}
		if hasHan(c.Name) {
			chinese++
		}
	}
	require.Greater(t, chinese, 60)
	for id, c := range companies {
		require.True(t, slices.ContainsFunc(list.Items, func(k crm.Contact) bool { return *k.CompanyID == id }), "%s has a contact", c.Name)
	}
}

func (s *system) requireTasks(t *testing.T) {
	t.Helper()
	open, done, overdue, titles := 0, 0, 0, map[string]bool{}
	for _, email := range []string{"sales@demo.test", "sales2@demo.test", "manager@demo.test"} {
		actor := s.person(t, email)
		list, err := s.tasks.List(t.Context(), actor, store.TaskFilter{AssigneeID: actor.UserID}, store.Page{Limit: 200})
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(list.Items), 5, email)
		for _, task := range list.Items {
			require.False(t, titles[task.Title], task.Title)
			titles[task.Title] = true
			require.Equal(t, task.DealID != nil, task.DealTitle != "", "the assignee sees what it is about")
			require.Equal(t, task.ContactID != nil, task.ContactName != "", task.Title)
			switch {
			case task.DoneAt != nil:
				require.True(t, task.DoneAt.Before(s.Now()), task.Title)
				done++
			case task.DueAt != nil && task.DueAt.Before(s.Now()):
				overdue++
			default:
				open++
			}
		}
	}
	require.Equal(t, 30, open+done+overdue)
	require.True(t, open > 15 && done > 5 && overdue > 2, "%d %d %d", open, done, overdue)
}

func (s *system) requireQuotations(t *testing.T) {
	t.Helper()
	statuses := map[models.QuotationStatus]int{}
	for _, email := range []string{"sales@demo.test", "sales2@demo.test", "manager@demo.test"} {
		actor := s.person(t, email)
		list, err := s.quotations.List(t.Context(), actor, store.QuotationFilter{OwnerID: actor.UserID}, store.Page{Limit: 200})
		require.NoError(t, err)
		require.NotEmpty(t, list.Items, email)
		for _, q := range list.Items {
			require.NotEmpty(t, q.DealTitle, "the owner sees what it is about")
			require.Positive(t, q.TotalMinor, q.Number)
			statuses[q.Status]++
		}
	}
	require.Equal(t, map[models.QuotationStatus]int{
		models.QuotationDraft: 3, models.QuotationSent: 4, models.QuotationAccepted: 2, models.QuotationRejected: 1, models.QuotationExpired: 1,
	}, statuses)
}

// everything are the tables that loaders write.
var everything = []string{
	"users", "teams", "products", "companies", "pipelines", "stages", "contacts", "deals", "activities", "tasks", "quotations", "record_names",
	"field_changes",
	"audit_entries", "app_meta",
}

func TestDemoIsMadeOnce(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		s, first := newDemo(t, db)
		require.True(t, first.Changed())
		sales := s.person(t, "sales@demo.test")
		deal := s.dealsOf(t, sales, store.DealFilter{OwnerID: sales.UserID, StageKind: models.StageOpen})[0]
		_, err := s.deals.Update(t.Context(), sales, deal.ID, deal.Version, crm.DealPatch{Title: models.Some("My own title")})
		require.NoError(t, err)
		before := s.count(t, everything...)

		again, err := seed.Demo(t.Context(), newSystem(t, dbtest.Again(t, db)).Options)
		require.NoError(t, err)
		require.False(t, again.Changed())
		require.Contains(t, again.String(), "there since 2026-03-02")
		require.Equal(t, before, s.count(t, everything...))
		kept, err := s.deals.Get(t.Context(), sales, deal.ID)
		require.NoError(t, err)
		require.Equal(t, "My own title", kept.Title)
	})
}

func TestDemoOfTwoServersAtOnce(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		systems := []*system{newSystem(t, db), newSystem(t, dbtest.Again(t, db))}
		reports, errs := make([]seed.Report, 2), make([]error, 2)
		var both sync.WaitGroup
		for i, s := range systems {
			both.Go(func() { reports[i], errs[i] = seed.Demo(t.Context(), s.Options) })
		}
		both.Wait()
		require.NoError(t, errs[0])
		require.NoError(t, errs[1])
		require.NotEqual(t, reports[0].Changed(), reports[1].Changed(), "one of them makes it")
		require.Equal(t, map[string]int{"users": 5, "deals": 150}, systems[0].count(t, "users", "deals"))
	})
}

func TestDemoStaysOutOfADatabaseInUse(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		s := newSystem(t, db)
		_, err := s.Accounts.CreateUser(t.Context(), accounts.UserInput{Email: "real@example.test", Name: "Real", Role: "admin"})
		require.NoError(t, err)
		before := s.count(t, everything...)
		_, err = seed.Demo(t.Context(), s.Options)
		require.True(t, apperr.HasCode(err, seed.CodeDemoRefused), "%v", err)
		require.Equal(t, before, s.count(t, everything...))
	})
}

func TestDemoIsTheSameInBothDialects(t *testing.T) {
	t.Parallel()
	told := map[string]string{}
	for _, dialect := range dbtest.Dialects {
		s, report := newDemo(t, dbtest.Open(t, dialect))
		var b strings.Builder
		b.WriteString(report.String())
		for _, d := range s.dealsOf(t, s.person(t, "viewer@demo.test"), store.DealFilter{}) {
			b.WriteString(strings.Join([]string{d.Title, d.CompanyName, d.ProductName, d.PipelineName, d.StageName, d.OwnerName, d.LostReason, d.OpenedAt.String()}, "|"))
			if d.Amount() != nil {
				b.WriteString(d.Amount().String())
			}
			b.WriteString("\n")
		}
		told[dialect] = b.String()
	}
	require.Equal(t, told["sqlite"], told["postgres"])
}

func TestDemoIsOnRecord(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		newDemo(t, db)
		raw := dbtest.Raw(t, db)
		for query, want := range map[string]int{
			"SELECT COUNT(*) FROM audit_entries WHERE action = 'deal:create' AND actor_name = 'importer'":        150,
			"SELECT COUNT(*) FROM audit_entries WHERE action = 'demo:create' AND decision = 'allowed'":           1,
			"SELECT COUNT(DISTINCT record_id) FROM field_changes WHERE record_type = 'deal' AND field = 'title'": 150,
			"SELECT COUNT(*) FROM audit_entries WHERE action = 'activity:create' AND actor_name = 'importer'":    0,
			"SELECT COUNT(DISTINCT password_hash) FROM users":                                                    1,
		} {
			var got int
			require.NoError(t, raw.QueryRowContext(t.Context(), query).Scan(&got))
			require.Equal(t, want, got, query)
		}
	})
}

func TestLoadersNeedTheirParts(t *testing.T) {
	t.Parallel()
	_, err := seed.Demo(t.Context(), seed.Options{})
	require.ErrorContains(t, err, "are needed")
	_, err = seed.Maven(t.Context(), seed.Options{})
	require.ErrorContains(t, err, "are needed")
}
