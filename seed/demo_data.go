package seed

import (
	"embed"
	"io/fs"

	"countersign/accounts"
	"countersign/models"
	"countersign/rbac"
)

// demoFiles are the tables of the demo data. Companies are named by a short name, products by SKU, owners by the part
// of their address before the "@"; a company without an owner is shared. Days are counted from today: opened, closed,
// days_ago, late and done back, due and valid ahead; discounts are in percent. All companies, people and numbers are invented.
//
//go:embed demo/*.csv
var demoFiles embed.FS

// demoData are the tables, and what is found wrong with them, then or when their values are used.
type demoData struct {
	products, companies, contacts, deals, activities, tasks, quotations, quotationItems *table

	wrong *problems
}

func readDemo() (*demoData, error) {
	files, err := fs.Sub(demoFiles, "demo")
	if err != nil {
		return nil, err
	}
	data := &demoData{wrong: &problems{}}
	for _, part := range []struct {
		into    **table
		name    string
		columns []string
	}{
		{&data.products, "products.csv", []string{"sku", "name", "chinese", "unit", "price", "currency"}},
		{&data.companies, "companies.csv", []string{
			"short", "name", "chinese", "industry", "status", "owner", "website", "phone", "address", "tag",
		}},
		{&data.contacts, "contacts.csv", []string{"name", "company", "owner", "title", "email", "phone", "whatsapp", "language"}},
		{&data.deals, "deals.csv", []string{
			"title", "company", "owner", "pipeline", "stage", "product", "amount", "currency", "opened", "due", "closed", "lost_reason",
		}},
		{&data.activities, "activities.csv", []string{"days_ago", "kind", "company", "deal", "subject", "body"}},
		{&data.quotations, "quotations.csv", []string{"deal", "status", "valid", "discount", "notes"}},
		{&data.quotationItems, "quotation_items.csv", []string{"deal", "product", "name", "quantity", "price", "discount"}},
		{&data.tasks, "tasks.csv", []string{"title", "assignee", "due", "late", "done", "company", "deal", "contact"}},
	} {
		if *part.into, err = readTable(files, part.name, data.wrong, part.columns...); err != nil {
			return nil, err
		}
	}
	return data, data.wrong.err()
}

const (
	kowloonTeam = "Kowloon 九龍組"
	islandTeam  = "Hong Kong Island 港島組"
)

// demoTeams are the teams, with the handles of their managers.
func demoTeams() map[string]string {
	return map[string]string{kowloonTeam: "manager", islandTeam: "admin"}
}

// demoPeople are the demo accounts; TeamID holds the name of the team.
func demoPeople() []accounts.UserInput {
	people := []accounts.UserInput{
		{Email: "admin", Name: "Wong Mei Ling 王美玲", Role: rbac.AdminRole, TeamID: islandTeam, Lang: "en"},
		{Email: "manager", Name: "Lau Kwok Keung 劉國強", Role: "manager", TeamID: kowloonTeam, Lang: "en"},
		{Email: "sales", Name: "Chan Tai Man 陳大文", Role: "sales", TeamID: kowloonTeam, Lang: "en"},
		{Email: "sales2", Name: "Cheung Hiu Tung 張曉彤", Role: "sales", TeamID: islandTeam, Lang: "zh-HK"},
		{Email: "viewer", Name: "Ho Chi Wai 何志偉", Role: "viewer", TeamID: islandTeam, Lang: "en"},
	}
	for i := range people {
		people[i].Email += "@demo.test"
		people[i].Password = DemoPassword
	}
	return people
}

// demoPipelines are the pipelines in order: their names, and their stages.
func demoPipelines() []models.Pipeline {
	return []models.Pipeline{
		{Name: "New business", Stages: []models.Stage{
			demoStage("Enquiry", "查詢", models.StageOpen, 10), demoStage("Qualified", "合資格", models.StageOpen, 25),
			demoStage("Proposal", "報價", models.StageOpen, 50), demoStage("Negotiation", "議價", models.StageOpen, 75),
			demoStage("Won", "贏單", models.StageWon, 100), demoStage("Lost", "輸單", models.StageLost, 0),
		}},
		{Name: "Renewals", Stages: []models.Stage{
			demoStage("Due", "待續約", models.StageOpen, 40), demoStage("Contacted", "已聯絡", models.StageOpen, 60),
			demoStage("Proposal", "報價", models.StageOpen, 80),
			demoStage("Won", "贏單", models.StageWon, 100), demoStage("Lost", "輸單", models.StageLost, 0),
		}},
	}
}

func demoStage(name, chinese string, kind models.StageKind, probability int) models.Stage {
	return models.Stage{Name: name, OtherNames: models.Strings{chinese}, Kind: kind, Probability: probability}
}
