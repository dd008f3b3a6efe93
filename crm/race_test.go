package crm_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/crm"
	"countersign/models"
	"countersign/store"
)

// race runs n attempts at once and returns their errors.
func race(n int, attempt func(i int) error) []error {
	errs := make([]error, n)
	var start, done sync.WaitGroup
	start.Add(1)
	for i := range n {
		done.Go(func() {
			start.Wait()
			errs[i] = attempt(i)
		})
	}
	start.Done()
	done.Wait()
	return errs
}

// winner is the one attempt without an error; the others must have the kind.
func winner(t *testing.T, kind apperr.Kind, errs []error) int {
	t.Helper()
	won := []int{}
	for i, err := range errs {
		if err == nil {
			won = append(won, i)
			continue
		}
		requireKind(t, kind, err)
	}
	require.Len(t, won, 1)
	return won[0]
}

// SEC-43: of writes that have seen the same version one wins, and the others are told what came of it.
func TestConcurrentUpdates(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		actors := []models.Actor{w.Admin, w.Manager, w.Sales1}
		title := func(i int) string { return fmt.Sprint("title ", i) }
		var errs []error
		entries := w.recorded(t, func() {
			errs = race(20, func(i int) error {
				_, err := w.deals.Update(t.Context(), actors[i%3], w.AcmeRenewal.ID, 1, crm.DealPatch{Title: models.Some(title(i)), StageID: models.Some(w.Won.ID)})
				return err
			})
		})
		won := winner(t, apperr.Stale, errs)
		require.Len(t, entries, 1)
		for i, err := range errs {
			if i != won {
				current := apperr.As(err).Extra["current"]
				require.IsType(t, &store.DealView{}, current)
				require.Equal(t, title(won), current.(*store.DealView).Title)
			}
		}
		deal := must(w.deals.Get(t.Context(), w.Sales1, w.AcmeRenewal.ID))(t)
		require.Equal(t, []any{title(won), int64(2)}, []any{deal.Title, deal.Version})
		require.EqualValues(t, 1, must(w.activities.Timeline(t.Context(), w.Sales1, dealTimeline(deal.ID), store.Page{}))(t).Total)

		errs = race(20, func(i int) error {
			_, err := w.companies.Update(t.Context(), actors[i%3], w.Acme.ID, 1, crm.CompanyPatch{Name: models.Some(title(i))})
			return err
		})
		won = winner(t, apperr.Stale, errs)
		for i, err := range errs {
			if i != won {
				require.Equal(t, title(won), apperr.As(err).Extra["current"].(crm.Company).Name)
			}
		}
	})
}

func TestConcurrentBin(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		id := w.GlobexPilot.ID
		winner(t, apperr.NotFound, race(10, func(int) error { return w.deals.Delete(t.Context(), w.Admin, id, 1) }))
		winner(t, apperr.NotFound, race(10, func(int) error { _, err := w.deals.Restore(t.Context(), w.Admin, id); return err }))
		require.EqualValues(t, 3, must(w.deals.Get(t.Context(), w.Admin, id))(t).Version)
		in := crm.DealInput{Title: "x", ExternalID: "R-1"}
		winner(t, apperr.Conflict, race(10, func(int) error { _, err := w.deals.Create(t.Context(), w.Admin, in); return err }))
	})
}

// Refusals and writes at once: neither waits for the other for ever.
func TestConcurrentRefusals(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		entries := w.recorded(t, func() {
			for i, err := range race(20, func(i int) error {
				if i%2 == 0 {
					_, err := w.companies.Update(t.Context(), w.Sales1, w.Ferry.ID, 1, crm.CompanyPatch{Name: models.Some("x")})
					return err
				}
				_, err := w.companies.Create(t.Context(), w.Sales1, crm.CompanyInput{Name: "x"})
				return err
			}) {
				if i%2 == 0 {
					requireKind(t, apperr.Forbidden, err)
				} else {
					require.NoError(t, err)
				}
			}
		})
		require.Len(t, entries, 20)
	})
}
