package crm_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/crm"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

func TestCreateContact(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		var made *crm.Contact
		entry := w.allowed(t, rbac.ContactCreate, "", func() (err error) {
			made, err = w.contacts.Create(t.Context(), w.Sales1, crm.ContactInput{
				CompanyID: &w.Acme.ID, Name: " Lee\u200b  Siu\x00 Lan 李小蘭\n", JobTitle: "Head of  Purchasing", Email: " Lan.Lee@ACME.test",
				Phone: "+852 (9123) 45–67", WhatsApp: "＋８５２　９１２３．４５６７", Language: models.ContactChinese,
			})
			return err
		})
		require.Equal(t, made.ID, entry.TargetID)
		require.Equal(t, models.Contact{
			Record: made.Record, CompanyID: &w.Acme.ID, Name: "Lee Siu Lan 李小蘭", JobTitle: "Head of Purchasing", Email: "lan.lee@acme.test",
			Phone: "+85291234567", WhatsApp: "+85291234567", Language: models.ContactChinese, OwnerID: w.Sales1.UserID,
		}, made.Contact)
		require.Equal(t, []string{"Acme Trading Limited", "Sam Sales"}, []string{made.CompanyName, made.OwnerName})
		require.Empty(t, made.Masked)
		require.Equal(t, made, must(w.contacts.Get(t.Context(), w.Sales1, made.ID))(t))
		require.NotContains(t, string(entry.Detail), "9123", "the record names fields, not their values")
		found := must(w.search.Find(t.Context(), w.Sales1, "小蘭", nil, 5))(t)
		require.Equal(t, []string{made.ID}, ids(found.Hits, hitID))
		alone := must(w.contacts.Create(t.Context(), w.Sales1, crm.ContactInput{Name: "Somebody"}))(t)
		require.Nil(t, alone.CompanyID)
	})
}

func TestContactRefusesWrongValues(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		in := func(change func(*crm.ContactInput)) crm.ContactInput {
			c := crm.ContactInput{Name: "x"}
			change(&c)
			return c
		}
		some := models.Some[string]
		type values struct {
			path  string
			in    crm.ContactInput
			patch crm.ContactPatch
		}
		cases := map[string]values{
			"no name":     {"name", crm.ContactInput{}, crm.ContactPatch{Name: null[string]()}},
			"long title":  {"jobTitle", in(func(c *crm.ContactInput) { c.JobTitle = strings.Repeat("長", 301) }), crm.ContactPatch{JobTitle: some(strings.Repeat("長", 301))}},
			"language":    {"language", in(func(c *crm.ContactInput) { c.Language = "zh-TW" }), crm.ContactPatch{Language: models.Some(models.ContactLanguage("fr"))}},
			"no company":  {"companyId", in(func(c *crm.ContactInput) { c.CompanyID = ptr(models.NewID()) }), crm.ContactPatch{CompanyID: some(models.NewID())}},
			"unseen one":  {"companyId", in(func(c *crm.ContactInput) { c.CompanyID = &w.Globex.ID }), crm.ContactPatch{CompanyID: some(w.Globex.ID)}},
			"no owner":    {"ownerId", in(func(c *crm.ContactInput) { c.OwnerID = "x" }), crm.ContactPatch{OwnerID: null[string]()}},
			"other owner": {"ownerId", in(func(c *crm.ContactInput) { c.OwnerID = w.Sales2.UserID }), crm.ContactPatch{OwnerID: some(w.Sales2.UserID)}},
		}
		for _, number := range []string{"23456789", "+0123456789", "+852 2345 678x", "+85", "+1234567890123456", "••••••67", "******67"} {
			cases["phone "+number] = values{"phone", in(func(c *crm.ContactInput) { c.Phone = number }), crm.ContactPatch{Phone: some(number)}}
			cases["WhatsApp "+number] = values{"whatsapp", in(func(c *crm.ContactInput) { c.WhatsApp = number }), crm.ContactPatch{WhatsApp: some(number)}}
		}
		for _, address := range []string{"amy", "@acme.test", "amy@", "a b@acme.test", "a@b@c", "a@b.c,d@e.f", "a•••@acme.test", "a***@x.com"} {
			cases["e-mail "+address] = values{"email", in(func(c *crm.ContactInput) { c.Email = address }), crm.ContactPatch{Email: some(address)}}
		}
		for name, c := range cases {
			err := w.nothing(t, apperr.Invalid, func() error { _, err := w.contacts.Create(t.Context(), w.Sales1, c.in); return err })
			require.Equal(t, c.path, wrongField(t, err), name)
			err = w.nothing(t, apperr.Invalid, func() error {
				_, err := w.contacts.Update(t.Context(), w.Sales1, w.Amy.ID, 1, c.patch)
				return err
			})
			require.Equal(t, c.path, wrongField(t, err), name)
		}
		_, err := w.contacts.Create(t.Context(), w.Sales1, crm.ContactInput{Phone: "x"})
		require.Len(t, apperr.As(err).Fields, 2, "all that is wrong is told at once")
	})
}

// SEC-44: absent leaves, null clears, and a patch that changes nothing writes nothing.
func TestPatchContact(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		id, some := w.Amy.ID, models.Some[string]
		full := must(w.contacts.Update(t.Context(), w.Sales1, id, 1, crm.ContactPatch{
			CompanyID: some(w.Ferry.ID), Name: some("Amy Ho"), JobTitle: some("Director"), Email: some("amy@ferry.test"), Phone: some("+85230001111"),
			WhatsApp: some("+85230002222"), Language: models.Some(models.ContactEnglish),
		}))(t)
		require.Equal(t, models.Contact{
			Record: full.Record, CompanyID: &w.Ferry.ID, Name: "Amy Ho", JobTitle: "Director", Email: "amy@ferry.test", Phone: "+85230001111",
			WhatsApp: "+85230002222", Language: models.ContactEnglish, OwnerID: w.Sales1.UserID,
		}, full.Contact)
		require.Equal(t, []string{"companyId", "email", "jobTitle", "language", "name", "phone", "whatsapp"}, w.changed(t, models.TypeContact, id, 2))
		same := must(w.contacts.Update(t.Context(), w.Sales1, id, 2, crm.ContactPatch{Email: some("AMY@ferry.test"), Phone: some("+852 3000 1111")}))(t)
		require.Equal(t, full, same, "nothing changed, so nothing was written")
		empty := must(w.contacts.Update(t.Context(), w.Sales1, id, 2, crm.ContactPatch{
			CompanyID: null[string](), JobTitle: null[string](), Email: null[string](), Phone: some(" "), WhatsApp: null[string](), Language: null[models.ContactLanguage](),
		}))(t)
		require.Equal(t, models.Contact{Record: empty.Record, Name: "Amy Ho", OwnerID: w.Sales1.UserID}, empty.Contact)
		require.Equal(t, int64(3), empty.Version)
	})
}

// SEC-39: who may give contacts to whom.
func TestAssignContacts(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		for _, c := range []struct {
			name  string
			actor models.Actor
			owner models.Actor
			may   bool
		}{
			{"sales to a colleague", w.Sales1, w.Sales2, false},
			{"manager within the team", w.Manager, w.Sales2, true},
			{"manager to another team", w.Manager, w.Sales3, false},
			{"admin to anybody", w.Admin, w.Sales3, true},
			{"admin to a disabled one", w.Admin, w.Disabled, false},
		} {
			made, err := w.contacts.Create(ctx, c.actor, crm.ContactInput{Name: "new", OwnerID: c.owner.UserID})
			old := must(w.contacts.Create(ctx, c.actor, crm.ContactInput{Name: "old"}))(t)
			given, err2 := w.contacts.Update(ctx, c.actor, old.ID, 1, crm.ContactPatch{OwnerID: models.Some(c.owner.UserID)})
			if !c.may {
				require.Equal(t, "ownerId", wrongField(t, err), c.name)
				require.Equal(t, "ownerId", wrongField(t, err2), c.name)
				continue
			}
			require.NoError(t, err)
			require.NoError(t, err2)
			require.Equal(t, []string{c.owner.UserID, c.owner.UserID}, []string{made.OwnerID, given.OwnerID}, c.name)
		}
		w.role(t, w.Sales1, map[rbac.Permission]rbac.Scope{
			rbac.ContactRead: rbac.ScopeOwn, rbac.ContactCreate: rbac.ScopeOwn, rbac.ContactUpdate: rbac.ScopeOwn, rbac.ContactAssign: rbac.ScopeAll,
		})
		in := crm.ContactInput{Name: "Given away", OwnerID: w.Sales3.UserID, Email: "away@example.test"}
		away := must(w.contacts.Create(ctx, w.Sales1, in))(t)
		require.Equal(t, "a•••@example.test", away.Email, "told from memory, without what is no longer theirs to see")
		w.refused(t, rbac.CompanyRead, "", func() error {
			_, err := w.contacts.Create(ctx, w.Sales1, crm.ContactInput{Name: "x", CompanyID: &w.Acme.ID})
			return err
		})
	})
}

// SEC-16: personal data shows to those with contact:pii over the contact, and nowhere to others; a mask is never saved.
func TestMaskedContacts(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		ctx, id := t.Context(), w.Amy.ID
		w.role(t, w.Sales2, map[rbac.Permission]rbac.Scope{rbac.ContactRead: rbac.ScopeAll, rbac.ContactUpdate: rbac.ScopeAll, rbac.ContactPII: rbac.ScopeTeam})
		w.role(t, w.Sales3, map[rbac.Permission]rbac.Scope{
			rbac.ContactRead: rbac.ScopeAll, rbac.ContactUpdate: rbac.ScopeAll, rbac.ContactDelete: rbac.ScopeAll, rbac.ContactPII: rbac.ScopeOwn,
		})
		must(w.contacts.Update(ctx, w.Sales1, id, 1, crm.ContactPatch{Email: models.Some("new@acme.test"), Phone: models.Some("+85229998877")}))(t)
		plain := []string{"new@acme.test", "+85229998877", "+85291234567"}
		masked := []string{"n•••@acme.test", "••••••77", "••••••67"}
		for _, c := range []struct {
			actor models.Actor
			want  []string
		}{{w.Admin, plain}, {w.Manager, plain}, {w.Sales1, plain}, {w.Sales2, plain}, {w.Sales3, masked}, {w.Viewer, masked}} {
			got := must(w.contacts.Get(ctx, c.actor, id))(t)
			require.Equal(t, c.want, []string{got.Email, got.Phone, got.WhatsApp}, c.actor.Name)
			if c.want[0] == masked[0] {
				require.Equal(t, []string{"email", "phone", "whatsapp"}, got.Masked)
			} else {
				require.Empty(t, got.Masked)
			}
			list := must(w.contacts.List(ctx, c.actor, store.ContactFilter{CompanyID: w.Acme.ID, OwnerID: w.Sales1.UserID}, store.Page{}))(t)
			require.Equal(t, []crm.Contact{*got}, list.Items, c.actor.Name)
			told := ""
			for _, item := range must(w.history.Of(ctx, c.actor, models.TypeContact, id))(t) {
				told += string(item.BeforeValue) + string(item.AfterValue)
			}
			require.Contains(t, told, c.want[0])
			require.Contains(t, told, c.want[1])
			require.Equal(t, c.want[0] == plain[0], strings.Contains(told, "amy@acme.test") && strings.Contains(told, "91234567"), c.actor.Name)
		}
		stale := func(err error) {
			t.Helper()
			require.Equal(t, masked[1], apperr.As(err).Extra["current"].(crm.Contact).Phone)
		}
		_, err := w.contacts.Update(ctx, w.Sales3, id, 1, crm.ContactPatch{Name: models.Some("x")})
		stale(err)
		stale(w.contacts.Delete(ctx, w.Sales3, id, 1))
		renamed := must(w.contacts.Update(ctx, w.Sales3, id, 2, crm.ContactPatch{Name: models.Some("Renamed")}))(t)
		require.Equal(t, []string{renamed.Email, renamed.Phone, renamed.WhatsApp}, masked)
		for _, patch := range []crm.ContactPatch{{Email: models.Some(masked[0])}, {Phone: models.Some(masked[1])}, {WhatsApp: models.Some(masked[2])}} {
			_, err := w.contacts.Update(ctx, w.Sales3, id, 3, patch)
			requireKind(t, apperr.Invalid, err)
		}
		kept := must(w.contacts.Get(ctx, w.Admin, id))(t)
		require.Equal(t, []string{kept.Email, kept.Phone, kept.WhatsApp}, plain, "the data itself is as it was")
		ken := must(w.contacts.Get(ctx, w.Viewer, w.Ken.ID))(t)
		require.Empty(t, ken.Masked, "there is nothing to hide")
		ivy := must(w.contacts.Get(ctx, w.Manager2, w.Ivy.ID))(t)
		require.Equal(t, []string{"ivy@acme.test", ""}, []string{ivy.Email, ivy.CompanyName}, "theirs, at a company of another team")
	})
}

// A colleague's contact at one's own company is there to read, with its personal data hidden.
func TestContactsAtOnesCompany(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		ivy := must(w.contacts.Get(t.Context(), w.Sales1, w.Ivy.ID))(t)
		require.Equal(t, []string{"Ivy Yuen", "i•••@acme.test", "Suki Sales"}, []string{ivy.Name, ivy.Email, ivy.OwnerName})
		for _, item := range must(w.history.Of(t.Context(), w.Sales1, models.TypeContact, w.Ivy.ID))(t) {
			require.NotContains(t, string(item.AfterValue), "ivy@")
		}
		w.refused(t, rbac.ContactUpdate, w.Ivy.ID, func() error {
			_, err := w.contacts.Update(t.Context(), w.Sales1, w.Ivy.ID, 1, crm.ContactPatch{OwnerID: models.Some(w.Sales1.UserID)})
			return err
		})
	})
}
