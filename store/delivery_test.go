package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

func TestDeliveries(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		proposal := propose(t, w, w.AcmeRenewal.ID)
		full := models.Delivery{
			ID: models.NewID(), ProposalID: proposal.ID, QuotationID: w.QuoteAcme.ID, RequestedBy: w.Sales1.UserID, Lang: text, Recipient: text,
			ReplyTo: text, Subject: text, Body: text, BodyLang: text, MessageID: text, Status: models.DeliveryQueued, Problem: models.ProblemBusy, Attempts: 2,
			CreatedAt: moment, UpdatedAt: moment, SentAt: &moment, MarkedBy: &w.Admin.UserID,
		}
		requireFull(t, full)
		send, read := w.Grant(t, w.Sales1, rbac.QuotationSend), w.Grant(t, w.Manager, rbac.QuotationRead)
		elsewhere, unsent := w.Grant(t, w.Sales3, rbac.QuotationSend), w.Grant(t, w.Sales3, rbac.QuotationRead)
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.InsertDelivery(t.Context(), send, ptr(full)))
			got, err := tx.DeliveryToMark(t.Context(), send, full.ID)
			require.NoError(t, err)
			require.Equal(t, store.DeliveryView{Delivery: full, QuotationName: "Q-2026-0001"}, *got)
			_, err = tx.DeliveryToMark(t.Context(), elsewhere, full.ID)
			require.True(t, apperr.Is(err, apperr.NotFound))

			list, err := tx.Deliveries(t.Context(), read, store.DeliveryFilter{Status: models.DeliveryQueued, QuotationID: w.QuoteAcme.ID}, store.Page{})
			require.NoError(t, err)
			require.Equal(t, []store.DeliveryView{{Delivery: full, QuotationName: "Q-2026-0001"}}, list.Items)
			for _, f := range []store.DeliveryFilter{{Status: models.DeliverySent}, {QuotationID: w.QuoteGlobex.ID}} {
				list, err = tx.Deliveries(t.Context(), read, f, store.Page{})
				require.NoError(t, err)
				require.Empty(t, list.Items)
			}
			list, err = tx.Deliveries(t.Context(), unsent, store.DeliveryFilter{}, store.Page{})
			require.NoError(t, err)
			require.Empty(t, list.Items)

			left, err := tx.DeliveriesLeft(t.Context(), models.DeliveryQueued, moment.Add(time.Second))
			require.NoError(t, err)
			require.Equal(t, []models.Delivery{full}, left)
			left, err = tx.DeliveriesLeft(t.Context(), models.DeliveryQueued, moment)
			require.NoError(t, err)
			require.Empty(t, left)

			claimed, err := tx.ClaimDelivery(t.Context(), full.ID, moment.Add(time.Second))
			require.NoError(t, err)
			want := full
			want.Status, want.Problem, want.Attempts, want.UpdatedAt = models.DeliverySending, "", 3, moment.Add(time.Second)
			require.Equal(t, want, *claimed)
			claimed, err = tx.ClaimDelivery(t.Context(), full.ID, moment)
			require.NoError(t, err)
			require.Nil(t, claimed)

			want.Status, want.Problem, want.SentAt, want.MarkedBy = models.DeliveryUnknown, models.ProblemCut, nil, nil
			require.NoError(t, tx.MoveDelivery(t.Context(), &want, models.DeliverySending))
			got, err = tx.DeliveryToMark(t.Context(), send, full.ID)
			require.NoError(t, err)
			require.Equal(t, want, got.Delivery)
			require.True(t, apperr.Is(tx.MoveDelivery(t.Context(), &want, models.DeliverySending), apperr.Conflict))
		})
		second := full
		second.ID = models.NewID()
		err := db.InTx(t.Context(), func(tx *store.Tx) error { return tx.InsertDelivery(t.Context(), send, &second) })
		require.True(t, apperr.HasCode(err, store.CodeDuplicate), "a proposal has one: %v", err)
	})
}
