package rbac

import (
	"fmt"
	"slices"
	"strings"
)

// AdminRole is the system role that always holds every permission over all records.
const AdminRole = "admin"

// Drift compares what code declares and asks for with what is stored. systemRoles are the slugs of the
// system roles; asked are the permissions that routes and tools demand. The error lists every difference;
// a server with one must not start.
func Drift(policy Policy, systemRoles []string, asked []Permission) error {
	var differences []string
	add := func(format string, args ...any) { differences = append(differences, fmt.Sprintf(format, args...)) }

	granted := map[Permission]bool{}
	admin := map[Permission]bool{}
	for _, row := range policy.Rows {
		p := Permission(row.Permission)
		if err := row.validate(); err != nil {
			add("stored row refused: %v", err)
		}
		granted[p] = granted[p] || slices.Contains(systemRoles, row.Role)
		admin[p] = admin[p] || row.Role == AdminRole && ParseScope(row.Scope) == ScopeAll
	}
	for _, p := range Registry() {
		if !granted[p] {
			add("%s is declared but granted to no system role", p)
		} else if !admin[p] {
			add("%s is not held by the role %q with scope all", p, AdminRole)
		}
	}
	for _, p := range asked {
		if !p.Declared() {
			add("%s is asked for by a route or tool but not declared", p)
		}
	}
	if len(differences) == 0 {
		return nil
	}
	return fmt.Errorf("rbac: permissions in code and in the database differ:\n  - %s", strings.Join(differences, "\n  - "))
}
