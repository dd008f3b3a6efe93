package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/store"
)

// propose adds a pending proposal of Sales1 that expires after a minute of the clock.
func propose(t *testing.T, w *dbtest.World, target string) models.Proposal {
	t.Helper()
	p := models.Proposal{
		ID: models.NewID(), Status: models.ProposalPending, Tool: "update_deal", TargetType: models.TypeDeal, TargetID: target, Args: models.JSON("{}"), Changes: models.JSON("[]"),
		Warnings: models.JSON("[]"), RequestedBy: w.Sales1.UserID, CreatedAt: w.Clock.Now(), ExpiresAt: w.Clock.Now().Add(time.Minute),
	}
	w.Clock.Advance(time.Microsecond)
	w.InTx(t, func(tx *store.Tx) { require.NoError(t, tx.InsertProposal(t.Context(), &p)) })
	return p
}

func status(t *testing.T, w *dbtest.World, id string) (s models.ProposalStatus) {
	t.Helper()
	w.View(t, func(r *store.Reader) {
		p, err := r.Proposal(t.Context(), store.Party{UserID: w.Sales1.UserID}, id)
		require.NoError(t, err)
		s = p.Status
	})
	return s
}

// decided is a proposal as a person confirms it at a moment.
func decided(p models.Proposal, by string, at time.Time) *models.Proposal {
	p.Status, p.DecidedBy, p.DecidedAt = models.ProposalExecuted, &by, &at
	return &p
}

func TestProposalIsDecidedOnce(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		p := propose(t, w, "d")
		errs := make(chan error)
		replicas := []*store.DB{db, dbtest.Again(t, db)}
		for i := range 12 {
			go func() {
				errs <- replicas[i%2].InTx(t.Context(), func(tx *store.Tx) error {
					return tx.DecideProposal(t.Context(), decided(p, w.Sales1.UserID, w.Clock.Now()))
				})
			}()
		}
		won := 0
		for range 12 {
			if err := <-errs; err == nil {
				won++
			} else {
				requireKind(t, err, apperr.Conflict)
			}
		}
		require.Equal(t, 1, won)
	})
}

func TestProposalIsNotDecided(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		p := propose(t, w, "d")
		decide := func(p models.Proposal, at time.Time) error {
			return db.InTx(t.Context(), func(tx *store.Tx) error {
				return tx.DecideProposal(t.Context(), decided(p, w.Sales1.UserID, at))
			})
		}
		theirs := p
		theirs.RequestedBy = w.Manager.UserID
		requireKind(t, decide(theirs, w.Clock.Now()), apperr.Conflict)
		requireKind(t, decide(p, p.ExpiresAt), apperr.Conflict)
		require.Equal(t, models.ProposalPending, status(t, w, p.ID))
		require.NoError(t, decide(p, p.ExpiresAt.Add(-time.Microsecond)))
		requireKind(t, decide(p, w.Clock.Now()), apperr.Conflict)
		w.View(t, func(r *store.Reader) {
			_, err := r.Proposal(t.Context(), store.Party{UserID: w.Admin.UserID}, p.ID)
			requireKind(t, err, apperr.NotFound)
		})
	})
}

func TestProposalStates(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		ctx := t.Context()
		p := propose(t, w, "d")
		err := db.InTx(ctx, func(tx *store.Tx) error {
			second := p
			second.ID = models.NewID()
			return tx.InsertProposal(ctx, &second)
		})
		requireKind(t, err, apperr.Conflict)
		other := propose(t, w, "other")
		w.InTx(t, func(tx *store.Tx) {
			open, err := tx.OpenProposal(ctx, w.Sales1.UserID, "update_deal", models.TypeDeal, "d")
			require.NoError(t, err)
			require.Equal(t, p.ID, open.ID)

			expired, err := tx.ExpireProposal(ctx, p.ID, p.ExpiresAt.Add(-time.Microsecond))
			require.NoError(t, err)
			require.False(t, expired, "not yet")
			superseded, err := tx.SupersedeProposal(ctx, p.ID)
			require.NoError(t, err)
			require.True(t, superseded)
			superseded, err = tx.SupersedeProposal(ctx, p.ID)
			require.NoError(t, err)
			require.False(t, superseded, "a final state")
			open, err = tx.OpenProposal(ctx, w.Sales1.UserID, "update_deal", models.TypeDeal, "d")
			require.NoError(t, err)
			require.Nil(t, open)

			overdue, err := tx.OverdueProposals(ctx, other.ExpiresAt, 10)
			require.NoError(t, err)
			require.Equal(t, []models.Proposal{other}, overdue)
			expired, err = tx.ExpireProposal(ctx, other.ID, other.ExpiresAt)
			require.NoError(t, err)
			require.True(t, expired)
		})
		require.Equal(t, models.ProposalExpired, status(t, w, other.ID))
		require.Equal(t, models.ProposalSuperseded, status(t, w, p.ID))
	})
}

func TestStaleProposalIsLinkedOnce(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		ctx := t.Context()
		p := propose(t, w, "d")
		w.InTx(t, func(tx *store.Tx) {
			stale := decided(p, w.Sales1.UserID, w.Clock.Now())
			stale.Status, stale.Outcome, stale.ChangedSince = models.ProposalStale, models.JSON(`{"summary":"x"}`), models.JSON("[]")
			require.NoError(t, tx.DecideProposal(ctx, stale))
			requireKind(t, tx.DecideProposal(ctx, stale), apperr.Conflict)
		})
		fresh := propose(t, w, "d")
		w.InTx(t, func(tx *store.Tx) {
			for _, want := range []bool{true, false} {
				linked, err := tx.LinkFresh(ctx, p.ID, fresh.ID)
				require.NoError(t, err)
				require.Equal(t, want, linked)
			}
			linked, err := tx.LinkFresh(ctx, fresh.ID, p.ID)
			require.NoError(t, err)
			require.False(t, linked, "only a stale one has a successor")
			got, err := tx.Proposal(ctx, store.Party{UserID: w.Sales1.UserID}, p.ID)
			require.NoError(t, err)
			require.Equal(t, fresh.ID, *got.FreshID)
			require.JSONEq(t, `{"summary":"x"}`, string(got.Outcome))
			require.Equal(t, w.Sales1.UserID, *got.DecidedBy)
			require.NotNil(t, got.DecidedAt)
		})
	})
}

// Whether or not the clock has been written down, a list tells open from expired.
func TestProposalLists(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		early := propose(t, w, "a")
		w.Clock.Advance(30 * time.Second)
		late := propose(t, w, "b")
		list := func(user string, s models.ProposalStatus, at time.Time) (got []string) {
			w.View(t, func(r *store.Reader) {
				page, err := r.Proposals(t.Context(), store.Party{UserID: user, Now: at}, s, store.Page{})
				require.NoError(t, err)
				require.Equal(t, int64(len(page.Items)), page.Total)
				got = ids(page.Items, func(p models.Proposal) string { return p.ID })
			})
			return got
		}
		me, between := w.Sales1.UserID, early.ExpiresAt
		require.Equal(t, []string{late.ID, early.ID}, list(me, "", between), "newest first")
		require.Equal(t, []string{late.ID}, list(me, models.ProposalPending, between))
		require.Equal(t, []string{early.ID}, list(me, models.ProposalExpired, between))
		require.Empty(t, list(me, models.ProposalCancelled, between))
		require.Empty(t, list(w.Admin.UserID, "", between), "each sees their own")
	})
}

func TestProposalsOfAConversation(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		ctx := t.Context()
		c := models.Conversation{ID: models.NewID(), UserID: w.Sales1.UserID, CreatedAt: moment, UpdatedAt: moment}
		p := propose(t, w, "elsewhere")
		p.ID, p.TargetID, p.ConversationID = models.NewID(), "here", &c.ID
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.InsertConversation(ctx, &c))
			require.NoError(t, tx.InsertProposal(ctx, &p))
			list, err := tx.ConversationProposals(ctx, w.Sales1.UserID, c.ID)
			require.NoError(t, err)
			require.Equal(t, []models.Proposal{p}, list)
			list, err = tx.ConversationProposals(ctx, w.Admin.UserID, c.ID)
			require.NoError(t, err)
			require.Empty(t, list)
		})
	})
}

// The database itself keeps final states, whatever the code does.
func TestNothingLeavesAFinalState(t *testing.T) {
	t.Parallel()
	all := []models.ProposalStatus{
		models.ProposalPending, models.ProposalExecuted, models.ProposalFailed, models.ProposalCancelled, models.ProposalExpired,
		models.ProposalStale, models.ProposalSuperseded,
	}
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		raw := dbtest.Raw(t, db)
		set := func(id string, to models.ProposalStatus) error {
			_, err := raw.ExecContext(t.Context(), "UPDATE proposals SET status = $1 WHERE id = $2", to, id)
			return err
		}
		for _, final := range all[1:] {
			p := propose(t, w, string(final))
			require.NoError(t, set(p.ID, final), "out of pending")
			for _, to := range all {
				if to != final {
					require.ErrorContains(t, set(p.ID, to), "final state", "%s to %s", final, to)
				}
			}
			_, err := raw.ExecContext(t.Context(), "UPDATE proposals SET fresh_id = id WHERE id = $1", p.ID)
			require.NoError(t, err, "what is not the state may still be noted")
			require.Equal(t, final, status(t, w, p.ID))
		}
	})
}
