package tools

import (
	"context"
	"time"

	"countersign/crm"
	"countersign/i18n"
	"countersign/models"
	"countersign/rbac"
	"countersign/resolve"
	"countersign/store"
)

type createTaskArgs struct {
	Title    string `json:"title" field:"title" jsonschema:"What is to be done, in one line."`
	Due      string `json:"due,omitempty" field:"dueAt" jsonschema:"When it is due: a date as 2026-01-31, a time as 2026-01-31T15:00:00+08:00, or the user's own words, such as \"tomorrow\", \"next Wednesday\", \"in 2 weeks\", \"下星期三\"."`
	Assignee string `json:"assignee,omitempty" field:"assigneeId" kind:"person" jsonschema:"Who is to do it: ID, e-mail, name, or \"me\", which it is when left out."`
	Deal     string `json:"deal,omitempty" field:"dealId" kind:"deal" jsonschema:"The deal it is about: ID, external id or title."`
	Company  string `json:"company,omitempty" field:"companyId" kind:"company" jsonschema:"The company it is about: ID or any of its names."`
	Contact  string `json:"contact,omitempty" field:"contactId" kind:"contact" jsonschema:"The contact it is about: ID, e-mail or name."`
	Reminder string `json:"reminder,omitempty" field:"reminderAt" jsonschema:"When to remind the assignee, written as due is."`
}

// taskRow is a task in a result. Times are of the organisation's time zone.
type taskRow struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Due      string `json:"due,omitempty"`
	Done     string `json:"done,omitempty"`
	Assignee string `json:"assignee"`
	Deal     string `json:"deal,omitempty"`
	Company  string `json:"company,omitempty"`
	Contact  string `json:"contact,omitempty"`
	Reminder string `json:"reminder,omitempty"`
}

func taskRowOf(v store.TaskView) taskRow {
	moment := func(t *time.Time) string {
		if t == nil {
			return ""
		}
		return t.In(models.Zone()).Format(time.RFC3339)
	}
	return taskRow{
		ID: v.ID, Title: v.Title, Due: moment(v.DueAt), Done: moment(v.DoneAt), Assignee: v.AssigneeName,
		Deal: v.DealTitle, Company: v.CompanyName, Contact: v.ContactName, Reminder: moment(v.ReminderAt),
	}
}

// taskCreator is the tool create_task.
type taskCreator struct {
	tasks    *crm.Tasks
	resolver *resolve.Resolver
	now      func() time.Time
}

func newCreateTask(s Services) *Tool {
	return newCreatingTool(Definition{
		Name: "create_task", After: Continue, Permission: rbac.TaskCreate,
		Main: "title", Short: []string{"task"}, Example: `/task "Send the offer" due=tomorrow deal="Acme renewal"`,
	}, s.Runner, taskCreator{s.Tasks, s.Resolver, s.Now})
}

func (c taskCreator) resolve(ctx context.Context, actor models.Actor, in createTaskArgs) (createTaskArgs, error) {
	for _, moment := range []struct {
		name string
		text *string
	}{{"due", &in.Due}, {"reminder", &in.Reminder}} {
		at, err := dueArg(moment.name, *moment.text, actor.Lang, c.now())
		if err != nil {
			return in, err
		}
		if at != nil {
			*moment.text = at.Format(time.RFC3339Nano)
		}
	}
	for _, link := range []struct {
		kind models.RecordType
		text *string
	}{{models.TypePerson, &in.Assignee}, {models.TypeDeal, &in.Deal}, {models.TypeCompany, &in.Company}, {models.TypeContact, &in.Contact}} {
		if err := fixID(ctx, c.resolver, actor, link.kind, link.text); err != nil {
			return in, err
		}
	}
	return in, nil
}

func (c taskCreator) create(ctx context.Context, tx *store.Tx, actor models.Actor, in createTaskArgs) (creation, error) {
	due, err := dueArg("due", in.Due, actor.Lang, c.now())
	if err != nil {
		return creation{}, err
	}
	reminder, err := dueArg("reminder", in.Reminder, actor.Lang, c.now())
	if err != nil {
		return creation{}, err
	}
	task, err := bound(c.tasks, tx).Create(ctx, actor, crm.TaskInput{
		Title: in.Title, DueAt: due, ReminderAt: reminder, AssigneeID: in.Assignee,
		DealID: idOrNil(in.Deal), CompanyID: idOrNil(in.Company), ContactID: idOrNil(in.Contact),
	})
	if err != nil {
		return creation{}, err
	}
	return creation{
		Result: taskResult(actor.Lang, "task.created", *task), record: taskRefOf(*task), fields: crm.TaskDifferences(&store.TaskView{}, task),
	}, nil
}

// taskResult tells of a task that was written: what was done to it, and the rest of it below.
func taskResult(lang, key string, v store.TaskView) Result {
	lines := []string{}
	add := func(field, value string) {
		if value != "" {
			lines = append(lines, i18n.T(lang, "value.labelled", "label", i18n.T(lang, "field."+field), "value", value))
		}
	}
	if v.DueAt != nil {
		add("due", dueText(lang, *v.DueAt))
	}
	if v.ReminderAt != nil {
		add("reminder", dueText(lang, *v.ReminderAt))
	}
	add("assignee", v.AssigneeName)
	add("deal", v.DealTitle)
	add("company", v.CompanyName)
	add("contact", v.ContactName)
	summary := i18n.T(lang, key, "title", v.Title)
	return Result{Data: taskRowOf(v), Summary: summary, Text: listText(summary, lines), Refs: taskRefs(v)}
}

func taskRefOf(v store.TaskView) models.Ref {
	return models.Ref{Type: models.TypeTask, ID: v.ID, Name: v.Title}
}

// taskRefs are a task and the records that it is about, as far as their names show.
func taskRefs(v store.TaskView) []models.Ref {
	refs := []models.Ref{taskRefOf(v)}
	for _, link := range []struct {
		kind models.RecordType
		id   *string
		name string
	}{{models.TypeDeal, v.DealID, v.DealTitle}, {models.TypeCompany, v.CompanyID, v.CompanyName}, {models.TypeContact, v.ContactID, v.ContactName}} {
		if link.name != "" {
			refs = append(refs, models.Ref{Type: link.kind, ID: *link.id, Name: link.name})
		}
	}
	return refs
}
