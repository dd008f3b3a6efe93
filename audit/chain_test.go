package audit_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/audit"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/store"
)

// chain writes n entries and seals them.
func chain(t *testing.T, w *dbtest.World, n int) {
	t.Helper()
	for i := range n {
		w.Clock.Advance(time.Microsecond)
		write(t, w, audit.Entry{Action: fmt.Sprintf("a%d", i), Decision: models.DecisionAllowed, Detail: map[string]int{"i": i}})
	}
	require.NoError(t, audit.NewSealer(w.DB, time.Second).Seal(t.Context()))
}

func TestSealAndVerify(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		n, err := audit.Verify(t.Context(), db)
		require.NoError(t, err)
		require.Zero(t, n)
		chain(t, w, 3)
		chain(t, w, 0)
		chain(t, w, 2)
		n, err = audit.Verify(t.Context(), db)
		require.NoError(t, err)
		require.Equal(t, int64(5), n)
		previous := ""
		for i, e := range entries(t, w) {
			require.Equal(t, int64(i+1), *e.Seq)
			require.Equal(t, previous, e.PrevHash)
			require.Equal(t, audit.Hash(e), e.Hash)
			require.Len(t, e.Hash, 64)
			previous = e.Hash
		}
	})
}

func TestMoreThanOneBatch(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		w.InTx(t, func(tx *store.Tx) {
			for range 1001 {
				require.NoError(t, audit.Write(t.Context(), tx, w.Sales1, w.Clock.Now(), audit.Entry{Action: "x", Decision: models.DecisionAllowed}))
			}
		})
		require.NoError(t, audit.NewSealer(db, time.Second).Seal(t.Context()))
		n, err := audit.Verify(t.Context(), db)
		require.NoError(t, err)
		require.Equal(t, int64(1001), n)
	})
}

// Each field is part of the hash, and no text can be moved from one field to the next.
func TestHashCoversEveryField(t *testing.T) {
	t.Parallel()
	one, actor := int64(1), "u"
	base := models.AuditEntry{
		ID: "id", Seq: &one, At: dbtest.Start, ActorID: &actor, ActorName: "n", Via: "v", Model: "m", Client: "c", IP: "i", UserAgent: "ua", RequestID: "r",
		Action: "a", TargetType: "t", TargetID: "ti", Decision: "d", Reason: "re", Detail: models.JSON("{}"), PrevHash: "p",
	}
	two, other := int64(2), "w"
	seen := map[string]string{audit.Hash(base): "base"}
	for name, change := range map[string]func(e *models.AuditEntry){
		"ID": func(e *models.AuditEntry) { e.ID = "x" }, "Seq": func(e *models.AuditEntry) { e.Seq = &two }, "noSeq": func(e *models.AuditEntry) { e.Seq = nil },
		"At":      func(e *models.AuditEntry) { e.At = e.At.Add(time.Microsecond) },
		"ActorID": func(e *models.AuditEntry) { e.ActorID = &other }, "ActorName": func(e *models.AuditEntry) { e.ActorName = "x" },
		"Via": func(e *models.AuditEntry) { e.Via = "x" }, "Model": func(e *models.AuditEntry) { e.Model = "x" }, "Client": func(e *models.AuditEntry) { e.Client = "x" },
		"IP": func(e *models.AuditEntry) { e.IP = "x" }, "UserAgent": func(e *models.AuditEntry) { e.UserAgent = "x" }, "RequestID": func(e *models.AuditEntry) { e.RequestID = "x" },
		"Action": func(e *models.AuditEntry) { e.Action = "x" }, "TargetType": func(e *models.AuditEntry) { e.TargetType = "x" }, "TargetID": func(e *models.AuditEntry) { e.TargetID = "x" },
		"Decision": func(e *models.AuditEntry) { e.Decision = "x" }, "Reason": func(e *models.AuditEntry) { e.Reason = "x" }, "Detail": func(e *models.AuditEntry) { e.Detail = nil },
		"PrevHash": func(e *models.AuditEntry) { e.PrevHash = "x" },
		"moved":    func(e *models.AuditEntry) { e.Model, e.Client = "mc", "" },
	} {
		e := base
		change(&e)
		hash := audit.Hash(e)
		require.Empty(t, seen[hash], "%s", name)
		seen[hash] = name
	}
	finer := base
	finer.At = base.At.Add(999 * time.Nanosecond).In(time.FixedZone("HKT", 8*60*60))
	require.Equal(t, audit.Hash(base), audit.Hash(finer), "what no database keeps is not part of it")
}

func TestRecordIsAppendOnly(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		chain(t, w, 2)
		write(t, w, audit.Entry{Action: "unsealed", Decision: models.DecisionDenied})
		statements := []string{
			"UPDATE audit_entries SET decision = 'allowed' WHERE decision = 'denied'",
			"UPDATE audit_entries SET reason = 'x'",
			"UPDATE audit_entries SET detail = NULL WHERE seq = 1",
			"UPDATE audit_entries SET actor_id = NULL WHERE seq IS NULL",
			"UPDATE audit_entries SET at = '2020-01-01 00:00:00+00:00' WHERE seq IS NULL",
			"UPDATE audit_entries SET seq = NULL, hash = '' WHERE seq = 2",
			"UPDATE audit_entries SET hash = 'x' WHERE seq = 2",
			"DELETE FROM audit_entries",
			"DELETE FROM audit_entries WHERE seq IS NULL",
		}
		if db.Dialect() == "postgres" {
			statements = append(statements, "TRUNCATE audit_entries")
		}
		for _, statement := range statements {
			_, err := dbtest.Raw(t, db).ExecContext(t.Context(), statement)
			require.ErrorContains(t, err, "append-only", statement)
		}
		require.Len(t, entries(t, w), 3)
		last := entries(t, w)[1]
		err := db.InTx(t.Context(), func(tx *store.Tx) error { return tx.SealAudit(t.Context(), &last) })
		require.Error(t, err, "sealed once")
		_, err = audit.Verify(t.Context(), db)
		require.NoError(t, err)
	})
}

// SEC-73: whoever gets past the triggers is found out, and the first wrong entry is named.
func TestTamperingIsNamed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		statements []string
		good       int64
		says       string
	}{
		"edit":            {[]string{"UPDATE audit_entries SET reason = 'x' WHERE seq = 3"}, 2, "at entry 3"},
		"edit a detail":   {[]string{`UPDATE audit_entries SET detail = '{"i": 1}' WHERE seq = 2`}, 1, "at entry 2"},
		"edit the time":   {[]string{"UPDATE audit_entries SET at = '2020-01-01 00:00:00+00:00' WHERE seq = 1"}, 0, "at entry 1"},
		"delete":          {[]string{"DELETE FROM audit_entries WHERE seq = 3"}, 2, "at entry 3"},
		"delete the head": {[]string{"DELETE FROM audit_entries WHERE seq = 1"}, 0, "at entry 1"},
		"delete the end":  {[]string{"DELETE FROM audit_entries WHERE seq >= 4"}, 3, "after entry 3"},
		"delete all":      {[]string{"DELETE FROM audit_entries"}, 0, "after entry 0"},
		"delete and close the gap": {[]string{
			"DELETE FROM audit_entries WHERE seq = 3", "UPDATE audit_entries SET seq = seq - 1 WHERE seq = 4", "UPDATE audit_entries SET seq = seq - 1 WHERE seq = 5",
		}, 2, "at entry 3"},
		"reorder": {[]string{
			"UPDATE audit_entries SET seq = 99 WHERE seq = 2", "UPDATE audit_entries SET seq = 2 WHERE seq = 3", "UPDATE audit_entries SET seq = 3 WHERE seq = 99",
		}, 1, "at entry 2"},
		"put in": {[]string{
			"UPDATE audit_entries SET seq = 6 WHERE seq = 5", `INSERT INTO audit_entries SELECT 'forged', 5, at, actor_id, 'x', via, model, client, ip, user_agent,
				request_id, action, target_type, target_id, decision, reason, detail, prev_hash, hash FROM audit_entries WHERE seq = 6`,
		}, 4, "at entry 5 (forged)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dbtest.Each(t, func(t *testing.T, db *store.DB) {
				w := dbtest.NewWorld(t, db)
				chain(t, w, 5)
				for _, statement := range append(disarm(db), c.statements...) {
					_, err := dbtest.Raw(t, db).ExecContext(t.Context(), statement)
					require.NoError(t, err, statement)
				}
				n, err := audit.Verify(t.Context(), db)
				require.ErrorContains(t, err, c.says)
				require.Equal(t, c.good, n)
			})
		})
	}
}

// disarm removes the triggers, as somebody with the database's password can.
func disarm(db *store.DB) []string {
	if db.Dialect() == "postgres" {
		return []string{"ALTER TABLE audit_entries DISABLE TRIGGER ALL"}
	}
	return []string{"DROP TRIGGER audit_entries_no_update", "DROP TRIGGER audit_entries_no_delete"}
}

// SEC-74: 16 writers, and sealers on two replicas at once, make one chain of every entry.
func TestNoForks(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		replicas := []*store.DB{db, dbtest.Again(t, db)}
		const writers, each = 16, 20
		done := make(chan error)
		for i := range writers {
			go func() {
				var err error
				for n := 0; n < each && err == nil; n++ {
					err = replicas[i%2].InTx(t.Context(), func(tx *store.Tx) error {
						return audit.Write(t.Context(), tx, w.Sales1, w.Clock.Now(), audit.Entry{Action: "x", Decision: models.DecisionAllowed})
					})
				}
				done <- err
			}()
		}
		ctx, cancel := context.WithCancel(t.Context())
		sealers := make(chan error)
		for i := range 4 {
			go func() {
				var err error
				for ctx.Err() == nil && err == nil {
					err = audit.NewSealer(replicas[i%2], time.Second).Seal(t.Context())
				}
				sealers <- err
			}()
		}
		for range writers {
			require.NoError(t, <-done)
		}
		cancel()
		for range 4 {
			require.NoError(t, <-sealers)
		}
		require.NoError(t, audit.NewSealer(db, time.Second).Seal(t.Context()))
		n, err := audit.Verify(t.Context(), replicas[1])
		require.NoError(t, err)
		require.Equal(t, int64(writers*each), n)
	})
}

// Run seals at its interval, and what is left when it ends.
func TestRunSealsAndEnds(t *testing.T) {
	t.Parallel()
	db := dbtest.Open(t, "sqlite")
	w := dbtest.NewWorld(t, db)
	write(t, w, audit.Entry{Action: "x", Decision: models.DecisionAllowed})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		audit.NewSealer(db, time.Millisecond).Run(ctx)
	}()
	require.Eventually(t, func() bool { return entries(t, w)[0].Hash != "" }, 5*time.Second, time.Millisecond)
	cancel()
	<-ended

	write(t, w, audit.Entry{Action: "y", Decision: models.DecisionAllowed})
	audit.NewSealer(db, time.Hour).Run(ctx) // over already: it seals once more and ends
	n, err := audit.Verify(t.Context(), db)
	require.NoError(t, err)
	require.Equal(t, int64(2), n)
}
