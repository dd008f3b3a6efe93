package api

import (
	"context"
	"time"

	"countersign/crm"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// Task is something to be done, with the names of what it is about.
type Task struct {
	ID           string     `json:"id"`
	Title        string     `json:"title"`
	DueAt        *time.Time `json:"dueAt,omitempty"`
	AssigneeID   string     `json:"assigneeId"`
	AssigneeName string     `json:"assigneeName"`
	DoneAt       *time.Time `json:"doneAt,omitempty" doc:"Missing while it is open."`
	CompanyID    *string    `json:"companyId,omitempty"`
	CompanyName  string     `json:"companyName,omitempty"`
	DealID       *string    `json:"dealId,omitempty"`
	DealTitle    string     `json:"dealTitle,omitempty"`
	ContactID    *string    `json:"contactId,omitempty"`
	ContactName  string     `json:"contactName,omitempty"`
	ReminderAt   *time.Time `json:"reminderAt,omitempty"`
	Version      int64      `json:"version"`
	CreatedAt    time.Time  `json:"createdAt"`
	UpdatedAt    time.Time  `json:"updatedAt"`
}

func taskOf(t *store.TaskView) Task {
	return Task{
		ID: t.ID, Title: t.Title, DueAt: t.DueAt, AssigneeID: t.AssigneeID, AssigneeName: t.AssigneeName, DoneAt: t.DoneAt,
		CompanyID: t.CompanyID, CompanyName: t.CompanyName, DealID: t.DealID, DealTitle: t.DealTitle, ContactID: t.ContactID,
		ContactName: t.ContactName, ReminderAt: t.ReminderAt, Version: t.Version, CreatedAt: t.CreatedAt, UpdatedAt: t.UpdatedAt,
	}
}

func (t Task) identity() (id string, version int64) { return t.ID, t.Version }

// TaskInput is a new task.
type TaskInput struct {
	Title      string     `json:"title"`
	DueAt      *time.Time `json:"dueAt,omitempty"`
	AssigneeID string     `json:"assigneeId,omitempty" doc:"You if left out."`
	CompanyID  *string    `json:"companyId,omitempty"`
	DealID     *string    `json:"dealId,omitempty"`
	ContactID  *string    `json:"contactId,omitempty"`
	ReminderAt *time.Time `json:"reminderAt,omitempty"`
}

// TaskPatch changes what it names.
type TaskPatch struct {
	Version    int64                `json:"version,omitempty" minimum:"1" doc:"The version that you have seen."`
	Title      Settable[string]     `json:"title,omitempty"`
	DueAt      Clearable[time.Time] `json:"dueAt,omitempty"`
	AssigneeID Settable[string]     `json:"assigneeId,omitempty"`
	DoneAt     Clearable[time.Time] `json:"doneAt,omitempty" doc:"null opens the task again."`
	CompanyID  Clearable[string]    `json:"companyId,omitempty"`
	DealID     Clearable[string]    `json:"dealId,omitempty"`
	ContactID  Clearable[string]    `json:"contactId,omitempty"`
	ReminderAt Clearable[time.Time] `json:"reminderAt,omitempty"`
}

// TaskList narrows and orders a list of tasks.
type TaskList struct {
	Sorted
	AssigneeID string    `query:"assigneeId" maxLength:"100"`
	CompanyID  string    `query:"companyId" maxLength:"100"`
	DealID     string    `query:"dealId" maxLength:"100"`
	ContactID  string    `query:"contactId" maxLength:"100"`
	Status     string    `query:"status" enum:"open,done" doc:"Both if left out."`
	DueBefore  time.Time `query:"dueBefore" doc:"Exclusive. Tasks without a time are left out."`
}

func (s *server) taskRoutes() {
	addRecord(s, recordRoutes[Task]{
		kind: models.TypeTask, plural: "tasks",
		read: rbac.TaskRead, remove: rbac.TaskDelete, restore: rbac.TaskRestore,
		get: func(ctx context.Context, actor models.Actor, id string) (Task, error) {
			return shownOne(taskOf)(s.Tasks.Get(ctx, actor, id))
		},
		delete: s.Tasks.Delete,
		undelete: func(ctx context.Context, actor models.Actor, id string) (Task, error) {
			return shownOne(taskOf)(s.Tasks.Restore(ctx, actor, id))
		},
	})
	handle(s, get("/api/tasks", "listTasks", "List tasks").needs(rbac.TaskRead), s.listTasks)
	handle(s, post("/api/tasks", "createTask", "Add a task").needs(rbac.TaskCreate).creates().replays(), s.createTask)
	handle(s, patch("/api/tasks/{id}", "updateTask", "Change a task").needs(rbac.TaskUpdate), s.updateTask)
}

func (s *server) listTasks(ctx context.Context, actor models.Actor, in *TaskList) (*one[Page[Task]], error) {
	f := store.TaskFilter{AssigneeID: in.AssigneeID, CompanyID: in.CompanyID, DealID: in.DealID, ContactID: in.ContactID, DueBefore: given(in.DueBefore)}
	if in.Status != "" {
		done := in.Status == "done"
		f.Done = &done
	}
	list, err := s.Tasks.List(ctx, actor, f, in.page())
	return pageOf(list, err, taskOf)
}

func (s *server) createTask(ctx context.Context, actor models.Actor, in *one[TaskInput]) (*versioned[Task], error) {
	b := &in.Body
	t, err := shownOne(taskOf)(s.Tasks.Create(ctx, actor, crm.TaskInput{
		Title: b.Title, DueAt: b.DueAt, AssigneeID: b.AssigneeID, CompanyID: b.CompanyID, DealID: b.DealID, ContactID: b.ContactID, ReminderAt: b.ReminderAt,
	}))
	return created(t, err, "tasks")
}

func (s *server) updateTask(ctx context.Context, actor models.Actor, in *patchOf[TaskPatch]) (*versioned[Task], error) {
	b := &in.Body
	version, err := in.version(b.Version)
	if err != nil {
		return nil, err
	}
	return record(shownOne(taskOf)(s.Tasks.Update(ctx, actor, in.id(), version, crm.TaskPatch{
		Title: b.Title.Optional, DueAt: b.DueAt.Optional, AssigneeID: b.AssigneeID.Optional, DoneAt: b.DoneAt.Optional, CompanyID: b.CompanyID.Optional,
		DealID: b.DealID.Optional, ContactID: b.ContactID.Optional, ReminderAt: b.ReminderAt.Optional,
	})))
}
