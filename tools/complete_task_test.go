package tools_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/models"
)

func TestCompleteTask(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		got, o := done[task](t, d, d.Sales1, `/complete_task ring amy`)
		require.Equal(t, d.RingAmy.ID, got.ID)
		require.Equal(t, "2026-03-02T17:00:00+08:00", got.Done)
		require.Contains(t, o.Text, `"Ring Amy back 回電" is done.`)
		require.Equal(t, models.Ref{Type: models.TypeTask, ID: d.RingAmy.ID, Name: d.RingAmy.Title}, o.Refs[0])
		require.Equal(t, 2, d.count(t, "SELECT version FROM tasks WHERE id = $1", d.RingAmy.ID))

		fails(t, d.say(t, d.Sales1, `/complete_task ring amy`), "not_found")
		_, o = done[task](t, d, chinese(d.Sales1), `/complete_task `+d.RingAmy.ID)
		require.Contains(t, o.Text, "「Ring Amy back 回電」早前已完成。")
		require.Equal(t, 2, d.count(t, "SELECT version FROM tasks WHERE id = $1", d.RingAmy.ID))
	})
}

func TestCompleteTaskRefuses(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		done[task](t, d, d.Manager, `/task "Demo for Ann"`)
		before := d.writes(t)
		require.Len(t, fails(t, d.say(t, d.Manager, `/complete_task Demo`), "ambiguous").Candidates, 2)
		e := fails(t, d.say(t, d.Manager, `/complete_task "Demo for Gus"`), "forbidden")
		require.Equal(t, `"Demo for Gus" is a task of Siu Ming 小明. Only they can complete it here.`, e.Message)
		d.unseen(t, d.Sales1, `/complete_task %s`, d.DemoGus.ID)
		fails(t, d.say(t, d.Sales1, `/complete_task`), "invalid")
		fails(t, d.say(t, d.Viewer, `/complete_task "Demo for Gus"`), "forbidden")
		require.Equal(t, before, d.writes(t))
	})
}
