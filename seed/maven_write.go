package seed

import (
	"context"
	"fmt"
	"slices"
	"time"

	"countersign/accounts"
	"countersign/apperr"
	"countersign/crm"
	"countersign/models"
	"countersign/store"
)

// dealBatch is how many deals are added at once.
const dealBatch = 500

// addPeople adds a team for each manager, under the manager's name, and everybody with their role and team.
func (l *mavenLoad) addPeople(ctx context.Context) error {
	teams := map[string]string{}
	for _, name := range l.data.managers {
		id, err := l.team(ctx, name)
		if err != nil {
			return err
		}
		teams[name] = id
	}
	var missing []accounts.UserInput
	for _, p := range l.data.staff {
		user, err := l.findUser(ctx, emailOf(p.name))
		if err != nil {
			return err
		}
		if user.ID != "" {
			l.people[p.name] = user
			l.report.Users.Known++
			continue
		}
		missing = append(missing, accounts.UserInput{
			Email: emailOf(p.name), Name: p.name, Password: l.password, Role: p.role, TeamID: teams[p.manager],
		})
	}
	return l.hire(ctx, missing, teams)
}

// team is the id of a manager's team, which is added when there is none.
func (l *mavenLoad) team(ctx context.Context, manager string) (string, error) {
	id, err := l.findTeam(ctx, manager)
	if err != nil {
		return "", err
	}
	if id == "" {
		return l.addTeam(ctx, manager)
	}
	l.report.Teams.Known++
	return id, nil
}

// hire adds users, and names the managers among them as those of their teams.
func (l *mavenLoad) hire(ctx context.Context, missing []accounts.UserInput, teams map[string]string) error {
	users, err := l.addUsers(ctx, missing)
	if err != nil {
		return err
	}
	for _, u := range users {
		l.people[u.Name] = u
		if team := teams[u.Name]; team != "" {
			if err := l.accounts.SetTeamManager(ctx, team, u.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// addProducts knows products by SKU.
func (l *mavenLoad) addProducts(ctx context.Context) error {
	known := map[string]string{}
	err := walk(func(p store.Page) (store.List[models.Product], error) {
		return l.products.List(ctx, importer(), "", p)
	}, func(p models.Product) { known[p.SKU] = p.ID })
	if err != nil {
		return err
	}
	for _, p := range l.data.products {
		if l.productIDs[p.name] = known[p.sku]; known[p.sku] != "" {
			l.report.Products.Known++
			continue
		}
		fresh := models.Product{SKU: p.sku, Name: p.name, OtherNames: p.spellings, Unit: "unit"}
		if l.productIDs[p.name], err = l.addProduct(ctx, fresh, p.price); err != nil {
			return err
		}
	}
	return nil
}

// addCompanies knows companies by external id, which is the account's name in the files. They are shared.
func (l *mavenLoad) addCompanies(ctx context.Context) error {
	err := walk(func(p store.Page) (store.List[crm.Company], error) {
		return l.companies.List(ctx, importer(), store.CompanyFilter{}, p)
	}, func(c crm.Company) {
		if c.ExternalID != nil {
			l.companyIDs[*c.ExternalID] = c.ID
		}
	})
	if err != nil {
		return err
	}
	for _, a := range l.data.accounts {
		if l.companyIDs[a.name] != "" {
			l.report.Companies.Known++
			continue
		}
		company, err := l.companies.Create(ctx, importer(), crm.CompanyInput{
			Name: a.name, ExternalID: a.name, Industry: a.sector, Status: models.CompanyActive, Address: a.office,
			ParentID: idOrNil(l.companyIDs[a.parent]), Unowned: true, Notes: a.notes,
		})
		if err != nil {
			return err
		}
		l.report.Companies.New++
		l.companyIDs[a.name] = company.ID
	}
	return nil
}

// pipelineName is that of the data set's pipeline.
const pipelineName = "Sales"

// addStages takes the pipeline that an earlier import has made, if it still has all stages in their meaning.
func (l *mavenLoad) addStages(ctx context.Context) error {
	pipelines, err := l.pipelines.List(ctx, importer())
	if err != nil {
		return err
	}
	var pipeline *models.Pipeline
	if i := slices.IndexFunc(pipelines, func(p models.Pipeline) bool { return p.Name == pipelineName }); i >= 0 {
		pipeline = &pipelines[i]
		l.report.Pipelines.Known++
	} else if pipeline, err = l.addPipeline(ctx, pipelineName, mavenStages()); err != nil {
		return err
	}
	l.pipelineID = pipeline.ID
	for _, wanted := range mavenStages() {
		i := slices.IndexFunc(pipeline.Stages, func(s models.Stage) bool { return s.Name == wanted.Name && s.Kind == wanted.Kind })
		if i < 0 {
			return apperr.New(apperr.Conflict, "PIPELINE_DIFFERS", fmt.Sprintf(
				"There is a pipeline %q without a stage %q of kind %s. Rename the pipeline, then import again.", pipelineName, wanted.Name, wanted.Kind))
		}
		l.stageIDs[wanted.Name] = pipeline.Stages[i].ID
	}
	return nil
}

// addDeals adds the deals whose external ids are new.
func (l *mavenLoad) addDeals(ctx context.Context) error {
	known := map[string]bool{}
	err := walk(func(p store.Page) (store.List[store.DealView], error) {
		return l.deals.List(ctx, importer(), store.DealFilter{}, p)
	}, func(d store.DealView) {
		if d.ExternalID != nil {
			known[*d.ExternalID] = true
		}
	})
	if err != nil {
		return err
	}
	fresh := slices.DeleteFunc(slices.Clone(l.data.deals), func(d opportunity) bool { return known[d.id] })
	for _, d := range fresh {
		if l.people[d.agent].DisabledAt != nil {
			return apperr.New(apperr.Conflict, "OWNER_DISABLED", fmt.Sprintf(
				"sales_pipeline.csv has new deals of %s, such as %s, but that account is disabled. Take them out, or give them to somebody else.", d.agent, d.id))
		}
	}
	l.report.Deals = Count{New: len(fresh), Known: len(l.data.deals) - len(fresh)}
	for chunk := range slices.Chunk(fresh, dealBatch) {
		inputs := make([]crm.DealInput, len(chunk))
		for i, d := range chunk {
			inputs[i] = l.input(d)
		}
		if err := l.deals.CreateMany(ctx, importer(), inputs); err != nil {
			return err
		}
	}
	return nil
}

func (l *mavenLoad) input(d opportunity) crm.DealInput {
	return crm.DealInput{
		Title: titleOf(d), ExternalID: d.id, CompanyID: idOrNil(l.companyIDs[d.account]), ProductID: idOrNil(l.productIDs[d.product]),
		PipelineID: l.pipelineID, StageID: l.stageIDs[d.stage], OwnerID: l.people[d.agent].ID,
		Amount: d.value, OpenedAt: startOf(d.engaged), ClosedAt: startOf(d.closed),
	}
}

// titleOf is what, for whom, and the external id: the same product goes to the same company again and again.
func titleOf(d opportunity) string {
	if d.account == "" {
		return fmt.Sprintf("%s (%s)", d.product, d.id)
	}
	return fmt.Sprintf("%s – %s (%s)", d.product, d.account, d.id)
}

// startOf is when a day begins, nil for no day.
func startOf(d *models.Date) *time.Time {
	if d == nil {
		return nil
	}
	start := d.Start()
	return &start
}

func idOrNil(id string) *string {
	if id == "" {
		return nil
	}
	return &id
}
