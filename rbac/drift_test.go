package rbac_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/dbtest"
	"countersign/rbac"
	"countersign/store"
)

// stored are the policy and the system roles of a freshly migrated database.
func stored(t *testing.T) (rbac.Policy, []string) {
	t.Helper()
	db := dbtest.Open(t, "sqlite")
	policy, err := db.Policy(t.Context())
	require.NoError(t, err)
	var roles []string
	require.NoError(t, db.View(t.Context(), func(r *store.Reader) error {
		roles, err = r.SystemRoles(t.Context())
		return err
	}))
	return policy, roles
}

func TestNoDriftAfterMigration(t *testing.T) {
	t.Parallel()
	policy, roles := stored(t)
	require.Equal(t, []string{"admin", "manager", "sales", "viewer"}, roles)
	require.NoError(t, rbac.Drift(policy, roles, rbac.Registry()))
}

func TestDriftNamesEveryDifference(t *testing.T) {
	t.Parallel()
	clean, roles := stored(t)
	for name, c := range map[string]struct {
		change func(rows []rbac.Row) []rbac.Row
		asked  []rbac.Permission
		want   string
	}{
		"stray permission": {
			change: func(rows []rbac.Row) []rbac.Row {
				return append(rows, rbac.Row{Role: "sales", Permission: "deal:fly", Scope: "own"})
			},
			want: `role "sales" holds "deal:fly", which is not declared`,
		},
		"unknown scope": {
			change: func(rows []rbac.Row) []rbac.Row {
				return append(rows, rbac.Row{Role: "sales", Permission: "deal:read", Scope: "galaxy"})
			},
			want: `role "sales" holds "deal:read" with the unknown scope "galaxy"`,
		},
		"granted to nobody": {
			change: without(func(r rbac.Row) bool { return r.Permission == "audit:read" }),
			want:   "audit:read is declared but granted to no system role",
		},
		"granted to a custom role only": {
			change: func(rows []rbac.Row) []rbac.Row {
				rows = without(func(r rbac.Row) bool { return r.Permission == "audit:read" })(rows)
				return append(rows, rbac.Row{Role: "auditor", Permission: "audit:read", Scope: "all"})
			},
			want: "audit:read is declared but granted to no system role",
		},
		"admin lacks one": {
			change: without(func(r rbac.Row) bool { return r.Permission == "deal:update" && r.Role == rbac.AdminRole }),
			want:   `deal:update is not held by the role "admin" with scope all`,
		},
		"admin holds one narrowly": {
			change: func(rows []rbac.Row) []rbac.Row {
				i := slices.Index(rows, rbac.Row{Role: "admin", Permission: "deal:update", Scope: "all"})
				rows[i].Scope = "own"
				return rows
			},
			want: `deal:update is not held by the role "admin" with scope all`,
		},
		"asked for but not declared": {
			change: func(rows []rbac.Row) []rbac.Row { return rows },
			asked:  []rbac.Permission{rbac.DealRead, "invoice:send"},
			want:   "invoice:send is asked for by a route or tool but not declared",
		},
		"empty policy": {
			change: func([]rbac.Row) []rbac.Row { return nil },
			want:   "company:read is declared but granted to no system role",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rows := c.change(slices.Clone(clean.Rows))
			err := rbac.Drift(rbac.Policy{Rows: rows}, roles, c.asked)
			require.ErrorContains(t, err, c.want)
		})
	}
}

func without(drop func(rbac.Row) bool) func([]rbac.Row) []rbac.Row {
	return func(rows []rbac.Row) []rbac.Row { return slices.DeleteFunc(rows, drop) }
}
