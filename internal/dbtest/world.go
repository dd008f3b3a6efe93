package dbtest

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"countersign/audit"
	"countersign/internal/clock"
	"countersign/models"
	"countersign/quoting"
	"countersign/rbac"
	"countersign/store"
)

// Start is when a World begins.
var Start = time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC)

// World is a small organisation with records of each of its people.
//
//	team    people                        companies          deals
//	Alpha   Manager, Sales1, Sales2       Acme (Sales1)      AcmeRenewal, AcmeExpansion (Sales1)
//	                                      Globex (Sales2)    GlobexPilot (Sales2), FerryFleet (Manager)
//	Beta    Manager2, Sales3, Disabled    Harbour (Sales3)   HarbourRollout (Sales3), HarbourAudit (Manager2)
//	none    Admin, Viewer                 Ferry (shared)
//
//	contacts: Amy (Sales1) and Ivy (Sales3) at Acme, Gus (Sales2) at Globex, Ken (Manager) at Ferry, Hana (Sales3) at Harbour
//	tasks:    RingAmy (Sales1), DemoGus (Sales2), TourKen (Manager), SendHana (Sales3), FiledAudit (Manager2, done)
//	quotations, all drafts: QuoteAcme (Sales1), QuoteGlobex (Sales2), QuoteFerry (Manager), QuoteHarbour (Sales3), QuoteAudit (Manager2)
//
// The actors come in through the web. All records were made in the hour before [Start], one second apart,
// in the order of the fields.
type World struct {
	DB         *store.DB
	Clock      *clock.Clock
	Authorizer *rbac.Authorizer
	Gate       *audit.Gate

	Alpha, Beta models.Team

	Admin, Manager, Sales1, Sales2, Sales3, Manager2, Viewer, Disabled models.Actor

	Selling, Renewals            models.Pipeline
	New, Proposal, Won, Lost     models.Stage // of Selling
	Due, Proposal2, Won2, Lost2  models.Stage // of Renewals
	Crane, Pallet, Retired       models.Product
	Acme, Globex, Harbour, Ferry models.Company
	AcmeRenewal, AcmeExpansion   models.Deal
	GlobexPilot, FerryFleet      models.Deal
	HarbourRollout, HarbourAudit models.Deal
	Amy, Ivy, Gus, Ken, Hana     models.Contact
	RingAmy, DemoGus, TourKen    models.Task
	SendHana, FiledAudit         models.Task
	QuoteAcme, QuoteGlobex       models.Quotation
	QuoteFerry, QuoteHarbour     models.Quotation
	QuoteAudit                   models.Quotation

	users map[string]models.User
	tick  time.Duration
}

// NewWorld fills a migrated database.
func NewWorld(t testing.TB, db *store.DB) *World {
	t.Helper()
	authorizer, err := rbac.NewAuthorizer(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	w := &World{DB: db, Clock: clock.At(Start), Authorizer: authorizer, users: map[string]models.User{}}
	w.Gate = audit.NewGate(authorizer, db, w.Clock.Now)
	importer := models.System("importer")
	create := func(p rbac.Permission) rbac.Grant { return w.Grant(t, importer, p) }
	companies, deals := create(rbac.CompanyCreate), create(rbac.DealCreate)
	contacts, tasks, quotations := create(rbac.ContactCreate), create(rbac.TaskCreate), create(rbac.QuotationCreate)
	w.InTx(t, func(tx *store.Tx) {
		w.addPeople(t, tx)
		w.addPipelines(t, tx)
		w.addProducts(t, tx)
		w.addCompanies(t, tx, companies)
		w.addDeals(t, tx, deals)
		w.addContacts(t, tx, contacts)
		w.addTasks(t, tx, tasks)
		w.addQuotations(t, tx, quotations)
	})
	return w
}

// Actors are all who can sign in, by handle.
func (w *World) Actors() map[string]models.Actor {
	return map[string]models.Actor{
		"admin": w.Admin, "manager": w.Manager, "sales1": w.Sales1, "sales2": w.Sales2,
		"sales3": w.Sales3, "manager2": w.Manager2, "viewer": w.Viewer,
	}
}

// User is the user behind an actor, as it was made.
func (w *World) User(a models.Actor) models.User { return w.users[a.UserID] }

// Grant authorizes an actor, and fails the test when that is refused.
func (w *World) Grant(t testing.TB, a models.Actor, p rbac.Permission) rbac.Grant {
	t.Helper()
	g, err := w.Authorizer.Authorize(t.Context(), a, p)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// DealGrants are the rights with which an actor reads deals.
func (w *World) DealGrants(t testing.TB, a models.Actor) store.DealGrants {
	t.Helper()
	return store.DealGrants{Deal: w.Grant(t, a, rbac.DealRead), Company: w.Grant(t, a, rbac.CompanyRead)}
}

// ActivityGrants are the rights with which an actor reads activities.
func (w *World) ActivityGrants(t testing.TB, a models.Actor) store.ActivityGrants {
	t.Helper()
	return store.ActivityGrants{
		Activity: w.Grant(t, a, rbac.ActivityRead), Company: w.Grant(t, a, rbac.CompanyRead), Deal: w.Grant(t, a, rbac.DealRead),
		Quotation: w.Grant(t, a, rbac.QuotationRead),
	}
}

// ContactGrants are the rights with which an actor reads contacts.
func (w *World) ContactGrants(t testing.TB, a models.Actor) store.ContactGrants {
	t.Helper()
	return store.ContactGrants{Contact: w.Grant(t, a, rbac.ContactRead), Company: w.Grant(t, a, rbac.CompanyRead)}
}

// TaskGrants are the rights with which an actor reads tasks.
func (w *World) TaskGrants(t testing.TB, a models.Actor) store.TaskGrants {
	t.Helper()
	return store.TaskGrants{
		Task: w.Grant(t, a, rbac.TaskRead), Company: w.Grant(t, a, rbac.CompanyRead),
		Deal: w.Grant(t, a, rbac.DealRead), Contact: w.Grant(t, a, rbac.ContactRead),
	}
}

// QuotationGrants are the rights with which an actor reads quotations.
func (w *World) QuotationGrants(t testing.TB, a models.Actor) store.QuotationGrants {
	t.Helper()
	return store.QuotationGrants{
		Quotation: w.Grant(t, a, rbac.QuotationRead), Company: w.Grant(t, a, rbac.CompanyRead),
		Contact: w.Grant(t, a, rbac.ContactRead), Deal: w.Grant(t, a, rbac.DealRead),
	}
}

// InTx runs fn in a transaction that must succeed.
func (w *World) InTx(t testing.TB, fn func(tx *store.Tx)) {
	t.Helper()
	err := w.DB.InTx(t.Context(), func(tx *store.Tx) error { fn(tx); return nil })
	if err != nil {
		t.Fatal(err)
	}
}

// View runs fn on a connection that reads.
func (w *World) View(t testing.TB, fn func(r *store.Reader)) {
	t.Helper()
	err := w.DB.View(t.Context(), func(r *store.Reader) error { fn(r); return nil })
	if err != nil {
		t.Fatal(err)
	}
}

// record is the shared part of the next record: each is made a second after the one before.
func (w *World) record() models.Record {
	w.tick += time.Second
	return models.NewRecord(Start.Add(w.tick - time.Hour))
}

func (w *World) addPeople(t testing.TB, tx *store.Tx) {
	t.Helper()
	w.Alpha, w.Beta = w.team(t, tx, "Alpha"), w.team(t, tx, "Beta")
	w.Admin = w.user(t, tx, "admin", "Ada Admin", rbac.AdminRole, nil)
	w.Manager = w.user(t, tx, "manager", "Mei Manager", "manager", &w.Alpha)
	w.Sales1 = w.user(t, tx, "sales1", "Sam Sales", "sales", &w.Alpha)
	w.Sales2 = w.user(t, tx, "sales2", "Siu Ming 小明", "sales", &w.Alpha)
	w.Sales3 = w.user(t, tx, "sales3", "Suki Sales", "sales", &w.Beta)
	w.Manager2 = w.user(t, tx, "manager2", "Max Manager", "manager", &w.Beta)
	w.Viewer = w.user(t, tx, "viewer", "Vera Viewer", "viewer", nil)
	w.Disabled = w.user(t, tx, "disabled", "Dan Disabled", "sales", &w.Beta)
}

func (w *World) team(t testing.TB, tx *store.Tx, name string) models.Team {
	t.Helper()
	r := w.record()
	team := models.Team{ID: r.ID, Name: name, NameKey: models.FoldName(name), CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt}
	must(t, tx.InsertTeam(t.Context(), &team))
	return team
}

// user adds a person whose password nobody can type.
func (w *World) user(t testing.TB, tx *store.Tx, handle, name, role string, team *models.Team) models.Actor {
	t.Helper()
	r := w.record()
	u := models.User{
		ID: r.ID, Email: handle + "@example.test", Name: name, NameKey: models.FoldName(name), PasswordHash: "!", Role: role,
		Lang: "en", Version: 1, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
	}
	if team != nil {
		u.TeamID = &team.ID
	}
	if handle == "disabled" {
		u.DisabledAt = &u.UpdatedAt
	}
	must(t, tx.InsertUser(t.Context(), &u))
	w.users[u.ID] = u
	return models.Actor{UserID: u.ID, Name: u.Name, Via: models.ViaWeb, Lang: u.Lang}
}

func (w *World) addPipelines(t testing.TB, tx *store.Tx) {
	t.Helper()
	w.Selling = w.pipeline(t, tx, "Selling", 1,
		stage("New", "新商機", models.StageOpen, 10), stage("Proposal", "報價", models.StageOpen, 50),
		stage("Won", "贏單", models.StageWon, 100), stage("Lost", "輸單", models.StageLost, 0))
	w.New, w.Proposal, w.Won, w.Lost = w.Selling.Stages[0], w.Selling.Stages[1], w.Selling.Stages[2], w.Selling.Stages[3]
	w.Renewals = w.pipeline(t, tx, "Renewals", 2,
		stage("Due", "待續約", models.StageOpen, 30), stage("Proposal", "報價", models.StageOpen, 60),
		stage("Won", "贏單", models.StageWon, 100), stage("Lost", "輸單", models.StageLost, 0))
	w.Due, w.Proposal2, w.Won2, w.Lost2 = w.Renewals.Stages[0], w.Renewals.Stages[1], w.Renewals.Stages[2], w.Renewals.Stages[3]
}

func stage(name, chinese string, kind models.StageKind, probability int) models.Stage {
	return models.Stage{ID: models.NewID(), Name: name, OtherNames: models.Strings{chinese}, Kind: kind, Probability: probability}
}

func (w *World) pipeline(t testing.TB, tx *store.Tx, name string, position int, stages ...models.Stage) models.Pipeline {
	t.Helper()
	r := w.record()
	p := models.Pipeline{ID: r.ID, Name: name, Position: position, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, Stages: stages}
	for i := range p.Stages {
		p.Stages[i].PipelineID, p.Stages[i].Position = p.ID, i+1
	}
	must(t, tx.InsertPipeline(t.Context(), &p))
	return p
}

func (w *World) addProducts(t testing.TB, tx *store.Tx) {
	t.Helper()
	hkd := models.DefaultCurrency
	crane, pallet := int64(250_000_0000), int64(1_2345)
	w.Crane = models.Product{SKU: "CR-100", Name: "Harbour crane", OtherNames: models.Strings{"碼頭起重機"}, Unit: "unit", PriceE4: &crane, Currency: &hkd, Active: true}
	w.Pallet = models.Product{SKU: "PL-1", Name: "Pallet", OtherNames: models.Strings{"卡板"}, Unit: "piece", PriceE4: &pallet, Currency: &hkd, TaxRateE4: 5_0000, Active: true}
	w.Retired = models.Product{SKU: "OLD-1", Name: "Retired winch", OtherNames: models.Strings{}, Unit: "unit"}
	for _, p := range []*models.Product{&w.Crane, &w.Pallet, &w.Retired} {
		p.Record = w.record()
		must(t, tx.InsertProduct(t.Context(), p))
	}
}

func (w *World) addCompanies(t testing.TB, tx *store.Tx, g rbac.Grant) {
	t.Helper()
	w.Acme = models.Company{Name: "Acme Trading Limited", OtherNames: models.Strings{"艾克美貿易有限公司"}, Status: models.CompanyActive, Phone: "+85221234567", OwnerID: &w.Sales1.UserID}
	w.Globex = models.Company{Name: "Globex Corporation", OtherNames: models.Strings{"環球集團"}, Status: models.CompanyLead, OwnerID: &w.Sales2.UserID}
	w.Harbour = models.Company{Name: "Harbour Foods 海港食品", OtherNames: models.Strings{}, Status: models.CompanyActive, Phone: "+85227654321", OwnerID: &w.Sales3.UserID}
	w.Ferry = models.Company{Name: "Kowloon Ferry", OtherNames: models.Strings{"九龍渡輪"}, Status: models.CompanyActive}
	for _, c := range []*models.Company{&w.Acme, &w.Globex, &w.Harbour, &w.Ferry} {
		c.Record, c.Tags = w.record(), models.Strings{}
		must(t, tx.InsertCompany(t.Context(), g, c))
	}
}

func (w *World) addDeals(t testing.TB, tx *store.Tx, g rbac.Grant) {
	t.Helper()
	closed, june := Start.Add(-24*time.Hour), models.Date("2026-06-30")
	externalID := "D-1001"
	w.AcmeRenewal = deal("Acme renewal", w.New, w.Sales1, &w.Acme, "120000.00")
	w.AcmeRenewal.ExternalID, w.AcmeRenewal.ProductID, w.AcmeRenewal.ExpectedCloseDate = &externalID, &w.Crane.ID, &june
	w.AcmeExpansion = deal("Acme expansion", w.Proposal, w.Sales1, &w.Acme, "")
	w.GlobexPilot = deal("Globex pilot 試用", w.Proposal, w.Sales2, &w.Globex, "8000.50")
	w.FerryFleet = deal("Ferry fleet", w.Proposal2, w.Manager, &w.Ferry, "300000.00")
	w.HarbourRollout = deal("Harbour rollout", w.Won, w.Sales3, &w.Harbour, "45000.00")
	w.HarbourRollout.ClosedAt = &closed
	w.HarbourAudit = deal("Harbour audit", w.Lost2, w.Manager2, nil, "1000.00")
	w.HarbourAudit.ClosedAt, w.HarbourAudit.LostReason = &closed, "Price"
	for _, d := range []*models.Deal{&w.AcmeRenewal, &w.AcmeExpansion, &w.GlobexPilot, &w.FerryFleet, &w.HarbourRollout, &w.HarbourAudit} {
		d.Record = w.record()
		must(t, tx.InsertDeal(t.Context(), g, d))
	}
}

func deal(title string, s models.Stage, owner models.Actor, company *models.Company, hkd string) models.Deal {
	d := models.Deal{Title: title, PipelineID: s.PipelineID, StageID: s.ID, OwnerID: owner.UserID}
	if company != nil {
		d.CompanyID = &company.ID
	}
	if hkd != "" {
		d.SetAmount(&models.Money{Minor: decimal.RequireFromString(hkd).Shift(2).IntPart(), Currency: models.DefaultCurrency})
	}
	return d
}

func (w *World) addContacts(t testing.TB, tx *store.Tx, g rbac.Grant) {
	t.Helper()
	w.Amy = contact("Amy Fong 方詠詩", "Buyer", w.Sales1, &w.Acme, "amy@acme.test", "+85291234567")
	w.Amy.Language = models.ContactChinese
	w.Ivy = contact("Ivy Yuen", "Director", w.Sales3, &w.Acme, "ivy@acme.test", "+85291112222")
	w.Gus = contact("Gus Olsen", "", w.Sales2, &w.Globex, "gus@globex.test", "")
	w.Ken = contact("Ken Poon", "Captain", w.Manager, &w.Ferry, "", "")
	w.Hana = contact("Hana Mori", "Chef", w.Sales3, &w.Harbour, "hana@harbour.test", "+85298765432")
	for _, c := range []*models.Contact{&w.Amy, &w.Ivy, &w.Gus, &w.Ken, &w.Hana} {
		c.Record = w.record()
		must(t, tx.InsertContact(t.Context(), g, c))
	}
}

func contact(name, title string, owner models.Actor, company *models.Company, email, phone string) models.Contact {
	return models.Contact{
		Name: name, JobTitle: title, CompanyID: &company.ID, Email: email, Phone: phone, WhatsApp: phone, OwnerID: owner.UserID,
	}
}

func (w *World) addTasks(t testing.TB, tx *store.Tx, g rbac.Grant) {
	t.Helper()
	tomorrow, done := Start.Add(24*time.Hour), Start.Add(-48*time.Hour)
	w.RingAmy = models.Task{
		Title: "Ring Amy back 回電", DueAt: &tomorrow, AssigneeID: w.Sales1.UserID,
		CompanyID: &w.Acme.ID, DealID: &w.AcmeRenewal.ID, ContactID: &w.Amy.ID,
	}
	w.DemoGus = models.Task{Title: "Demo for Gus", AssigneeID: w.Sales2.UserID, DealID: &w.GlobexPilot.ID}
	w.TourKen = models.Task{Title: "Tour of the pier", AssigneeID: w.Manager.UserID, ContactID: &w.Ken.ID}
	w.SendHana = models.Task{Title: "Send the menu", AssigneeID: w.Sales3.UserID, CompanyID: &w.Harbour.ID}
	w.FiledAudit = models.Task{Title: "File the papers", AssigneeID: w.Manager2.UserID, DoneAt: &done}
	for _, task := range []*models.Task{&w.RingAmy, &w.DemoGus, &w.TourKen, &w.SendHana, &w.FiledAudit} {
		task.Record = w.record()
		must(t, tx.InsertTask(t.Context(), g, task))
	}
}

func (w *World) addQuotations(t testing.TB, tx *store.Tx, g rbac.Grant) {
	t.Helper()
	w.QuoteAcme = w.quotation(w.Sales1, w.Acme, 2)
	w.QuoteAcme.ContactID, w.QuoteAcme.DealID = &w.Amy.ID, &w.AcmeRenewal.ID
	w.QuoteGlobex, w.QuoteFerry = w.quotation(w.Sales2, w.Globex, 1), w.quotation(w.Manager, w.Ferry, 3)
	w.QuoteHarbour, w.QuoteAudit = w.quotation(w.Sales3, w.Harbour, 1), w.quotation(w.Manager2, w.Harbour, 4)
	for _, q := range []*models.Quotation{&w.QuoteAcme, &w.QuoteGlobex, &w.QuoteFerry, &w.QuoteHarbour, &w.QuoteAudit} {
		q.Record = w.record()
		must(t, quoting.Calculate(q))
		must(t, tx.InsertQuotation(t.Context(), g, q))
	}
}

// quotation is a draft of some cranes.
func (w *World) quotation(owner models.Actor, company models.Company, cranes int64) models.Quotation {
	return models.Quotation{
		Revision: 1, Status: models.QuotationDraft, CompanyID: company.ID, OwnerID: owner.UserID, Currency: models.DefaultCurrency,
		Items: []models.QuotationItem{{
			ProductID: &w.Crane.ID, SKU: w.Crane.SKU, Name: w.Crane.Name, Unit: w.Crane.Unit, QuantityE4: cranes * 10_000, PriceE4: *w.Crane.PriceE4,
		}},
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
