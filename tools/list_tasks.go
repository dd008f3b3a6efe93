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

type listTasksArgs struct {
	Assignee string `json:"assignee,omitempty" kind:"person" jsonschema:"Only tasks of this person: ID, e-mail, name, or \"me\"."`
	Status   string `json:"status,omitempty" enum:"open,done,all" jsonschema:"open when left out."`
	Deal     string `json:"deal,omitempty" kind:"deal" jsonschema:"Only tasks about this deal: ID, external id or title."`
	Company  string `json:"company,omitempty" kind:"company" jsonschema:"Only tasks about this company: ID or any of its names."`
	Contact  string `json:"contact,omitempty" kind:"contact" jsonschema:"Only tasks about this contact: ID, e-mail or name."`
	DueFrom  string `json:"due_from,omitempty" jsonschema:"Due on or after this day, as 2026-01-31 or in words such as \"today\"."`
	DueTo    string `json:"due_to,omitempty" jsonschema:"Due on or before this day, as 2026-01-31 or in words such as \"tomorrow\"."`
	Limit    int    `json:"limit,omitempty" max:"50" jsonschema:"How many to show; 20 when left out."`
}

func newListTasks(tasks *crm.Tasks, resolver *resolve.Resolver, now func() time.Time) *Tool {
	return newTool(Definition{
		Name: "list_tasks", Effect: Read, After: Finish, Permission: rbac.TaskRead,
		Main: "assignee", Example: `/list_tasks assignee=me due_to=tomorrow`,
	}, func(ctx context.Context, actor models.Actor, in listTasksArgs) (Result, error) {
		filter, err := in.filter(ctx, resolver, actor, now())
		if err != nil {
			return Result{}, err
		}
		page, err := tasks.List(ctx, actor, filter, store.Page{Limit: rowLimit(in.Limit), Sort: "dueAt"})
		if err != nil {
			return Result{}, err
		}
		return tasksResult(actor.Lang, page, now()), nil
	})
}

// filter resolves the names to ids and the days to times.
func (in listTasksArgs) filter(ctx context.Context, r *resolve.Resolver, actor models.Actor, now time.Time) (f store.TaskFilter, err error) {
	for _, ref := range []struct {
		kind models.RecordType
		text string
		id   *string
	}{
		{models.TypePerson, in.Assignee, &f.AssigneeID},
		{models.TypeDeal, in.Deal, &f.DealID},
		{models.TypeCompany, in.Company, &f.CompanyID},
		{models.TypeContact, in.Contact, &f.ContactID},
	} {
		if *ref.id, err = optionalID(ctx, r, actor, ref.kind, ref.text); err != nil {
			return f, err
		}
	}
	if in.Status != "all" {
		done := in.Status == "done"
		f.Done = &done
	}
	from, err := dueArg("due_from", in.DueFrom, actor.Lang, now)
	if err != nil {
		return f, err
	}
	to, err := dueArg("due_to", in.DueTo, actor.Lang, now)
	if err != nil {
		return f, err
	}
	if from != nil {
		start := models.DateOf(*from).Start()
		f.DueFrom = &start
	}
	if to != nil {
		end := models.DateOf(*to).Start().AddDate(0, 0, 1)
		f.DueBefore = &end
	}
	return f, nil
}

func tasksResult(lang string, page store.List[store.TaskView], now time.Time) Result {
	list := make([]taskRow, len(page.Items))
	lines := make([]string, len(page.Items))
	refs := make([]models.Ref, len(page.Items))
	for i, v := range page.Items {
		list[i], refs[i] = taskRowOf(v), taskRefOf(v)
		lines[i] = dots(v.Title, stateText(lang, v, now), v.AssigneeName, v.DealTitle, v.CompanyName, v.ContactName)
	}
	summary := shownOf(lang, "tasks.found", len(list), page.Total)
	return Result{Data: rowsOf(list, page.Total), Summary: summary, Text: listText(summary, lines), Refs: refs}
}

// stateText says that a task is done, or when it is due and whether that is over.
func stateText(lang string, v store.TaskView, now time.Time) string {
	switch {
	case v.DoneAt != nil:
		return i18n.T(lang, "task.state_done")
	case v.DueAt == nil:
		return ""
	case v.DueAt.Before(now):
		return i18n.T(lang, "task.overdue", "due", dueText(lang, *v.DueAt))
	default:
		return i18n.T(lang, "task.due", "due", dueText(lang, *v.DueAt))
	}
}
