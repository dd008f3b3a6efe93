package tools_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/models"
)

func TestSearchContacts(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		for _, c := range []struct {
			name    string
			actor   models.Actor
			command string
			want    []string
		}{
			{"own, and those at own companies", d.Sales1, `/search_contacts`, []string{"Ivy Yuen", d.Amy.Name}},
			{"of the team", d.Manager, `/search_contacts`, []string{"Ken Poon", "Gus Olsen", "Ivy Yuen", d.Amy.Name}},
			{"by a Chinese part of the name", d.Viewer, `/search_contacts 詠詩`, []string{d.Amy.Name}},
			{"by company", d.Viewer, `/search_contacts company=艾克美`, []string{"Ivy Yuen", d.Amy.Name}},
			{"by owner's e-mail", d.Admin, `/search_contacts owner=sales3@example.test`, []string{"Hana Mori", "Ivy Yuen"}},
			{"mine", d.Sales1, `/search_contacts owner=me`, []string{d.Amy.Name}},
			{"out of scope", d.Sales1, `/search_contacts Hana`, []string{}},
			{"addresses are no names", d.Admin, `/search_contacts acme.test`, []string{}},
		} {
			t.Run(c.name, func(t *testing.T) {
				found, o := done[list](t, d, c.actor, c.command)
				require.Equal(t, c.want, found.names())
				require.Equal(t, int64(len(c.want)), found.Total)
				require.Len(t, o.Refs, len(c.want))
			})
		}
	})
}

func TestSearchContactsAnswers(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		_, o := done[list](t, d, d.Sales1, `/search_contacts limit=1`)
		require.Equal(t, "2 contacts, 1 shown\n- Ivy Yuen · Director · Acme Trading Limited · Suki Sales", o.Text)
		_, o = done[list](t, d, chinese(d.Sales1), `/search_contacts owner=me`)
		require.Equal(t, "1 位聯絡人\n- Amy Fong 方詠詩 · Buyer · Acme Trading Limited · Sam Sales", o.Text)
		require.Contains(t, string(o.Result), `"email":"amy@acme.test"`)

		o = d.say(t, d.Viewer, `/search_contacts`)
		for _, secret := range []string{"amy@", "ivy@", "9123", "9111"} {
			require.NotContains(t, string(o.Result)+o.Text, secret)
		}
		require.Contains(t, string(o.Result), `"email":"a•••@acme.test","phone":"••••••67"`)
	})
}

func TestSearchContactsRefuses(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		fails(t, d.call(t, d.Sales1, "search_contacts", `{"limit": 51}`), "invalid")
		fails(t, d.say(t, d.Sales1, `/search_contacts owner=nobody`), "not_found")
		fails(t, d.say(t, d.Disabled, `/search_contacts`), "forbidden")
		fails(t, d.say(t, d.clerk(t, d.Sales2), `/search_contacts`), "forbidden")
		d.unseen(t, d.Sales1, `/search_contacts company=%s`, d.Harbour.ID)
	})
}
