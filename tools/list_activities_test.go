package tools_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/crm"
	"countersign/models"
)

type activities struct {
	Shown, Total int
	Items        []struct{ ID, Kind, Subject, Body, At, Company, Deal, Owner string }
}

func (a activities) subjects() []string {
	list := []string{}
	for _, item := range a.Items {
		list = append(list, item.Subject)
	}
	return list
}

// diary logs an activity an hour after the one before.
func (d *desk) diary(t testing.TB, actor models.Actor, kind models.ActivityKind, subject string, company, deal *string) {
	t.Helper()
	d.Clock.Advance(time.Hour)
	_, err := d.activities.Create(t.Context(), actor, crm.ActivityInput{Kind: kind, Subject: subject, Body: strings.Repeat("長", 400), CompanyID: company, DealID: deal})
	require.NoError(t, err)
}

func TestListActivities(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.diary(t, d.Sales1, models.ActivityCall, "call", &d.Acme.ID, nil)
		d.diary(t, d.Sales1, models.ActivityNote, "note", nil, &d.AcmeRenewal.ID)
		d.diary(t, d.Manager, models.ActivityMeeting, "meeting", &d.Globex.ID, nil)
		d.diary(t, d.Sales3, models.ActivityEmail, "mail", &d.Harbour.ID, nil)
		for _, c := range []struct {
			actor   models.Actor
			command string
			want    []string
		}{
			{d.Admin, ``, []string{"mail", "meeting", "note", "call"}},
			{d.Manager, ``, []string{"meeting", "note", "call"}},
			{d.Sales1, ``, []string{"note", "call"}},
			{d.Sales2, ``, []string{"meeting"}},
			{d.Admin, `acme`, []string{"note", "call"}},
			{d.Admin, `company=艾克美貿易有限公司 kind=call`, []string{"call"}},
			{d.Admin, `deal=D-1001`, []string{"note"}},
			{d.Admin, `deal=` + d.AcmeExpansion.ID, []string{}},
			{d.Manager, `owner=me`, []string{"meeting"}},
			{d.Admin, `owner=sales1@example.test kind=NOTE`, []string{"note"}},
			{d.Admin, `kind=SYSTEM`, []string{}},
		} {
			found, o := done[activities](t, d, c.actor, `/list_activities `+c.command)
			require.Equal(t, c.want, found.subjects(), c.command)
			require.Equal(t, len(c.want), found.Total, c.command)
			require.Len(t, o.Refs, len(c.want))
		}
	})
}

func TestListActivitiesAnswers(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.diary(t, d.Sales1, models.ActivityCall, "They want a demo", nil, &d.AcmeRenewal.ID)
		d.diary(t, d.Sales1, models.ActivityNote, "Budget", &d.Acme.ID, &d.AcmeRenewal.ID)
		found, o := done[activities](t, d, d.Sales1, `/list_activities limit=1`)
		require.Equal(t, []int{1, 2}, []int{found.Shown, found.Total})
		require.Equal(t, []string{"NOTE", "2026-03-02T19:00:00+08:00", "Acme Trading Limited", "Acme renewal", "Sam Sales", strings.Repeat("長", 300) + "…"},
			[]string{found.Items[0].Kind, found.Items[0].At, found.Items[0].Company, found.Items[0].Deal, found.Items[0].Owner, found.Items[0].Body})
		require.Equal(t, "2 activities, 1 shown\n- 2026-03-02 19:00 · Note · Budget · Acme renewal · Acme Trading Limited · Sam Sales", o.Text)
		require.Equal(t, []models.Ref{{Type: models.TypeActivity, ID: found.Items[0].ID, Name: "Budget"}}, o.Refs)
		_, o = done[activities](t, d, chinese(d.Sales1), `/list_activities kind=CALL`)
		require.Equal(t, "1 項活動\n- 2026-03-02 18:00 · 通話 · They want a demo · Acme renewal · Sam Sales", o.Text)
	})
}

func TestListActivitiesRefuses(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.diary(t, d.Sales3, models.ActivityNote, "secret", &d.Harbour.ID, nil)
		d.unseen(t, d.Sales1, `/list_activities company=%s`, d.Harbour.ID)
		d.unseen(t, d.Sales1, `/list_activities deal=%s`, d.HarbourRollout.ID)
		fails(t, d.say(t, d.Sales1, `/list_activities kind=PARTY`), "invalid")
		fails(t, d.say(t, d.Sales1, `/list_activities owner=nobody@example.test`), "not_found")
		fails(t, d.say(t, d.clerk(t, d.Sales2), `/list_activities`), "forbidden")
	})
}
