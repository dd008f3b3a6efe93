package crm_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/crm"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// reach says what an actor may do with each record of one type. What is left out does not exist for them.
type reach struct{ read, update, remove []string }

// answer is the answer to one attempt on a record that exists: none when it succeeds.
func (r reach) answer(id string, writable []string) apperr.Kind {
	switch {
	case !has(r.read, id):
		return apperr.NotFound
	case !has(writable, id):
		return apperr.Forbidden
	default:
		return ""
	}
}

func has(list []string, id string) bool { return slices.Contains(list, id) }

func dealReach(w *world) map[string]reach {
	acme := []string{w.AcmeRenewal.ID, w.AcmeExpansion.ID}
	alpha := []string{w.AcmeRenewal.ID, w.AcmeExpansion.ID, w.GlobexPilot.ID, w.FerryFleet.ID}
	beta := []string{w.HarbourRollout.ID, w.HarbourAudit.ID}
	all := append(append([]string{}, alpha...), beta...)
	return map[string]reach{
		"admin": {all, all, all}, "manager": {alpha, alpha, alpha}, "manager2": {beta, beta, beta},
		"sales1": {acme, acme, nil}, "sales2": {alpha[2:3], alpha[2:3], nil}, "sales3": {beta[:1], beta[:1], nil},
		"viewer": {all, nil, nil},
	}
}

func companyReach(w *world) map[string]reach {
	acme, globex, harbour, ferry := w.Acme.ID, w.Globex.ID, w.Harbour.ID, w.Ferry.ID
	all := []string{acme, globex, harbour, ferry}
	return map[string]reach{
		"admin":    {all, all, all},
		"manager":  {[]string{acme, globex, ferry}, []string{acme, globex}, []string{acme, globex}},
		"manager2": {[]string{harbour, ferry}, []string{harbour}, []string{harbour}},
		"sales1":   {[]string{acme, ferry}, []string{acme}, nil},
		"sales2":   {[]string{globex, ferry}, []string{globex}, nil},
		"sales3":   {[]string{harbour, ferry}, []string{harbour}, nil},
		"viewer":   {all, nil, nil},
	}
}

// subject is one type of record as the matrix below tries it.
type subject struct {
	reach   map[string]reach
	all     []string
	list    func(models.Actor) ([]string, int64, error)
	get     func(models.Actor, string) error
	update  func(models.Actor, string, int64) error
	remove  func(models.Actor, string, int64) error
	restore func(models.Actor, string) error
	history func(models.Actor, string) error
	rights  struct{ update, remove, restore rbac.Permission }
}

func dealSubject(t *testing.T, w *world) subject {
	ctx, reaches := t.Context(), dealReach(w)
	s := subject{reach: reaches, all: reaches["admin"].read}
	s.list = func(a models.Actor) ([]string, int64, error) {
		list, err := w.deals.List(ctx, a, store.DealFilter{}, store.Page{})
		return ids(list.Items, dealID), list.Total, err
	}
	s.get = func(a models.Actor, id string) error { _, err := w.deals.Get(ctx, a, id); return err }
	s.update = func(a models.Actor, id string, v int64) error {
		_, err := w.deals.Update(ctx, a, id, v, crm.DealPatch{Title: models.Some("by " + a.Name)})
		return err
	}
	s.remove = func(a models.Actor, id string, v int64) error { return w.deals.Delete(ctx, a, id, v) }
	s.restore = func(a models.Actor, id string) error { _, err := w.deals.Restore(ctx, a, id); return err }
	s.history = func(a models.Actor, id string) error { _, err := w.history.Of(ctx, a, models.TypeDeal, id); return err }
	s.rights.update, s.rights.remove, s.rights.restore = rbac.DealUpdate, rbac.DealDelete, rbac.DealRestore
	return s
}

func companySubject(t *testing.T, w *world) subject {
	ctx, reaches := t.Context(), companyReach(w)
	s := subject{reach: reaches, all: reaches["admin"].read}
	s.list = func(a models.Actor) ([]string, int64, error) {
		list, err := w.companies.List(ctx, a, store.CompanyFilter{}, store.Page{})
		return ids(list.Items, companyID), list.Total, err
	}
	s.get = func(a models.Actor, id string) error { _, err := w.companies.Get(ctx, a, id); return err }
	s.update = func(a models.Actor, id string, v int64) error {
		_, err := w.companies.Update(ctx, a, id, v, crm.CompanyPatch{Name: models.Some("by " + a.Name)})
		return err
	}
	s.remove = func(a models.Actor, id string, v int64) error { return w.companies.Delete(ctx, a, id, v) }
	s.restore = func(a models.Actor, id string) error { _, err := w.companies.Restore(ctx, a, id); return err }
	s.history = func(a models.Actor, id string) error {
		_, err := w.history.Of(ctx, a, models.TypeCompany, id)
		return err
	}
	s.rights.update, s.rights.remove, s.rights.restore = rbac.CompanyUpdate, rbac.CompanyDelete, rbac.CompanyRestore
	return s
}

func contactReach(w *world) map[string]reach {
	amy, ivy, gus, ken, hana := w.Amy.ID, w.Ivy.ID, w.Gus.ID, w.Ken.ID, w.Hana.ID
	all, alpha, beta := []string{amy, ivy, gus, ken, hana}, []string{amy, gus, ken}, []string{ivy, hana}
	return map[string]reach{
		"admin":    {all, all, all},
		"manager":  {[]string{amy, ivy, gus, ken}, alpha, alpha},
		"manager2": {beta, beta, beta},
		"sales1":   {[]string{amy, ivy}, []string{amy}, nil},
		"sales2":   {[]string{gus}, []string{gus}, nil},
		"sales3":   {beta, beta, nil},
		"viewer":   {all, nil, nil},
	}
}

func contactSubject(t *testing.T, w *world) subject {
	ctx, reaches := t.Context(), contactReach(w)
	s := subject{reach: reaches, all: reaches["admin"].read}
	s.list = func(a models.Actor) ([]string, int64, error) {
		list, err := w.contacts.List(ctx, a, store.ContactFilter{}, store.Page{})
		return ids(list.Items, contactID), list.Total, err
	}
	s.get = func(a models.Actor, id string) error { _, err := w.contacts.Get(ctx, a, id); return err }
	s.update = func(a models.Actor, id string, v int64) error {
		_, err := w.contacts.Update(ctx, a, id, v, crm.ContactPatch{Name: models.Some("by " + a.Name)})
		return err
	}
	s.remove = func(a models.Actor, id string, v int64) error { return w.contacts.Delete(ctx, a, id, v) }
	s.restore = func(a models.Actor, id string) error { _, err := w.contacts.Restore(ctx, a, id); return err }
	s.history = func(a models.Actor, id string) error {
		_, err := w.history.Of(ctx, a, models.TypeContact, id)
		return err
	}
	s.rights.update, s.rights.remove, s.rights.restore = rbac.ContactUpdate, rbac.ContactDelete, rbac.ContactRestore
	return s
}

// activitySubject logs one activity per deal, by the deal's owner, so that activities are seen as their deals are.
func activitySubject(t *testing.T, w *world) subject {
	ctx, byDeal := t.Context(), map[string]string{}
	for _, d := range []models.Deal{w.AcmeRenewal, w.AcmeExpansion, w.GlobexPilot, w.FerryFleet, w.HarbourRollout, w.HarbourAudit} {
		view, err := w.activities.Create(ctx, models.Actor{UserID: d.OwnerID, Via: models.ViaWeb}, crm.ActivityInput{
			Kind: models.ActivityCall, Subject: "about " + d.Title, DealID: &d.ID,
		})
		require.NoError(t, err)
		byDeal[d.ID] = view.ID
	}
	on := func(deals []string) (activities []string) {
		for _, id := range deals {
			activities = append(activities, byDeal[id])
		}
		return activities
	}
	s := subject{reach: map[string]reach{}}
	for handle, r := range dealReach(w) {
		s.reach[handle] = reach{on(r.read), on(r.update), on(r.remove)}
	}
	s.all = s.reach["admin"].read
	s.list = func(a models.Actor) ([]string, int64, error) {
		list, err := w.activities.List(ctx, a, store.ActivityFilter{}, store.Page{})
		return ids(list.Items, activityID), list.Total, err
	}
	s.get = func(a models.Actor, id string) error { _, err := w.activities.Get(ctx, a, id); return err }
	s.update = func(a models.Actor, id string, v int64) error {
		_, err := w.activities.Update(ctx, a, id, v, crm.ActivityPatch{Subject: models.Some("by " + a.Name)})
		return err
	}
	s.remove = func(a models.Actor, id string, v int64) error { return w.activities.Delete(ctx, a, id, v) }
	s.restore = func(a models.Actor, id string) error { _, err := w.activities.Restore(ctx, a, id); return err }
	s.history = func(a models.Actor, id string) error {
		_, err := w.history.Of(ctx, a, models.TypeActivity, id)
		return err
	}
	s.rights.update, s.rights.remove, s.rights.restore = rbac.ActivityUpdate, rbac.ActivityDelete, rbac.ActivityRestore
	return s
}

func taskReach(w *world) map[string]reach {
	ring, demo, tour, send, filed := w.RingAmy.ID, w.DemoGus.ID, w.TourKen.ID, w.SendHana.ID, w.FiledAudit.ID
	all, alpha, beta := []string{ring, demo, tour, send, filed}, []string{ring, demo, tour}, []string{send, filed}
	return map[string]reach{
		"admin": {all, all, all}, "manager": {alpha, alpha, alpha}, "manager2": {beta, beta, beta},
		"sales1": {alpha[:1], alpha[:1], nil}, "sales2": {alpha[1:2], alpha[1:2], nil}, "sales3": {beta[:1], beta[:1], nil},
		"viewer": {all, nil, nil},
	}
}

func taskSubject(t *testing.T, w *world) subject {
	ctx, reaches := t.Context(), taskReach(w)
	s := subject{reach: reaches, all: reaches["admin"].read}
	s.list = func(a models.Actor) ([]string, int64, error) {
		list, err := w.tasks.List(ctx, a, store.TaskFilter{}, store.Page{})
		return ids(list.Items, taskID), list.Total, err
	}
	s.get = func(a models.Actor, id string) error { _, err := w.tasks.Get(ctx, a, id); return err }
	s.update = func(a models.Actor, id string, v int64) error {
		_, err := w.tasks.Update(ctx, a, id, v, crm.TaskPatch{Title: models.Some("by " + a.Name)})
		return err
	}
	s.remove = func(a models.Actor, id string, v int64) error { return w.tasks.Delete(ctx, a, id, v) }
	s.restore = func(a models.Actor, id string) error { _, err := w.tasks.Restore(ctx, a, id); return err }
	s.history = func(a models.Actor, id string) error { _, err := w.history.Of(ctx, a, models.TypeTask, id); return err }
	s.rights.update, s.rights.remove, s.rights.restore = rbac.TaskUpdate, rbac.TaskDelete, rbac.TaskRestore
	return s
}

func quotationReach(w *world) map[string]reach {
	all := []string{w.QuoteAcme.ID, w.QuoteGlobex.ID, w.QuoteFerry.ID, w.QuoteHarbour.ID, w.QuoteAudit.ID}
	alpha, beta := all[:3], all[3:]
	return map[string]reach{
		"admin": {all, all, all}, "manager": {alpha, alpha, alpha}, "manager2": {beta, beta, beta},
		"sales1": {alpha[:1], alpha[:1], alpha[:1]}, "sales2": {alpha[1:2], alpha[1:2], alpha[1:2]}, "sales3": {beta[:1], beta[:1], beta[:1]},
		"viewer": {all, nil, nil},
	}
}

func quotationSubject(t *testing.T, w *world) subject {
	ctx, reaches := t.Context(), quotationReach(w)
	s := subject{reach: reaches, all: reaches["admin"].read}
	s.list = func(a models.Actor) ([]string, int64, error) {
		list, err := w.quotations.List(ctx, a, store.QuotationFilter{}, store.Page{})
		return ids(list.Items, quotationID), list.Total, err
	}
	s.get = func(a models.Actor, id string) error { _, err := w.quotations.Get(ctx, a, id); return err }
	s.update = func(a models.Actor, id string, v int64) error {
		_, err := w.quotations.Update(ctx, a, id, v, crm.QuotationPatch{Notes: models.Some("by " + a.Name)})
		return err
	}
	s.remove = func(a models.Actor, id string, v int64) error { return w.quotations.Delete(ctx, a, id, v) }
	s.restore = func(a models.Actor, id string) error { _, err := w.quotations.Restore(ctx, a, id); return err }
	s.history = func(a models.Actor, id string) error {
		_, err := w.history.Of(ctx, a, models.TypeQuotation, id)
		return err
	}
	s.rights.update, s.rights.remove, s.rights.restore = rbac.QuotationUpdate, rbac.QuotationDelete, rbac.QuotationRestore
	return s
}

var subjects = map[string]func(*testing.T, *world) subject{
	"deals": dealSubject, "companies": companySubject, "contacts": contactSubject, "activities": activitySubject,
	"tasks": taskSubject, "quotations": quotationSubject,
}

// SEC-38: every role against every record, by every way to it.
func TestAccess(t *testing.T) {
	t.Parallel()
	for name, of := range subjects {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, w *world) {
				s := of(t, w)
				for handle, actor := range w.Actors() {
					s.tryReads(t, handle, actor)
					may := s.reach[handle]
					for _, id := range tried(s.all, may.update) {
						s.tryUpdate(t, w, handle, actor, id)
					}
					for _, id := range tried(s.all, may.remove) {
						s.tryRemove(t, w, handle, actor, id)
					}
				}
			})
		})
	}
}

// tried are the records to try a right on: all, or any one for those who do not hold it.
func tried(all, writable []string) []string {
	if len(writable) == 0 {
		return all[:1]
	}
	return all
}

func (s subject) tryReads(t *testing.T, handle string, actor models.Actor) {
	t.Helper()
	may := s.reach[handle]
	seen, total, err := s.list(actor)
	require.NoError(t, err)
	require.ElementsMatch(t, may.read, seen, handle)
	require.EqualValues(t, len(may.read), total, handle)
	for _, id := range s.all {
		for way, look := range map[string]func(models.Actor, string) error{"get": s.get, "history": s.history} {
			err := look(actor, id)
			if has(may.read, id) {
				require.NoError(t, err, "%s %s", handle, way)
				continue
			}
			requireSameAsMissing(t, err, look(actor, models.NewID()))
		}
	}
}

// requireSameAsMissing: what is out of scope is told apart from what never was by nothing.
func requireSameAsMissing(t *testing.T, err, missing error) {
	t.Helper()
	requireKind(t, apperr.NotFound, err)
	require.Equal(t, apperr.As(missing).Message, apperr.As(err).Message)
	require.Equal(t, apperr.As(missing).Code, apperr.As(err).Code)
	require.Empty(t, apperr.As(err).Extra)
}

func (s subject) tryUpdate(t *testing.T, w *world, handle string, actor models.Actor, id string) {
	t.Helper()
	may := s.reach[handle]
	version := w.version(t, s, id)
	attempt := func() error { return s.update(actor, id, version) }
	switch want := may.answer(id, may.update); {
	case len(may.update) == 0:
		w.refused(t, s.rights.update, "", attempt)
	case want == apperr.Forbidden:
		w.refused(t, s.rights.update, id, attempt)
		requireKind(t, apperr.Forbidden, s.update(actor, id, version-1))
	case want == apperr.NotFound:
		w.nothing(t, apperr.NotFound, attempt)
		requireSameAsMissing(t, attempt(), s.update(actor, models.NewID(), version))
	default:
		w.allowed(t, s.rights.update, id, attempt)
		require.Equal(t, version+1, w.version(t, s, id), "%s: up by exactly one", handle)
		stale := w.nothing(t, apperr.Stale, attempt)
		require.NotNil(t, stale.Extra["current"])
	}
}

func (s subject) tryRemove(t *testing.T, w *world, handle string, actor models.Actor, id string) {
	t.Helper()
	may := s.reach[handle]
	version := w.version(t, s, id)
	attempt := func() error { return s.remove(actor, id, version) }
	switch want := may.answer(id, may.remove); {
	case len(may.remove) == 0:
		w.refused(t, s.rights.remove, "", attempt)
		w.refused(t, s.rights.restore, "", func() error { return s.restore(actor, id) })
	case want == apperr.Forbidden:
		w.refused(t, s.rights.remove, id, attempt)
	case want == apperr.NotFound:
		w.nothing(t, apperr.NotFound, attempt)
		requireSameAsMissing(t, attempt(), s.remove(actor, models.NewID(), version))
	default:
		stale := w.nothing(t, apperr.Stale, func() error { return s.remove(actor, id, version-1) })
		require.NotNil(t, stale.Extra["current"])
		w.allowed(t, s.rights.remove, id, attempt)
		s.tryBin(t, w, handle, actor, id, version+1)
	}
}

// tryBin looks at a record in the bin in every way, and leaves it restored.
func (s subject) tryBin(t *testing.T, w *world, handle string, actor models.Actor, id string, version int64) {
	t.Helper()
	seen, total, err := s.list(actor)
	require.NoError(t, err)
	require.NotContains(t, seen, id)
	require.EqualValues(t, len(seen), total)
	requireSameAsMissing(t, s.get(actor, id), s.get(actor, models.NewID()))
	for _, write := range []func(models.Actor, string, int64) error{s.update, s.remove} {
		w.nothing(t, apperr.NotFound, func() error { return write(actor, id, version) })
	}
	if handle == "admin" {
		require.NoError(t, s.history(actor, id), "who may restore sees what happened")
	} else {
		requireSameAsMissing(t, s.history(actor, id), s.history(actor, models.NewID()))
		w.refused(t, s.rights.restore, "", func() error { return s.restore(actor, id) })
	}
	w.allowed(t, s.rights.restore, id, func() error { return s.restore(w.Admin, id) })
	require.Equal(t, version+1, w.version(t, s, id))
	w.nothing(t, apperr.NotFound, func() error { return s.restore(w.Admin, id) })
	require.NoError(t, s.get(actor, id))
}

// allowed runs fn, which must succeed and leave exactly one entry, about target.
func (w *world) allowed(t *testing.T, p rbac.Permission, target string, fn func() error) models.AuditEntry {
	t.Helper()
	entries := w.recorded(t, func() { require.NoError(t, fn()) })
	require.Len(t, entries, 1)
	require.Equal(t, models.DecisionAllowed, entries[0].Decision)
	require.Equal(t, string(p), entries[0].Action)
	if target != "" {
		require.Equal(t, target, entries[0].TargetID)
	}
	return entries[0]
}

// version is a record's version as it is stored.
func (w *world) version(t *testing.T, s subject, id string) (version int64) {
	t.Helper()
	kind := models.RecordType(s.rights.update.Resource())
	w.View(t, func(r *store.Reader) {
		v, _, found, err := r.RecordState(t.Context(), kind, id)
		require.NoError(t, err)
		require.True(t, found)
		version = v
	})
	return version
}
