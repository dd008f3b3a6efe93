package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

func contactID(v store.ContactView) string { return v.ID }

// contactsSeen: one's own, and those at a company of one's own.
func contactsSeen(w *dbtest.World) reach {
	all := []string{w.Amy.ID, w.Ivy.ID, w.Gus.ID, w.Ken.ID, w.Hana.ID}
	return reach{
		"admin": all, "viewer": all, "manager": {w.Amy.ID, w.Ivy.ID, w.Gus.ID, w.Ken.ID}, "manager2": {w.Ivy.ID, w.Hana.ID},
		"sales1": {w.Amy.ID, w.Ivy.ID}, "sales2": {w.Gus.ID}, "sales3": {w.Ivy.ID, w.Hana.ID},
	}
}

func TestContactRoundTrip(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		full := models.Contact{
			Record: live(), CompanyID: &w.Acme.ID, Name: text, JobTitle: text, Email: text, Phone: text, WhatsApp: text,
			Language: models.ContactChinese, OwnerID: w.Sales1.UserID,
		}
		check := full
		check.Record = binned(full.Record)
		requireFull(t, check)
		empty := models.Contact{Record: live(), OwnerID: w.Sales1.UserID}
		create, update := w.Grant(t, w.Admin, rbac.ContactCreate), w.Grant(t, w.Admin, rbac.ContactUpdate)
		stored := func(id string) (c models.Contact) {
			w.View(t, func(r *store.Reader) {
				view, err := r.Contact(t.Context(), w.ContactGrants(t, w.Admin), id)
				require.NoError(t, err)
				c = view.Contact
			})
			return c
		}
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.InsertContact(t.Context(), create, ptr(full)))
			require.NoError(t, tx.InsertContact(t.Context(), create, ptr(empty)))
		})
		require.Equal(t, full, stored(full.ID))
		require.Equal(t, empty, stored(empty.ID))
		emptied, filled := empty, full
		emptied.Record, filled.Record = full.Record, empty.Record
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.UpdateContact(t.Context(), update, &emptied, moment.Add(time.Second)))
			require.NoError(t, tx.UpdateContact(t.Context(), update, &filled, moment.Add(time.Second)))
		})
		require.Equal(t, int64(2), emptied.Version)
		require.Equal(t, emptied, stored(full.ID))
		require.Equal(t, filled, stored(empty.ID))
	})
}

// SEC-38: the ways to read answer alike, to the row.
func TestContactsAreReadWithinScope(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		seen := contactsSeen(w)
		addHistory(t, w, models.TypeContact, seen["admin"])
		for handle, actor := range w.Actors() {
			g, want := w.ContactGrants(t, actor), seen[handle]
			w.View(t, func(r *store.Reader) {
				page, err := r.Contacts(t.Context(), g, store.ContactFilter{}, store.Page{})
				require.NoError(t, err)
				require.ElementsMatch(t, want, ids(page.Items, contactID), "%s list", handle)
				require.Equal(t, int64(len(want)), page.Total, "%s total", handle)
				requireNames(t, r, g.Contact, models.TypeContact, want)
				for _, id := range seen["admin"] {
					_, err := r.Contact(t.Context(), g, id)
					if slices.Contains(want, id) {
						require.NoError(t, err)
					} else {
						requireKind(t, err, apperr.NotFound)
					}
					requireOthers(t, r, g.Contact, models.TypeContact, id, slices.Contains(want, id))
				}
			})
		}
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.SoftDelete(t.Context(), w.Grant(t, w.Admin, rbac.CompanyDelete), models.TypeCompany, ptr(w.Acme.Record), moment))
			page, err := tx.Contacts(t.Context(), w.ContactGrants(t, w.Sales1), store.ContactFilter{}, store.Page{})
			require.NoError(t, err)
			require.Equal(t, []string{w.Amy.ID}, ids(page.Items, contactID), "a company in the bin opens nothing")
			require.Empty(t, page.Items[0].CompanyName)
		})
	})
}

func TestContactsAreWrittenWithinScope(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		own := reach{
			"admin": contactsSeen(w)["admin"], "manager": {w.Amy.ID, w.Gus.ID, w.Ken.ID}, "manager2": {w.Ivy.ID, w.Hana.ID},
			"sales1": {w.Amy.ID}, "sales2": {w.Gus.ID}, "sales3": {w.Ivy.ID, w.Hana.ID},
		}
		for handle, may := range own {
			actor := w.Actors()[handle]
			update := w.Grant(t, actor, rbac.ContactUpdate)
			for _, c := range []models.Contact{w.Amy, w.Ivy, w.Gus, w.Ken, w.Hana} {
				allowed := slices.Contains(may, c.ID)
				requireWrite(t, db, allowed, func(tx *store.Tx) error { return tx.UpdateContact(t.Context(), update, ptr(c), moment) })
				if del, err := w.Authorizer.Authorize(t.Context(), actor, rbac.ContactDelete); err == nil {
					requireWrite(t, db, allowed, func(tx *store.Tx) error {
						return tx.SoftDelete(t.Context(), del, models.TypeContact, ptr(c.Record), moment)
					})
				}
			}
		}
	})
}

// An address is found whole, and only by those who may see it: trying addresses tells nobody whose they are.
func TestContactsByEmail(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		find := func(actor models.Actor, email string) (found []string) {
			g := w.ContactGrants(t, actor)
			if pii, err := w.Authorizer.Authorize(t.Context(), actor, rbac.ContactPII); err == nil {
				g.PII = pii
			}
			w.View(t, func(r *store.Reader) {
				hits, err := r.ContactsByEmail(t.Context(), g, email, 5)
				require.NoError(t, err)
				found = ids(hits, func(h store.NameHit) string { return h.RecordID })
			})
			return found
		}
		require.Equal(t, []string{w.Amy.ID}, find(w.Sales1, "amy@acme.test"))
		require.Empty(t, find(w.Sales1, "amy@acme"), "a part is not enough")
		require.Empty(t, find(w.Sales1, "ivy@acme.test"), "seen, but not her address")
		require.Equal(t, []string{w.Ivy.ID}, find(w.Sales3, "ivy@acme.test"))
		require.Equal(t, []string{w.Ivy.ID}, find(w.Manager, "ivy@acme.test"), "who sees all personal data of what they see")
		require.Empty(t, find(w.Manager, "hana@harbour.test"), "out of scope")
		require.Empty(t, find(w.Viewer, "amy@acme.test"))
		require.Empty(t, find(w.Admin, ""), "having none is no address")
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.SoftDelete(t.Context(), w.Grant(t, w.Admin, rbac.ContactDelete), models.TypeContact, ptr(w.Amy.Record), moment))
		})
		require.Empty(t, find(w.Admin, "amy@acme.test"), "in the bin")
	})
}

func TestListsOfContacts(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		list := func(f store.ContactFilter, p store.Page) (page store.List[store.ContactView]) {
			w.View(t, func(r *store.Reader) {
				var err error
				page, err = r.Contacts(t.Context(), w.ContactGrants(t, w.Manager), f, p)
				require.NoError(t, err)
			})
			return page
		}
		for name, c := range map[string]struct {
			filter store.ContactFilter
			want   []string
		}{
			"company":           {store.ContactFilter{CompanyID: w.Acme.ID}, []string{w.Amy.ID, w.Ivy.ID}},
			"owner":             {store.ContactFilter{OwnerID: w.Sales2.UserID}, []string{w.Gus.ID}},
			"part of a name":    {store.ContactFilter{Text: "詠詩"}, []string{w.Amy.ID}},
			"addresses no name": {store.ContactFilter{Text: "acme.test"}, nil},
		} {
			require.ElementsMatch(t, c.want, ids(list(c.filter, store.Page{}).Items, contactID), name)
		}
		for sort, want := range map[string][]string{
			"name": {w.Amy.ID, w.Gus.ID, w.Ivy.ID, w.Ken.ID}, "-createdAt": {w.Ken.ID, w.Gus.ID, w.Ivy.ID, w.Amy.ID}, "": {w.Ken.ID, w.Gus.ID, w.Ivy.ID, w.Amy.ID},
		} {
			got := walk(t, func(p store.Page) (store.List[store.ContactView], error) {
				p.Sort = sort
				return list(store.ContactFilter{}, p), nil
			})
			require.Equal(t, want, ids(got, contactID), sort)
		}
		amy := list(store.ContactFilter{Text: "amy"}, store.Page{}).Items[0]
		require.Equal(t, []string{"Acme Trading Limited", "Sam Sales", w.Alpha.ID}, []string{amy.CompanyName, amy.OwnerName, amy.OwnerTeamID})
		w.View(t, func(r *store.Reader) {
			view, err := r.Contact(t.Context(), store.ContactGrants{Contact: w.Grant(t, w.Manager, rbac.ContactRead)}, w.Amy.ID)
			require.NoError(t, err)
			require.Empty(t, view.CompanyName, "without a right to companies")
			view, err = r.Contact(t.Context(), w.ContactGrants(t, w.Sales3), w.Ivy.ID)
			require.NoError(t, err)
			require.Empty(t, view.CompanyName, "a company that one does not see")
		})
	})
}
