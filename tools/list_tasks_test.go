package tools_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/models"
	"countersign/tools"
)

func TestListTasks(t *testing.T) {
	each(t, func(t *testing.T, d *desk) { // it is Monday, 2 March 2026, 17:00 in Hong Kong; RingAmy is due on Tuesday at 17:00
		for _, c := range []struct {
			name    string
			actor   models.Actor
			command string
			want    []string
		}{
			{"own", d.Sales1, `/list_tasks`, []string{d.RingAmy.Title}},
			{"of the team, the soonest first", d.Manager, `/list_tasks`, []string{d.RingAmy.Title, "Demo for Gus", "Tour of the pier"}},
			{"open ones only", d.Manager2, `/list_tasks`, []string{"Send the menu"}},
			{"done", d.Manager2, `/list_tasks status=done`, []string{"File the papers"}},
			{"all", d.Manager2, `/list_tasks status=all`, []string{"Send the menu", "File the papers"}},
			{"mine", d.Manager, `/list_tasks me`, []string{"Tour of the pier"}},
			{"by assignee", d.Viewer, `/list_tasks assignee="Siu Ming 小明"`, []string{"Demo for Gus"}},
			{"about a deal", d.Viewer, `/list_tasks deal=D-1001`, []string{d.RingAmy.Title}},
			{"about a company", d.Viewer, `/list_tasks company=海港`, []string{"Send the menu"}},
			{"about a contact", d.Viewer, `/list_tasks contact="Ken Poon"`, []string{"Tour of the pier"}},
			{"until today", d.Viewer, `/list_tasks due_to=today`, []string{}},
			{"until tomorrow", d.Viewer, `/list_tasks due_to=聽日`, []string{d.RingAmy.Title}},
			{"from tomorrow", d.Viewer, `/list_tasks due_from=2026-03-03`, []string{d.RingAmy.Title}},
			{"from later", d.Viewer, `/list_tasks due_from="next week"`, []string{}},
			{"a colleague's", d.Sales1, `/list_tasks assignee=sales2@example.test`, []string{}},
		} {
			t.Run(c.name, func(t *testing.T) {
				found, o := done[list](t, d, c.actor, c.command)
				require.ElementsMatch(t, c.want, found.names())
				if len(c.want) > 0 {
					require.Equal(t, c.want[0], found.names()[0])
				}
				require.Equal(t, int64(len(c.want)), found.Total)
				require.Len(t, o.Refs, len(c.want))
				require.Equal(t, tools.Finish, o.After)
			})
		}
	})
}

func TestListTasksAnswers(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		_, o := done[list](t, d, d.Sales1, `/list_tasks`)
		require.Equal(t, "1 task\n- Ring Amy back 回電 · due 2026-03-03 17:00 (Tuesday) · Sam Sales · Acme renewal · Acme Trading Limited · Amy Fong 方詠詩", o.Text)
		d.Clock.Advance(48 * time.Hour)
		_, o = done[list](t, d, d.Sales1, `/list_tasks`)
		require.Contains(t, o.Text, "overdue since 2026-03-03 17:00 (Tuesday)")
		_, o = done[list](t, d, chinese(d.Manager2), `/list_tasks status=done`)
		require.Equal(t, "1 項工作\n- File the papers · 已完成 · Max Manager", o.Text)
	})
}

func TestListTasksRefuses(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		for _, command := range []string{`/list_tasks status=late`, `/list_tasks limit=51`, `/list_tasks due_to=soon`, `/list_tasks due_from=soon`} {
			fails(t, d.say(t, d.Sales1, command), "invalid")
		}
		d.unseen(t, d.Sales1, `/list_tasks deal=%s`, d.HarbourRollout.ID)
		d.unseen(t, d.Sales1, `/list_tasks contact=%s`, d.Hana.ID)
		fails(t, d.say(t, d.Disabled, `/list_tasks`), "forbidden")
		fails(t, d.say(t, d.clerk(t, d.Sales2), `/list_tasks`), "forbidden")
	})
}
