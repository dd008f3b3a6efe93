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
	Title    string `json:"title" jsonschema:"What is to be done, in one line."`
	Due      string `json:"due,omitempty" jsonschema:"When it is due: a date as 2026-01-31, a time as 2026-01-31T15:00:00+08:00, or the user's own words, such as \"tomorrow\", \"next Wednesday\", \"in 2 weeks\", \"下星期三\"."`
	Assignee string `json:"assignee,omitempty" kind:"person" jsonschema:"Who is to do it: ID, e-mail, name, or \"me\", which it is when left out."`
	Deal     string `json:"deal,omitempty" kind:"deal" jsonschema:"The deal it is about: ID, external id or title."`
	Company  string `json:"company,omitempty" kind:"company" jsonschema:"The company it is about: ID or any of its names."`
	Contact  string `json:"contact,omitempty" kind:"contact" jsonschema:"The contact it is about: ID, e-mail or name."`
	Reminder string `json:"reminder,omitempty" jsonschema:"When to remind the assignee, written as due is."`
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

func newCreateTask(tasks *crm.Tasks, resolver *resolve.Resolver, now func() time.Time) *Tool {
	return newTool(Definition{
		Name: "create_task", Effect: Create, After: Continue, Permission: rbac.TaskCreate,
		Main: "title", Short: []string{"task"}, Example: `/task "Send the offer" due=tomorrow deal="Acme renewal"`,
	}, func(ctx context.Context, actor models.Actor, in createTaskArgs) (Result, error) {
		input, err := in.input(ctx, resolver, actor, now())
		if err != nil {
			return Result{}, err
		}
		task, err := tasks.Create(ctx, actor, input)
		if err != nil {
			return Result{}, err
		}
		return taskResult(actor.Lang, "task.created", *task), nil
	})
}

// input resolves the arguments of a new task.
func (in createTaskArgs) input(ctx context.Context, r *resolve.Resolver, actor models.Actor, now time.Time) (input crm.TaskInput, err error) {
	input.Title = in.Title
	if input.DueAt, err = dueArg("due", in.Due, actor.Lang, now); err != nil {
		return input, err
	}
	if input.ReminderAt, err = dueArg("reminder", in.Reminder, actor.Lang, now); err != nil {
		return input, err
	}
	if in.Assignee != "" {
		assignee, err := namedForWrite(ctx, r, actor, models.TypePerson, in.Assignee)
		if err != nil {
			return input, err
		}
		input.AssigneeID = assignee.ID
	}
	for _, link := range []struct {
		kind models.RecordType
		text string
		id   **string
	}{{models.TypeDeal, in.Deal, &input.DealID}, {models.TypeCompany, in.Company, &input.CompanyID}, {models.TypeContact, in.Contact, &input.ContactID}} {
		if link.text == "" {
			continue
		}
		ref, err := namedForWrite(ctx, r, actor, link.kind, link.text)
		if err != nil {
			return input, err
		}
		*link.id = &ref.ID
	}
	return input, nil
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

// taskRefs are a task and the records that it is about, as far as their names show.
func taskRefs(v store.TaskView) []models.Ref {
	refs := []models.Ref{{Type: models.TypeTask, ID: v.ID, Name: v.Title}}
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
