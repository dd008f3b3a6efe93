package rbac

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/casbin/casbin/v2"
	"github.com/casbin/casbin/v2/model"
)

// Row is one stored grant: the role, the permission, the scope, as texts.
type Row struct{ Role, Permission, Scope string }

// Policy is the whole stored policy at a version.
type Policy struct {
	Version int64
	Rows    []Row
}

// Subject is what the authorizer needs to know about a user at the moment of a decision.
type Subject struct {
	UserID        string
	Role          string
	TeamID        string
	Disabled      bool
	PolicyVersion int64
}

// PolicySource reads policies and subjects. Package store implements it, for the database and for a transaction.
type PolicySource interface {
	Policy(ctx context.Context) (Policy, error)
	// Subject gives the user as it is now; found is false when there is none.
	Subject(ctx context.Context, userID string) (s Subject, found bool, err error)
}

// modelText has no deny effect and no pattern matching: equality only. Empty requests never match,
// because rows with empty fields are refused before they reach casbin.
const modelText = `
[request_definition]
r = sub, obj, act, scope
[policy_definition]
p = sub, obj, act, scope
[policy_effect]
e = some(where (p.eft == allow))
[matchers]
m = r.scope == p.scope && r.act == p.act && r.obj == p.obj && r.sub == p.sub
`

// Snapshot is an immutable compiled policy. It answers exactly as casbin does, by one map look-up.
type Snapshot struct {
	version int64
	scopes  map[snapshotKey]Scope
}

type snapshotKey struct {
	role       string
	permission Permission
}

// Scope is the scope with which a role holds a permission; ScopeNone when it does not.
func (s *Snapshot) Scope(role string, p Permission) Scope {
	if role == "" || p == "" {
		return ScopeNone
	}
	return s.scopes[snapshotKey{role, p}]
}

// Compile validates the rows, loads them into casbin and compiles its answers.
// A malformed or undeclared row refuses the whole policy and is named in the error.
func Compile(p Policy) (*Snapshot, error) {
	enforcer, err := NewEnforcer(p)
	if err != nil {
		return nil, err
	}
	rows, err := enforcer.GetPolicy()
	if err != nil {
		return nil, fmt.Errorf("rbac: read policy: %w", err)
	}
	s := &Snapshot{version: p.Version, scopes: make(map[snapshotKey]Scope, len(rows))}
	for _, row := range rows {
		key := snapshotKey{strings.TrimPrefix(row[0], rolePrefix), Permission(row[1] + ":" + row[2])}
		s.scopes[key] = max(s.scopes[key], ParseScope(row[3]))
	}
	return s, nil
}

// rolePrefix keeps roles apart from any other kind of subject.
const rolePrefix = "role:"

// NewEnforcer loads a policy into a casbin enforcer whose requests are (role:<slug>, resource, action, scope).
func NewEnforcer(p Policy) (*casbin.Enforcer, error) {
	if len(p.Rows) == 0 {
		return nil, errors.New("rbac: the stored policy is empty")
	}
	for _, row := range p.Rows {
		if err := row.validate(); err != nil {
			return nil, err
		}
	}
	m, err := model.NewModelFromString(modelText)
	if err != nil {
		return nil, fmt.Errorf("rbac: model: %w", err)
	}
	e, err := casbin.NewEnforcer(m, adapter(p.Rows))
	if err != nil {
		return nil, fmt.Errorf("rbac: load policy: %w", err)
	}
	return e, nil
}

func (r Row) validate() error {
	switch {
	case r.Role == "" || strings.TrimSpace(r.Role) != r.Role || strings.ContainsAny(r.Role, "*,"):
		return fmt.Errorf("rbac: %q is not a role name (permission %q)", r.Role, r.Permission)
	case !Permission(r.Permission).Declared():
		return fmt.Errorf("rbac: role %q holds %q, which is not declared", r.Role, r.Permission)
	case ParseScope(r.Scope) == ScopeNone:
		return fmt.Errorf("rbac: role %q holds %q with the unknown scope %q", r.Role, r.Permission, r.Scope)
	}
	return nil
}
