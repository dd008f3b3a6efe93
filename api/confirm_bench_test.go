package api_test

import (
	"database/sql"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/conversations"
	"countersign/crm"
	"countersign/internal/apitest"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/proposals"
	"countersign/tools"
)

// batch is how many cards are confirmed before they are put back.
const batch = 50

// BenchmarkConfirm confirms cards one after the other and fifty at once. "floor" is the least SQL that a confirmation can
// be, written by hand over database/sql in one transaction: see [floor.confirm]. An operation is a confirmation; p50
// and p99 are the time that one takes, waiting for a connection included.
func BenchmarkConfirm(b *testing.B) {
	for _, dialect := range dbtest.Dialects {
		s := apitest.New(b, dbtest.Open(b, dialect))
		cards, raw := benchCards(b, s), newFloor(b, s)
		for _, way := range []struct {
			name    string
			confirm func(card *models.Proposal) error
		}{
			{"product", func(card *models.Proposal) error {
				_, err := s.Services.Confirm.Confirm(b.Context(), s.Sales1, card.ID, card.Digest)
				return err
			}},
			{"floor", func(card *models.Proposal) error { return raw.confirm(b, card) }},
		} {
			for _, atOnce := range []int{1, batch} {
				b.Run(fmt.Sprintf("%s/%s/%d", dialect, way.name, atOnce), func(b *testing.B) {
					runConfirms(b, s, cards, atOnce, way.confirm)
				})
			}
		}
	}
}

// benchCards are deals, each with a card that waits, in a conversation of its own.
func benchCards(b *testing.B, s *apitest.Server) []*models.Proposal {
	b.Helper()
	v, performer := s.Services, tools.NewPerformer(s.Services.Tools, s.Gate)
	cards := make([]*models.Proposal, batch)
	for i := range cards {
		const tool = "update_deal_stage"
		deal, err := v.Deals.Create(b.Context(), s.Sales1, crm.DealInput{Title: fmt.Sprintf("Shipment %d", i), StageID: s.New.ID})
		require.NoError(b, err)
		thread, err := v.Conversations.Start(b.Context(), s.Sales1, conversations.Opening{NewID: models.NewID(), Message: "/help", Channel: models.ViaWeb})
		require.NoError(b, err)
		args := models.ToJSON(map[string]string{"deal": deal.ID, "stage": s.Proposal.ID})
		draft, err := performer.Prepare(b.Context(), s.Sales1, tool, args)
		require.NoError(b, err)
		origin := proposals.Origin{Tool: tool, ConversationID: thread.Turn.ConversationID, Channel: models.ViaWeb}
		cards[i], err = v.Proposals.Create(b.Context(), s.Sales1, draft, origin)
		require.NoError(b, err)
	}
	return cards
}

func runConfirms(b *testing.B, s *apitest.Server, cards []*models.Proposal, atOnce int, confirm func(*models.Proposal) error) {
	b.Helper()
	var took []time.Duration
	for done := 0; done < b.N; done += batch {
		b.StopTimer()
		putBack(b, s)
		b.StartTimer()
		took = append(took, confirmAll(b, cards[:min(batch, b.N-done)], atOnce, confirm)...)
	}
	b.StopTimer()
	slices.Sort(took)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "confirms/s")
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}

// putBack makes all cards pending again, and their deals what they were. No card leaves a final state, so copies take
// their places.
func putBack(b *testing.B, s *apitest.Server) {
	b.Helper()
	raw := dbtest.Raw(b, s.DB)
	defer func() { _ = raw.Close() }()
	for _, statement := range []string{
		"CREATE TABLE IF NOT EXISTS pending_cards AS SELECT * FROM proposals", "DELETE FROM proposals", "INSERT INTO proposals SELECT * FROM pending_cards",
	} {
		_, err := raw.ExecContext(b.Context(), statement)
		require.NoError(b, err)
	}
	_, err := raw.ExecContext(b.Context(), "UPDATE deals SET stage_id = $1, version = 1 WHERE title LIKE 'Shipment %'", s.New.ID)
	require.NoError(b, err)
}

// confirmAll confirms cards, some at once, and gives how long each took.
func confirmAll(b *testing.B, cards []*models.Proposal, atOnce int, confirm func(*models.Proposal) error) []time.Duration {
	b.Helper()
	took, errs := make([]time.Duration, len(cards)), make([]error, len(cards))
	var clerks sync.WaitGroup
	for clerk := range atOnce {
		clerks.Go(func() {
			for i := clerk; i < len(cards); i += atOnce {
				began := time.Now()
				errs[i] = confirm(cards[i])
				took[i] = time.Since(began)
			}
		})
	}
	clerks.Wait()
	for _, err := range errs {
		require.NoError(b, err)
	}
	return took
}

// floor confirms by hand, on as many connections as the product has.
type floor struct {
	db *sql.DB
	s  *apitest.Server
}

func newFloor(b *testing.B, s *apitest.Server) *floor {
	b.Helper()
	o := dbtest.Options(b, s.DB)
	driver, address, connections := "pgx", o.URL, 20
	if o.URL == "" {
		driver, connections = "sqlite", 1
		address = "file:" + o.Dir + "/countersign.db?_time_format=sqlite&_timezone=UTC&_texttotime=1&_txlock=immediate" +
			"&_pragma=busy_timeout(5000)&_pragma=foreign_keys(1)&_pragma=synchronous(OFF)"
	}
	db, err := sql.Open(driver, address)
	require.NoError(b, err)
	b.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return &floor{db, s}
}

// confirm takes the card, reads it, compares the version of the deal, writes the deal, its history, the timeline, the
// record and the outcome, and tells the conversation. It asks for no rights and reads nothing that is not compared.
func (f *floor) confirm(b *testing.B, card *models.Proposal) error {
	ctx, now, actor := b.Context(), f.s.Clock.Now(), f.s.Sales1
	tx, err := f.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	var status, digest, args, conversation string
	var version, seq int64
	row := tx.QueryRowContext(ctx, "SELECT status, digest, args, conversation_id FROM proposals WHERE id = $1 AND requested_by = $2", card.ID, actor.UserID)
	if err := row.Scan(&status, &digest, &args, &conversation); err != nil {
		return err
	}
	if err := f.one(b, tx, "UPDATE proposals SET status = 'executed', decided_by = $1, decided_at = $2 WHERE id = $3 AND status = 'pending' AND requested_by = $4 AND expires_at > $5",
		actor.UserID, now, card.ID, actor.UserID, now); err != nil {
		return err
	}
	if err := tx.QueryRowContext(ctx, "SELECT version FROM deals WHERE id = $1 AND deleted_at IS NULL", card.TargetID).Scan(&version); err != nil {
		return err
	}
	if err := f.write(b, tx, card, version, now); err != nil {
		return err
	}
	if err := f.one(b, tx, "UPDATE conversations SET updated_at = $1 WHERE id = $2", now, conversation); err != nil {
		return err
	}
	if err := tx.QueryRowContext(ctx, "SELECT COALESCE(MAX(seq), 0) + 1 FROM messages WHERE conversation_id = $1", conversation).Scan(&seq); err != nil {
		return err
	}
	if err := f.one(b, tx, "INSERT INTO messages (id, conversation_id, seq, role, content, status, created_at, updated_at) VALUES ($1, $2, $3, 'assistant', $4, 'complete', $5, $6)",
		models.NewID(), conversation, seq, "It is now in the stage.", now, now); err != nil {
		return err
	}
	return tx.Commit()
}

func (f *floor) write(b *testing.B, tx *sql.Tx, card *models.Proposal, version int64, now time.Time) error {
	actor := f.s.Sales1
	const entry = "INSERT INTO audit_entries (id, at, actor_id, actor_name, via, model, client, ip, user_agent, request_id, action, target_type, target_id, decision, reason, detail, prev_hash, hash) " +
		"VALUES ($1, $2, $3, $4, 'web', '', '', '', '', '', $5, 'deal', $6, 'allowed', '', $7, '', '')"
	for _, statement := range []struct {
		sql  string
		args []any
	}{
		{"UPDATE deals SET stage_id = $1, version = $2, updated_at = $3 WHERE id = $4 AND version = $5 AND deleted_at IS NULL", []any{f.s.Proposal.ID, version + 1, now, card.TargetID, version}},
		{
			"INSERT INTO field_changes (id, record_type, record_id, record_version, field, before_value, after_value, at, actor_user_id, actor_name, via, model, client, proposal_id) " +
				"VALUES ($1, 'deal', $2, $3, 'stageId', $4, $5, $6, $7, $8, 'web', '', '', $9)",
			[]any{models.NewID(), card.TargetID, version + 1, f.s.New.ID, f.s.Proposal.ID, now, actor.UserID, actor.Name, card.ID},
		},
		{
			"INSERT INTO activities (id, kind, subject, body, at, deal_id, owner_id, version, created_at, updated_at) VALUES ($1, 'SYSTEM', 'New → Proposal', '', $2, $3, $4, 1, $5, $6)",
			[]any{models.NewID(), now, card.TargetID, actor.UserID, now, now},
		},
		{entry, []any{models.NewID(), now, actor.UserID, actor.Name, "deal:update", card.TargetID, `{"proposalId":"` + card.ID + `"}`}},
		{"UPDATE proposals SET outcome = $1 WHERE id = $2 AND status = 'executed'", []any{`{"summary":"It is now in the stage."}`, card.ID}},
		{entry, []any{models.NewID(), now, actor.UserID, actor.Name, "proposal:confirm", card.TargetID, `{"proposalId":"` + card.ID + `"}`}},
	} {
		if err := f.one(b, tx, statement.sql, statement.args...); err != nil {
			return err
		}
	}
	return nil
}

// one runs a statement that must write one row.
func (f *floor) one(b *testing.B, tx *sql.Tx, statement string, args ...any) error {
	result, err := tx.ExecContext(b.Context(), statement, args...)
	if err != nil {
		return err
	}
	n, err := result.RowsAffected()
	if err == nil && n != 1 {
		return fmt.Errorf("%d rows: %s", n, statement)
	}
	return err
}
