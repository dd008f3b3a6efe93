package tools_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/crm"
	"countersign/models"
)

func TestUpdateContactProposes(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		before := d.writes(t)
		o := d.call(t, d.Sales1, "update_contact", `{"contact":"amy@acme.test","name":"Amy Fong 方詠詩 BBS","company":"ferry","job_title":"Director","email":"Amy@ferry.example",
			"phone":"+852 9000 1111","whatsapp":"+852 9000 2222","language":"en","reason":"New job."}`)
		p := proposed(t, o)
		require.Equal(t, before, d.writes(t), "nothing changes before a person confirms")
		require.Equal(t, []any{"update_contact", "Change contact", d.Amy.ID, int64(1), "New job."}, []any{p.Tool, p.Title, p.TargetID, p.TargetVersion, p.Reason})
		require.Contains(t, string(p.Args), `"company":"`+d.Ferry.ID+`"`)
		require.Equal(t, []string{
			"Name: Amy Fong 方詠詩 → Amy Fong 方詠詩 BBS", "Company: Acme Trading Limited → Kowloon Ferry", "Job title: Buyer → Director",
			"E-mail: amy@acme.test → amy@ferry.example", "Phone: +85291234567 → +85290001111", "WhatsApp: +85291234567 → +85290002222",
			"Language: Chinese → English",
		}, shown(t, p))

		_, err := d.decide(t, d.Sales1, p)
		require.NoError(t, err)
		c, err := d.contacts.Get(t.Context(), d.Sales1, d.Amy.ID)
		require.NoError(t, err)
		require.Equal(t, []any{"Amy Fong 方詠詩 BBS", &d.Ferry.ID, "Director", "amy@ferry.example", "+85290001111", "+85290002222", models.ContactEnglish, int64(2)},
			[]any{c.Name, c.CompanyID, c.JobTitle, c.Email, c.Phone, c.WhatsApp, c.Language, c.Version})
	})
}

func TestUpdateContactClears(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		p := proposed(t, d.say(t, chinese(d.Sales1), `/update_contact "Amy Fong" clear=company,job_title,phone,language,email`))
		require.Equal(t, []string{
			"公司: Acme Trading Limited → （空白）", "職位: Buyer → （空白）", "電郵: amy@acme.test → （空白）", "電話: +85291234567 → （空白）", "語言: 中文 → （空白）",
		}, shown(t, p))
		_, err := d.decide(t, d.Sales1, p)
		require.NoError(t, err)
		c, err := d.contacts.Get(t.Context(), d.Sales1, d.Amy.ID)
		require.NoError(t, err)
		require.Empty(t, c.JobTitle+c.Email+c.Phone+c.CompanyName+string(c.Language))
		fails(t, d.say(t, d.Sales1, `/update_contact amy clear=name`), "invalid")
		fails(t, d.say(t, d.Sales1, `/update_contact amy phone=+85290001111 clear=phone`), "invalid")
		fails(t, d.say(t, d.Sales1, `/update_contact amy language=en clear=language`), "invalid")
	})
}

// SEC-16: who does not see an address or a number neither learns it from a card nor saves the mask of it.
func TestUpdateContactNeverTakesAMask(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.exec(t, "DELETE FROM role_permissions WHERE role_slug = 'sales' AND permission = 'contact:pii'")
		d.exec(t, "UPDATE policy_state SET version = version + 1")
		for _, masked := range []string{`phone="••••••67"`, `phone="+852****4567"`, `whatsapp="******67"`, `email="a•••@acme.test"`} {
			require.Contains(t, fails(t, d.say(t, d.Sales1, `/update_contact amy `+masked), "invalid").Message, "hidden")
		}
		o := d.say(t, d.Sales1, `/update_contact amy phone="+852 2999 8877" job_title=Lead`)
		p := proposed(t, o)
		require.Equal(t, []string{"Job title: Buyer → Lead", "Phone: ••••••67 → +85229998877"}, shown(t, p))
		for _, secret := range []string{"91234567", "amy@acme.test"} {
			require.NotContains(t, string(o.Result)+string(p.Changes)+string(p.Args), secret)
		}
		require.NotContains(t, string(d.last(t, "tool:update_contact").Detail), "8877", "nor is a number in the record of calls")

		_, err := d.decide(t, d.Sales1, p)
		require.NoError(t, err)
		c, err := d.contacts.Get(t.Context(), d.Admin, d.Amy.ID)
		require.NoError(t, err)
		require.Equal(t, []string{"Lead", "+85229998877", "amy@acme.test"}, []string{c.JobTitle, c.Phone, c.Email}, "what is hidden stays")
	})
}

func TestUpdateContactRefuses(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		e := fails(t, d.say(t, d.Manager, `/update_contact contact=n job_title=Boss`), "ambiguous")
		require.Greater(t, len(e.Candidates), 1)
		require.Contains(t, fails(t, d.say(t, d.Sales1, `/update_contact amy`), "invalid").Message, "would change")
		for _, wrong := range []string{`language=fr`, `email=nothing`, `phone=23456789`, `owner=me`, "name=\"\u200b\""} {
			fails(t, d.say(t, d.Sales1, `/update_contact contact=amy `+wrong), "invalid")
		}
		d.unseen(t, d.Sales1, `/update_contact contact=%s job_title=Boss`, d.Hana.ID)
		d.unseen(t, d.Sales1, `/update_contact amy company=%s`, d.Harbour.ID)
		fails(t, d.say(t, d.Viewer, `/update_contact amy job_title=Boss`), "forbidden")
		require.Zero(t, d.count(t, "SELECT COUNT(*) FROM proposals"))

		p := proposed(t, d.say(t, d.Sales1, `/update_contact amy job_title=Boss`))
		_, err := d.contacts.Update(t.Context(), d.Admin, d.Amy.ID, 1, crm.ContactPatch{Phone: models.Some("+85290009999")})
		require.NoError(t, err)
		_, err = d.decide(t, d.Sales1, p)
		require.Contains(t, string(apperrOf(t, err).Extra["changedSince"].(models.JSON)), `"phone"`)
	})
}
