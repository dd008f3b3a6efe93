package tools_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/models"
	"countersign/store"
)

type activity struct{ ID, Kind, Subject, At, Company, Deal string }

func (d *desk) activity(t *testing.T, actor models.Actor, id string) *store.ActivityView {
	t.Helper()
	view, err := d.activities.Get(t.Context(), actor, id)
	require.NoError(t, err)
	return view
}

func TestLogActivity(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		got, o := done[activity](t, d, d.Sales1, `/note They want a demo deal=D-1001`)
		require.Equal(t, `Logged "They want a demo" on Acme renewal.`, o.Text)
		require.Equal(t, []models.Ref{
			{Type: models.TypeActivity, ID: got.ID, Name: "They want a demo"}, {Type: models.TypeDeal, ID: d.AcmeRenewal.ID, Name: "Acme renewal"},
		}, o.Refs)
		stored := d.activity(t, d.Sales1, got.ID)
		require.Equal(t, models.ActivityNote, stored.Kind)
		require.Equal(t, d.Sales1.UserID, stored.OwnerID)
		require.Equal(t, d.Clock.Now(), stored.At)
		require.Equal(t, 1, d.count(t, "SELECT version FROM deals WHERE id = $1", d.AcmeRenewal.ID), "an activity leaves the deal alone")

		o = d.call(t, chinese(d.Sales1), "log_activity", `{"subject":"致電跟進","kind":"CALL","body":"第一行\n第二行","deal":"`+d.AcmeExpansion.ID+`",
			"company":"艾克美","at":"2026-01-31T15:00:00+08:00"}`)
		require.Equal(t, "已在「Acme expansion · Acme Trading Limited」記錄「致電跟進」。", o.Text)
		got = decoded[activity](t, o)
		require.Equal(t, "2026-01-31T15:00:00+08:00", got.At)
		stored = d.activity(t, d.Sales1, got.ID)
		require.Equal(t, time.Date(2026, time.January, 31, 7, 0, 0, 0, time.UTC), stored.At)
		require.Equal(t, "第一行\n第二行", stored.Body)
		require.Equal(t, d.Acme.ID, *stored.CompanyID)
		require.Len(t, o.Refs, 3)

		_, o = done[activity](t, d, d.Sales1, `/note "On a shared company" company="Kowloon Ferry" kind=meeting`)
		require.Contains(t, o.Text, "Kowloon Ferry")
	})
}

func TestLogActivityRefuses(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		before := d.writes(t)
		e := fails(t, d.say(t, d.Sales1, `/note hello deal=Acme`), "ambiguous")
		require.Len(t, e.Candidates, 2)
		require.Contains(t, e.Message, "Which one do you mean?")
		require.NotEqual(t, e.Candidates[0].Detail, e.Candidates[1].Detail)

		require.Contains(t, fails(t, d.say(t, d.Sales1, `/note hello`), "invalid").Message, "Say which deal or company")
		require.Contains(t, fails(t, d.say(t, chinese(d.Sales1), `/note hello`), "invalid").Message, "請說明")
		require.Contains(t, fails(t, d.say(t, chinese(d.Sales1), `/note hello deal=D-1001 at=now`), "invalid").Message, "時間")
		for _, command := range []string{
			`/note deal=D-1001`, `/note " " deal=D-1001`, `/note hello deal=D-1001 at=2026-01-31`, `/note hello deal=D-1001 kind=SYSTEM`,
			`/note hello deal=D-1001 kind=ASSISTANT`, `/note ` + strings.Repeat("x", 301) + ` deal=D-1001`,
		} {
			fails(t, d.say(t, d.Sales1, command), "invalid")
		}
		d.unseen(t, d.Sales1, `/note hello deal=%s`, d.HarbourRollout.ID)
		d.unseen(t, d.Sales1, `/note hello company=%s`, d.Harbour.ID)
		fails(t, d.say(t, d.Viewer, `/note hello deal=D-1001`), "forbidden")
		require.Equal(t, before, d.writes(t))
	})
}
