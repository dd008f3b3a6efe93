package proposals_test

import (
	"context"
	"fmt"
	"strings"
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
// each answer, what is stored and what is on record with the model (SEC-80).
func TestStateMachine(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		h := newHouse(t, dbtest.NewWorld(t, db))
		for steps := 0; steps < machineSteps; {
			rapid.Check(t, func(rt *rapid.T) {
				m := newMachine(rt, h)
				rt.Repeat(map[string]func(*rapid.T){
					"propose": m.propose, "propose another": m.propose, "confirm": m.confirm, "confirm again": m.confirm, "cancel": m.cancel,
					"wait": m.wait, "edit": m.edit, "move": m.move, "revoke": m.revoke, "restore": m.restore, "reap": m.reap,
					"stranger": m.stranger, "forge": m.forge,
					"": func(*rapid.T) { steps++; m.check() },
				})
			})
		}
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

// forge confirms with the digest of something else.
func (m *machine) forge(t *rapid.T) {
	c := m.anyCard(t)
	v, err := m.decide(m.Sales1, proposals.Decision{ProposalID: c.proposal.ID, Digest: strings.Repeat("0", 64), Confirm: true}, m.performer)
	refused(t, v, err, proposals.CodeDigestMismatch)
}

// check compares what is stored with the model: no card has left its final state, at most one is open, the deal is where
// the executed ones and the edits have brought it, each executed one has had its one effect, and the record tells all of it.
func (m *machine) check() {
	count := map[models.ProposalStatus]int{}
	for _, c := range m.cards {
		count[c.status]++
	}
	require.LessOrEqual(m.t, count[models.ProposalPending], 1)
	m.checkCards()

	var version int64
	var stage string
	require.NoError(m.t, m.raw.QueryRow("SELECT version, stage_id FROM deals WHERE id = $1", m.deal.ID).Scan(&version, &stage))
	require.Equal(m.t, m.version, version)
	require.Equal(m.t, m.stage, stage)

	var moves, movers int
	require.NoError(m.t, m.raw.QueryRow("SELECT COUNT(proposal_id), COUNT(DISTINCT proposal_id) FROM field_changes WHERE record_id = $1 AND field = 'stageId'", m.deal.ID).Scan(&moves, &movers))
	require.Equal(m.t, count[models.ProposalExecuted], moves)
	require.Equal(m.t, moves, movers)

	m.checkRecord(map[string]int{
		"proposal:create proposed":   len(m.cards),
		"proposal:supersede allowed": count[models.ProposalSuperseded],
		"proposal:cancel allowed":    count[models.ProposalCancelled],
		"proposal:confirm allowed":   count[models.ProposalExecuted],
		"proposal:confirm failed":    count[models.ProposalStale],
		"proposal:confirm denied":    count[models.ProposalFailed],
		"proposal:expire":            count[models.ProposalExpired],
		"deal:update allowed":        int(m.version - 1),
	})
}

func (m *machine) checkCards() {
	rows, err := m.raw.Query("SELECT id, status FROM proposals WHERE target_id = $1", m.deal.ID)
	require.NoError(m.t, err)
	defer rows.Close()
	stored := map[string]models.ProposalStatus{}
	for rows.Next() {
		var id string
		var status models.ProposalStatus
		require.NoError(m.t, rows.Scan(&id, &status))
		stored[id] = status
	}
	require.NoError(m.t, rows.Err())
	require.Len(m.t, stored, len(m.cards))
	for _, c := range m.cards {
		require.Equal(m.t, c.status, stored[c.proposal.ID])
	}
}

// checkRecord demands how often each action, with its decision where one is named, is on record for the deal.
func (m *machine) checkRecord(want map[string]int) {
	rows, err := m.raw.Query("SELECT action, decision, COUNT(*) FROM audit_entries WHERE target_type = 'deal' AND target_id = $1 GROUP BY action, decision", m.deal.ID)
	require.NoError(m.t, err)
	defer rows.Close()
	got := map[string]int{}
	for rows.Next() {
		var action, decision string
		var n int
		require.NoError(m.t, rows.Scan(&action, &decision, &n))
		got[action] += n
		got[action+" "+decision] += n
	}
	require.NoError(m.t, rows.Err())
	for entry, n := range want {
		require.Equal(m.t, n, got[entry], entry)
	}
}
