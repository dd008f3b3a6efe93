package audit_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/audit"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

var errUndo = errors.New("undo")

func write(t *testing.T, w *dbtest.World, e audit.Entry) {
	t.Helper()
	w.InTx(t, func(tx *store.Tx) {
		require.NoError(t, audit.Write(t.Context(), tx, w.Sales1, w.Clock.Now(), e))
	})
}

// entries is the record, oldest first.
func entries(t *testing.T, w *dbtest.World) (list []models.AuditEntry) {
	t.Helper()
	w.View(t, func(r *store.Reader) {
		page, err := r.AuditEntries(t.Context(), w.Grant(t, w.Admin, rbac.AuditRead), store.AuditFilter{}, store.Page{Limit: 200})
		require.NoError(t, err)
		for i := range page.Items {
			list = append(list, page.Items[len(page.Items)-1-i])
		}
	})
	return list
}

// SEC-71: everything about who, what, when, how and how it ended.
func TestEntry(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		actor := models.Actor{
			UserID: w.Sales1.UserID, Name: "Sam", Via: models.ViaAssistant, Model: "openai/x", Client: "cli", IP: "203.0.113.9", UserAgent: "UA", RequestID: "r1",
		}
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, audit.Write(t.Context(), tx, actor, w.Clock.Now(), audit.Entry{
				Action: "deal:update", Target: models.Ref{Type: models.TypeDeal, ID: "d1", Name: "not kept"}, Decision: models.DecisionProposed, Reason: "why", Detail: map[string]int{"n": 1},
			}))
			require.NoError(t, audit.Write(t.Context(), tx, models.System("importer"), w.Clock.Now(), audit.Entry{Action: "x", Decision: models.DecisionAllowed}))
		})
		got := entries(t, w)
		require.Len(t, got, 2)
		first := got[0]
		require.NotEmpty(t, first.ID)
		first.ID = ""
		require.Equal(t, models.AuditEntry{
			At: w.Clock.Now(), ActorID: &w.Sales1.UserID, ActorName: "Sam", Via: models.ViaAssistant, Model: "openai/x", Client: "cli", IP: "203.0.113.9", UserAgent: "UA",
			RequestID: "r1", Action: "deal:update", TargetType: models.TypeDeal, TargetID: "d1", Decision: models.DecisionProposed, Reason: "why", Detail: models.JSON(`{"n":1}`),
		}, first)
		require.Nil(t, got[1].ActorID, "a system actor is no person")
		require.Equal(t, "importer", got[1].ActorName)
		require.Nil(t, got[1].Detail)
	})
}

// What comes from outside cannot make an entry unwritable, nor swell it.
func TestHostileTextIsRecorded(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		bad := "\x00\xff\n" + strings.Repeat("海", 1000)
		actor := w.Sales1
		actor.UserAgent, actor.RequestID, actor.Client, actor.Model = bad, bad, bad, bad
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, audit.Write(t.Context(), tx, actor, w.Clock.Now(), audit.Entry{
				Action: "x", Decision: models.DecisionFailed, Reason: bad, Target: models.Ref{ID: bad}, Detail: map[string]string{"k": bad},
			}))
		})
		e := entries(t, w)[0]
		for _, s := range []string{e.UserAgent, e.RequestID, e.Client, e.Model, e.Reason, e.TargetID} {
			require.LessOrEqual(t, len(s), 500)
			require.Greater(t, len(s), 490)
			require.True(t, utf8.ValidString(s))
		}
	})
}

func TestEntryGoesWithItsTransaction(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		entry := audit.Entry{Action: "x", Decision: models.DecisionAllowed}
		err := db.InTx(t.Context(), func(tx *store.Tx) error {
			return errors.Join(audit.Write(t.Context(), tx, w.Sales1, w.Clock.Now(), entry), errUndo)
		})
		require.ErrorIs(t, err, errUndo)
		require.Empty(t, entries(t, w))
	})
}

// SEC-72: what cannot be recorded does not happen.
func TestUnwritableRecordRefusesTheWrite(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		fill := map[string][]string{
			"sqlite": {"CREATE TRIGGER full BEFORE INSERT ON audit_entries BEGIN SELECT RAISE(ABORT, 'disk full'); END"},
			"postgres": {
				"CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'disk full'; END $$",
				"CREATE TRIGGER full_disk BEFORE INSERT ON audit_entries FOR EACH ROW EXECUTE FUNCTION full_disk()",
			},
		}
		for _, statement := range fill[db.Dialect()] {
			_, err := dbtest.Raw(t, db).ExecContext(t.Context(), statement)
			require.NoError(t, err)
		}
		err := db.InTx(t.Context(), func(tx *store.Tx) error {
			require.NoError(t, tx.SetMeta(t.Context(), "a", "1"))
			return audit.Write(t.Context(), tx, w.Sales1, w.Clock.Now(), audit.Entry{Action: "x", Decision: models.DecisionAllowed})
		})
		require.Equal(t, apperr.Internal, apperr.As(err).Kind, "%v", err)
		w.View(t, func(r *store.Reader) {
			value, err := r.Meta(t.Context(), "a")
			require.NoError(t, err)
			require.Empty(t, value)
		})
		_, err = w.Gate.Authorize(t.Context(), w.Viewer, rbac.DealUpdate)
		require.Equal(t, apperr.Internal, apperr.As(err).Kind, "an unrecorded refusal is still a refusal, and an alarm")
	})
}

func TestRefusalsAreRecorded(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		ctx := t.Context()
		_, err := w.Gate.Authorize(ctx, w.Sales1, rbac.DealUpdate)
		require.NoError(t, err)
		require.Empty(t, entries(t, w), "a right that is held is recorded with what it is used for")

		ended, cancel := context.WithCancel(ctx)
		g, err := w.Gate.Authorize(ctx, w.Viewer, rbac.DealUpdate)
		require.True(t, apperr.Is(err, apperr.Forbidden))
		require.Equal(t, rbac.Grant{}, g)
		_, err = w.Gate.Authorize(ctx, w.Disabled, rbac.DealRead)
		require.True(t, apperr.Is(err, apperr.Unauthenticated))
		cancel()
		target := models.Ref{Type: models.TypeDeal, ID: w.HarbourAudit.ID}
		err = w.Gate.Refuse(ended, w.Sales1, target, apperr.Missing("deal:update"))
		require.True(t, apperr.Is(err, apperr.Forbidden), "hanging up does not keep one off the record")

		got := entries(t, w)
		require.Len(t, got, 3)
		for i, want := range []struct {
			actor  string
			action string
			reason string
			target string
		}{
			{w.Viewer.UserID, "deal:update", "FORBIDDEN", ""},
			{w.Disabled.UserID, "deal:read", "ACCOUNT_DISABLED", ""},
			{w.Sales1.UserID, "deal:update", "FORBIDDEN", w.HarbourAudit.ID},
		} {
			require.Equal(t, models.DecisionDenied, got[i].Decision)
			require.Equal(t, []string{want.actor, want.action, want.reason, want.target}, []string{*got[i].ActorID, got[i].Action, got[i].Reason, got[i].TargetID})
		}
	})
}

// A gate bound to a transaction records in it, and sees the users as that transaction has changed them.
func TestBoundGate(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		w.InTx(t, func(tx *store.Tx) {
			view, err := tx.UserByID(t.Context(), w.Sales1.UserID)
			require.NoError(t, err)
			view.Role = "viewer"
			require.NoError(t, tx.UpdateUser(t.Context(), &view.User, w.Clock.Now()))
			_, err = w.Gate.With(tx).Authorize(t.Context(), w.Sales1, rbac.DealUpdate)
			require.True(t, apperr.Is(err, apperr.Forbidden))
			require.Empty(t, entries(t, w), "not before the commit")
		})
		require.Len(t, entries(t, w), 1)
	})
}

func TestTry(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		g, err := w.Gate.Try(t.Context(), w.Viewer, rbac.ContactPII)
		require.NoError(t, err)
		require.Equal(t, rbac.Grant{}, g)
		g, err = w.Gate.Try(t.Context(), w.Sales1, rbac.ContactPII)
		require.NoError(t, err)
		require.Equal(t, rbac.ScopeOwn, g.Scope())
		_, err = w.Gate.Try(t.Context(), w.Disabled, rbac.ContactPII)
		require.True(t, apperr.Is(err, apperr.Unauthenticated))
		require.Empty(t, entries(t, w))
		held, err := w.Gate.Held(t.Context(), w.Admin)
		require.NoError(t, err)
		require.Len(t, held, len(rbac.Registry()))
	})
}

func TestHistory(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		type names []string
		amount := models.Money{Minor: 5, Currency: "HKD"}
		var noAmount *models.Money
		fields := audit.Changed([]audit.Field{
			{Name: "title", Before: "a", After: "b"},
			{Name: "same", Before: names{"x"}, After: names{"x"}},
			{Name: "stillNothing", Before: noAmount, After: nil},
			{Name: "amount", Before: noAmount, After: &amount},
			{Name: "cleared", Before: 0, After: nil},
			{Name: "emptied", Before: "x", After: ""},
		})
		actor := w.Sales1.As(models.ViaAssistant)
		actor.Model, actor.Client, actor.ProposalID = "openai/x", "cli", "p1"
		record := w.AcmeRenewal.Record
		record.Version = 2
		at := w.Clock.Now().Add(time.Hour)
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, audit.History(t.Context(), tx, actor, models.TypeDeal, record, at, fields))
			require.NoError(t, audit.History(t.Context(), tx, models.System("importer"), models.TypeDeal, w.GlobexPilot.Record, at, fields[:1]))
		})
		w.View(t, func(r *store.Reader) {
			got, err := r.FieldChanges(t.Context(), w.Grant(t, w.Sales1, rbac.DealRead), models.TypeDeal, record.ID, 10)
			require.NoError(t, err)
			var lines []string
			for _, c := range got {
				lines = append(lines, c.Field+" "+string(c.BeforeValue)+" > "+string(c.AfterValue))
			}
			require.Equal(t, []string{`emptied "x" > ""`, `cleared 0 > `, `amount  > {"amount":"0.05","currency":"HKD"}`, `title "a" > "b"`}, lines)
			c := got[0]
			require.Equal(t, []any{w.Sales1.UserID, w.Sales1.Name, models.ViaAssistant, "openai/x", "cli", "p1", int64(2), at},
				[]any{*c.ActorUserID, c.ActorName, c.Via, c.Model, c.Client, *c.ProposalID, c.RecordVersion, c.At})
			got, err = r.FieldChanges(t.Context(), w.Grant(t, w.Sales2, rbac.DealRead), models.TypeDeal, w.GlobexPilot.ID, 10)
			require.NoError(t, err)
			require.Nil(t, got[0].ActorUserID)
			require.Nil(t, got[0].ProposalID)
		})
	})
}

func TestAuditFilter(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		write(t, w, audit.Entry{Action: "a", Decision: models.DecisionAllowed, Target: models.Ref{Type: models.TypeDeal, ID: "1"}})
		w.Clock.Advance(time.Second)
		later := w.Clock.Now()
		write(t, w, audit.Entry{Action: "b", Decision: models.DecisionDenied, Target: models.Ref{Type: models.TypeCompany, ID: "2"}})
		for name, f := range map[string]store.AuditFilter{
			"action": {Action: "b"}, "type": {TargetType: models.TypeCompany}, "id": {TargetID: "2"}, "decision": {Decision: models.DecisionDenied}, "from": {From: &later},
		} {
			w.View(t, func(r *store.Reader) {
				g := w.Grant(t, w.Admin, rbac.AuditRead)
				page, err := r.AuditEntries(t.Context(), g, f, store.Page{})
				require.NoError(t, err)
				require.Len(t, page.Items, 1, name)
				require.Equal(t, "b", page.Items[0].Action)
				f.To, f.ActorID = &later, w.Sales1.UserID
				page, err = r.AuditEntries(t.Context(), g, f, store.Page{})
				require.NoError(t, err)
				require.Empty(t, page.Items, "the end is exclusive")
			})
		}
	})
}
