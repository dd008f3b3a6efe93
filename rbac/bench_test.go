package rbac_test

import (
	"fmt"
	"testing"

	"countersign/internal/dbtest"
	"countersign/rbac"
)

// wide is a policy of about 900 rows.
func wide() rbac.Policy {
	p := rbac.Policy{Version: 1}
	for i := range 36 {
		for _, permission := range rbac.Registry() {
			p.Rows = append(p.Rows, rbac.Row{Role: fmt.Sprintf("role-%d", i), Permission: string(permission), Scope: "team"})
		}
	}
	return p
}

// SEC-37: a decision takes far less than 50 µs.
func BenchmarkSnapshot(b *testing.B) {
	s, err := rbac.Compile(wide())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if s.Scope("role-30", rbac.AuditRead) != rbac.ScopeTeam {
			b.Fatal("wrong")
		}
	}
}

func BenchmarkCasbin(b *testing.B) {
	e, err := rbac.NewEnforcer(wide())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if ok, err := e.Enforce("role:role-30", "audit", "read", "team"); !ok || err != nil {
			b.Fatal("wrong")
		}
	}
}

// BenchmarkAuthorize is a whole decision, with the user's row read anew.
func BenchmarkAuthorize(b *testing.B) {
	for _, dialect := range dbtest.Dialects {
		b.Run(dialect, func(b *testing.B) {
			w := dbtest.NewWorld(b, dbtest.Open(b, dialect))
			for b.Loop() {
				w.Grant(b, w.Manager, rbac.DealUpdate)
			}
		})
	}
}
