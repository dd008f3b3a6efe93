package proposals_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/proposals"
)

// replicas are two houses over one database, on a handle each.
func (h *house) replicas(t *testing.T) []*house {
	t.Helper()
	w := *h.World
	w.DB = dbtest.Again(t, h.DB)
	other := newHouse(t, &w)
	other.hooked = h.hooked
	return []*house{h, other}
}

type answer struct {
	verdict *proposals.Verdict
	err     error
}

// atOnce answers eight times at the same moment, on two replicas in turn.
func atOnce(replicas []*house, decide func(h *house, i int) (*proposals.Verdict, error)) []answer {
	answers := make([]answer, 8)
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() {
			<-start
			answers[i].verdict, answers[i].err = decide(replicas[i%len(replicas)], i)
		})
	}
	close(start)
	all.Wait()
	return answers
}

// rounds is how often a race is run.
const rounds = 12

// APR-06, SEC-20: however often it is clicked, it happens once, and everybody gets the one outcome.
func TestAPR06EightConfirmsAtOnceAreOne(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		replicas := h.replicas(t)
		for round := range rounds {
			before, hooked := h.effects(t, h.AcmeRenewal), h.hooked.Load()
			p := h.propose(t, h.Sales1, h.AcmeRenewal, []models.Stage{h.Proposal, h.New}[round%2])
			first := 0
			views := map[string]bool{}
			for _, a := range atOnce(replicas, func(h *house, _ int) (*proposals.Verdict, error) { return h.confirm(h.Sales1, p) }) {
				require.NoError(t, a.err)
				if !a.verdict.Repeated {
					first++
				}
				views[shown(t, a.verdict.Proposal)] = true
			}
			require.Equal(t, 1, first)
			require.Len(t, views, 1, "one outcome, byte for byte")
			require.Equal(t, before.after(1), h.effects(t, h.AcmeRenewal))
			require.Equal(t, hooked+1, h.hooked.Load())
		}
	})
}

func TestConfirmsAndCancelsAtOnce(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		replicas := h.replicas(t)
		for round := range rounds {
			before, hooked := h.effects(t, h.AcmeRenewal), h.hooked.Load()
			p := h.propose(t, h.Sales1, h.AcmeRenewal, []models.Stage{h.Proposal, h.New}[round%2])
			answers := atOnce(replicas, func(h *house, i int) (*proposals.Verdict, error) {
				if i%4 < 2 {
					return h.confirm(h.Sales1, p)
				}
				return h.cancel(h.Sales1, p)
			})
			ended := h.status(t, p)
			executed := 0
			if ended == models.ProposalExecuted {
				executed = 1
			}
			require.Equal(t, before.after(executed), h.effects(t, h.AcmeRenewal))
			require.Equal(t, hooked+1, h.hooked.Load())
			for i, a := range answers {
				switch confirm := i%4 < 2; {
				case confirm == (executed == 1):
					require.NoError(t, a.err)
					require.Equal(t, ended, a.verdict.Proposal.Status)
				case confirm:
					refused(t, a.verdict, a.err, proposals.CodeAlreadyCancelled)
				default:
					refused(t, a.verdict, a.err, proposals.CodeAlreadyExecuted)
				}
			}
			if executed == 0 {
				h.move(t, h.AcmeRenewal, []models.Stage{h.Proposal, h.New}[round%2])
			}
		}
	})
}

func TestStaleConfirmsAtOnceGetOneFreshProposal(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		replicas := h.replicas(t)
		for range rounds / 2 {
			p := h.propose(t, h.Sales1, h.AcmeRenewal, h.Proposal)
			h.rename(t, h.AcmeRenewal, "Changed "+p.ID)
			before := h.effects(t, h.AcmeRenewal)
			ids := map[string]bool{}
			for _, a := range atOnce(replicas, func(h *house, _ int) (*proposals.Verdict, error) { return h.confirm(h.Sales1, p) }) {
				fresh, _ := stale(t, a.verdict, a.err)
				require.NotNil(t, fresh)
				ids[fresh.ID] = true
			}
			require.Len(t, ids, 1)
			require.Equal(t, before, h.effects(t, h.AcmeRenewal))
		}
	})
}

// A confirm and a colleague's edit at once: one of them is first, and never are both lost or both done on one version.
func TestConfirmAndEditAtOnce(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		replicas := h.replicas(t)
		for round := range rounds {
			p := h.propose(t, h.Sales1, h.AcmeRenewal, []models.Stage{h.Proposal, h.New}[round%2])
			before := h.effects(t, h.AcmeRenewal)
			var edit error
			answers := atOnce(replicas, func(h *house, i int) (*proposals.Verdict, error) {
				if i == 0 {
					edit = h.tryRename(h.AcmeRenewal, p.TargetVersion, "Edited "+p.ID)
					return nil, nil
				}
				return h.confirm(h.Sales1, p)
			})
			after := h.effects(t, h.AcmeRenewal)
			require.Equal(t, before.version+1, after.version, "exactly one of them wrote")
			for _, a := range answers[1:] {
				if edit == nil {
					stale(t, a.verdict, a.err)
					continue
				}
				require.NoError(t, a.err)
				require.Equal(t, models.ProposalExecuted, a.verdict.Proposal.Status)
			}
			if edit == nil {
				h.move(t, h.AcmeRenewal, []models.Stage{h.Proposal, h.New}[round%2])
			}
		}
	})
}
