package rbac_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/dbtest"
	"countersign/rbac"
	"countersign/store"
)

// matrix is who may do what: every declared permission, every system role, with which scope.
const matrix = `
permission            admin  manager  sales  viewer
company:read          all    team     own    all
company:create        all    team     own    -
company:update        all    team     own    -
company:delete        all    team     -      -
company:restore       all    -        -      -
company:assign        all    team     own    -
contact:read          all    team     own    all
contact:create        all    team     own    -
contact:update        all    team     own    -
contact:delete        all    team     -      -
contact:restore       all    -        -      -
contact:assign        all    team     own    -
deal:read             all    team     own    all
deal:create           all    team     own    -
deal:update           all    team     own    -
deal:delete           all    team     -      -
deal:restore          all    -        -      -
deal:assign           all    team     own    -
deal:bulk             all    team     own    -
activity:read         all    team     own    all
activity:create       all    team     own    -
activity:update       all    team     own    -
activity:delete       all    team     -      -
activity:restore      all    -        -      -
task:read             all    team     own    all
task:create           all    team     own    -
task:update           all    team     own    -
task:delete           all    team     -      -
task:restore          all    -        -      -
quotation:read        all    team     own    all
quotation:create      all    team     own    -
quotation:update      all    team     own    -
quotation:delete      all    team     own    -
quotation:restore     all    -        -      -
quotation:assign      all    team     own    -
quotation:send        all    team     own    -
product:read          all    all      all    all
pipeline:read         all    all      all    all
user:read             all    all      all    all
contact:pii           all    all      own    -
assistant:use         all    all      all    all
ai-config:read        all    -        -      -
ai-config:update      all    -        -      -
audit:read            all    -        -      -
usage:read            all    team     own    own
approval-rule:read    all    -        -      -
approval-rule:update  all    -        -      -
`

func TestMatrixOfTheMigratedDatabase(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		policy, err := db.Policy(t.Context())
		require.NoError(t, err)
		snapshot, err := rbac.Compile(policy)
		require.NoError(t, err)
		require.Equal(t, matrix, table(snapshot, "admin", "manager", "sales", "viewer"))
	})
}

func table(s *rbac.Snapshot, roles ...string) string {
	line := func(cells ...string) string {
		widths := []int{22, 7, 9, 7, 0}
		var b strings.Builder
		for i, cell := range cells {
			fmt.Fprintf(&b, "%-*s", widths[i], cell)
		}
		return strings.TrimRight(b.String(), " ") + "\n"
	}
	out := "\n" + line(append([]string{"permission"}, roles...)...)
	for _, p := range rbac.Registry() {
		cells := []string{string(p)}
		for _, role := range roles {
			cells = append(cells, strings.Replace(s.Scope(role, p).String(), "none", "-", 1))
		}
		out += line(cells...)
	}
	return out
}

func TestRegistry(t *testing.T) {
	t.Parallel()
	seen := map[rbac.Permission]bool{}
	for _, p := range rbac.Registry() {
		require.False(t, seen[p], "%s is declared twice", p)
		seen[p] = true
		require.True(t, p.Declared())
		require.Equal(t, string(p), p.Resource()+":"+p.Action())
		require.NotEmpty(t, p.Resource())
		require.NotEmpty(t, p.Action())
	}
	for _, p := range []rbac.Permission{"", " ", "*", "deal", "deal:", ":read", "deal:*", "*:*", "Deal:Read", "deal:read "} {
		require.False(t, p.Declared(), p)
	}
}

func TestScope(t *testing.T) {
	t.Parallel()
	for _, s := range []rbac.Scope{rbac.ScopeOwn, rbac.ScopeTeam, rbac.ScopeAll} {
		require.Equal(t, s, rbac.ParseScope(s.String()))
		text, err := s.MarshalText()
		require.NoError(t, err)
		require.Equal(t, s.String(), string(text))
	}
	for _, unknown := range []string{"", "none", "ALL", "all ", "*", "everything"} {
		require.Equal(t, rbac.ScopeNone, rbac.ParseScope(unknown), unknown)
	}
	require.True(t, slices.IsSorted([]rbac.Scope{rbac.ScopeNone, rbac.ScopeOwn, rbac.ScopeTeam, rbac.ScopeAll}))
}
