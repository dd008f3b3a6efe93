package seed

import (
	"context"
	"time"

	"countersign/models"
	"countersign/store"
)

// DemoPassword is the password of all demo accounts.
const DemoPassword = "demo-password"

// CodeDemoRefused is the code of the error that keeps demo accounts out of a database in use.
const CodeDemoRefused = "DEMO_REFUSED"

// demoKey marks a database whose content began with the demo data; its value is when that was.
const demoKey = "demo_data"

// DemoEmails are the addresses of the demo accounts.
func DemoEmails() []string {
	var emails []string
	for _, p := range demoPeople() {
		emails = append(emails, p.Email)
	}
	return emails
}

// Demo fills an empty database with a Hong Kong trading company: people, products, companies, contacts, deals,
// activities, tasks and quotations, the same ones every time but for their dates, which count from now. In a database where it did so
// before it adds nothing. The error is a Conflict with [CodeDemoRefused] where there are other users.
func Demo(ctx context.Context, o Options) (Report, error) {
	if err := o.validate(); err != nil {
		return Report{}, err
	}
	data, err := readDemo()
	if err != nil {
		return Report{}, err
	}
	report := Report{}
	err = o.Runner.InTx(ctx, func(tx *store.Tx) error {
		load := newDemoLoad(o, tx, data)
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

// demoLoad makes the demo data in a transaction. People are known by handle, the part of their address before the
// "@", companies by short name, products by SKU, stages by pipeline and name, contacts by name, deals by title.
type demoLoad struct {
	loader
	data           *demoData
	today          time.Time
	people         map[string]models.User
	productIDs     map[string]string
	stages         map[[2]string]models.Stage
	companyRecords map[string]ownedCompany
	contactIDs     map[string]string
	dealRecords    map[string]models.Deal
}

// ownedCompany is a company with the handle of its owner, which is empty for a shared one.
type ownedCompany struct{ id, owner string }

func newDemoLoad(o Options, tx *store.Tx, data *demoData) *demoLoad {
	return &demoLoad{
		loader: newLoader(o, tx), data: data, today: models.DateOf(o.Now()).Start(),
		people: map[string]models.User{}, productIDs: map[string]string{}, stages: map[[2]string]models.Stage{},
		companyRecords: map[string]ownedCompany{}, contactIDs: map[string]string{}, dealRecords: map[string]models.Deal{},
	}
}

func (l *demoLoad) run(ctx context.Context) error {
	if err := l.alone(ctx); err != nil {
		return err
	}
	fresh, err := l.fresh(ctx)
	if err != nil || !fresh {
		return err
	}
	steps := []func(context.Context) error{l.addPeople, l.addProducts, l.addPipelines, l.addCompanies, l.addContacts, l.addDeals, l.addActivities, l.addTasks, l.addQuotations}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if err := l.data.wrong.err(); err != nil {
		return err
	}
	if err := l.tx.SetMeta(ctx, demoKey, l.now().Format(time.RFC3339)); err != nil {
		return err
	}
	return l.record(ctx, "demo:create")
}
