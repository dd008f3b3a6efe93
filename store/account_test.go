package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

func TestSessions(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		ctx, now := t.Context(), w.Clock.Now()
		alive := func(hash string) (ok bool) {
			w.View(t, func(r *store.Reader) {
				_, err := r.Session(ctx, hash, now)
				ok = err == nil
				require.True(t, ok || apperr.Is(err, apperr.NotFound), "%v", err)
			})
			return ok
		}
		w.InTx(t, func(tx *store.Tx) {
			for hash, user := range map[string]string{"a": w.Sales1.UserID, "b": w.Sales1.UserID, "c": w.Sales2.UserID, "d": w.Sales2.UserID} {
				require.NoError(t, tx.InsertSession(ctx, &models.Session{TokenHash: hash, UserID: user, CreatedAt: now, LastSeenAt: now, ExpiresAt: now.Add(time.Minute)}))
			}
			require.NoError(t, tx.TouchSession(ctx, "d", now, now))
		})
		require.Equal(t, []bool{true, true, true, false}, []bool{alive("a"), alive("b"), alive("c"), alive("d")})
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.DeleteSession(ctx, "a"))
			require.NoError(t, tx.DeleteExpiredSessions(ctx, now))
		})
		require.Equal(t, []bool{false, true, true}, []bool{alive("a"), alive("b"), alive("c")})
		w.InTx(t, func(tx *store.Tx) { require.NoError(t, tx.DeleteUserSessions(ctx, w.Sales1.UserID)) })
		require.Equal(t, []bool{false, true}, []bool{alive("b"), alive("c")})
	})
}

func TestUsersAndTeams(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		ctx := t.Context()
		w.InTx(t, func(tx *store.Tx) {
			for role, want := range map[string]int64{"": 8, "sales": 3, "admin": 1, "none": 0} {
				n, err := tx.CountUsers(ctx, role)
				require.NoError(t, err)
				require.Equal(t, want, n, "%q, the disabled one not counted for a role", role)
			}
			require.NoError(t, tx.SetTeamManager(ctx, w.Alpha.ID, w.Manager.UserID, w.Clock.Now()))
			require.Error(t, tx.SetTeamManager(ctx, models.NewID(), w.Manager.UserID, w.Clock.Now()), "no such team")
			_, err := tx.UserByID(ctx, models.NewID())
			requireKind(t, err, apperr.NotFound)
			_, err = tx.UserByEmail(ctx, "%")
			requireKind(t, err, apperr.NotFound)
		})
		err := db.InTx(ctx, func(tx *store.Tx) error {
			return tx.InsertTeam(ctx, &models.Team{ID: models.NewID(), Name: "ALPHA", NameKey: "alpha"})
		})
		requireCode(t, err, store.CodeDuplicate)
	})
}

// Whom a record may be given to, under the right to assign.
func TestPersonInScope(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		for _, c := range []struct {
			actor, to models.Actor
			want      bool
		}{
			{w.Sales1, w.Sales1, true},
			{w.Sales1, w.Sales2, false},
			{w.Manager, w.Sales2, true},
			{w.Manager, w.Sales3, false},
			{w.Manager, w.Admin, false},
			{w.Admin, w.Sales3, true},
			{w.Admin, w.Disabled, false},
			{w.Manager2, w.Disabled, false},
			{w.Admin, models.Actor{UserID: models.NewID()}, false},
		} {
			w.View(t, func(r *store.Reader) {
				ok, err := r.PersonInScope(t.Context(), w.Grant(t, c.actor, rbac.DealAssign), c.to.UserID)
				require.NoError(t, err)
				require.Equal(t, c.want, ok, "%s to %s", c.actor.Name, c.to.Name)
			})
		}
	})
}

// A person's conversations and turns are theirs alone, admins included.
func TestConversationsAreOnesOwn(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		ctx := t.Context()
		c := models.Conversation{ID: models.NewID(), UserID: w.Sales1.UserID, Channel: models.ViaWeb, CreatedAt: moment, UpdatedAt: moment}
		turn := models.Turn{ID: models.NewID(), ConversationID: c.ID, UserID: w.Sales1.UserID, Status: models.TurnRunning, StartedAt: moment}
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.InsertConversation(ctx, &c))
			require.NoError(t, tx.InsertTurn(ctx, &turn))
			for _, stranger := range []string{w.Admin.UserID, w.Manager.UserID, ""} {
				_, err := tx.Conversation(ctx, stranger, c.ID)
				requireKind(t, err, apperr.NotFound)
				_, err = tx.Turn(ctx, stranger, turn.ID)
				requireKind(t, err, apperr.NotFound)
				list, err := tx.Conversations(ctx, stranger, "", store.Page{})
				require.NoError(t, err)
				require.Empty(t, list.Items)
			}
			list, err := tx.Conversations(ctx, w.Sales1.UserID, "", store.Page{})
			require.NoError(t, err)
			require.Equal(t, []models.Conversation{c}, list.Items)

			running, err := tx.RunningTurns(ctx, moment)
			require.NoError(t, err)
			require.Empty(t, running, "not before its start")
			running, err = tx.RunningTurns(ctx, moment.Add(time.Second))
			require.NoError(t, err)
			require.Equal(t, []models.Turn{turn}, running)

			c.DeletedAt = &moment
			require.NoError(t, tx.UpdateConversation(ctx, &c))
			_, err = tx.Conversation(ctx, w.Sales1.UserID, c.ID)
			requireKind(t, err, apperr.NotFound)
			c.DeletedAt = nil
			require.Error(t, tx.UpdateConversation(ctx, &c), "a deleted one stays so")
			require.Error(t, tx.UpdateConversation(ctx, &models.Conversation{ID: models.NewID()}))
			require.Error(t, tx.UpdateMessage(ctx, &models.Message{ID: models.NewID()}))
		})
	})
}

// A lock is held to the end of the transaction that took it, and is no write: versions stay.
func TestLocks(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		for name, lock := range map[string]func(ctx context.Context, tx *store.Tx) error{
			"user":      func(ctx context.Context, tx *store.Tx) error { return tx.LockUser(ctx, w.Sales1.UserID) },
			"role":      func(ctx context.Context, tx *store.Tx) error { return tx.LockRole(ctx, "admin") },
			"ai config": func(ctx context.Context, tx *store.Tx) error { return tx.LockAIConfig(ctx) },
		} {
			w.InTx(t, func(tx *store.Tx) {
				require.NoError(t, tx.PutAIConfig(t.Context(), &models.AIConfig{ID: models.AIConfigID, MaxRounds: 1, Version: 7, UpdatedAt: moment}))
			})
			w.InTx(t, func(tx *store.Tx) {
				require.NoError(t, lock(t.Context(), tx))
				require.NoError(t, lock(t.Context(), tx), "one's own lock does not keep one out")
				impatient, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
				defer cancel()
				require.Error(t, db.InTx(impatient, func(other *store.Tx) error { return lock(impatient, other) }), "%s is locked", name)
			})
			w.InTx(t, func(tx *store.Tx) { require.NoError(t, lock(t.Context(), tx)) })
		}
		w.InTx(t, func(tx *store.Tx) {
			requireKind(t, tx.LockUser(t.Context(), models.NewID()), apperr.NotFound)
			requireKind(t, tx.LockRole(t.Context(), "none"), apperr.NotFound)
			u, err := tx.UserByID(t.Context(), w.Sales1.UserID)
			require.NoError(t, err)
			require.Equal(t, w.User(w.Sales1), u.User)
			c, err := tx.AIConfig(t.Context())
			require.NoError(t, err)
			require.Equal(t, []any{int64(7), moment}, []any{c.Version, c.UpdatedAt})
			roles, err := tx.SystemRoles(t.Context())
			require.NoError(t, err)
			require.Equal(t, []string{"admin", "manager", "sales", "viewer"}, roles)
		})
	})
}

func TestStopReply(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		ctx := t.Context()
		c := models.Conversation{ID: models.NewID(), UserID: w.Sales1.UserID, CreatedAt: moment, UpdatedAt: moment}
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.InsertConversation(ctx, &c))
			for _, s := range []models.MessageStatus{models.MessageRunning, models.MessageComplete} {
				m := models.Message{ID: models.NewID(), ConversationID: c.ID, Role: models.RoleAssistant, Status: s, CreatedAt: moment, UpdatedAt: moment}
				require.NoError(t, tx.InsertMessages(ctx, &m))
				require.NoError(t, tx.StopReply(ctx, m.ID, moment))
			}
			messages, err := tx.Messages(ctx, c.ID)
			require.NoError(t, err)
			require.Equal(t, []models.MessageStatus{models.MessageStopped, models.MessageComplete}, []models.MessageStatus{messages[0].Status, messages[1].Status})
		})
	})
}
