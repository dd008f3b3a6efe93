package crm_test

import (
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

// SEC-44: absent leaves, null clears, and zero values are values.
func TestPatchDeal(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		d := w.AcmeRenewal
		version := d.Version
		change := func(p crm.DealPatch) *store.DealView {
			t.Helper()
			version++
			view := must(w.deals.Update(t.Context(), w.Sales1, d.ID, version-1, p))(t)
			require.Equal(t, version, view.Version)
			require.Equal(t, view, must(w.deals.Get(t.Context(), w.Sales1, d.ID))(t))
			return view
		}
		cleared := change(crm.DealPatch{
			CompanyID: null[string](), ProductID: null[string](), Amount: null[models.Money](), ExpectedCloseDate: null[models.Date](),
		})
		require.Equal(t, []any{(*string)(nil), (*string)(nil), (*models.Money)(nil), (*models.Date)(nil), "", ""},
			[]any{cleared.CompanyID, cleared.ProductID, cleared.Amount(), cleared.ExpectedCloseDate, cleared.CompanyName, cleared.ProductName})
		require.Equal(t, d.Title, cleared.Title)
		zero := change(crm.DealPatch{Amount: models.Some(models.Money{Currency: "USD"})})
		require.Equal(t, &models.Money{Currency: "USD"}, zero.Amount())
		full := change(crm.DealPatch{
			Title: models.Some("Café 重訂\u200b"), CompanyID: models.Some(w.Ferry.ID), ProductID: models.Some(w.Pallet.ID),
			Amount: models.Some(*hkd(12_345)), ExpectedCloseDate: models.Some(models.Date("2026-12-31")),
		})
		require.Equal(t, "Café 重訂", full.Title, "NFC, without the invisible")
		require.Equal(t, []string{"Kowloon Ferry", "Pallet"}, []string{full.CompanyName, full.ProductName})
		require.Equal(t, models.Date("2026-12-31"), *full.ExpectedCloseDate)
	})
}

func TestPatchDealRefusesWrongValues(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		for path, patches := range map[string][]crm.DealPatch{
			"title":             {{Title: null[string]()}, {Title: models.Some(" \u200b")}},
			"stageId":           {{StageID: null[string]()}, {StageID: models.Some("")}, {StageID: models.Some(models.NewID())}},
			"ownerId":           {{OwnerID: null[string]()}, {OwnerID: models.Some("")}},
			"companyId":         {{CompanyID: models.Some(w.Harbour.ID)}, {CompanyID: models.Some("")}},
			"productId":         {{ProductID: models.Some(models.NewID())}},
			"amount":            {{Amount: models.Some(*hkd(-5))}, {Amount: models.Some(models.Money{Minor: 1, Currency: "BTC"})}},
			"expectedCloseDate": {{ExpectedCloseDate: models.Some(models.Date("tomorrow"))}},
			"lostReason":        {{LostReason: models.Some("Price")}, {LostReason: models.Some("Price"), StageID: models.Some(w.Won.ID)}},
		} {
			for _, p := range patches {
				err := w.nothing(t, apperr.Invalid, func() error { _, err := w.deals.Update(t.Context(), w.Sales1, w.AcmeRenewal.ID, 1, p); return err })
				require.Equal(t, path, wrongField(t, err))
			}
		}
	})
}

func TestPatchThatChangesNothing(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		d := w.AcmeRenewal
		before := w.content(t)
		require.Empty(t, w.recorded(t, func() {
			for _, p := range []crm.DealPatch{{}, {Title: models.Some(" " + d.Title + " ")}, {StageID: models.Some(d.StageID)}, {Amount: models.Some(*d.Amount())}, {LostReason: null[string]()}} {
				view := must(w.deals.Update(t.Context(), w.Sales1, d.ID, 1, p))(t)
				require.EqualValues(t, 1, view.Version)
			}
			must(w.companies.Update(t.Context(), w.Sales1, w.Acme.ID, 1, crm.CompanyPatch{Phone: models.Some(w.Acme.Phone), Tags: null[[]string]()}))(t)
		}))
		require.Equal(t, before, w.content(t))
	})
}

func TestMoveDeal(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		id, version := w.AcmeRenewal.ID, int64(1)
		move := func(stage models.Stage, reason models.Optional[string]) *store.DealView {
			t.Helper()
			w.Clock.Advance(time.Hour)
			before := must(w.deals.ForUpdate(t.Context(), w.Sales1, id))(t)
			patch := crm.DealPatch{StageID: models.Some(stage.ID), LostReason: reason}
			preview := must(w.deals.Preview(t.Context(), w.Sales1, before, patch))(t)
			view := must(w.deals.Update(t.Context(), w.Sales1, id, version, patch))(t)
			version++
			require.Equal(t, []any{stage.ID, stage.Name, stage.Kind, stage.PipelineID}, []any{view.StageID, view.StageName, view.StageKind, view.PipelineID})
			preview.Version, preview.UpdatedAt = view.Version, view.UpdatedAt
			require.Equal(t, view, preview, "the preview tells what then happens")
			return view
		}
		won := move(w.Won2, models.Optional[string]{})
		require.Equal(t, "Renewals", won.PipelineName)
		require.Equal(t, dbtest.Start.Add(time.Hour), *won.ClosedAt)
		lost := move(w.Lost, models.Some("Price"))
		require.Equal(t, won.ClosedAt, lost.ClosedAt, "closed already")
		require.Equal(t, "Price", lost.LostReason)
		open := move(w.Proposal, models.Optional[string]{})
		require.Nil(t, open.ClosedAt)
		require.Empty(t, open.LostReason)
		require.Empty(t, move(w.Lost, models.Optional[string]{}).LostReason)
		reason := must(w.deals.Update(t.Context(), w.Sales1, id, version, crm.DealPatch{LostReason: models.Some("Budget")}))(t)
		version++
		require.Equal(t, "Budget", reason.LostReason)
		require.Empty(t, move(w.Won, null[string]()).LostReason)

		timeline := must(w.activities.Timeline(t.Context(), w.Sales1, models.Ref{Type: models.TypeDeal, ID: id}, store.Page{}))(t)
		require.Equal(t, []string{"Lost → Won", "Proposal → Lost", "Lost → Proposal", "Won → Lost", "New → Won"},
			ids(timeline.Items, func(v store.ActivityView) string { return v.Subject }))
		require.Equal(t, models.ActivitySystem, timeline.Items[0].Kind)
	})
}

// Whatever the assistant carries out is told as its doing.
func TestMoveDealByAssistant(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		version := int64(1)
		stages := []models.Stage{w.Proposal, w.New}
		for via, kind := range map[models.Via]models.ActivityKind{
			models.ViaAssistant: models.ActivityAssistant, models.ViaCommand: models.ActivityAssistant, models.ViaMCP: models.ActivityAssistant,
			models.ViaWhatsApp: models.ActivityAssistant, models.ViaWeb: models.ActivitySystem, models.ViaCLI: models.ActivitySystem,
		} {
			w.Clock.Advance(time.Minute)
			stage := stages[(version-1)%2]
			must(w.deals.Update(t.Context(), w.Sales1.As(via), w.AcmeRenewal.ID, version, crm.DealPatch{StageID: models.Some(stage.ID)}))(t)
			version++
			timeline := must(w.activities.Timeline(t.Context(), w.Sales1, models.Ref{Type: models.TypeDeal, ID: w.AcmeRenewal.ID}, store.Page{Limit: 1}))(t)
			require.Equal(t, kind, timeline.Items[0].Kind, via)
		}
	})
}

// A stale write answers with the deal as it is now, and ForUpdate tells who may not change it.
func TestStaleDeal(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		now := must(w.deals.Update(t.Context(), w.Manager, w.AcmeRenewal.ID, 1, crm.DealPatch{Title: models.Some("newer")}))(t)
		err := w.nothing(t, apperr.Stale, func() error {
			_, err := w.deals.Update(t.Context(), w.Sales1, w.AcmeRenewal.ID, 1, crm.DealPatch{Title: models.Some("older")})
			return err
		})
		require.Equal(t, now, err.Extra["current"])
		w.refused(t, rbac.DealUpdate, "", func() error { _, err := w.deals.ForUpdate(t.Context(), w.Viewer, w.AcmeRenewal.ID); return err })
		w.nothing(t, apperr.NotFound, func() error { _, err := w.deals.ForUpdate(t.Context(), w.Sales3, w.AcmeRenewal.ID); return err })
		w.role(t, w.Sales2, map[rbac.Permission]rbac.Scope{rbac.DealRead: rbac.ScopeTeam, rbac.DealUpdate: rbac.ScopeOwn})
		w.refused(t, rbac.DealUpdate, now.ID, func() error { _, err := w.deals.ForUpdate(t.Context(), w.Sales2, now.ID); return err })
	})
}

// A service that is bound to a transaction lives and dies with it.
func TestBoundToTransaction(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		before := w.content(t)
		attempt := func(tx *store.Tx) {
			must(w.deals.With(tx).Update(t.Context(), w.Sales1, w.AcmeRenewal.ID, 1, crm.DealPatch{Title: models.Some("new")}))(t)
			must(w.companies.With(tx).Update(t.Context(), w.Sales1, w.Acme.ID, 1, crm.CompanyPatch{Name: models.Some("new")}))(t)
			must(w.activities.With(tx).Create(t.Context(), w.Sales1, crm.ActivityInput{Kind: models.ActivityNote, Subject: "new", DealID: &w.AcmeRenewal.ID}))(t)
			_, err := w.deals.With(tx).Update(t.Context(), w.Viewer, w.AcmeRenewal.ID, 2, crm.DealPatch{})
			requireKind(t, apperr.Forbidden, err)
		}
		require.Empty(t, w.recorded(t, func() {
			err := w.DB.InTx(t.Context(), func(tx *store.Tx) error { attempt(tx); return apperr.NotFoundf("reason to go on") })
			requireKind(t, apperr.NotFound, err)
		}))
		require.Equal(t, before, w.content(t))
		require.Len(t, w.recorded(t, func() { w.InTx(t, attempt) }), 4)
	})
}
