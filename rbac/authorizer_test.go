package rbac_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

func TestAuthorize(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		g := w.Grant(t, w.Manager, rbac.DealUpdate)
		require.Equal(t, w.Manager, g.Actor())
		require.Equal(t, rbac.DealUpdate, g.Permission())
		require.Equal(t, rbac.ScopeTeam, g.Scope())
		require.Equal(t, w.Manager.UserID, g.UserID())
		require.Equal(t, w.Alpha.ID, g.TeamID())

		for name, c := range map[string]struct {
			actor      models.Actor
			permission rbac.Permission
			kind       apperr.Kind
		}{
			"not granted":         {w.Sales1, rbac.AuditRead, apperr.Forbidden},
			"viewer cannot write": {w.Viewer, rbac.DealUpdate, apperr.Forbidden},
			"nobody":              {models.Actor{}, rbac.DealRead, apperr.Unauthenticated},
			"blank":               {models.Actor{UserID: " "}, rbac.DealRead, apperr.Unauthenticated},
			"wildcard":            {models.Actor{UserID: "*"}, rbac.DealRead, apperr.Unauthenticated},
			"SQL":                 {models.Actor{UserID: "' OR 1=1 --"}, rbac.DealRead, apperr.Unauthenticated},
			"named like a role":   {models.Actor{UserID: "admin"}, rbac.DealRead, apperr.Unauthenticated},
			"missing":             {models.Actor{UserID: models.NewID()}, rbac.DealRead, apperr.Unauthenticated},
			"disabled":            {w.Disabled, rbac.DealRead, apperr.Unauthenticated},
			"undeclared":          {w.Admin, "deal:fly", apperr.Internal},
			"no permission":       {w.Admin, "", apperr.Internal},
			"any permission":      {w.Admin, "*", apperr.Internal},
			"any action":          {w.Admin, "deal:*", apperr.Internal},
		} {
			g, err := w.Authorizer.Authorize(t.Context(), c.actor, c.permission)
			require.Equal(t, c.kind, apperr.As(err).Kind, "%s: %v", name, err)
			require.Equal(t, rbac.Grant{}, g, name)
		}
	})
}

func TestMissingRightIsNamed(t *testing.T) {
	t.Parallel()
	w := dbtest.NewWorld(t, dbtest.Open(t, "sqlite"))
	_, err := w.Authorizer.Authorize(t.Context(), w.Viewer, rbac.DealUpdate)
	require.Equal(t, "deal:update", apperr.As(err).Extra["permission"])
}

// A grant of one permission opens nothing else, the zero Grant nothing at all.
func TestGrantIsForOnePermission(t *testing.T) {
	t.Parallel()
	w := dbtest.NewWorld(t, dbtest.Open(t, "sqlite"))
	for _, p := range rbac.Registry() {
		g := w.Grant(t, w.Admin, p)
		for _, q := range rbac.Registry() {
			require.Equal(t, p == q, g.For(q) == nil, "%s for %s", p, q)
		}
		require.Error(t, rbac.Grant{}.For(p))
		require.NoError(t, g.For("x:y", p))
		require.Error(t, g.For())
	}
	require.Error(t, rbac.Grant{}.For(""), "no permission is not a permission")
}

func TestSystemActors(t *testing.T) {
	t.Parallel()
	w := dbtest.NewWorld(t, dbtest.Open(t, "sqlite"))
	granted := map[rbac.Permission]bool{}
	for _, p := range rbac.Registry() {
		g, err := w.Authorizer.Authorize(t.Context(), models.System("importer"), p)
		granted[p] = err == nil
		if err == nil {
			require.Equal(t, rbac.ScopeAll, g.Scope())
			require.Empty(t, g.UserID())
		} else {
			require.True(t, apperr.Is(err, apperr.Forbidden))
		}
	}
	require.True(t, granted[rbac.DealCreate])
	for _, p := range []rbac.Permission{rbac.DealDelete, rbac.DealUpdate, rbac.AIConfigRead, rbac.AuditRead, rbac.ContactPII} {
		require.False(t, granted[p], p)
	}
	for name, actor := range map[string]models.Actor{
		"unknown":       models.System("root"),
		"blank":         models.System(" "),
		"with a person": {System: "importer", UserID: w.Admin.UserID},
	} {
		_, err := w.Authorizer.Authorize(t.Context(), actor, rbac.DealCreate)
		require.True(t, apperr.Is(err, apperr.Forbidden), name)
	}
	_, err := w.Authorizer.Authorize(t.Context(), models.System("importer"), "deal:fly")
	require.True(t, apperr.Is(err, apperr.Internal))
}

func TestHeld(t *testing.T) {
	t.Parallel()
	w := dbtest.NewWorld(t, dbtest.Open(t, "sqlite"))
	held, err := w.Authorizer.Held(t.Context(), w.Viewer.UserID)
	require.NoError(t, err)
	require.Equal(t, []rbac.Held{
		{rbac.CompanyRead, rbac.ScopeAll},
		{rbac.ContactRead, rbac.ScopeAll},
		{rbac.DealRead, rbac.ScopeAll},
		{rbac.ActivityRead, rbac.ScopeAll},
		{rbac.TaskRead, rbac.ScopeAll},
		{rbac.QuotationRead, rbac.ScopeAll},
		{rbac.ProductRead, rbac.ScopeAll},
		{rbac.PipelineRead, rbac.ScopeAll},
		{rbac.UserRead, rbac.ScopeAll},
		{rbac.AssistantUse, rbac.ScopeAll},
		{rbac.UsageRead, rbac.ScopeOwn},
	}, held)
	held, err = w.Authorizer.Held(t.Context(), w.Admin.UserID)
	require.NoError(t, err)
	require.Len(t, held, len(rbac.Registry()))
	_, err = w.Authorizer.Held(t.Context(), w.Disabled.UserID)
	require.True(t, apperr.Is(err, apperr.Unauthenticated))
}

// change runs statements on the stored policy and counts its version up, as an administrator's edit does.
func change(t *testing.T, db *store.DB, statements ...string) {
	t.Helper()
	for _, statement := range append(statements, "UPDATE policy_state SET version = version + 1") {
		_, err := dbtest.Raw(t, db).ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
}

const revoke = "DELETE FROM role_permissions WHERE role_slug = 'sales' AND permission = 'deal:update'"

// SEC-33: another replica refuses at its very next decision.
func TestRevokeIsEffectiveAtTheNextCall(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		replica, err := rbac.NewAuthorizer(t.Context(), dbtest.Again(t, db))
		require.NoError(t, err)
		_, err = replica.Authorize(t.Context(), w.Sales1, rbac.DealUpdate)
		require.NoError(t, err)

		change(t, db, revoke)
		for _, a := range []*rbac.Authorizer{replica, w.Authorizer} {
			_, err = a.Authorize(t.Context(), w.Sales1, rbac.DealUpdate)
			require.True(t, apperr.Is(err, apperr.Forbidden), "%v", err)
			_, err = a.Authorize(t.Context(), w.Sales1, rbac.DealRead)
			require.NoError(t, err)
		}
	})
}

func TestRoleTeamAndStatusAreReadAnew(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		set := func(assignment string) {
			_, err := dbtest.Raw(t, db).ExecContext(t.Context(), "UPDATE users SET "+assignment+" WHERE email = 'manager@example.test'")
			require.NoError(t, err)
		}
		set("team_id = NULL")
		require.Empty(t, w.Grant(t, w.Manager, rbac.DealRead).TeamID())
		set("role = 'sales'")
		require.Equal(t, rbac.ScopeOwn, w.Grant(t, w.Manager, rbac.DealRead).Scope())
		set("disabled_at = '2026-03-02 09:00:00+00:00'")
		_, err := w.Authorizer.Authorize(t.Context(), w.Manager, rbac.DealRead)
		require.True(t, apperr.Is(err, apperr.Unauthenticated))
	})
}

// SEC-31.
func TestBadPolicyRefusesTheStart(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		change(t, db, "INSERT INTO role_permissions VALUES ('sales', 'deal:fly', 'own')")
		_, err := rbac.NewAuthorizer(t.Context(), db)
		require.ErrorContains(t, err, "deal:fly")
		change(t, db, "DELETE FROM role_permissions")
		_, err = rbac.NewAuthorizer(t.Context(), db)
		require.ErrorContains(t, err, "empty")
	})
}

// SEC-31.
func TestFailedReloadKeepsTheLastGoodPolicy(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		change(t, db, "INSERT INTO role_permissions VALUES ('viewer', 'deal:update', 'all')", "INSERT INTO role_permissions VALUES ('sales', 'deal:fly', 'own')")
		w.Grant(t, w.Sales1, rbac.DealUpdate)
		_, err := w.Authorizer.Authorize(t.Context(), w.Viewer, rbac.DealUpdate)
		require.True(t, apperr.Is(err, apperr.Forbidden), "nothing of a bad policy is in force")

		change(t, db, "DELETE FROM role_permissions WHERE permission = 'deal:fly'")
		w.Grant(t, w.Viewer, rbac.DealUpdate)
	})
}

// A transaction sees the policy that it has changed; when it is undone nobody else ever did.
func TestUncommittedPolicyStaysInItsTransaction(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		undone := errors.New("undone")
		err := db.InTx(t.Context(), func(tx *store.Tx) error {
			bound := w.Authorizer.With(editing{tx.Reader})
			_, err := bound.Authorize(t.Context(), w.Viewer, rbac.DealUpdate)
			require.NoError(t, err, "inside")
			return undone
		})
		require.ErrorIs(t, err, undone)
		_, err = w.Authorizer.Authorize(t.Context(), w.Viewer, rbac.DealUpdate)
		require.True(t, apperr.Is(err, apperr.Forbidden), "outside")

		change(t, db, revoke)
		_, err = w.Authorizer.Authorize(t.Context(), w.Sales1, rbac.DealUpdate)
		require.True(t, apperr.Is(err, apperr.Forbidden), "the next version is not taken for the undone one")
	})
}

// editing is a transaction in which viewers were given the right to change all deals.
type editing struct{ *store.Reader }

func (e editing) Policy(ctx context.Context) (rbac.Policy, error) {
	p, err := e.Reader.Policy(ctx)
	p.Version++
	p.Rows = append(p.Rows, rbac.Row{Role: "viewer", Permission: "deal:update", Scope: "all"})
	return p, err
}

func (e editing) Subject(ctx context.Context, userID string) (rbac.Subject, bool, error) {
	s, found, err := e.Reader.Subject(ctx, userID)
	s.PolicyVersion++
	return s, found, err
}

// SEC-30: when nothing can be read, nothing is granted.
func TestUnreadableDatabaseDenies(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		g, err := w.Authorizer.Authorize(ctx, w.Admin, rbac.DealRead)
		require.Error(t, err)
		require.Equal(t, rbac.Grant{}, g)
	})
}

func TestConcurrentDecisionsAndChanges(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 30 {
					_, err := w.Authorizer.Authorize(t.Context(), w.Sales1, rbac.DealRead)
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		for range 10 {
			change(t, db)
		}
		wg.Wait()
		change(t, db, revoke)
		_, err := w.Authorizer.Authorize(t.Context(), w.Sales1, rbac.DealUpdate)
		require.True(t, apperr.Is(err, apperr.Forbidden))
	})
}

// Rights that are asked for together are answered as of one moment; the next to ask sees what has changed.
func TestOnceAnswersAsOfOneMoment(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		once := rbac.AtOnce(t.Context())
		first, err := w.Authorizer.Authorize(once, w.Sales1, rbac.DealRead)
		require.NoError(t, err)
		_, err = dbtest.Raw(t, db).ExecContext(t.Context(), "UPDATE users SET role = 'viewer' WHERE id = $1", w.Sales1.UserID)
		require.NoError(t, err)
		second, err := w.Authorizer.Authorize(once, w.Sales1, rbac.DealUpdate)
		require.NoError(t, err)
		require.Equal(t, first.Scope(), second.Scope())
		_, err = w.Authorizer.Authorize(once, w.Viewer, rbac.DealUpdate)
		require.True(t, apperr.Is(err, apperr.Forbidden), "somebody else is read anew")
		_, err = w.Authorizer.Authorize(rbac.AtOnce(t.Context()), w.Sales1, rbac.DealUpdate)
		require.True(t, apperr.Is(err, apperr.Forbidden))
		_, err = w.Authorizer.Authorize(rbac.AtOnce(t.Context()), models.Actor{}, rbac.DealRead)
		require.True(t, apperr.Is(err, apperr.Unauthenticated))
	})
}

// A request, or a look-up of the assistant, is answered as of one moment; transactions look for themselves.
func TestAtOnceAnswersAsOfOneMoment(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		moment, known := rbac.AtOnce(t.Context()), rbac.AsOf(t.Context(), rbac.Subject{UserID: w.Sales1.UserID, Role: "sales"})
		_, err := w.Authorizer.Authorize(moment, w.Sales1, rbac.DealRead)
		require.NoError(t, err)
		_, err = dbtest.Raw(t, db).ExecContext(t.Context(), "UPDATE users SET role = 'viewer' WHERE id = $1", w.Sales1.UserID)
		require.NoError(t, err)
		for _, ctx := range []context.Context{moment, known} {
			_, err = w.Authorizer.Authorize(ctx, w.Sales1, rbac.DealUpdate)
			require.NoError(t, err)
			_, err = w.Authorizer.Authorize(ctx, w.Viewer, rbac.DealUpdate)
			require.True(t, apperr.Is(err, apperr.Forbidden), "somebody else is read anew")
			require.NoError(t, db.InTx(ctx, func(tx *store.Tx) error {
				_, err := w.Authorizer.With(tx.Reader).Authorize(ctx, w.Sales1, rbac.DealUpdate)
				require.True(t, apperr.Is(err, apperr.Forbidden), "a transaction looks for itself")
				return nil
			}))
		}
		_, err = w.Authorizer.Authorize(rbac.AtOnce(t.Context()), w.Sales1, rbac.DealUpdate)
		require.True(t, apperr.Is(err, apperr.Forbidden))
	})
}
