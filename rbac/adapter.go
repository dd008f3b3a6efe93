package rbac

import (
	"errors"

	"github.com/casbin/casbin/v2/model"
)

// adapter hands validated rows to casbin. It is read-only: policies are written by services in
// transactions of their own, never by casbin.
type adapter []Row

var errReadOnly = errors.New("rbac: policies are not written through casbin")

// LoadPolicy implements persist.Adapter.
func (a adapter) LoadPolicy(m model.Model) error {
	for _, r := range a {
		p := Permission(r.Permission)
		if err := m.AddPolicy("p", "p", []string{rolePrefix + r.Role, p.Resource(), p.Action(), r.Scope}); err != nil {
			return err
		}
	}
	return nil
}

// SavePolicy implements persist.Adapter; it always refuses.
func (adapter) SavePolicy(model.Model) error { return errReadOnly }

// AddPolicy implements persist.Adapter; it always refuses.
func (adapter) AddPolicy(string, string, []string) error { return errReadOnly }

// RemovePolicy implements persist.Adapter; it always refuses.
func (adapter) RemovePolicy(string, string, []string) error { return errReadOnly }

// RemoveFilteredPolicy implements persist.Adapter; it always refuses.
func (adapter) RemoveFilteredPolicy(string, string, int, ...string) error { return errReadOnly }
