package tools_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/models"
	"countersign/tools"
)

func TestCreateContact(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		o := d.call(t, d.Sales1, "create_contact", `{"name":"  Lee Siu  Lan 李小蘭 ","company":"艾克美","job_title":"Head of Purchasing","email":"Lan@Acme.test",
			"phone":"+852 9345 6789","whatsapp":"+85293456789","language":"zh-HK"}`)
		require.Equal(t, models.CallOK, o.Status, o.Summary)
		require.Equal(t, `Added the contact "Lee Siu Lan 李小蘭 · Acme Trading Limited".`, o.Text)
		require.Equal(t, tools.Continue, o.After)
		id := decoded[contact](t, o).ID
		require.Equal(t, models.Ref{Type: models.TypeContact, ID: id, Name: "Lee Siu Lan 李小蘭"}, o.Refs[0])

		c, err := d.contacts.Get(t.Context(), d.Sales1, id)
		require.NoError(t, err)
		require.Equal(t, models.Contact{
			Record: c.Record, CompanyID: &d.Acme.ID, Name: "Lee Siu Lan 李小蘭", JobTitle: "Head of Purchasing", Email: "lan@acme.test",
			Phone: "+85293456789", WhatsApp: "+85293456789", Language: models.ContactChinese, OwnerID: d.Sales1.UserID,
		}, c.Contact)
		for _, secret := range []string{"93456789", "9345 6789", "lan@"} {
			require.NotContains(t, string(d.last(t, "tool:create_contact").Detail), secret, "the record keeps no personal data")
		}
		require.Equal(t, "已新增聯絡人「陳大文」。", d.say(t, chinese(d.Sales1), `/create_contact 陳大文`).Text)
	})
}

func TestCreateContactAsksAboutALikelyDuplicate(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		before := d.writes(t)
		for _, command := range []string{
			`/create_contact "amy  fong 方詠詩"`,
			`/create_contact "Somebody else" email=AMY@acme.test`,
		} {
			e := fails(t, d.say(t, d.Sales1, command), "conflict")
			require.Contains(t, e.Message, `"Amy Fong 方詠詩"`)
			require.Contains(t, e.Message, "allow_duplicate=true")
			require.Len(t, e.Candidates, 1)
			require.Equal(t, d.Amy.ID, e.Candidates[0].ID)
		}
		require.Equal(t, before, d.writes(t))
		require.Contains(t, fails(t, d.say(t, chinese(d.Sales1), `/create_contact "Amy Fong 方詠詩"`), "conflict").Message, "已有相同姓名或電郵的聯絡人")
		require.Equal(t, models.CallOK, d.say(t, d.Sales1, `/create_contact "Amy Fong 方詠詩" allow_duplicate=true`).Status)

		require.Equal(t, models.CallOK, d.say(t, d.Sales1, `/create_contact "Hana Mori" email=hana@harbour.test`).Status,
			"a contact that one does not see is no duplicate and is not told of")
		require.Equal(t, models.CallOK, d.say(t, d.Sales1, `/create_contact "New one" email=ivy@acme.test`).Status,
			"nor is an address that one does not see")
		require.Equal(t, models.CallOK, d.say(t, d.Sales1, `/create_contact Amy`).Status, "a part of a name is no duplicate")
	})
}

func TestCreateContactRefuses(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		before := d.writes(t)
		e := fails(t, d.say(t, d.Viewer, `/create_contact New`), "forbidden")
		require.Equal(t, `You need the right "contact:create" for this. Ask an administrator.`, e.Message)
		for _, args := range []string{
			`{}`, `{"name":""}`, `{"name":" "}`, `{"name":5}`, `{"name":"A","language":"fr"}`, `{"name":"A","owner":"me"}`, `{"name":"A","phone":"23456789"}`,
			`{"name":"A","phone":"••••••67"}`, `{"name":"A","whatsapp":"******67"}`, `{"name":"A","email":"a•••@acme.test"}`, `{"name":"A","email":"nothing"}`,
		} {
			fails(t, d.call(t, d.Sales1, "create_contact", args), "invalid")
		}
		d.unseen(t, d.Sales1, `/create_contact Mine company=%s`, d.Harbour.ID)
		require.Equal(t, before, d.writes(t))
	})
}
