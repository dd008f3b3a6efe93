package crm_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/crm"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

func dealTimeline(id string) models.Ref    { return models.Ref{Type: models.TypeDeal, ID: id} }
func companyTimeline(id string) models.Ref { return models.Ref{Type: models.TypeCompany, ID: id} }

func TestLogActivity(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		for i, kind := range []models.ActivityKind{models.ActivityCall, models.ActivityMeeting, models.ActivityEmail, models.ActivityNote, models.ActivityWhatsApp} {
			at := time.Date(2026, 2, i+1, 10, 0, 0, 1_999, time.FixedZone("", 8*3600))
			var made *store.ActivityView
			w.allowed(t, rbac.ActivityCreate, "", func() (err error) {
				made, err = w.activities.Create(t.Context(), w.Sales1, crm.ActivityInput{
					Kind: kind, Subject: " Talked\x00 about\nprice ", Body: " 減價\n\u0000第二行 ", At: &at, CompanyID: &w.Acme.ID, DealID: &w.AcmeRenewal.ID,
				})
				return err
			})
			require.Equal(t, []string{"Talked about price", "減價\n第二行"}, []string{made.Subject, made.Body})
			require.Equal(t, time.Date(2026, 2, i+1, 2, 0, 0, 1_000, time.UTC), made.At)
			require.Equal(t, []string{"Acme Trading Limited", "Acme renewal", "Sam Sales"}, []string{made.CompanyName, made.DealTitle, made.OwnerName})
			require.Equal(t, made, must(w.activities.Get(t.Context(), w.Sales1, made.ID))(t))
		}
		now := must(w.activities.Create(t.Context(), w.Sales1, crm.ActivityInput{Kind: models.ActivityNote, Subject: "now", DealID: &w.AcmeRenewal.ID}))(t)
		require.Equal(t, dbtest.Start, now.At)
		for _, target := range []models.Ref{dealTimeline(w.AcmeRenewal.ID), companyTimeline(w.Acme.ID)} {
			page := must(w.activities.Timeline(t.Context(), w.Sales1, target, store.Page{Limit: 4}))(t)
			rest := must(w.activities.Timeline(t.Context(), w.Sales1, target, store.Page{Limit: 4, Cursor: page.Next}))(t)
			all := slices.Concat(page.Items, rest.Items)
			require.Len(t, all, 6)
			require.EqualValues(t, 6, page.Total)
			for i := 1; i < len(all); i++ {
				require.True(t, all[i].At.Before(all[i-1].At), "the latest first")
			}
		}
		require.EqualValues(t, 1, must(w.deals.Get(t.Context(), w.Sales1, w.AcmeRenewal.ID))(t).Version, "activities leave the record alone")
		require.EqualValues(t, 1, must(w.companies.Get(t.Context(), w.Sales1, w.Acme.ID))(t).Version)
	})
}

func TestActivityRefusesWrongValues(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		late := time.Date(9999, 12, 31, 23, 0, 0, 0, time.FixedZone("", -2*3600))
		on := func(in crm.ActivityInput) crm.ActivityInput {
			in.DealID = &w.AcmeRenewal.ID
			return in
		}
		for name, c := range map[string]struct {
			path string
			in   crm.ActivityInput
		}{
			"no subject":      {"subject", on(crm.ActivityInput{Kind: models.ActivityCall})},
			"no kind":         {"kind", on(crm.ActivityInput{Subject: "x"})},
			"system":          {"kind", on(crm.ActivityInput{Subject: "x", Kind: models.ActivitySystem})},
			"assistant":       {"kind", on(crm.ActivityInput{Subject: "x", Kind: models.ActivityAssistant})},
			"long body":       {"body", on(crm.ActivityInput{Subject: "x", Kind: models.ActivityNote, Body: strings.Repeat("x", 20_001)})},
			"after all time":  {"at", on(crm.ActivityInput{Subject: "x", Kind: models.ActivityNote, At: &late})},
			"about nothing":   {"dealId", crm.ActivityInput{Subject: "x", Kind: models.ActivityNote}},
			"unseen deal":     {"dealId", crm.ActivityInput{Subject: "x", Kind: models.ActivityNote, DealID: &w.GlobexPilot.ID}},
			"unseen company":  {"companyId", crm.ActivityInput{Subject: "x", Kind: models.ActivityNote, CompanyID: &w.Globex.ID}},
			"missing company": {"companyId", crm.ActivityInput{Subject: "x", Kind: models.ActivityNote, CompanyID: ptr(models.NewID())}},
		} {
			err := w.nothing(t, apperr.Invalid, func() error { _, err := w.activities.Create(t.Context(), w.Sales1, c.in); return err })
			require.Equal(t, c.path, wrongField(t, err), name)
		}
		made := must(w.activities.Create(t.Context(), w.Sales1, on(crm.ActivityInput{Subject: "x", Kind: models.ActivityNote, Body: "b"})))(t)
		for path, patch := range map[string]crm.ActivityPatch{
			"subject": {Subject: null[string]()}, "kind": {Kind: models.Some(models.ActivitySystem)}, "at": {At: models.Some(late)},
		} {
			err := w.nothing(t, apperr.Invalid, func() error { _, err := w.activities.Update(t.Context(), w.Sales1, made.ID, 1, patch); return err })
			require.Equal(t, path, wrongField(t, err))
		}
		for path, patch := range map[string]crm.ActivityPatch{"kind": {Kind: null[models.ActivityKind]()}, "at": {At: null[time.Time]()}} {
			_, err := w.activities.Update(t.Context(), w.Sales1, made.ID, 1, patch)
			require.Equal(t, path, wrongField(t, err))
		}
		cleared := must(w.activities.Update(t.Context(), w.Sales1, made.ID, 1, crm.ActivityPatch{Body: null[string](), Kind: models.Some(models.ActivityCall)}))(t)
		require.Equal(t, []any{"x", "", models.ActivityCall, int64(2)}, []any{cleared.Subject, cleared.Body, cleared.Kind, cleared.Version})
		require.Equal(t, []string{"body", "kind"}, w.changed(t, models.TypeActivity, made.ID, 2))
		same := must(w.activities.Update(t.Context(), w.Sales1, made.ID, 2, crm.ActivityPatch{Subject: models.Some("x")}))(t)
		require.EqualValues(t, 2, same.Version)
	})
}

// What the system wrote into a timeline is not for people to rewrite or remove.
func TestSystemEntriesStay(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		must(w.deals.Update(t.Context(), w.Sales1, w.AcmeRenewal.ID, 1, crm.DealPatch{StageID: models.Some(w.Won.ID)}))(t)
		entry := must(w.activities.Timeline(t.Context(), w.Sales1, dealTimeline(w.AcmeRenewal.ID), store.Page{}))(t).Items[0]
		for _, actor := range []models.Actor{w.Sales1, w.Admin} {
			err := w.nothing(t, apperr.Conflict, func() error {
				_, err := w.activities.Update(t.Context(), actor, entry.ID, 1, crm.ActivityPatch{Kind: models.Some(models.ActivityNote), Subject: models.Some("never happened")})
				return err
			})
			require.Equal(t, "SYSTEM_ENTRY", err.Code)
		}
		w.nothing(t, apperr.Conflict, func() error { return w.activities.Delete(t.Context(), w.Admin, entry.ID, 1) })
	})
}

// A timeline is seen with its record, and holds no trace of records that the actor does not see.
func TestTimelineLeaks(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		for _, target := range []models.Ref{dealTimeline(w.GlobexPilot.ID), companyTimeline(w.Globex.ID)} {
			missing := models.Ref{Type: target.Type, ID: models.NewID()}
			_, err := w.activities.Timeline(ctx, w.Sales1, target, store.Page{})
			_, want := w.activities.Timeline(ctx, w.Sales1, missing, store.Page{})
			requireSameAsMissing(t, err, want)
		}
		// A deal of the manager's with the company of Sales1, which they do not see.
		hidden := must(w.deals.Create(ctx, w.Manager, crm.DealInput{Title: "Hidden takeover", CompanyID: &w.Acme.ID}))(t)
		must(w.deals.Update(ctx, w.Manager, hidden.ID, 1, crm.DealPatch{StageID: models.Some(w.Won.ID)}))(t)
		must(w.activities.Create(ctx, w.Manager, crm.ActivityInput{Kind: models.ActivityNote, Subject: "hush", DealID: &hidden.ID}))(t)
		shared := must(w.activities.Create(ctx, w.Manager, crm.ActivityInput{Kind: models.ActivityNote, Subject: "for all", CompanyID: &w.Acme.ID}))(t)
		timeline := must(w.activities.Timeline(ctx, w.Sales1, companyTimeline(w.Acme.ID), store.Page{}))(t)
		require.Equal(t, []string{shared.ID}, ids(timeline.Items, activityID))
		require.EqualValues(t, 1, timeline.Total, "nor in the count")
		require.EqualValues(t, 3, must(w.activities.Timeline(ctx, w.Manager, companyTimeline(w.Acme.ID), store.Page{}))(t).Total)
		byDeal := must(w.activities.List(ctx, w.Sales1, store.ActivityFilter{DealID: hidden.ID}, store.Page{}))(t)
		require.Zero(t, byDeal.Total)
		// An entry about both belongs to the deal: the company's owner alone does not see it.
		both := must(w.activities.Create(ctx, w.Manager, crm.ActivityInput{Kind: models.ActivityNote, Subject: "both", CompanyID: &w.Acme.ID, DealID: &hidden.ID}))(t)
		_, err := w.activities.Get(ctx, w.Sales1, both.ID)
		require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
	})
}

// Reading activities does not stand in for reading what they are about.
func TestTimelineNeedsTheRightToItsRecord(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		w.role(t, w.Sales1, map[rbac.Permission]rbac.Scope{rbac.ActivityRead: rbac.ScopeAll, rbac.ActivityCreate: rbac.ScopeAll})
		for target, p := range map[models.Ref]rbac.Permission{dealTimeline(w.AcmeRenewal.ID): rbac.DealRead, companyTimeline(w.Acme.ID): rbac.CompanyRead} {
			w.refused(t, p, target.ID, func() error { _, err := w.activities.Timeline(t.Context(), w.Sales1, target, store.Page{}); return err })
			in := crm.ActivityInput{Kind: models.ActivityNote, Subject: "x", DealID: &target.ID}
			if target.Type == models.TypeCompany {
				in.DealID, in.CompanyID = nil, &target.ID
			}
			w.refused(t, p, "", func() error { _, err := w.activities.Create(t.Context(), w.Sales1, in); return err })
		}
		w.refused(t, rbac.ActivityCreate, "", func() error {
			_, err := w.activities.Create(t.Context(), w.Viewer, crm.ActivityInput{Kind: models.ActivityNote, Subject: "x", DealID: &w.AcmeRenewal.ID})
			return err
		})
	})
}
