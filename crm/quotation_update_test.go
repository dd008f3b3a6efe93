package crm_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/crm"
	"countersign/models"
	"countersign/rbac"
	"countersign/resolve"
	"countersign/store"
)

// become gives a quotation a status.
func (w *world) become(t *testing.T, actor models.Actor, id string, status models.QuotationStatus) (*store.QuotationView, error) {
	t.Helper()
	before := must(w.quotations.Get(t.Context(), w.Admin, id))(t)
	return w.quotations.Update(t.Context(), actor, id, before.Version, crm.QuotationPatch{Status: models.Some(status)})
}

// sent sends a draft.
func (w *world) sent(t *testing.T, actor models.Actor, id string) *store.QuotationView {
	t.Helper()
	return must(w.become(t, actor, id, models.QuotationSent))(t)
}

// Every status against every status: only the allowed edges exist.
func TestQuotationStatusEdges(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		paths := map[models.QuotationStatus][]models.QuotationStatus{
			models.QuotationDraft: {}, models.QuotationSent: {models.QuotationSent},
			models.QuotationAccepted: {models.QuotationSent, models.QuotationAccepted},
			models.QuotationRejected: {models.QuotationSent, models.QuotationRejected},
			models.QuotationExpired:  {models.QuotationSent, models.QuotationExpired},
		}
		for from, path := range paths {
			for _, to := range models.QuotationStatuses() {
				made := must(w.quotations.Create(t.Context(), w.Sales1, crm.QuotationInput{CompanyID: &w.Acme.ID, Items: []crm.QuotationLine{w.pallets(1)}}))(t)
				for _, step := range path {
					made = must(w.become(t, w.Sales1, made.ID, step))(t)
				}
				require.Equal(t, from, made.Status)
				if from == to {
					require.Equal(t, made, must(w.become(t, w.Sales1, made.ID, to))(t))
					continue
				}
				if !contains(from.Next(), to) {
					err := w.nothing(t, apperr.Conflict, func() error { _, err := w.become(t, w.Sales1, made.ID, to); return err })
					require.Equal(t, crm.CodeStatus, err.Code, "%s to %s", from, to)
					continue
				}
				action := rbac.QuotationUpdate
				if to == models.QuotationSent {
					action = rbac.QuotationSend
				}
				w.Clock.Advance(time.Hour)
				w.allowed(t, action, made.ID, func() error { _, err := w.become(t, w.Sales1, made.ID, to); return err })
				after := must(w.quotations.Get(t.Context(), w.Sales1, made.ID))(t)
				require.Equal(t, to, after.Status)
				at := after.DecidedAt
				if to == models.QuotationSent {
					at = after.SentAt
				}
				require.Equal(t, w.Clock.Now(), *at, "%s to %s", from, to)
			}
		}
		err := w.nothing(t, apperr.Invalid, func() error { _, err := w.become(t, w.Sales1, w.QuoteAcme.ID, "VOID"); return err })
		require.Equal(t, "status", wrongField(t, err))
	})
}

func contains(list []models.QuotationStatus, s models.QuotationStatus) bool {
	for _, have := range list {
		if have == s {
			return true
		}
	}
	return false
}

// What was sent is frozen; it can still be given to somebody else.
func TestOnlyDraftsAreEdited(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		sent := w.sent(t, w.Manager, w.QuoteFerry.ID)
		valid := models.Date("2027-01-01")
		for name, patch := range map[string]crm.QuotationPatch{
			"notes":    {Notes: models.Some("x")},
			"items":    {Items: models.Some([]crm.QuotationLine{w.pallets(1)})},
			"discount": {Discount: models.Some(models.Discount{DiscountRateE4: 1})},
			"company":  {CompanyID: models.Some(w.Acme.ID)},
			"validity": {ValidUntil: models.Some(valid)},
			"currency": {Currency: models.Some("USD"), Items: models.Some([]crm.QuotationLine{freeLine("x", 1)})},
			"answered": {Notes: models.Some("x"), Status: models.Some(models.QuotationAccepted)},
		} {
			err := w.nothing(t, apperr.Conflict, func() error {
				_, err := w.quotations.Update(t.Context(), w.Manager, sent.ID, sent.Version, patch)
				return err
			})
			require.Equal(t, crm.CodeNotADraft, err.Code, name)
		}
		given := must(w.quotations.Update(t.Context(), w.Manager, sent.ID, sent.Version, crm.QuotationPatch{OwnerID: models.Some(w.Sales2.UserID)}))(t)
		require.Equal(t, []any{w.Sales2.UserID, sent.Items}, []any{given.OwnerID, given.Items})
	})
}

// Sending needs a right of its own, lines, and a day that has not passed.
func TestSendQuotation(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		update := func(patch crm.QuotationPatch) error {
			before := must(w.quotations.Get(t.Context(), w.Admin, w.QuoteGlobex.ID))(t)
			_, err := w.quotations.Update(t.Context(), w.Sales2, before.ID, before.Version, patch)
			return err
		}
		sent := models.Some(models.QuotationSent)
		require.Equal(t, "items", wrongField(t, update(crm.QuotationPatch{Status: sent, Items: models.Some([]crm.QuotationLine{})})))
		yesterday, today := models.Date("2026-03-01"), models.Date("2026-03-02")
		require.Equal(t, "validUntil", wrongField(t, update(crm.QuotationPatch{Status: sent, ValidUntil: models.Some(yesterday)})))
		w.role(t, w.Sales2, map[rbac.Permission]rbac.Scope{rbac.QuotationRead: rbac.ScopeOwn, rbac.QuotationUpdate: rbac.ScopeOwn})
		w.refused(t, rbac.QuotationSend, w.QuoteGlobex.ID, func() error { return update(crm.QuotationPatch{Status: sent}) })
		w.role(t, w.Sales2, map[rbac.Permission]rbac.Scope{rbac.QuotationRead: rbac.ScopeAll, rbac.QuotationUpdate: rbac.ScopeAll, rbac.QuotationSend: rbac.ScopeOwn})
		w.refused(t, rbac.QuotationSend, w.QuoteAcme.ID, func() error { _, err := w.become(t, w.Sales2, w.QuoteAcme.ID, models.QuotationSent); return err })
		require.NoError(t, update(crm.QuotationPatch{Status: sent, ValidUntil: models.Some(today)}))
	})
}

// A revision leaves its source in force until it is sent; then the number means it, and the source is closed.
func TestReviseQuotation(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		resolver := resolve.New(w.DB, w.Gate)
		meant := func(text string) string {
			match, err := resolver.Resolve(t.Context(), w.Sales1, resolve.Query{Kind: models.TypeQuotation, Text: text, ForWrite: true})
			require.NoError(t, err, text)
			return match.Ref.ID
		}
		revise := func(id string) (*store.QuotationView, error) {
			return w.quotations.Revise(t.Context(), w.Sales1, id, crm.QuotationPatch{Notes: models.Some("again")})
		}
		first := w.QuoteAcme.ID
		err := w.nothing(t, apperr.Conflict, func() error { _, err := revise(first); return err })
		require.Equal(t, crm.CodeStillADraft, err.Code)
		source := w.sent(t, w.Sales1, first)
		second := must(revise(first))(t)
		want := source.Quotation
		want.Record, want.Revision, want.Status, want.SentAt, want.Notes = second.Record, 2, models.QuotationDraft, nil, "again"
		want.Items = second.Items
		require.Equal(t, want, second.Quotation)
		require.Equal(t, "Q-2026-0001-R2", second.Label())
		require.Equal(t, source, must(w.quotations.Get(t.Context(), w.Sales1, first))(t), "the source is as it was")
		require.Equal(t, []string{first, first, second.ID}, []string{meant("q-2026-0001"), meant("Q-2026-0001-R1"), meant("Q-2026-0001-R2")})
		err = w.nothing(t, apperr.Conflict, func() error { _, err := revise(first); return err })
		require.Equal(t, crm.CodeOtherRevision, err.Code)

		w.Clock.Advance(time.Minute)
		second = w.sent(t, w.Sales1, second.ID)
		closed := must(w.quotations.Get(t.Context(), w.Sales1, first))(t)
		require.Equal(t, []any{second.SentAt, source.Version + 1, models.QuotationSent}, []any{closed.SupersededAt, closed.Version, closed.Status})
		require.Equal(t, []string{"supersededAt"}, w.changed(t, models.TypeQuotation, first, closed.Version))
		require.Equal(t, []string{second.ID, first}, []string{meant("q-2026-0001"), meant("Q-2026-0001-R1")})
		err = w.nothing(t, apperr.Conflict, func() error { _, err := w.become(t, w.Sales1, first, models.QuotationAccepted); return err })
		require.Equal(t, crm.CodeSuperseded, err.Code)

		third := must(revise(first))(t)
		require.Equal(t, int64(3), third.Revision, "also from one that was superseded")
		must(w.become(t, w.Sales1, second.ID, models.QuotationAccepted))(t)
		err = w.nothing(t, apperr.Conflict, func() error { _, err := w.become(t, w.Sales1, third.ID, models.QuotationSent); return err })
		require.Equal(t, crm.CodeAccepted, err.Code)
		err = w.nothing(t, apperr.Conflict, func() error { _, err := revise(second.ID); return err })
		require.Equal(t, crm.CodeAccepted, err.Code)
	})
}

func TestReviseWithinScope(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		w.sent(t, w.Sales1, w.QuoteAcme.ID)
		revise := func(actor models.Actor) error {
			_, err := w.quotations.Revise(t.Context(), actor, w.QuoteAcme.ID, crm.QuotationPatch{})
			return err
		}
		w.nothing(t, apperr.NotFound, func() error { return revise(w.Sales3) })
		w.refused(t, rbac.QuotationCreate, "", func() error { return revise(w.Viewer) })
		w.role(t, w.Sales2, map[rbac.Permission]rbac.Scope{rbac.QuotationRead: rbac.ScopeAll, rbac.QuotationCreate: rbac.ScopeOwn})
		w.refused(t, rbac.QuotationCreate, w.QuoteAcme.ID, func() error { return revise(w.Sales2) })
		require.NoError(t, revise(w.Manager))
	})
}

// What happens to a quotation is told on its own timeline, to those who see it and to nobody else.
func TestQuotationTimeline(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		w.role(t, w.Sales2, map[rbac.Permission]rbac.Scope{rbac.ActivityRead: rbac.ScopeAll, rbac.CompanyRead: rbac.ScopeAll, rbac.DealRead: rbac.ScopeAll})
		w.sent(t, w.Manager, w.QuoteAcme.ID)
		timeline := func(actor models.Actor, target models.Ref) (store.List[store.ActivityView], error) {
			return w.activities.Timeline(t.Context(), actor, target, store.Page{})
		}
		quotation := models.Ref{Type: models.TypeQuotation, ID: w.QuoteAcme.ID}
		seen := must(timeline(w.Sales1, quotation))(t)
		require.Len(t, seen.Items, 1)
		require.Equal(t, []string{"Draft → Sent", "Mei Manager", "Q-2026-0001"}, []string{seen.Items[0].Subject, seen.Items[0].OwnerName, seen.Items[0].QuotationName})
		reader := w.Sales1
		reader.Lang = "zh-HK"
		require.Equal(t, "草稿 → 已發出", must(timeline(reader, quotation))(t).Items[0].Subject)
		require.Equal(t, "草稿 → 已發出", must(w.activities.List(t.Context(), reader, store.ActivityFilter{}, store.Page{}))(t).Items[0].Subject)
		require.Equal(t, "草稿 → 已發出", must(w.activities.Get(t.Context(), reader, seen.Items[0].ID))(t).Subject)
		_, err := timeline(w.Sales3, quotation)
		requireKind(t, apperr.NotFound, err)
		_, err = timeline(w.Sales2, quotation)
		requireKind(t, apperr.Forbidden, err)
		for _, target := range []models.Ref{{Type: models.TypeCompany, ID: w.Acme.ID}, {Type: models.TypeDeal, ID: w.AcmeRenewal.ID}} {
			require.Empty(t, must(timeline(w.Sales1, target))(t).Items, "not on the %s's", target.Type)
		}
		require.Empty(t, must(w.activities.List(t.Context(), w.Sales3, store.ActivityFilter{}, store.Page{}))(t).Items)
	})
}

// One of many wins, whatever they race for, and no number is lost or given twice.
func TestConcurrentQuotations(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		made := make([]*store.QuotationView, 12)
		for _, err := range race(len(made), func(i int) (err error) {
			made[i], err = w.quotations.Create(t.Context(), w.Sales1, crm.QuotationInput{CompanyID: &w.Acme.ID})
			return err
		}) {
			require.NoError(t, err)
		}
		numbers := map[string]bool{}
		for _, q := range made {
			numbers[q.Number] = true
		}
		for n := range made {
			require.Contains(t, numbers, models.QuotationNumber(2026, int64(6+n)))
		}
		winner(t, apperr.Stale, race(8, func(int) error {
			_, err := w.quotations.Update(t.Context(), w.Sales1, w.QuoteAcme.ID, 1, crm.QuotationPatch{Status: models.Some(models.QuotationSent)})
			return err
		}))
		winner(t, apperr.Conflict, race(8, func(int) error {
			_, err := w.quotations.Revise(t.Context(), w.Sales1, w.QuoteAcme.ID, crm.QuotationPatch{})
			return err
		}))
	})
}

// An answer to a revision and the sending of the next one do not both happen.
func TestAcceptAgainstNextRevision(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		first := w.sent(t, w.Sales1, w.QuoteAcme.ID)
		second := must(w.quotations.Revise(t.Context(), w.Sales1, first.ID, crm.QuotationPatch{}))(t)
		errs := race(2, func(i int) error {
			id, version, status := first.ID, first.Version, models.QuotationAccepted
			if i == 1 {
				id, version, status = second.ID, second.Version, models.QuotationSent
			}
			_, err := w.quotations.Update(t.Context(), w.Sales1, id, version, crm.QuotationPatch{Status: models.Some(status)})
			return err
		})
		require.NotEqual(t, errs[0] == nil, errs[1] == nil, "%v", errs)
	})
}
