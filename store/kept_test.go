package store_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// Entries and history are written together, and go with the savepoint in which they were made.
func TestJournalOfATransaction(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		ctx := t.Context()
		add := func(tx *store.Tx, action string) {
			e := &models.AuditEntry{ID: models.NewID(), At: moment, Action: action, Decision: models.DecisionAllowed}
			require.NoError(t, tx.AddAuditEntry(ctx, e))
			require.NoError(t, tx.AddFieldChanges(ctx, []models.FieldChange{{
				ID: models.NewID(), RecordType: models.TypeDeal, RecordID: w.AcmeRenewal.ID, Field: action, At: moment, Via: models.ViaWeb,
			}}))
		}
		w.InTx(t, func(tx *store.Tx) {
			add(tx, "before")
			require.ErrorIs(t, tx.InTx(ctx, func(undone *store.Tx) error {
				for range 150 { // more than one statement writes
					add(undone, "undone")
				}
				return errUndo
			}), errUndo)
			require.Panics(t, func() {
				_ = tx.InTx(ctx, func(broken *store.Tx) error {
					add(broken, "broken")
					panic("boom")
				})
			})
			require.NoError(t, tx.InTx(ctx, func(kept *store.Tx) error { add(kept, "kept"); return nil }))
			for i := range 120 {
				add(tx, fmt.Sprintf("after %03d", i))
			}
		})
		require.ErrorIs(t, db.InTx(ctx, func(tx *store.Tx) error { add(tx, "undone"); return errUndo }), errUndo)
		w.View(t, func(r *store.Reader) {
			page, err := r.AuditEntries(ctx, w.Grant(t, w.Admin, rbac.AuditRead), store.AuditFilter{}, store.Page{Limit: 200})
			require.NoError(t, err)
			history, err := r.FieldChanges(ctx, w.Grant(t, w.Admin, rbac.DealRead), models.TypeDeal, w.AcmeRenewal.ID, 200)
			require.NoError(t, err)
			for _, got := range [][]string{
				ids(page.Items, func(e models.AuditEntry) string { return e.Action }),
				ids(history, func(c models.FieldChange) string { return c.Field }),
			} {
				require.Len(t, got, 122)
				require.Equal(t, []string{"after 119", "after 118"}, got[:2])
				require.Equal(t, []string{"after 000", "kept", "before"}, got[119:])
			}
		})
	})
}

// A transaction asks for a person's rights once, and anew after it has written or locked a person.
func TestSubjectOfATransaction(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		ctx := t.Context()
		role := func(tx *store.Tx) string {
			s, found, err := tx.Subject(ctx, w.Sales1.UserID)
			require.NoError(t, err)
			require.True(t, found)
			fresh, _, err := tx.Reader.Subject(ctx, w.Sales1.UserID)
			require.NoError(t, err)
			require.Equal(t, fresh, s)
			return s.Role
		}
		promote := func(tx *store.Tx) {
			view, err := tx.UserByID(ctx, w.Sales1.UserID)
			require.NoError(t, err)
			view.Role = "manager"
			require.NoError(t, tx.UpdateUser(ctx, &view.User, moment))
		}
		w.InTx(t, func(tx *store.Tx) {
			require.Equal(t, "sales", role(tx))
			require.ErrorIs(t, tx.InTx(ctx, func(inner *store.Tx) error {
				promote(inner)
				require.Equal(t, "manager", role(inner))
				return errUndo
			}), errUndo)
			require.Equal(t, "sales", role(tx), "the promotion was undone")
			promote(tx)
			require.Equal(t, "manager", role(tx))
			_, found, err := tx.Subject(ctx, models.NewID())
			require.NoError(t, err)
			require.False(t, found)
		})
	})
}

func TestApprovalRulesForATool(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		ctx := t.Context()
		rule := func(tool, role string) models.ApprovalRule {
			return models.ApprovalRule{
				ID: models.NewID(), Tool: tool, Role: role, Effect: models.RuleApprove, ApproverRole: "manager", ExpiresAfter: 1,
				Version: 1, CreatedAt: moment, UpdatedAt: moment, UpdatedBy: w.Admin.UserID,
			}
		}
		w.InTx(t, func(tx *store.Tx) {
			none, err := tx.ApprovalRulesFor(ctx, "update_deal", w.Sales1.UserID)
			require.NoError(t, err)
			require.Empty(t, none)
		})
		want := []models.ApprovalRule{rule("", ""), rule("update_deal", ""), rule("", "sales"), rule("update_deal", "sales")}
		w.InTx(t, func(tx *store.Tx) {
			for _, r := range append(want, rule("create_task", ""), rule("", "viewer"), rule("update_deal", "viewer")) {
				require.NoError(t, tx.InsertApprovalRule(ctx, &r))
			}
		})
		w.InTx(t, func(tx *store.Tx) {
			got, err := tx.ApprovalRulesFor(ctx, "update_deal", w.Sales1.UserID)
			require.NoError(t, err)
			require.Equal(t, want, got)
			got, err = tx.ApprovalRulesFor(ctx, "update_deal", models.NewID())
			require.NoError(t, err)
			require.Equal(t, want[:2], got, "of a person who is not there")
		})
	})
}

// What joins a transaction writes in it and nowhere else.
func TestJoined(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		require.ErrorIs(t, db.InTx(ctx, func(tx *store.Tx) error {
			require.NoError(t, tx.Joined().InTx(ctx, func(same *store.Tx) error { return same.SetMeta(ctx, "a", "1") }))
			require.Equal(t, "1", fact(t, tx.Joined(), "a"))
			return errUndo
		}), errUndo)
		require.Empty(t, fact(t, db, "a"))
	})
}
