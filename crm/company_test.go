package crm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/crm"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

func TestCreateCompany(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		var made *crm.Company
		entry := w.allowed(t, rbac.CompanyCreate, "", func() (err error) {
			made, err = w.companies.Create(t.Context(), w.Sales1, crm.CompanyInput{
				Name: " Sai\u200b Kung \x00Boats\n", OtherNames: []string{"西貢船廠", " ", "西貢船廠"}, ExternalID: "C-1", Industry: "Boats",
				Website: "saikung.example/boats", Phone: "+852 2345 6789", Address: "Pier 1", ParentID: &w.Ferry.ID,
				Tags: []string{"vip", "VIP", "harbour"}, Notes: "  First line\r\n\tsecond\x07 ",
			})
			return err
		})
		require.Equal(t, made.ID, entry.TargetID)
		require.Equal(t, "Sai Kung Boats", made.Name)
		require.Equal(t, models.Strings{"西貢船廠"}, made.OtherNames)
		require.Equal(t, models.Strings{"vip", "harbour"}, made.Tags)
		require.Equal(t, "First line\n\tsecond", made.Notes)
		require.Equal(t, models.CompanyLead, made.Status, "unless said otherwise")
		require.Equal(t, []string{w.Sales1.UserID, "Sam Sales"}, []string{*made.OwnerID, made.OwnerName})
		require.Equal(t, "+852 2345 6789", made.Phone)
		require.Empty(t, made.Masked)
		require.Equal(t, made, must(w.companies.Get(t.Context(), w.Sales1, made.ID))(t))
		found := must(w.search.Find(t.Context(), w.Sales1, "西貢", nil, 5))(t)
		require.Equal(t, []string{made.ID}, ids(found.Hits, hitID))
	})
}

func TestCompanyRefusesWrongValues(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		many := make([]string, 21)
		for i := range many {
			many[i] = fmt.Sprint("name ", i)
		}
		for name, c := range map[string]struct {
			path  string
			in    crm.CompanyInput
			patch crm.CompanyPatch
		}{
			"no name":        {"name", crm.CompanyInput{}, crm.CompanyPatch{Name: null[string]()}},
			"long phone":     {"phone", crm.CompanyInput{Name: "x", Phone: strings.Repeat("1", 301)}, crm.CompanyPatch{Phone: models.Some(strings.Repeat("1", 301))}},
			"long notes":     {"notes", crm.CompanyInput{Name: "x", Notes: strings.Repeat("註", 20_001)}, crm.CompanyPatch{Notes: models.Some(strings.Repeat("註", 20_001))}},
			"many names":     {"otherNames", crm.CompanyInput{Name: "x", OtherNames: many}, crm.CompanyPatch{OtherNames: models.Some(many)}},
			"many tags":      {"tags", crm.CompanyInput{Name: "x", Tags: many}, crm.CompanyPatch{Tags: models.Some(many)}},
			"status":         {"status", crm.CompanyInput{Name: "x", Status: "GONE"}, crm.CompanyPatch{Status: models.Some(models.CompanyStatus(""))}},
			"script":         {"website", crm.CompanyInput{Name: "x", Website: "javascript:alert(1)"}, crm.CompanyPatch{Website: models.Some("data:text/html,x")}},
			"masked":         {"phone", crm.CompanyInput{Name: "x", Phone: "••••••67"}, crm.CompanyPatch{Phone: models.Some("••••••67")}},
			"mask retyped":   {"phone", crm.CompanyInput{Name: "x", Phone: "******67"}, crm.CompanyPatch{Phone: models.Some("+852 ****4567")}},
			"no such parent": {"parentId", crm.CompanyInput{Name: "x", ParentID: ptr(models.NewID())}, crm.CompanyPatch{ParentID: models.Some(models.NewID())}},
			"unseen parent":  {"parentId", crm.CompanyInput{Name: "x", ParentID: &w.Globex.ID}, crm.CompanyPatch{ParentID: models.Some(w.Globex.ID)}},
			"own parent":     {"parentId", crm.CompanyInput{Name: "x", ParentID: ptr("")}, crm.CompanyPatch{ParentID: models.Some(w.Acme.ID)}},
			"no such owner":  {"ownerId", crm.CompanyInput{Name: "x", OwnerID: ptr("")}, crm.CompanyPatch{OwnerID: models.Some("")}},
		} {
			err := w.nothing(t, apperr.Invalid, func() error { _, err := w.companies.Create(t.Context(), w.Sales1, c.in); return err })
			require.Equal(t, c.path, wrongField(t, err), name)
			err = w.nothing(t, apperr.Invalid, func() error {
				_, err := w.companies.Update(t.Context(), w.Sales1, w.Acme.ID, 1, c.patch)
				return err
			})
			require.Equal(t, c.path, wrongField(t, err), name)
		}
		_, err := w.companies.Create(t.Context(), w.Sales1, crm.CompanyInput{Status: "GONE"})
		require.Len(t, apperr.As(err).Fields, 2, "all that is wrong is told at once")
	})
}

// SEC-44 and SEC-16: absent leaves, null clears, and what the actor has not seen stays.
func TestPatchCompany(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		id, version := w.Acme.ID, int64(1)
		change := func(p crm.CompanyPatch) *crm.Company {
			t.Helper()
			view := must(w.companies.Update(t.Context(), w.Sales1, id, version, p))(t)
			version++
			require.Equal(t, version, view.Version)
			require.Equal(t, view, must(w.companies.Get(t.Context(), w.Sales1, id))(t))
			return view
		}
		full := change(crm.CompanyPatch{
			Name: models.Some("Acme"), OtherNames: models.Some([]string{"艾克美"}), Industry: models.Some("Trade"), Status: models.Some(models.CompanyChurned),
			Website: models.Some("https://acme.example"), Phone: models.Some("2123"), Address: models.Some("Central"), ParentID: models.Some(w.Ferry.ID),
			Tags: models.Some([]string{"a"}), Notes: models.Some("n"),
		})
		require.Equal(t, []any{"Acme", models.Strings{"艾克美"}, "Trade", models.CompanyChurned, "https://acme.example", "2123", "Central", &w.Ferry.ID, models.Strings{"a"}, "n"},
			[]any{full.Name, full.OtherNames, full.Industry, full.Status, full.Website, full.Phone, full.Address, full.ParentID, full.Tags, full.Notes})
		require.Equal(t, []string{"address", "industry", "name", "notes", "otherNames", "parentId", "phone", "status", "tags", "website"},
			w.changed(t, models.TypeCompany, id, 2))
		empty := change(crm.CompanyPatch{
			OtherNames: null[[]string](), Industry: null[string](), Website: models.Some(""), Phone: null[string](), Address: models.Some(" "),
			ParentID: null[string](), Tags: models.Some([]string{}), Notes: null[string](),
		})
		require.Equal(t, []any{"Acme", models.Strings{}, "", models.CompanyChurned, "", "", "", (*string)(nil), models.Strings{}, ""},
			[]any{empty.Name, empty.OtherNames, empty.Industry, empty.Status, empty.Website, empty.Phone, empty.Address, empty.ParentID, empty.Tags, empty.Notes})
	})
}

// SEC-39: who may give companies to whom, and who may leave them to everybody.
func TestAssignCompanies(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		for _, c := range []struct {
			name  string
			actor models.Actor
			owner models.Optional[string]
			may   bool
		}{
			{"sales to a colleague", w.Sales1, models.Some(w.Sales2.UserID), false},
			{"sales to nobody", w.Sales1, null[string](), false},
			{"manager within the team", w.Manager, models.Some(w.Sales2.UserID), true},
			{"manager to another team", w.Manager, models.Some(w.Sales3.UserID), false},
			{"manager to nobody", w.Manager, null[string](), false},
			{"admin to anybody", w.Admin, models.Some(w.Sales3.UserID), true},
			{"admin to a disabled one", w.Admin, models.Some(w.Disabled.UserID), false},
			{"admin to nobody", w.Admin, null[string](), true},
		} {
			in := crm.CompanyInput{Name: "new", OwnerID: c.owner.Value, Unowned: c.owner.Value == nil}
			made, err := w.companies.Create(ctx, c.actor, in)
			old := must(w.companies.Create(ctx, c.actor, crm.CompanyInput{Name: "old"}))(t)
			given, err2 := w.companies.Update(ctx, c.actor, old.ID, 1, crm.CompanyPatch{OwnerID: c.owner})
			if !c.may {
				require.Equal(t, "ownerId", wrongField(t, err), c.name)
				require.Equal(t, "ownerId", wrongField(t, err2), c.name)
				continue
			}
			require.NoError(t, err)
			require.NoError(t, err2)
			require.Equal(t, c.owner.Value, made.OwnerID, c.name)
			require.Equal(t, c.owner.Value, given.OwnerID, c.name)
		}
	})
}

// A company without an owner is read by everybody and changed by those alone whose right covers all.
func TestSharedCompany(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		id := w.Ferry.ID
		for handle, actor := range w.Actors() {
			require.Equal(t, "Kowloon Ferry", must(w.companies.Get(t.Context(), actor, id))(t).Name, handle)
		}
		for _, actor := range []models.Actor{w.Sales1, w.Manager} {
			w.refused(t, rbac.CompanyUpdate, id, func() error {
				_, err := w.companies.Update(t.Context(), actor, id, 1, crm.CompanyPatch{OwnerID: models.Some(actor.UserID)})
				return err
			})
		}
		claimed := must(w.companies.Update(t.Context(), w.Admin, id, 1, crm.CompanyPatch{OwnerID: models.Some(w.Sales3.UserID)}))(t)
		require.Equal(t, "Suki Sales", claimed.OwnerName)
		w.nothing(t, apperr.NotFound, func() error { _, err := w.companies.Get(t.Context(), w.Sales1, id); return err })
	})
}

func TestCompanyExternalIDs(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		ctx, in := t.Context(), crm.CompanyInput{Name: "one", ExternalID: "C-7"}
		first := must(w.companies.Create(ctx, w.Admin, in))(t)
		duplicate := func() error { _, err := w.companies.Create(ctx, w.Sales1, in); return err }
		require.Equal(t, store.CodeDuplicate, w.nothing(t, apperr.Conflict, duplicate).Code)
		require.NoError(t, w.companies.Delete(ctx, w.Admin, first.ID, 1))
		second := must(w.companies.Create(ctx, w.Admin, in))(t)
		restore := func() error { _, err := w.companies.Restore(ctx, w.Admin, first.ID); return err }
		require.Equal(t, store.CodeDuplicate, w.nothing(t, apperr.Conflict, restore).Code)
		require.NoError(t, w.companies.Delete(ctx, w.Admin, second.ID, 1))
		require.NoError(t, restore())
	})
}

// A field that nobody touches stays as it is, even where it would not pass today.
func TestOldValuesStay(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		w.exec(t, "UPDATE companies SET phone = '**old**', website = 'ftp://old', notes = ' old ' WHERE id = $1", w.Acme.ID)
		view := must(w.companies.Update(t.Context(), w.Sales1, w.Acme.ID, 1, crm.CompanyPatch{Industry: models.Some("Trade")}))(t)
		require.Equal(t, []string{"**old**", "ftp://old", " old "}, []string{view.Phone, view.Website, view.Notes})
		require.Equal(t, []string{"industry"}, w.changed(t, models.TypeCompany, w.Acme.ID, 2))
	})
}

// SEC-16: a phone number shows to those with contact:pii over its company, and nowhere to others.
func TestMaskedPhones(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		ctx, id := t.Context(), w.Acme.ID
		w.role(t, w.Sales2, map[rbac.Permission]rbac.Scope{rbac.CompanyRead: rbac.ScopeAll, rbac.CompanyUpdate: rbac.ScopeAll, rbac.ContactPII: rbac.ScopeTeam})
		w.role(t, w.Sales3, map[rbac.Permission]rbac.Scope{rbac.CompanyRead: rbac.ScopeAll, rbac.CompanyUpdate: rbac.ScopeAll, rbac.CompanyDelete: rbac.ScopeAll, rbac.ContactPII: rbac.ScopeOwn})
		must(w.companies.Update(ctx, w.Sales1, id, 1, crm.CompanyPatch{Phone: models.Some("+85229998877")}))(t)
		w.exec(t, "UPDATE companies SET phone = '12345' WHERE id = $1", w.Ferry.ID)
		for _, c := range []struct {
			actor       models.Actor
			acme, ferry string
		}{
			{w.Admin, "+85229998877", "12345"},
			{w.Manager, "+85229998877", "12345"},
			{w.Sales1, "+85229998877", "••••••"},
			{w.Sales2, "+85229998877", "••••••"},
			{w.Sales3, "••••••77", "••••••"},
			{w.Viewer, "••••••77", "••••••"},
		} {
			list := must(w.companies.List(ctx, c.actor, store.CompanyFilter{}, store.Page{}))(t)
			seen := map[string]crm.Company{}
			for _, company := range list.Items {
				seen[company.ID] = company
			}
			for id, want := range map[string]string{id: c.acme, w.Ferry.ID: c.ferry} {
				got := must(w.companies.Get(ctx, c.actor, id))(t)
				require.Equal(t, want, got.Phone, c.actor.Name)
				require.Equal(t, strings.HasPrefix(want, "•"), has(got.Masked, "phone"), c.actor.Name)
				require.Equal(t, seen[id], *got)
			}
			values := []string{}
			for _, item := range must(w.history.Of(ctx, c.actor, models.TypeCompany, id))(t) {
				if item.Field == "phone" {
					values = append(values, string(item.BeforeValue), string(item.AfterValue))
				}
			}
			before := "+85221234567"
			if c.acme != "+85229998877" {
				before = "••••••67"
			}
			require.Equal(t, []string{`"` + before + `"`, `"` + c.acme + `"`}, values, c.actor.Name)
		}
		stale := func(err error) {
			t.Helper()
			require.Equal(t, "••••••77", apperr.As(err).Extra["current"].(crm.Company).Phone)
		}
		_, err := w.companies.Update(ctx, w.Sales3, id, 1, crm.CompanyPatch{Name: models.Some("x")})
		stale(err)
		stale(w.companies.Delete(ctx, w.Sales3, id, 1))
		renamed := must(w.companies.Update(ctx, w.Sales3, id, 2, crm.CompanyPatch{Name: models.Some("Renamed"), Industry: null[string]()}))(t)
		require.Equal(t, "••••••77", renamed.Phone)
		require.Equal(t, "+85229998877", must(w.companies.Get(ctx, w.Admin, id))(t).Phone, "the number itself is as it was")
		none := must(w.companies.Get(ctx, w.Viewer, w.Globex.ID))(t)
		require.Empty(t, none.Phone)
		require.Empty(t, none.Masked, "there is nothing to hide")
	})
}
