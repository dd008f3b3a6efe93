package confirm_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/audit"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/rbac"
)

// reopened leaves the database to one other process for a while, and opens it anew when that has ended.
func (o *office) reopened(t *testing.T, meanwhile func()) *office {
	t.Helper()
	require.NoError(t, o.DB.Close())
	meanwhile()
	w := *o.World
	w.DB = dbtest.Again(t, o.DB)
	var err error
	w.Authorizer, err = rbac.NewAuthorizer(t.Context(), w.DB)
	require.NoError(t, err)
	w.Gate = audit.NewGate(w.Authorizer, w.DB, w.Clock.Now)
	return newOffice(t, &w)
}

// errand is to confirm cards of Sales1 as a server does, with all the durability of one.
func (o *office) errand(t *testing.T, dieAt string, cards ...models.Proposal) errand {
	t.Helper()
	e := errand{Database: dbtest.Options(t, o.DB), Now: o.Clock.Now(), Actor: o.Sales1, Cards: cards, AtOnce: 1, DieAt: dieAt}
	e.Database.Unsafe = false
	return e
}

// confirmed demands that a card can be confirmed, now or as a repeat, that it then is done once, and that it stays so.
func (o *office) confirmed(t *testing.T, card models.Proposal, repeated bool) {
	t.Helper()
	for _, again := range []bool{repeated, true} {
		v, err := o.Confirm(t.Context(), o.Sales1, card.ID, card.Digest)
		require.NoError(t, err)
		require.Equal(t, again, v.Repeated)
		require.Equal(t, models.ProposalExecuted, v.Proposal.Status)
		require.NotEmpty(t, v.Proposal.Outcome)
		require.Equal(t, doneOnce, o.traces(t)[card.ID])
	}
}

// audited demands that the record is whole.
func (o *office) audited(t *testing.T) {
	t.Helper()
	require.NoError(t, audit.NewSealer(o.DB, time.Second).Seal(t.Context()))
	n, err := audit.Verify(t.Context(), o.DB)
	require.NoError(t, err)
	require.Positive(t, n)
}

// APR-08, SEC-28: a process that is killed at any point of a confirm leaves the card pending and nothing done, or executed
// and all of it done. Whoever opens the database next can confirm it, or gets the outcome.
func TestAPR08KilledAtEachPoint(t *testing.T) {
	const times = 3
	points := []struct {
		name  string
		leave trace
	}{
		{claimed, untouched},
		{effectWritten, untouched},
		{auditWritten, untouched},
		{beforeCommit, untouched},
		{afterCommit, doneOnce},
		{answerSent, doneOnce},
	}
	each(t, func(t *testing.T, o *office) {
		cards := o.cards(t, times*len(points))
		for i, card := range cards {
			point := points[i%len(points)]
			var said []string
			o = o.reopened(t, func() {
				m := o.errand(t, point.name, card).start(t)
				said = m.rest(t)
				require.True(t, m.killed(t), point.name)
			})
			require.Equal(t, point.leave, o.traces(t)[card.ID], point.name)
			require.Equal(t, point.name == answerSent, len(said) == 1, point.name)
			o.audited(t)
			o.confirmed(t, card, point.leave == doneOnce)
		}
		o.audited(t)
	})
}

// BAT-07: a process that shares nothing with the one that made the card but the database confirms it.
func TestBAT07AProcessOfItsOwnConfirms(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		card := o.cards(t, 1)[0]
		o = o.reopened(t, func() {
			m := o.errand(t, never, card).start(t)
			require.Equal(t, card.ID, m.rest(t)[0])
			require.False(t, m.killed(t))
		})
		o.confirmed(t, card, true)
	})
}

// Killed at any moment while it confirms one card after the other, four at a time: what a process had answered is done,
// each card is pending or executed, and in the end each is done once.
func TestAPR08KilledAtAnyMoment(t *testing.T) {
	const kills = 8
	each(t, func(t *testing.T, o *office) {
		cards := o.cards(t, 150)
		answered, waiting, killed := map[string]bool{}, cards, 0
		for i := 0; i < kills && len(waiting) > 0; i++ {
			o = o.reopened(t, func() {
				ids, early := o.errand(t, never, waiting...).killedSoon(t)
				for _, id := range ids {
					answered[id] = true
				}
				if early {
					killed++
				}
			})
			stored := o.traces(t)
			for id := range answered {
				require.Equal(t, doneOnce, stored[id], id)
			}
			waiting = nil
			for _, card := range cards {
				if stored[card.ID].status == models.ProposalExecuted {
					require.Equal(t, doneOnce, stored[card.ID])
					continue
				}
				require.Equal(t, untouched, stored[card.ID])
				waiting = append(waiting, card)
			}
			o.audited(t)
		}
		t.Logf("%d processes were killed before their end; %d of %d cards were done, %d of them answered", killed, len(cards)-len(waiting), len(cards), len(answered))
		require.Positive(t, killed)
		for _, card := range cards {
			_, err := o.Confirm(t.Context(), o.Sales1, card.ID, card.Digest)
			require.NoError(t, err)
		}
		for _, stored := range o.traces(t) {
			require.Equal(t, doneOnce, stored)
		}
		o.audited(t)
	})
}

// killedSoon runs an errand, four cards at a time, and kills it a moment after its first answer. It gives the ids that
// were answered, and whether the kill came before the end.
func (e errand) killedSoon(t *testing.T) (answered []string, killed bool) {
	t.Helper()
	e.AtOnce = 4
	m := e.start(t)
	require.True(t, m.out.Scan(), "no card was answered")
	answered = []string{m.out.Text()}
	time.AfterFunc(rand.N(30*time.Millisecond), func() { _ = m.Process.Kill() })
	return append(answered, m.rest(t)...), m.killed(t)
}
