package tools_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/models"
)

type contact struct {
	ID, Name, JobTitle, Company, Email, Phone, WhatsApp, Language, Owner string
}

func TestGetContact(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		for _, name := range []string{d.Amy.ID, "amy@acme.test", "AMY@ACME.TEST", `"Amy Fong 方詠詩"`, "amy", "詠詩", "Amy Fong"} {
			got, o := done[contact](t, d, d.Sales1, "/contact "+name)
			require.Equal(t, contact{
				d.Amy.ID, d.Amy.Name, "Buyer", "Acme Trading Limited", "amy@acme.test", "+85291234567", "+85291234567", "zh-HK", "Sam Sales",
			}, got, name)
			require.Equal(t, []models.Ref{{Type: models.TypeContact, ID: d.Amy.ID, Name: d.Amy.Name}, {Type: models.TypeCompany, ID: d.Acme.ID, Name: d.Acme.Name}}, o.Refs)
		}
		_, o := done[contact](t, d, d.Sales1, "/get_contact amy")
		require.Equal(t, "Amy Fong 方詠詩\n- Job title: Buyer\n- Company: Acme Trading Limited\n- E-mail: amy@acme.test\n- Phone: +85291234567\n- WhatsApp: +85291234567\n"+
			"- Language: Chinese\n- Owner: Sam Sales", o.Text)
		_, o = done[contact](t, d, chinese(d.Sales1), "/contact amy")
		require.Contains(t, o.Text, "\n- 職位：Buyer")

		d.unseen(t, d.Sales1, "/contact %s", d.Hana.ID)
		require.NotContains(t, d.say(t, d.Sales1, "/contact Hanna").Text, "Hana")
		fails(t, d.say(t, d.Sales1, "/contact"), "invalid")
		require.Contains(t, fails(t, d.say(t, d.Sales1, `/contact " "`), "invalid").Message, "No name or ID was given for the contact")
		fails(t, d.say(t, d.Disabled, "/contact Amy"), "forbidden")
		fails(t, d.say(t, d.clerk(t, d.Sales2), "/contact Gus"), "forbidden")
	})
}

// SEC-17: what is hidden from the person never reaches the model, and trying addresses finds nobody.
func TestGetContactHidesPersonalData(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		for actor, name := range map[models.Actor]string{d.Viewer: "Amy", d.Sales1: "Ivy"} {
			o := d.say(t, actor, "/contact "+name)
			got := decoded[contact](t, o)
			require.Regexp(t, `^[ai]•••@acme\.test$`, got.Email)
			require.Regexp(t, `^••••••\d\d$`, got.Phone)
			for _, secret := range []string{"amy@", "ivy@", "9123", "9111"} {
				require.NotContains(t, string(o.Result)+o.Text, secret)
			}
		}
		e := fails(t, d.say(t, d.Viewer, "/contact gus@globex.test"), "not_found")
		require.NotContains(t, e.Message[len(`No contact matches "gus@globex.test"`):], "@")
	})
}
