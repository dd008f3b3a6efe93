package proposals_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/crm"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/proposals"
	"countersign/resolve"
	"countersign/store"
	"countersign/tools"
)

const tool = "update_deal_stage"

// tb is a test, or a walk of rapid.
type tb interface {
	require.TestingT
	Helper()
}

// house is the World with proposals, and the real tools that carry them out.
type house struct {
	*dbtest.World
	*proposals.Service
	performer proposals.Performer
	deals     *crm.Deals
	hooked    *atomic.Int64
	raw       *sql.DB
}

// each runs a test in a house of its own on both dialects.
func each(t *testing.T, fn func(t *testing.T, h *house)) {
	t.Helper()
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) { fn(t, newHouse(t, dbtest.NewWorld(t, db))) })
}

func newHouse(t testing.TB, w *dbtest.World) *house {
	t.Helper()
	now := w.Clock.Now
	deals := crm.NewDeals(w.DB, w.Gate, now)
	registry := tools.Standard(tools.Services{Resolver: resolve.New(w.DB, w.Gate), Deals: deals})
	return &house{
		World: w, Service: proposals.NewService(w.DB, w.Gate, now), performer: tools.NewPerformer(registry, w.Gate), deals: deals, hooked: &atomic.Int64{},
		raw: dbtest.Raw(t, w.DB),
	}
}

// draft prepares the move of a deal to a stage.
func (h *house) draft(t tb, actor models.Actor, deal models.Deal, stage models.Stage) proposals.Draft {
	t.Helper()
	d, err := h.performer.Prepare(context.Background(), actor, tool, models.ToJSON(map[string]any{"deal": deal.ID, "stage": stage.ID}))
	require.NoError(t, err)
	return d
}

// propose stores the move of a deal to a stage.
func (h *house) propose(t tb, actor models.Actor, deal models.Deal, stage models.Stage) *models.Proposal {
	t.Helper()
	p, err := h.Create(context.Background(), actor, h.draft(t, actor, deal, stage), proposals.Origin{Tool: tool, Channel: models.ViaWeb, CallID: "call_0"})
	require.NoError(t, err)
	return p
}

// confirm answers yes to the card of p.
func (h *house) confirm(actor models.Actor, p *models.Proposal) (*proposals.Verdict, error) {
	return h.decide(actor, proposals.Decision{ProposalID: p.ID, Digest: p.Digest, Confirm: true}, h.performer)
}

func (h *house) cancel(actor models.Actor, p *models.Proposal) (*proposals.Verdict, error) {
	return h.decide(actor, proposals.Decision{ProposalID: p.ID}, h.performer)
}

func (h *house) decide(actor models.Actor, d proposals.Decision, perform proposals.Performer) (*proposals.Verdict, error) {
	return h.Decide(context.Background(), actor, d, perform, h.hook)
}

// hook counts decisions that became final.
func (h *house) hook(_ context.Context, tx *store.Tx, _ *models.Proposal) error {
	tx.AfterCommit(func() { h.hooked.Add(1) })
	return nil
}

// executed demands a confirm that has just been carried out.
func (h *house) executed(t tb, actor models.Actor, p *models.Proposal) *models.Proposal {
	t.Helper()
	v, err := h.confirm(actor, p)
	require.NoError(t, err)
	require.False(t, v.Repeated)
	require.Equal(t, models.ProposalExecuted, v.Proposal.Status)
	return v.Proposal
}

// refused demands an error with a code, and gives it.
func refused(t tb, v *proposals.Verdict, err error, code string) *apperr.Error {
	t.Helper()
	require.Nil(t, v)
	require.True(t, apperr.HasCode(err, code), "want %s, got %v", code, err)
	return apperr.As(err)
}

// status is what is stored.
func (h *house) status(t tb, p *models.Proposal) (s models.ProposalStatus) {
	t.Helper()
	require.NoError(t, h.raw.QueryRow("SELECT status FROM proposals WHERE id = $1", p.ID).Scan(&s))
	return s
}

// effects counts everything that carrying out a change of a deal's stage leaves behind.
type effects struct{ version, history, moves, writes, confirms int }

func (h *house) effects(t tb, deal models.Deal) (e effects) {
	t.Helper()
	for query, into := range map[string]*int{
		"SELECT version FROM deals WHERE id = $1":                                                                        &e.version,
		"SELECT COUNT(*) FROM field_changes WHERE record_id = $1 AND field = 'stageId'":                                  &e.history,
		"SELECT COUNT(*) FROM activities WHERE deal_id = $1":                                                             &e.moves,
		"SELECT COUNT(*) FROM audit_entries WHERE target_id = $1 AND action = 'deal:update' AND decision='allowed'":      &e.writes,
		"SELECT COUNT(*) FROM audit_entries WHERE target_id = $1 AND action = 'proposal:confirm' AND decision='allowed'": &e.confirms,
	} {
		require.NoError(t, h.raw.QueryRow(query, deal.ID).Scan(into))
	}
	return e
}

// after is e with the effects of n more changes.
func (e effects) after(n int) effects {
	return effects{e.version + n, e.history + n, e.moves + n, e.writes + n, e.confirms + n}
}

// exec changes the database behind the back of everything.
func (h *house) exec(t tb, query string, args ...any) {
	t.Helper()
	_, err := h.raw.Exec(query, args...)
	require.NoError(t, err)
}

// rename changes a field that no card of a stage shows.
func (h *house) rename(t tb, deal models.Deal, title string) {
	t.Helper()
	now, err := h.deals.Get(context.Background(), h.Admin, deal.ID)
	require.NoError(t, err)
	_, err = h.deals.Update(context.Background(), h.Admin, deal.ID, now.Version, crm.DealPatch{Title: models.Some(title)})
	require.NoError(t, err)
}

// move changes the stage, as a colleague does.
func (h *house) move(t tb, deal models.Deal, stage models.Stage) {
	t.Helper()
	now, err := h.deals.Get(context.Background(), h.Admin, deal.ID)
	require.NoError(t, err)
	_, err = h.deals.Update(context.Background(), h.Admin, deal.ID, now.Version, crm.DealPatch{StageID: models.Some(stage.ID)})
	require.NoError(t, err)
}

func (h *house) role(t tb, actor models.Actor, role string) {
	t.Helper()
	h.exec(t, "UPDATE users SET role = $1 WHERE id = $2", role, actor.UserID)
}

// entries are the audit entries of an action on a target, oldest first.
func (h *house) entries(t testing.TB, action, targetID string) (found []models.AuditEntry) {
	t.Helper()
	h.InTx(t, func(tx *store.Tx) {
		all, err := tx.UnsealedAudit(context.Background(), 10_000)
		require.NoError(t, err)
		for _, e := range all {
			if e.Action == action && e.TargetID == targetID {
				found = append(found, e)
			}
		}
	})
	return found
}

// shown is a proposal as a client gets it.
func shown(t tb, p *models.Proposal) string {
	t.Helper()
	view, err := proposals.ViewOf(p)
	require.NoError(t, err)
	b, err := json.Marshal(view)
	require.NoError(t, err)
	return string(b)
}

func outcomeOf(t tb, p *models.Proposal) (o models.Outcome) {
	t.Helper()
	require.NotEmpty(t, p.Outcome)
	require.NoError(t, p.Outcome.Into(&o))
	return o
}

// performer is the real one with another Execute.
type performer struct {
	proposals.Performer
	execute func(ctx context.Context, tx *store.Tx, actor models.Actor, p *models.Proposal) (models.Outcome, error)
}

func (p performer) Execute(ctx context.Context, tx *store.Tx, actor models.Actor, proposal *models.Proposal) (models.Outcome, error) {
	return p.execute(ctx, tx, actor, proposal)
}

// tryRename is rename at a version, which may be stale.
func (h *house) tryRename(deal models.Deal, version int64, title string) error {
	_, err := h.deals.Update(context.Background(), h.Admin, deal.ID, version, crm.DealPatch{Title: models.Some(title)})
	return err
}
