package rbac_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"countersign/rbac"
)

// SEC-29, SEC-31: a row that casbin would stumble over, or match too much with, never reaches it.
func TestBadRowsRefuseThePolicy(t *testing.T) {
	t.Parallel()
	good := rbac.Row{Role: "sales", Permission: "deal:read", Scope: "own"}
	for _, bad := range []rbac.Row{
		{},
		{Permission: "deal:read", Scope: "own"},
		{Role: " ", Permission: "deal:read", Scope: "own"},
		{Role: "sales ", Permission: "deal:read", Scope: "own"},
		{Role: "*", Permission: "deal:read", Scope: "own"},
		{Role: "sales, admin", Permission: "deal:read", Scope: "own"},
		{Role: "sales", Scope: "own"},
		{Role: "sales", Permission: "deal", Scope: "own"},
		{Role: "sales", Permission: "*", Scope: "own"},
		{Role: "sales", Permission: "deal:*", Scope: "own"},
		{Role: "sales", Permission: "deal:read"},
		{Role: "sales", Permission: "deal:read", Scope: "none"},
		{Role: "sales", Permission: "deal:read", Scope: "deny"},
	} {
		_, err := rbac.Compile(rbac.Policy{Rows: []rbac.Row{good, bad}})
		require.Error(t, err, "%+v", bad)
	}
	_, err := rbac.Compile(rbac.Policy{})
	require.Error(t, err, "an empty policy")
}

// SEC-29: nothing that is empty, blank or a wildcard is ever granted, neither by casbin nor by the snapshot.
func TestNothingMatchesEmptyOrWildcard(t *testing.T) {
	t.Parallel()
	policy := rbac.Policy{Rows: []rbac.Row{{Role: "sales", Permission: "deal:read", Scope: "own"}}}
	snapshot, err := rbac.Compile(policy)
	require.NoError(t, err)
	enforcer, err := rbac.NewEnforcer(policy)
	require.NoError(t, err)
	odd := []string{"", " ", "*", "role:", "role:*", "sales", "role:sales "}
	for _, sub := range append(odd, "role:sales") {
		for _, obj := range append(odd, "deal") {
			for _, act := range append(odd, "read") {
				ok, err := enforcer.Enforce(sub, obj, act, "own")
				require.NoError(t, err)
				require.Equal(t, sub == "role:sales" && obj == "deal" && act == "read", ok, "%q %q %q", sub, obj, act)
				p := rbac.Permission(obj + ":" + act)
				require.Equal(t, sub == "sales" && p == "deal:read", snapshot.Scope(sub, p) != rbac.ScopeNone, "%q %q", sub, p)
			}
		}
	}
}

// SEC-36: the compiled snapshot answers as casbin does, for every tuple of any policy.
func TestSnapshotEqualsCasbin(t *testing.T) {
	t.Parallel()
	roles := []string{"admin", "manager", "sales", "Sales", "role", "審計"}
	scopes := []string{"own", "team", "all"}
	row := rapid.Custom(func(t *rapid.T) rbac.Row {
		return rbac.Row{
			Role:       rapid.SampledFrom(roles).Draw(t, "role"),
			Permission: string(rapid.SampledFrom(rbac.Registry()).Draw(t, "permission")),
			Scope:      rapid.SampledFrom(scopes).Draw(t, "scope"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		policy := rbac.Policy{Rows: rapid.SliceOfN(row, 1, 60).Draw(t, "rows")}
		snapshot, err := rbac.Compile(policy)
		require.NoError(t, err)
		enforcer, err := rbac.NewEnforcer(policy)
		require.NoError(t, err)
		for _, role := range append(roles, "nobody") {
			for _, p := range rbac.Registry() {
				widest := rbac.ScopeNone
				for _, scope := range scopes {
					ok, err := enforcer.Enforce("role:"+role, p.Resource(), p.Action(), scope)
					require.NoError(t, err)
					if ok {
						widest = max(widest, rbac.ParseScope(scope))
					}
				}
				require.Equal(t, widest, snapshot.Scope(role, p), "%s %s", role, p)
			}
		}
	})
}

func TestCasbinCannotWrite(t *testing.T) {
	t.Parallel()
	enforcer, err := rbac.NewEnforcer(rbac.Policy{Rows: []rbac.Row{{Role: "sales", Permission: "deal:read", Scope: "own"}}})
	require.NoError(t, err)
	_, err = enforcer.AddPolicy("role:sales", "deal", "update", "all")
	require.Error(t, err)
	_, err = enforcer.RemovePolicy("role:sales", "deal", "read", "own")
	require.Error(t, err)
	_, err = enforcer.RemoveFilteredPolicy(0, "role:sales")
	require.Error(t, err)
	require.Error(t, enforcer.SavePolicy())
}
