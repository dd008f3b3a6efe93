package proposals_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"countersign/apperr"
	"countersign/crm"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/proposals"
	"countersign/store"
)

// machine is what the state machine of one deal's proposals must be, beside the real one.
type machine struct {
	*house
	t       *rapid.T
	deal    models.Deal
	stage   string
	version int64
	right   bool
	cards   []*card
}

// card is a proposal as somebody may still have it open, and where it must stand.
type card struct {
	proposal *models.Proposal
	stage    models.Stage
	status   models.ProposalStatus
	fresh    *card
	view     string
}

// TestStateMachine walks at random through everything that may happen to proposals of one deal, and compares
// each answer and what is stored with the model (SEC-80).
func TestStateMachine(t *testing.T) {
	t.Parallel()
	walks := map[string]int{"sqlite": 80, "postgres": 12}
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		h := newHouse(t, dbtest.NewWorld(t, db))
		steps, walk := 0, 0
		rapid.Check(t, func(rt *rapid.T) {
			if walk++; walk > walks[db.Dialect()] {
				return
			}
			m := newMachine(rt, h)
			rt.Repeat(map[string]func(*rapid.T){
				"propose": m.propose, "confirm": m.confirm, "confirm again": m.confirm, "cancel": m.cancel, "wait": m.wait, "edit": m.edit,
				"move": m.move, "revoke": m.revoke, "restore": m.restore, "reap": m.reap, "stranger": m.stranger,
				"": func(*rapid.T) { steps++; m.check() },
			})
		})
		t.Logf("%d steps", steps)
		require.Greater(t, steps, walks[db.Dialect()]*10)
	})
}

func newMachine(t *rapid.T, h *house) *machine {
	h.role(t, h.Sales1, "sales")
	view, err := h.deals.Create(context.Background(), h.Sales1, crm.DealInput{Title: "Deal " + models.NewID()})
	require.NoError(t, err)
	return &machine{house: h, t: t, deal: view.Deal, stage: view.StageID, version: 1, right: true}
}

func (m *machine) anyStage(t *rapid.T) models.Stage {
	return rapid.SampledFrom([]models.Stage{m.New, m.Proposal, m.Won, m.Lost}).Draw(t, "stage")
}

func (m *machine) anyCard(t *rapid.T) *card {
	if len(m.cards) == 0 {
		t.Skip("no card yet")
	}
	return rapid.SampledFrom(m.cards).Draw(t, "card")
}

// over reports whether the time of a pending card has passed.
func (m *machine) over(c *card) bool { return !m.Clock.Now().Before(c.proposal.ExpiresAt) }

// open is the card that can still be decided, as far as there is one.
func (m *machine) open() *card {
	for _, c := range m.cards {
		if c.status == models.ProposalPending && !m.over(c) {
			return c
		}
	}
	return nil
}

// made notes a proposal that was made, or found, and what it did to others.
func (m *machine) made(p *models.Proposal, stage models.Stage) *card {
	for _, c := range m.cards {
		switch {
		case c.proposal.ID == p.ID:
			require.Equal(m.t, models.ProposalPending, c.status)
			require.Equal(m.t, stage.ID, c.stage.ID)
			require.Equal(m.t, m.version, c.proposal.TargetVersion)
			return c
		case c.status == models.ProposalPending && m.over(c):
			c.status = models.ProposalExpired
		case c.status == models.ProposalPending:
			require.False(m.t, c.stage.ID == stage.ID && c.proposal.TargetVersion == m.version, "the same open change is one proposal")
			c.status = models.ProposalSuperseded
		}
	}
	c := &card{proposal: p, stage: stage, status: models.ProposalPending}
	require.Equal(m.t, m.version, p.TargetVersion)
	m.cards = append(m.cards, c)
	return c
}

func (m *machine) propose(t *rapid.T) {
	stage := m.anyStage(t)
	draft, err := m.performer.Prepare(context.Background(), m.Sales1, tool, models.ToJSON(map[string]any{"deal": m.deal.ID, "stage": stage.ID}))
	switch {
	case !m.right:
		require.True(t, apperr.Is(err, apperr.Forbidden), "%v", err)
		return
	case stage.ID == m.stage:
		require.True(t, apperr.Is(err, apperr.Invalid), "%v", err)
		return
	}
	require.NoError(t, err)
	p, err := m.Create(context.Background(), m.Sales1, draft, proposals.Origin{Tool: tool})
	require.NoError(t, err)
	m.made(p, stage)
}

func (m *machine) confirm(t *rapid.T) {
	c := m.anyCard(t)
	v, err := m.house.confirm(m.Sales1, c.proposal)
	if c.status != models.ProposalPending {
		m.confirmedAgain(c, v, err)
		return
	}
	switch {
	case m.over(c):
		c.status = models.ProposalExpired
		refused(t, v, err, proposals.CodeExpired)
	case !m.right:
		c.status = models.ProposalFailed
		refused(t, v, err, "FORBIDDEN")
	case c.proposal.TargetVersion != m.version:
		c.status = models.ProposalStale
		m.stale(c, v, err, c.stage.ID != m.stage)
	default:
		c.status = models.ProposalExecuted
		require.NoError(t, err)
		require.False(t, v.Repeated)
		m.stage, m.version, c.view = c.stage.ID, m.version+1, shown(t, v.Proposal)
	}
}

func (m *machine) confirmedAgain(c *card, v *proposals.Verdict, err error) {
	t := m.t
	switch c.status {
	case models.ProposalExecuted, models.ProposalFailed:
		require.NoError(t, err)
		require.True(t, v.Repeated)
		require.Equal(t, c.status, v.Proposal.Status)
		if c.view != "" {
			require.Equal(t, c.view, shown(t, v.Proposal))
		}
	case models.ProposalStale:
		open := m.open()
		m.stale(c, v, err, m.right && c.stage.ID != m.stage && (open == nil || open.stage.ID == c.stage.ID && open.proposal.TargetVersion == m.version))
	default:
		refused(t, v, err, map[models.ProposalStatus]string{
			models.ProposalCancelled: proposals.CodeAlreadyCancelled, models.ProposalSuperseded: proposals.CodeSuperseded, models.ProposalExpired: proposals.CodeExpired,
		}[c.status])
	}
}

// stale checks the answer for a stale card: the fresh one that it has, or one exactly if it may be made.
func (m *machine) stale(c *card, v *proposals.Verdict, err error, may bool) {
	fresh, _ := stale(m.t, v, err)
	switch {
	case c.fresh != nil:
		require.Equal(m.t, c.fresh.proposal.ID, fresh.ID)
	case may:
		require.NotNil(m.t, fresh)
		c.fresh = m.made(fresh, c.stage)
	default:
		require.Nil(m.t, fresh)
	}
}

func (m *machine) cancel(t *rapid.T) {
	c := m.anyCard(t)
	v, err := m.house.cancel(m.Sales1, c.proposal)
	switch {
	case c.status == models.ProposalPending && m.over(c):
		c.status = models.ProposalExpired
		refused(t, v, err, proposals.CodeExpired)
	case c.status == models.ProposalPending:
		c.status = models.ProposalCancelled
		require.NoError(t, err)
		require.False(t, v.Repeated)
	case c.status == models.ProposalCancelled:
		require.NoError(t, err)
		require.True(t, v.Repeated)
	default:
		refused(t, v, err, map[models.ProposalStatus]string{
			models.ProposalExecuted: proposals.CodeAlreadyExecuted, models.ProposalFailed: proposals.CodeAlreadyExecuted,
			models.ProposalSuperseded: proposals.CodeSuperseded, models.ProposalExpired: proposals.CodeExpired, models.ProposalStale: proposals.CodeStale,
		}[c.status])
	}
}

func (m *machine) wait(t *rapid.T) {
	m.Clock.Advance(time.Duration(rapid.IntRange(1, 9).Draw(t, "minutes")) * time.Minute)
}

func (m *machine) edit(t *rapid.T) {
	m.rename(t, m.deal, fmt.Sprintf("Deal %s at %d", m.deal.ID, m.version))
	m.version++
}

func (m *machine) move(t *rapid.T) {
	stage := m.anyStage(t)
	if stage.ID == m.stage {
		t.Skip("it is there")
	}
	m.house.move(t, m.deal, stage)
	m.stage, m.version = stage.ID, m.version+1
}

func (m *machine) revoke(t *rapid.T)  { m.role(t, m.Sales1, "viewer"); m.right = false }
func (m *machine) restore(t *rapid.T) { m.role(t, m.Sales1, "sales"); m.right = true }

func (m *machine) reap(t *rapid.T) {
	_, err := m.Reap(context.Background())
	require.NoError(t, err)
	for _, c := range m.cards {
		if c.status == models.ProposalPending && m.over(c) {
			c.status = models.ProposalExpired
		}
	}
}

func (m *machine) stranger(t *rapid.T) {
	c := m.anyCard(t)
	v, err := m.house.confirm(m.Manager, c.proposal)
	refused(t, v, err, "NOT_FOUND")
}

// check compares what is stored with the model: no card has left its final state, at most one is open, and
// the deal is where the executed ones and the edits have brought it.
func (m *machine) check() {
	pending := 0
	for _, c := range m.cards {
		require.Equal(m.t, c.status, m.status(m.t, c.proposal))
		if c.status == models.ProposalPending {
			pending++
		}
	}
	require.LessOrEqual(m.t, pending, 1)
	deal, err := m.deals.Get(context.Background(), m.Admin, m.deal.ID)
	require.NoError(m.t, err)
	require.Equal(m.t, m.version, deal.Version)
	require.Equal(m.t, m.stage, deal.StageID)
}
