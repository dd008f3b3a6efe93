package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

func taskID(v store.TaskView) string { return v.ID }

func tasksSeen(w *dbtest.World) reach {
	all := []string{w.RingAmy.ID, w.DemoGus.ID, w.TourKen.ID, w.SendHana.ID, w.FiledAudit.ID}
	return reach{
		"admin": all, "viewer": all, "manager": all[:3], "manager2": all[3:],
		"sales1": all[:1], "sales2": all[1:2], "sales3": all[3:4],
	}
}

func TestTaskRoundTrip(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		full := models.Task{
			Record: live(), Title: text, DueAt: &moment, AssigneeID: w.Sales1.UserID, DoneAt: &moment, CompanyID: &w.Acme.ID,
			DealID: &w.AcmeRenewal.ID, ContactID: &w.Amy.ID, ReminderAt: &moment,
		}
		check := full
		check.Record = binned(full.Record)
		requireFull(t, check)
		empty := models.Task{Record: live(), AssigneeID: w.Sales1.UserID}
		create, update := w.Grant(t, w.Admin, rbac.TaskCreate), w.Grant(t, w.Admin, rbac.TaskUpdate)
		stored := func(id string) (task models.Task) {
			w.View(t, func(r *store.Reader) {
				view, err := r.Task(t.Context(), w.TaskGrants(t, w.Admin), id)
				require.NoError(t, err)
				task = view.Task
			})
			return task
		}
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.InsertTask(t.Context(), create, ptr(full)))
			require.NoError(t, tx.InsertTask(t.Context(), create, ptr(empty)))
		})
		require.Equal(t, full, stored(full.ID))
		require.Equal(t, empty, stored(empty.ID))
		emptied, filled := empty, full
		emptied.Record, filled.Record = full.Record, empty.Record
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.UpdateTask(t.Context(), update, &emptied, moment.Add(time.Second)))
			require.NoError(t, tx.UpdateTask(t.Context(), update, &filled, moment.Add(time.Second)))
		})
		require.Equal(t, emptied, stored(full.ID))
		require.Equal(t, filled, stored(empty.ID))
	})
}

// SEC-38: a task is its assignee's, to read and to write. What it is about does not open it.
func TestTasksStayWithinScope(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		seen := tasksSeen(w)
		addHistory(t, w, models.TypeTask, seen["admin"])
		open := func(tasks []string) []string {
			return slices.DeleteFunc(slices.Clone(tasks), func(id string) bool { return id == w.FiledAudit.ID })
		}
		for handle, actor := range w.Actors() {
			g, want := w.TaskGrants(t, actor), seen[handle]
			w.View(t, func(r *store.Reader) {
				page, err := r.Tasks(t.Context(), g, store.TaskFilter{}, store.Page{})
				require.NoError(t, err)
				require.ElementsMatch(t, want, ids(page.Items, taskID), "%s list", handle)
				require.Equal(t, int64(len(want)), page.Total, "%s total", handle)
				requireNames(t, r, g.Task, models.TypeTask, open(want))
				for _, id := range seen["admin"] {
					_, err := r.Task(t.Context(), g, id)
					if slices.Contains(want, id) {
						require.NoError(t, err)
					} else {
						requireKind(t, err, apperr.NotFound)
					}
					requireOthers(t, r, g.Task, models.TypeTask, id, slices.Contains(want, id))
				}
			})
			update, err := w.Authorizer.Authorize(t.Context(), actor, rbac.TaskUpdate)
			if err != nil {
				continue
			}
			for _, task := range []models.Task{w.RingAmy, w.DemoGus, w.TourKen, w.SendHana, w.FiledAudit} {
				requireWrite(t, db, slices.Contains(want, task.ID), func(tx *store.Tx) error { return tx.UpdateTask(t.Context(), update, ptr(task), moment) })
			}
		}
	})
}

// A task that is done is no longer found by its title, one that is open again is; also out of the bin.
func TestNamesOfTasks(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		found := func() (found []string) {
			w.View(t, func(r *store.Reader) {
				q := store.NameQuery{Kind: models.TypeTask, Key: "ring amy", Match: store.MatchContains, Limit: 5}
				hits, err := r.ByName(t.Context(), w.Grant(t, w.Sales1, rbac.TaskRead), q)
				require.NoError(t, err)
				found = ids(hits, func(h store.NameHit) string { return h.Name + " " + h.Detail })
			})
			return found
		}
		open := []string{"Ring Amy back 回電 Sam Sales"}
		task := w.RingAmy
		change := func(doneAt *time.Time) {
			task.DoneAt = doneAt
			w.InTx(t, func(tx *store.Tx) {
				require.NoError(t, tx.UpdateTask(t.Context(), w.Grant(t, w.Admin, rbac.TaskUpdate), &task, moment))
			})
		}
		require.Equal(t, open, found())
		change(&moment)
		require.Empty(t, found())
		change(nil)
		require.Equal(t, open, found())
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.SoftDelete(t.Context(), w.Grant(t, w.Admin, rbac.TaskDelete), models.TypeTask, &task.Record, moment))
		})
		require.Empty(t, found())
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.Undelete(t.Context(), w.Grant(t, w.Admin, rbac.TaskRestore), models.TypeTask, &task.Record, moment, task.Names()))
		})
		require.Equal(t, open, found())
	})
}

func TestListsOfTasks(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		overdue := models.Task{Record: live(), Title: "Late", AssigneeID: w.Sales1.UserID, DueAt: ptr(dbtest.Start.Add(-time.Hour + time.Microsecond))}
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.InsertTask(t.Context(), w.Grant(t, w.Admin, rbac.TaskCreate), &overdue))
		})
		list := func(f store.TaskFilter, p store.Page) (page store.List[store.TaskView]) {
			w.View(t, func(r *store.Reader) {
				var err error
				page, err = r.Tasks(t.Context(), w.TaskGrants(t, w.Viewer), f, p)
				require.NoError(t, err)
			})
			return page
		}
		for name, c := range map[string]struct {
			filter store.TaskFilter
			want   []string
		}{
			"assignee":      {store.TaskFilter{AssigneeID: w.Sales2.UserID}, []string{w.DemoGus.ID}},
			"company":       {store.TaskFilter{CompanyID: w.Acme.ID}, []string{w.RingAmy.ID}},
			"deal":          {store.TaskFilter{DealID: w.GlobexPilot.ID}, []string{w.DemoGus.ID}},
			"contact":       {store.TaskFilter{ContactID: w.Ken.ID}, []string{w.TourKen.ID}},
			"done":          {store.TaskFilter{Done: ptr(true)}, []string{w.FiledAudit.ID}},
			"open":          {store.TaskFilter{Done: ptr(false), AssigneeID: w.Manager2.UserID}, nil},
			"due before":    {store.TaskFilter{DueBefore: w.RingAmy.DueAt}, []string{overdue.ID}},
			"due from":      {store.TaskFilter{DueFrom: w.RingAmy.DueAt}, []string{w.RingAmy.ID}},
			"to the moment": {store.TaskFilter{DueFrom: overdue.DueAt, DueBefore: ptr(overdue.DueAt.Add(time.Microsecond))}, []string{overdue.ID}},
		} {
			require.ElementsMatch(t, c.want, ids(list(c.filter, store.Page{}).Items, taskID), name)
		}
		undated := []string{w.DemoGus.ID, w.TourKen.ID, w.SendHana.ID, w.FiledAudit.ID}
		slices.Sort(undated)
		due := append([]string{overdue.ID, w.RingAmy.ID}, undated...)
		soonest := walk(t, func(p store.Page) (store.List[store.TaskView], error) {
			p.Sort = "dueAt"
			return list(store.TaskFilter{}, p), nil
		})
		require.Equal(t, due, ids(soonest, taskID), "those without a time come last")
		slices.Reverse(due)
		latest := walk(t, func(p store.Page) (store.List[store.TaskView], error) {
			p.Sort = "-dueAt"
			return list(store.TaskFilter{}, p), nil
		})
		require.Equal(t, due, ids(latest, taskID))
	})
}

// What a task is about shows by name only to those who may see that.
func TestTasksHideNames(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		names := func(g store.TaskGrants, id string) (names []string) {
			w.View(t, func(r *store.Reader) {
				v, err := r.Task(t.Context(), g, id)
				require.NoError(t, err)
				names = []string{v.AssigneeName, v.CompanyName, v.DealTitle, v.ContactName}
			})
			return names
		}
		require.Equal(t, []string{"Sam Sales", w.Acme.Name, w.AcmeRenewal.Title, w.Amy.Name}, names(w.TaskGrants(t, w.Sales1), w.RingAmy.ID))
		require.Equal(t, []string{"Sam Sales", "", "", ""}, names(store.TaskGrants{Task: w.Grant(t, w.Admin, rbac.TaskRead)}, w.RingAmy.ID))
		task := w.SendHana
		task.DealID, task.ContactID, task.CompanyID = &w.AcmeRenewal.ID, &w.Amy.ID, &w.Acme.ID
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.UpdateTask(t.Context(), w.Grant(t, w.Admin, rbac.TaskUpdate), &task, moment))
		})
		require.Equal(t, []string{"Suki Sales", "", "", ""}, names(w.TaskGrants(t, w.Sales3), task.ID))
	})
}
