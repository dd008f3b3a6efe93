package crm_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/crm"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

func TestCreateTask(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		due := time.Date(2026, 3, 4, 18, 0, 0, 1_999, models.Zone())
		var made *store.TaskView
		entry := w.allowed(t, rbac.TaskCreate, "", func() (err error) {
			made, err = w.tasks.Create(t.Context(), w.Sales1, crm.TaskInput{
				Title: " Send\u200b the   offer\n", DueAt: &due, ReminderAt: &due, CompanyID: &w.Acme.ID, DealID: &w.AcmeRenewal.ID, ContactID: &w.Ivy.ID,
			})
			return err
		})
		stored := time.Date(2026, 3, 4, 10, 0, 0, 1_000, time.UTC)
		require.Equal(t, made.ID, entry.TargetID)
		require.Equal(t, models.Task{
			Record: made.Record, Title: "Send the offer", DueAt: &stored, ReminderAt: &stored, AssigneeID: w.Sales1.UserID,
			CompanyID: &w.Acme.ID, DealID: &w.AcmeRenewal.ID, ContactID: &w.Ivy.ID,
		}, made.Task)
		require.Equal(t, []string{"Sam Sales", w.Acme.Name, w.AcmeRenewal.Title, w.Ivy.Name},
			[]string{made.AssigneeName, made.CompanyName, made.DealTitle, made.ContactName})
		require.Equal(t, made, must(w.tasks.Get(t.Context(), w.Sales1, made.ID))(t))
		require.Equal(t, []string{"assigneeId", "companyId", "contactId", "dealId", "dueAt", "reminderAt", "title"}, w.changed(t, models.TypeTask, made.ID, 1))
		names := map[string]string{}
		for _, item := range must(w.history.Of(t.Context(), w.Sales1, models.TypeTask, made.ID))(t) {
			names[item.Field] = item.AfterName
		}
		require.Equal(t, []string{"Sam Sales", w.Ivy.Name}, []string{names["assigneeId"], names["contactId"]})
	})
}

func TestTaskRefusesWrongValues(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		some, early := models.Some[string], time.Date(1899, 1, 1, 0, 0, 0, 0, time.UTC)
		for name, c := range map[string]struct {
			path  string
			in    crm.TaskInput
			patch crm.TaskPatch
		}{
			"no title":       {"title", crm.TaskInput{}, crm.TaskPatch{Title: null[string]()}},
			"long title":     {"title", crm.TaskInput{Title: strings.Repeat("題", 301)}, crm.TaskPatch{Title: some(strings.Repeat("題", 301))}},
			"due":            {"dueAt", crm.TaskInput{Title: "x", DueAt: &early}, crm.TaskPatch{DueAt: models.Some(early)}},
			"reminder":       {"reminderAt", crm.TaskInput{Title: "x", ReminderAt: &early}, crm.TaskPatch{ReminderAt: models.Some(early)}},
			"done":           {"doneAt", crm.TaskInput{Title: "x", DoneAt: &early}, crm.TaskPatch{DoneAt: models.Some(early)}},
			"a colleague":    {"assigneeId", crm.TaskInput{Title: "x", AssigneeID: w.Sales2.UserID}, crm.TaskPatch{AssigneeID: some(w.Sales2.UserID)}},
			"nobody":         {"assigneeId", crm.TaskInput{Title: "x", AssigneeID: "x"}, crm.TaskPatch{AssigneeID: null[string]()}},
			"unseen company": {"companyId", crm.TaskInput{Title: "x", CompanyID: &w.Globex.ID}, crm.TaskPatch{CompanyID: some(w.Globex.ID)}},
			"unseen deal":    {"dealId", crm.TaskInput{Title: "x", DealID: &w.GlobexPilot.ID}, crm.TaskPatch{DealID: some(w.GlobexPilot.ID)}},
			"unseen contact": {"contactId", crm.TaskInput{Title: "x", ContactID: &w.Hana.ID}, crm.TaskPatch{ContactID: some(w.Hana.ID)}},
			"no contact":     {"contactId", crm.TaskInput{Title: "x", ContactID: ptr(models.NewID())}, crm.TaskPatch{ContactID: some(models.NewID())}},
		} {
			err := w.nothing(t, apperr.Invalid, func() error { _, err := w.tasks.Create(t.Context(), w.Sales1, c.in); return err })
			require.Equal(t, c.path, wrongField(t, err), name)
			err = w.nothing(t, apperr.Invalid, func() error {
				_, err := w.tasks.Update(t.Context(), w.Sales1, w.RingAmy.ID, 1, c.patch)
				return err
			})
			require.Equal(t, c.path, wrongField(t, err), name)
		}
	})
}

// SEC-44: absent leaves, null clears, also what was done.
func TestPatchTask(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		id, at := w.RingAmy.ID, time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)
		done := must(w.tasks.Update(t.Context(), w.Sales1, id, 1, crm.TaskPatch{DoneAt: models.Some(at), ReminderAt: models.Some(at)}))(t)
		want := w.RingAmy
		want.Record, want.DoneAt, want.ReminderAt = done.Record, &at, &at
		require.Equal(t, want, done.Task, "the rest is as it was")
		require.Equal(t, int64(2), done.Version)
		same := must(w.tasks.Update(t.Context(), w.Sales1, id, 2, crm.TaskPatch{Title: models.Some(want.Title), DealID: models.Some(w.AcmeRenewal.ID)}))(t)
		require.Equal(t, done, same, "nothing changed, so nothing was written")
		empty := must(w.tasks.Update(t.Context(), w.Sales1, id, 2, crm.TaskPatch{
			DueAt: null[time.Time](), DoneAt: null[time.Time](), ReminderAt: null[time.Time](),
			CompanyID: null[string](), DealID: null[string](), ContactID: null[string](),
		}))(t)
		require.Equal(t, models.Task{Record: empty.Record, Title: want.Title, AssigneeID: w.Sales1.UserID}, empty.Task)
	})
}

// SEC-39: tasks go to those whose tasks one may write.
func TestAssignTasks(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		for _, c := range []struct {
			actor, assignee models.Actor
			may             bool
		}{
			{w.Sales1, w.Manager, false},
			{w.Manager, w.Sales2, true},
			{w.Manager, w.Sales3, false},
			{w.Admin, w.Sales3, true},
			{w.Admin, w.Disabled, false},
		} {
			made, err := w.tasks.Create(t.Context(), c.actor, crm.TaskInput{Title: "new", AssigneeID: c.assignee.UserID})
			old := must(w.tasks.Create(t.Context(), c.actor, crm.TaskInput{Title: "old"}))(t)
			given, err2 := w.tasks.Update(t.Context(), c.actor, old.ID, 1, crm.TaskPatch{AssigneeID: models.Some(c.assignee.UserID)})
			if !c.may {
				require.Equal(t, "assigneeId", wrongField(t, err))
				require.Equal(t, "assigneeId", wrongField(t, err2))
				continue
			}
			require.NoError(t, err)
			require.NoError(t, err2)
			require.Equal(t, []string{c.assignee.Name, c.assignee.Name}, []string{made.AssigneeName, given.AssigneeName})
		}
		w.role(t, w.Sales2, map[rbac.Permission]rbac.Scope{rbac.TaskRead: rbac.ScopeOwn, rbac.TaskUpdate: rbac.ScopeAll, rbac.TaskCreate: rbac.ScopeAll})
		away := must(w.tasks.Update(t.Context(), w.Sales2, w.DemoGus.ID, 1, crm.TaskPatch{AssigneeID: models.Some(w.Sales3.UserID)}))(t)
		require.Equal(t, []any{w.Sales3.UserID, "", int64(2)}, []any{away.AssigneeID, away.AssigneeName, away.Version}, "told from memory")
		w.refused(t, rbac.DealRead, "", func() error {
			_, err := w.tasks.Create(t.Context(), w.Sales2, crm.TaskInput{Title: "x", DealID: &w.GlobexPilot.ID})
			return err
		})
		w.refused(t, rbac.ContactRead, "", func() error {
			_, err := w.tasks.Create(t.Context(), w.Sales2, crm.TaskInput{Title: "x", ContactID: &w.Gus.ID})
			return err
		})
	})
}

func TestCompleteTask(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		complete := func(actor models.Actor, id string) error {
			_, err := w.tasks.Complete(t.Context(), actor, id)
			return err
		}
		w.allowed(t, rbac.TaskUpdate, w.RingAmy.ID, func() error { return complete(w.Sales1, w.RingAmy.ID) })
		done := must(w.tasks.Get(t.Context(), w.Sales1, w.RingAmy.ID))(t)
		require.Equal(t, w.Clock.Now(), *done.DoneAt)
		require.Equal(t, int64(2), done.Version)
		w.Clock.Advance(time.Hour)
		require.Empty(t, w.recorded(t, func() { require.NoError(t, complete(w.Sales1, w.RingAmy.ID)) }), "once is enough")
		require.Equal(t, done, must(w.tasks.Get(t.Context(), w.Sales1, w.RingAmy.ID))(t))

		err := complete(w.Manager, w.DemoGus.ID)
		require.True(t, apperr.HasCode(err, crm.CodeNotYourTask), "%v", err)
		require.Nil(t, must(w.tasks.Get(t.Context(), w.Manager, w.DemoGus.ID))(t).DoneAt, "not even the manager, who may change it")
		w.nothing(t, apperr.NotFound, func() error { return complete(w.Sales1, w.DemoGus.ID) })
		w.refused(t, rbac.TaskUpdate, "", func() error { return complete(w.Viewer, w.DemoGus.ID) })
	})
}
