package store

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"

	"countersign/models"
	"countersign/rbac"
)

// TaskView is a task with the names of what it is linked to. Names of records that the reader may not see
// are empty.
type TaskView struct {
	models.Task
	AssigneeName string
	CompanyName  string
	DealTitle    string
	ContactName  string
}

// TaskFilter narrows a list of tasks; zero fields do not. Done asks for those that are done, or still open.
// DueFrom is inclusive, DueBefore exclusive; both leave out tasks without a time.
type TaskFilter struct {
	AssigneeID         string
	CompanyID          string
	DealID             string
	ContactID          string
	Done               *bool
	DueFrom, DueBefore *time.Time
}

// neverDue stands for the time of a task without one, so that lists have these last.
var neverDue = time.Date(9999, time.December, 31, 0, 0, 0, 0, time.UTC)

var taskSorts = map[string]sortKey{
	"updatedAt": {expr: "tasks.updated_at", kind: sortTime},
	"createdAt": {expr: "tasks.created_at", kind: sortTime},
	"dueAt":     {expr: "COALESCE(tasks.due_at, '9999-12-31 00:00:00+00:00')", kind: sortTime},
}

// TaskGrants are the rights with which tasks are read: the others decide which linked names show, and may
// be zero Grants.
type TaskGrants struct{ Task, Company, Deal, Contact rbac.Grant }

func (g TaskGrants) check() error {
	return errors.Join(g.Task.For(rbac.TaskRead), optional(g.Company, rbac.CompanyRead),
		optional(g.Deal, rbac.DealRead), optional(g.Contact, rbac.ContactRead))
}

// Task returns a live task that the grant sees.
func (r *Reader) Task(ctx context.Context, g TaskGrants, id string) (*TaskView, error) {
	if err := g.check(); err != nil {
		return nil, err
	}
	var view TaskView
	q := r.taskViews(ctx, g).Where("tasks.deleted_at IS NULL AND tasks.id = ?", id)
	return &view, notFound(translate(q.Take(&view).Error), "task")
}

// DeletedTask returns a task in the bin. g is the restore grant.
func (r *Reader) DeletedTask(ctx context.Context, g rbac.Grant, id string) (*models.Task, error) {
	if err := g.For(rbac.TaskRestore); err != nil {
		return nil, err
	}
	var t models.Task
	q := where(r.q.WithContext(ctx), visible(models.TypeTask, g)).Where("id = ? AND deleted_at IS NOT NULL", id)
	return &t, notFound(translate(q.Take(&t).Error), "deleted task")
}

// Tasks lists live tasks.
func (r *Reader) Tasks(ctx context.Context, g TaskGrants, f TaskFilter, p Page) (List[TaskView], error) {
	if err := g.check(); err != nil {
		return List[TaskView]{}, err
	}
	keys, err := keysetOf(p, taskSorts, "tasks.id")
	if err != nil {
		return List[TaskView]{}, err
	}
	return page(keys, f.apply(where(r.q.WithContext(ctx).Model(&models.Task{}), visible(models.TypeTask, g.Task))), f.apply(r.taskViews(ctx, g)), func(v TaskView) (any, string) { return taskSortValue(keys.name, v), v.ID })
}

func taskSortValue(sort string, v TaskView) any {
	switch sort {
	case "dueAt", "-dueAt":
		if v.DueAt == nil {
			return neverDue
		}
		return *v.DueAt
	case "createdAt", "-createdAt":
		return v.CreatedAt
	default:
		return v.UpdatedAt
	}
}

func (r *Reader) taskViews(ctx context.Context, g TaskGrants) *gorm.DB {
	company, deal, contact := visibleCompanies(g.Company, "company"), ownedBy(g.Deal, "deal.owner_id"), visibleContacts(g.Contact, "contact")
	q := r.q.WithContext(ctx).Model(&models.Task{}).
		Select("tasks.*, assignee.name AS assignee_name, company.name AS company_name, deal.title AS deal_title, contact.name AS contact_name").
		Joins("JOIN users assignee ON assignee.id = tasks.assignee_id").
		Joins("LEFT JOIN companies company ON company.id = tasks.company_id AND company.deleted_at IS NULL AND "+company.sql, company.args...).
		Joins("LEFT JOIN deals deal ON deal.id = tasks.deal_id AND deal.deleted_at IS NULL AND "+deal.sql, deal.args...).
		Joins("LEFT JOIN contacts contact ON contact.id = tasks.contact_id AND contact.deleted_at IS NULL AND "+contact.sql, contact.args...)
	return where(q, visible(models.TypeTask, g.Task))
}

func (f TaskFilter) apply(q *gorm.DB) *gorm.DB {
	q = q.Where("tasks.deleted_at IS NULL")
	for _, c := range []struct{ sql, value string }{
		{"tasks.assignee_id = ?", f.AssigneeID},
		{"tasks.company_id = ?", f.CompanyID},
		{"tasks.deal_id = ?", f.DealID},
		{"tasks.contact_id = ?", f.ContactID},
	} {
		if c.value != "" {
			q = q.Where(c.sql, c.value)
		}
	}
	if f.Done != nil {
		q = q.Where("(tasks.done_at IS NOT NULL) = ?", *f.Done)
	}
	if f.DueFrom != nil {
		q = q.Where("tasks.due_at >= ?", *f.DueFrom)
	}
	if f.DueBefore != nil {
		q = q.Where("tasks.due_at < ?", *f.DueBefore)
	}
	return q
}

// InsertTask adds a task.
func (tx *Tx) InsertTask(ctx context.Context, g rbac.Grant, t *models.Task) error {
	if err := g.For(rbac.TaskCreate); err != nil {
		return err
	}
	if err := tx.q.WithContext(ctx).Create(t).Error; err != nil {
		return translate(err)
	}
	return tx.addNames(ctx, taskNames(t))
}

// UpdateTask writes all fields of a task at the version that t carries, and counts it up.
func (tx *Tx) UpdateTask(ctx context.Context, g rbac.Grant, t *models.Task, now time.Time) error {
	if err := g.For(rbac.TaskUpdate); err != nil {
		return err
	}
	err := tx.writeVersion(ctx, g, models.TypeTask, &t.Record, now, map[string]any{
		"title": t.Title, "due_at": t.DueAt, "assignee_id": t.AssigneeID, "done_at": t.DoneAt, "company_id": t.CompanyID,
		"deal_id": t.DealID, "contact_id": t.ContactID, "reminder_at": t.ReminderAt,
	})
	if err != nil {
		return err
	}
	return tx.putNames(ctx, taskNames(t))
}

func taskNames(t *models.Task) goesBy {
	return goesBy{models.TypeTask, t.ID, &t.AssigneeID, t.UpdatedAt, t.Names()}
}
