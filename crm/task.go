package crm

import (
	"context"
	"time"

	"countersign/apperr"
	"countersign/audit"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// Tasks is the service of tasks.
type Tasks struct{ base }

// NewTasks returns the service.
func NewTasks(runner store.Runner, gate *audit.Gate, now func() time.Time) *Tasks {
	return &Tasks{newBase(runner, gate, now)}
}

// With returns the service bound to a transaction.
func (s *Tasks) With(tx *store.Tx) *Tasks { return &Tasks{s.with(tx)} }

// TaskInput is a new task. An empty assignee means the actor.
type TaskInput struct {
	Title      string
	DueAt      *time.Time
	AssigneeID string
	DoneAt     *time.Time
	CompanyID  *string
	DealID     *string
	ContactID  *string
	ReminderAt *time.Time
}

// TaskPatch changes fields of a task; clearing DoneAt opens it again.
type TaskPatch struct {
	Title      models.Optional[string]
	DueAt      models.Optional[time.Time]
	AssigneeID models.Optional[string]
	DoneAt     models.Optional[time.Time]
	CompanyID  models.Optional[string]
	DealID     models.Optional[string]
	ContactID  models.Optional[string]
	ReminderAt models.Optional[time.Time]
}

// CodeNotYourTask is the code of the refusal to complete a task of somebody else.
const CodeNotYourTask = "NOT_YOUR_TASK"

// grants authorizes reading tasks and, as far as the actor may, the names of what they are about.
func (s *Tasks) grants(ctx context.Context, actor models.Actor) (g store.TaskGrants, err error) {
	if g.Task, err = s.gate.Authorize(ctx, actor, rbac.TaskRead); err != nil {
		return g, err
	}
	for _, linked := range []struct {
		grant *rbac.Grant
		right rbac.Permission
	}{{&g.Company, rbac.CompanyRead}, {&g.Deal, rbac.DealRead}, {&g.Contact, rbac.ContactRead}} {
		if *linked.grant, err = s.gate.Try(ctx, actor, linked.right); err != nil {
			return g, err
		}
	}
	return g, nil
}

// List returns a page of the tasks that the actor sees.
func (s *Tasks) List(ctx context.Context, actor models.Actor, f store.TaskFilter, p store.Page) (list store.List[store.TaskView], err error) {
	g, err := s.grants(ctx, actor)
	if err != nil {
		return list, err
	}
	err = s.runner.View(ctx, func(r *store.Reader) error {
		list, err = r.Tasks(ctx, g, f, p)
		return err
	})
	return list, err
}

// Get returns a task that the actor sees.
func (s *Tasks) Get(ctx context.Context, actor models.Actor, id string) (view *store.TaskView, err error) {
	g, err := s.grants(ctx, actor)
	if err != nil {
		return nil, err
	}
	err = s.runner.View(ctx, func(r *store.Reader) error {
		view, err = r.Task(ctx, g, id)
		return err
	})
	return view, err
}

// Create adds a task about records that the actor sees. It needs task:create, and gives the task to somebody
// within its scope.
func (s *Tasks) Create(ctx context.Context, actor models.Actor, in TaskInput) (view *store.TaskView, err error) {
	g, err := s.grants(ctx, actor)
	if err != nil {
		return nil, err
	}
	create, err := s.gate.Authorize(ctx, actor, rbac.TaskCreate)
	if err != nil {
		return nil, err
	}
	err = s.transact(ctx, actor, models.Ref{Type: models.TypeTask}, func(tx *store.Tx) error {
		task, err := s.build(ctx, tx.Reader, actor, g, create, in)
		if err != nil {
			return err
		}
		if err := tx.InsertTask(ctx, create, task); err != nil {
			return err
		}
		err = s.wrote(ctx, tx, actor, write{
			action: rbac.TaskCreate, target: taskRef(task), record: task.Record, at: task.CreatedAt,
			fields: audit.Changed(taskFields(&models.Task{}, task)),
		})
		if err != nil {
			return err
		}
		view, err = s.reread(ctx, tx, g, task)
		return err
	})
	return view, err
}

func (s *Tasks) build(ctx context.Context, r *store.Reader, actor models.Actor, g store.TaskGrants, create rbac.Grant, in TaskInput) (*models.Task, error) {
	t := &models.Task{
		Record: models.NewRecord(s.now()), AssigneeID: in.AssigneeID, CompanyID: in.CompanyID, DealID: in.DealID, ContactID: in.ContactID,
	}
	if t.AssigneeID == "" {
		t.AssigneeID = actor.UserID
	}
	var wrong problems
	t.Title = wrong.line("title", in.Title, true)
	t.DueAt = wrong.moment("dueAt", in.DueAt)
	t.DoneAt = wrong.moment("doneAt", in.DoneAt)
	t.ReminderAt = wrong.moment("reminderAt", in.ReminderAt)
	if err := wrong.err(); err != nil {
		return nil, err
	}
	if err := mayBeGiven(ctx, r, create, t.AssigneeID); err != nil {
		return nil, err
	}
	return t, mayBeAbout(ctx, r, g, &models.Task{}, t)
}

// mayBeGiven checks that a task may go to an assignee: an active user within the scope of the right to write it.
func mayBeGiven(ctx context.Context, r *store.Reader, write rbac.Grant, assigneeID string) error {
	ok, err := r.PersonInScope(ctx, write, assigneeID)
	if err != nil || ok {
		return err
	}
	return apperr.InvalidField("assigneeId", "You cannot give this task to that person. Choose yourself, or an active colleague whose tasks are yours to manage.")
}

// mayBeAbout checks that the actor sees the records that a task gets linked to.
func mayBeAbout(ctx context.Context, r *store.Reader, g store.TaskGrants, before, after *models.Task) error {
	if !same(before.CompanyID, after.CompanyID) {
		if _, err := workplace(ctx, r, g.Company, after.CompanyID); err != nil {
			return err
		}
	}
	if id := after.DealID; id != nil && !same(before.DealID, id) {
		if _, err := seenDeal(ctx, r, g.Deal, *id); err != nil {
			return err
		}
	}
	if id := after.ContactID; id != nil && !same(before.ContactID, id) {
		if _, err := seenContact(ctx, r, g.Contact, *id); err != nil {
			return err
		}
	}
	return nil
}

// seenDeal returns a deal that an input refers to, which the actor must see. deal may be the zero Grant.
func seenDeal(ctx context.Context, r *store.Reader, deal rbac.Grant, id string) (*store.DealView, error) {
	if err := holds(deal, rbac.DealRead); err != nil {
		return nil, err
	}
	view, err := r.Deal(ctx, store.DealGrants{Deal: deal}, id)
	return view, reference(err, "dealId", "deal")
}

// seenContact returns a contact that an input refers to, which the actor must see. contact may be the zero Grant.
func seenContact(ctx context.Context, r *store.Reader, contact rbac.Grant, id string) (*store.ContactView, error) {
	if err := holds(contact, rbac.ContactRead); err != nil {
		return nil, err
	}
	view, err := r.Contact(ctx, store.ContactGrants{Contact: contact}, id)
	return view, reference(err, "contactId", "contact")
}

// Update changes a task at the version that the actor has seen. It needs task:update over the task, and gives
// it to somebody within its scope. A patch that changes nothing writes nothing.
func (s *Tasks) Update(ctx context.Context, actor models.Actor, id string, version int64, patch TaskPatch) (*store.TaskView, error) {
	return s.write(ctx, actor, id, func(r *store.Reader, g store.TaskGrants, update rbac.Grant, before *store.TaskView) (*models.Task, error) {
		if err := checkVersion(version, before.Record, before); err != nil {
			return nil, err
		}
		after, err := patchedTask(&before.Task, patch)
		if err != nil {
			return nil, err
		}
		if before.AssigneeID != after.AssigneeID {
			if err := mayBeGiven(ctx, r, update, after.AssigneeID); err != nil {
				return nil, err
			}
		}
		return after, mayBeAbout(ctx, r, g, &before.Task, after)
	})
}

// Complete marks a task of the actor's own as done now. It needs task:update. One that is done stays as it is; one
// of somebody else is Forbidden with [CodeNotYourTask].
func (s *Tasks) Complete(ctx context.Context, actor models.Actor, id string) (*store.TaskView, error) {
	return s.write(ctx, actor, id, func(_ *store.Reader, _ store.TaskGrants, _ rbac.Grant, before *store.TaskView) (*models.Task, error) {
		if before.AssigneeID != actor.UserID {
			return nil, apperr.New(apperr.Forbidden, CodeNotYourTask, "This task is somebody else's. Only its assignee completes it this way.").
				WithExtra("permission", string(rbac.TaskUpdate))
		}
		after := before.Task
		if after.DoneAt == nil {
			now := s.now()
			after.DoneAt = &now
		}
		return &after, nil
	})
}

// write changes a task that the actor may write, in one transaction, to what edit makes of it.
func (s *Tasks) write(
	ctx context.Context, actor models.Actor, id string,
	edit func(r *store.Reader, g store.TaskGrants, update rbac.Grant, before *store.TaskView) (*models.Task, error),
) (view *store.TaskView, err error) {
	g, err := s.grants(ctx, actor)
	if err != nil {
		return nil, err
	}
	update, err := s.gate.Authorize(ctx, actor, rbac.TaskUpdate)
	if err != nil {
		return nil, err
	}
	err = s.transact(ctx, actor, models.Ref{Type: models.TypeTask, ID: id}, func(tx *store.Tx) error {
		before, err := tx.Task(ctx, g, id)
		if err != nil {
			return err
		}
		if err := mayWrite(ctx, tx.Reader, update, taskRef(&before.Task)); err != nil {
			return err
		}
		after, err := edit(tx.Reader, g, update, before)
		if err != nil {
			return err
		}
		if err := s.save(ctx, tx, actor, update, &before.Task, after); err != nil {
			return err
		}
		view, err = s.reread(ctx, tx, g, after)
		return err
	})
	return view, err
}

func (s *Tasks) save(ctx context.Context, tx *store.Tx, actor models.Actor, update rbac.Grant, before, after *models.Task) error {
	changed := audit.Changed(taskFields(before, after))
	if len(changed) == 0 {
		return nil
	}
	now := s.now()
	if err := tx.UpdateTask(ctx, update, after, now); err != nil {
		return err
	}
	return s.wrote(ctx, tx, actor, write{action: rbac.TaskUpdate, target: taskRef(after), record: after.Record, at: now, fields: changed})
}

// patchedTask applies a patch to a copy of a task.
func patchedTask(before *models.Task, patch TaskPatch) (*models.Task, error) {
	after := *before
	var wrong problems
	wrong.setLine("title", &after.Title, patch.Title, true)
	for _, field := range []struct {
		path  string
		value **time.Time
		patch models.Optional[time.Time]
	}{{"dueAt", &after.DueAt, patch.DueAt}, {"doneAt", &after.DoneAt, patch.DoneAt}, {"reminderAt", &after.ReminderAt, patch.ReminderAt}} {
		if field.patch.Set {
			*field.value = wrong.moment(field.path, field.patch.Value)
		}
	}
	kept(&wrong, "assigneeId", patch.AssigneeID)
	after.AssigneeID = patch.AssigneeID.Or(before.AssigneeID)
	after.CompanyID = patch.CompanyID.OrNil(before.CompanyID)
	after.DealID = patch.DealID.OrNil(before.DealID)
	after.ContactID = patch.ContactID.OrNil(before.ContactID)
	return &after, wrong.err()
}

// Delete puts a task into the bin. It needs task:delete over the task.
func (s *Tasks) Delete(ctx context.Context, actor models.Actor, id string, version int64) error {
	g, err := s.grants(ctx, actor)
	if err != nil {
		return err
	}
	remove, err := s.gate.Authorize(ctx, actor, rbac.TaskDelete)
	if err != nil {
		return err
	}
	return s.transact(ctx, actor, models.Ref{Type: models.TypeTask, ID: id}, func(tx *store.Tx) error {
		view, err := tx.Task(ctx, g, id)
		if err != nil {
			return err
		}
		return s.remove(ctx, tx, actor, remove, removal{target: taskRef(&view.Task), record: &view.Record, version: version, current: view})
	})
}

// Restore takes a task out of the bin. It needs task:restore.
func (s *Tasks) Restore(ctx context.Context, actor models.Actor, id string) (view *store.TaskView, err error) {
	g, err := s.grants(ctx, actor)
	if err != nil {
		return nil, err
	}
	restore, err := s.gate.Authorize(ctx, actor, rbac.TaskRestore)
	if err != nil {
		return nil, err
	}
	err = s.transact(ctx, actor, models.Ref{Type: models.TypeTask, ID: id}, func(tx *store.Tx) error {
		task, err := tx.DeletedTask(ctx, restore, id)
		if err != nil {
			return err
		}
		if err := s.restore(ctx, tx, actor, restore, taskRef(task), &task.Record, task.Names()); err != nil {
			return err
		}
		view, err = s.reread(ctx, tx, g, task)
		return err
	})
	return view, err
}

// reread returns the task as the actor sees it after a write; one that was given away is told from memory.
func (s *Tasks) reread(ctx context.Context, tx *store.Tx, g store.TaskGrants, memory *models.Task) (*store.TaskView, error) {
	view, err := tx.Task(ctx, g, memory.ID)
	if apperr.Is(err, apperr.NotFound) {
		return &store.TaskView{Task: *memory}, nil
	}
	return view, err
}

func taskRef(t *models.Task) models.Ref {
	return models.Ref{Type: models.TypeTask, ID: t.ID, Name: t.Title}
}

// taskFields are the fields of a task that history tells, before and after a write.
func taskFields(before, after *models.Task) []audit.Field {
	return []audit.Field{
		{Name: "title", Before: text(before.Title), After: text(after.Title)},
		{Name: "dueAt", Before: before.DueAt, After: after.DueAt},
		{Name: "assigneeId", Before: text(before.AssigneeID), After: text(after.AssigneeID)},
		{Name: "doneAt", Before: before.DoneAt, After: after.DoneAt},
		{Name: "companyId", Before: before.CompanyID, After: after.CompanyID},
		{Name: "dealId", Before: before.DealID, After: after.DealID},
		{Name: "contactId", Before: before.ContactID, After: after.ContactID},
		{Name: "reminderAt", Before: before.ReminderAt, After: after.ReminderAt},
	}
}
