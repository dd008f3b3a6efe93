package seed

import (
	"context"
	"fmt"
	"os"

	"countersign/apperr"
	"countersign/models"
	"countersign/store"
)

// Maven imports the files accounts.csv, products.csv, sales_teams.csv and sales_pipeline.csv of o.Dir: all of them or,
// with an error, nothing. What an earlier import has brought is known by e-mail address, SKU or external id and stays as
// it is now, so importing twice changes nothing. Errors: Invalid with file, row and column of what is wrong; those of
// the services.
func Maven(ctx context.Context, o Options) (Report, error) {
	if err := o.validate(); err != nil {
		return Report{}, err
	}
	if info, err := os.Stat(o.Dir); err != nil || !info.IsDir() {
		return Report{}, apperr.InvalidField("dir", fmt.Sprintf("There is no folder %q. Give the folder that holds the CSV files.", o.Dir)).WithCause(err)
	}
	data, err := readMaven(os.DirFS(o.Dir))
	if err != nil {
		return Report{}, err
	}
	report := Report{}
	err = o.Runner.InTx(ctx, func(tx *store.Tx) error {
		load := newMavenLoad(o, tx, data)
		if err := load.run(ctx); err != nil {
			return err
		}
		report = load.report
		return nil
	})
	if err != nil {
		return Report{}, err
	}
	return report, nil
}

// mavenLoad is one import in its transaction. The maps give people, and the ids of companies, products and stages,
// by their names in the data set.
type mavenLoad struct {
	loader
	data       *dataset
	password   string
	people     map[string]models.User
	companyIDs map[string]string
	productIDs map[string]string
	pipelineID string
	stageIDs   map[string]string
}

func newMavenLoad(o Options, tx *store.Tx, data *dataset) *mavenLoad {
	return &mavenLoad{
		loader: newLoader(o, tx), data: data, password: o.Password,
		people: map[string]models.User{}, companyIDs: map[string]string{}, productIDs: map[string]string{}, stageIDs: map[string]string{},
	}
}

func (l *mavenLoad) run(ctx context.Context) error {
	l.report.Notes = l.data.notes
	for _, step := range []func(context.Context) error{l.alone, l.addPeople, l.addProducts, l.addCompanies, l.addStages, l.addDeals} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return l.record(ctx, "import:maven")
}
