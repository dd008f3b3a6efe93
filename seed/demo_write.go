package seed

import (
	"context"
	"strings"
	"time"

	"countersign/apperr"
	"countersign/crm"
	"countersign/models"
	"countersign/store"
)

// fresh reports whether there is anything to do, and refuses where there are users who are not of the demo.
func (l *demoLoad) fresh(ctx context.Context) (bool, error) {
	made, err := l.tx.Meta(ctx, demoKey)
	if err != nil {
		return false, err
	}
	if made != "" {
		l.report.Notes = []string{"The demo data is there since " + made + "."}
		return false, nil
	}
	empty, err := l.accounts.NeedsSetup(ctx)
	if err == nil && !empty {
		err = apperr.New(apperr.Conflict, CodeDemoRefused,
			"This database has users already, and demo accounts have a password that everybody knows. Start without --demo, or with another database or data folder.")
	}
	return empty, err
}

func (l *demoLoad) addPeople(ctx context.Context) error {
	people, teams := demoPeople(), map[string]string{}
	for i := range people {
		name := people[i].TeamID
		if teams[name] == "" {
			id, err := l.addTeam(ctx, name)
			if err != nil {
				return err
			}
			teams[name] = id
		}
		people[i].TeamID = teams[name]
	}
	users, err := l.addUsers(ctx, people)
	if err != nil {
		return err
	}
	for _, u := range users {
		handle, _, _ := strings.Cut(u.Email, "@")
		l.people[handle] = u
	}
	for name, handle := range demoTeams() {
		if err := l.accounts.SetTeamManager(ctx, teams[name], l.people[handle].ID); err != nil {
			return err
		}
	}
	return nil
}

func (l *demoLoad) addProducts(ctx context.Context) error {
	for _, row := range l.data.products.rows {
		p := models.Product{SKU: row.get("sku"), Name: row.get("name"), OtherNames: models.Strings{row.get("chinese")}, Unit: row.get("unit")}
		id, err := l.addProduct(ctx, p, row.money("price", row.get("currency")))
		if err != nil {
			return err
		}
		l.productIDs[p.SKU] = id
	}
	return nil
}

func (l *demoLoad) addPipelines(ctx context.Context) error {
	for _, p := range demoPipelines() {
		made, err := l.addPipeline(ctx, p.Name, p.Stages)
		if err != nil {
			return err
		}
		for _, stage := range made.Stages {
			l.stages[[2]string{p.Name, stage.Name}] = stage
		}
	}
	return nil
}

func (l *demoLoad) addCompanies(ctx context.Context) error {
	for _, row := range l.data.companies.rows {
		owner := row.get("owner")
		company, err := l.companies.Create(ctx, importer(), crm.CompanyInput{
			Name: row.get("name"), OtherNames: []string{row.get("chinese")}, Industry: row.get("industry"),
			Status: models.CompanyStatus(row.get("status")), Website: row.get("website"), Phone: row.get("phone"), Address: row.get("address"),
			OwnerID: idOrNil(l.people[owner].ID), Unowned: owner == "", Tags: []string{row.get("tag")},
		})
		if err != nil {
			return err
		}
		l.report.Companies.New++
		l.companyRecords[row.get("short")] = ownedCompany{company.ID, owner}
	}
	return nil
}

func (l *demoLoad) addContacts(ctx context.Context) error {
	for _, row := range l.data.contacts.rows {
		contact, err := l.contacts.Create(ctx, importer(), crm.ContactInput{
			Name: row.get("name"), CompanyID: idOrNil(l.companyRecords[row.get("company")].id), JobTitle: row.get("title"), Email: row.get("email"),
			Phone: row.get("phone"), WhatsApp: row.get("whatsapp"), Language: models.ContactLanguage(row.get("language")),
			OwnerID: l.people[row.get("owner")].ID,
		})
		if err != nil {
			return err
		}
		l.report.Contacts.New++
		l.contactIDs[contact.Name] = contact.ID
	}
	return nil
}

func (l *demoLoad) addDeals(ctx context.Context) error {
	rows := l.data.deals.rows
	inputs := make([]crm.DealInput, len(rows))
	for i, row := range rows {
		inputs[i] = l.dealInput(row)
	}
	if err := l.deals.CreateMany(ctx, importer(), inputs); err != nil {
		return err
	}
	l.report.Deals.New = len(inputs)
	return walk(func(p store.Page) (store.List[store.DealView], error) {
		return l.deals.List(ctx, importer(), store.DealFilter{}, p)
	}, func(d store.DealView) { l.dealRecords[d.Title] = d.Deal })
}

func (l *demoLoad) dealInput(row row) crm.DealInput {
	stage := l.stages[[2]string{row.get("pipeline"), row.get("stage")}]
	return crm.DealInput{
		Title: row.get("title"), CompanyID: idOrNil(l.companyRecords[row.get("company")].id), ProductID: idOrNil(l.productIDs[row.get("product")]),
		PipelineID: stage.PipelineID, StageID: stage.ID, Amount: row.money("amount", row.get("currency")),
		OpenedAt: l.ago(row, "opened"), ExpectedCloseDate: l.ahead(row, "due"), ClosedAt: l.ago(row, "closed"),
		OwnerID: l.people[row.get("owner")].ID, LostReason: row.get("lost_reason"),
	}
}

// ago is ten o'clock in the morning some days ago.
func (l *demoLoad) ago(row row, column string) *time.Time {
	days := row.whole(column)
	if days == 0 {
		return nil
	}
	at := l.today.AddDate(0, 0, -days).Add(10 * time.Hour)
	return &at
}

// ahead is a day that is some days ahead.
func (l *demoLoad) ahead(row row, column string) *models.Date {
	days := row.whole(column)
	if days == 0 {
		return nil
	}
	day := models.DateOf(l.today.AddDate(0, 0, days))
	return &day
}

// addActivities logs activities in the name of who owns what they are about.
func (l *demoLoad) addActivities(ctx context.Context) error {
	for _, row := range l.data.activities.rows {
		company, deal := l.companyRecords[row.get("company")], l.dealRecords[row.get("deal")]
		owner := l.people[company.owner]
		if deal.ID != "" {
			owner = l.ownerOf(deal)
		}
		_, err := l.activities.Create(ctx, inNameOf(owner), crm.ActivityInput{
			Kind: models.ActivityKind(row.get("kind")), Subject: row.get("subject"), Body: row.get("body"), At: l.ago(row, "days_ago"),
			CompanyID: idOrNil(company.id), DealID: idOrNil(deal.ID),
		})
		if err != nil {
			return err
		}
		l.report.Activities.New++
	}
	return nil
}

func (l *demoLoad) ownerOf(deal models.Deal) (owner models.User) {
	for _, u := range l.people {
		if u.ID == deal.OwnerID {
			owner = u
		}
	}
	return owner
}

func inNameOf(u models.User) models.Actor {
	return models.Actor{UserID: u.ID, Name: u.Name, Via: models.ViaImport}
}

func (l *demoLoad) addTasks(ctx context.Context) error {
	for _, row := range l.data.tasks.rows {
		_, err := l.tasks.Create(ctx, importer(), crm.TaskInput{
			Title: row.get("title"), AssigneeID: l.people[row.get("assignee")].ID, DueAt: l.dueAt(row), DoneAt: l.ago(row, "done"),
			CompanyID: idOrNil(l.companyRecords[row.get("company")].id), DealID: idOrNil(l.dealRecords[row.get("deal")].ID),
			ContactID: idOrNil(l.contactIDs[row.get("contact")]),
		})
		if err != nil {
			return err
		}
		l.report.Tasks.New++
	}
	return nil
}

// dueAt is six o'clock in the evening of the day on which a task is due, or was.
func (l *demoLoad) dueAt(row row) *time.Time {
	if row.get("due")+row.get("late") == "" {
		return nil
	}
	at := l.today.AddDate(0, 0, row.whole("due")-row.whole("late")).Add(18 * time.Hour)
	return &at
}
