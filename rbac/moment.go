package rbac

import (
	"context"
	"sync"
)

// AtOnce returns a context for one short piece of work of one person, such as a look-up of a tool, whose parts all ask
// what that person may do: the person is read for the first of them, and all get the answer of that moment. Within such
// work it gives the context itself. An Authorizer bound to a transaction does not take part: what is written is held
// against rights as they are then.
func AtOnce(ctx context.Context) context.Context {
	if ctx.Value(momentKey{}) != nil {
		return ctx
	}
	return context.WithValue(ctx, momentKey{}, &moment{})
}

// AsOf is [AtOnce] for a person who has been read already.
func AsOf(ctx context.Context, s Subject) context.Context {
	return context.WithValue(ctx, momentKey{}, &moment{userID: s.UserID, subject: s, found: true})
}

type momentKey struct{}

// moment is a user as read once.
type moment struct {
	mu      sync.Mutex
	userID  string
	subject Subject
	found   bool
}

// look reads a user, or takes what was read at this moment.
func (a *Authorizer) look(ctx context.Context, userID string) (Subject, bool, error) {
	m, _ := ctx.Value(momentKey{}).(*moment)
	if m == nil || a.bound {
		return a.source.Subject(ctx, userID)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.userID == userID {
		return m.subject, m.found, nil
	}
	subject, found, err := a.source.Subject(ctx, userID)
	if err == nil {
		m.userID, m.subject, m.found = userID, subject, found
	}
	return subject, found, err
}
