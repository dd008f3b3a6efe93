package tools_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/models"
	"countersign/tools"
)

type task struct {
	ID, Title, Due, Done, Assignee, Deal, Company, Contact, Reminder string
}

func TestCreateTask(t *testing.T) {
	each(t, func(t *testing.T, d *desk) { // it is Monday, 2 March 2026, 17:00 in Hong Kong
		got, o := done[task](t, d, d.Sales1, `/task Send the offer due=tomorrow deal=D-1001`)
		require.Equal(t, "Added the task \"Send the offer\".\n- Due: 2026-03-03 (Tuesday)\n- Assignee: Sam Sales\n- Deal: Acme renewal", o.Text)
		require.Equal(t, tools.Continue, o.After)
		require.Equal(t, task{ID: got.ID, Title: "Send the offer", Due: "2026-03-03T23:59:00+08:00", Assignee: "Sam Sales", Deal: "Acme renewal"}, got)
		require.Equal(t, []models.Ref{
			{Type: models.TypeTask, ID: got.ID, Name: "Send the offer"}, {Type: models.TypeDeal, ID: d.AcmeRenewal.ID, Name: "Acme renewal"},
		}, o.Refs)

		o = d.call(t, chinese(d.Sales1), "create_task", `{"title":"致電跟進","due":"下星期三 15:00","reminder":"2026-03-11T09:00:00+08:00","company":"艾克美","contact":"amy@acme.test","assignee":"me"}`)
		require.Equal(t, models.CallOK, o.Status, o.Summary)
		require.Equal(t, "已新增工作「致電跟進」。\n- 到期：2026-03-11 15:00（星期三）\n- 提醒：2026-03-11 09:00（星期三）\n- 負責同事：Sam Sales\n- 公司：Acme Trading Limited\n- 聯絡人：Amy Fong 方詠詩", o.Text)
		stored, err := d.tasks.Get(t.Context(), d.Sales1, decoded[task](t, o).ID)
		require.NoError(t, err)
		require.Equal(t, "2026-03-11T07:00:00Z", stored.DueAt.Format("2006-01-02T15:04:05Z"))
		require.Equal(t, []string{d.Acme.ID, d.Amy.ID}, []string{*stored.CompanyID, *stored.ContactID})

		got, _ = done[task](t, d, d.Sales1, `/task "Some day"`)
		require.Empty(t, got.Due)
		given, _ := done[task](t, d, d.Manager, `/task "Prepare the demo" assignee=sales2@example.test due=2026-04-01`)
		require.Equal(t, "Siu Ming 小明", given.Assignee)
		require.Equal(t, "2026-04-01T23:59:00+08:00", given.Due)
	})
}

func TestCreateTaskRefuses(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		before := d.writes(t)
		e := fails(t, d.say(t, d.Sales1, `/task hello deal=Acme`), "ambiguous")
		require.Len(t, e.Candidates, 2)
		for _, command := range []string{`/task`, `/task " "`, `/task hello due=soon`, `/task hello due=2026-02-30`, `/task hello reminder=whenever`, `/task hello assignee="Siu Ming 小明"`} {
			fails(t, d.say(t, d.Sales1, command), "invalid")
		}
		require.Contains(t, fails(t, d.say(t, d.Sales1, `/task hello due=soon`), "invalid").Message, "next Wednesday")
		require.Contains(t, fails(t, d.say(t, chinese(d.Sales1), `/task hello due=soon`), "invalid").Message, "下星期三")
		fails(t, d.say(t, d.Sales1, `/task hello assignee=nobody`), "not_found")
		d.unseen(t, d.Sales1, `/task hello deal=%s`, d.HarbourRollout.ID)
		d.unseen(t, d.Sales1, `/task hello company=%s`, d.Harbour.ID)
		d.unseen(t, d.Sales1, `/task hello contact=%s`, d.Hana.ID)
		fails(t, d.say(t, d.Viewer, `/task hello`), "forbidden")
		require.Equal(t, before, d.writes(t))
	})
}
