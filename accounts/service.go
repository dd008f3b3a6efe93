package accounts

import (
	"errors"
	"time"

	"countersign/audit"
	"countersign/models"
	"countersign/store"
)

// Options are the parts that a [Service] works with. All but Demo are needed.
type Options struct {
	Runner   store.Runner
	Gate     *audit.Gate
	Now      func() time.Time
	Throttle Throttle
	// Demo is told to clients in [Me], so that they can show a banner.
	Demo bool
}

func (o Options) validate() error {
	if o.Runner == nil || o.Gate == nil || o.Now == nil || o.Throttle == nil {
		return errors.New("accounts: Runner, Gate, Now and Throttle are needed")
	}
	return nil
}

// Service is the one door to accounts. It is safe for concurrent use.
type Service struct {
	runner    store.Runner
	gate      *audit.Gate
	now       func() time.Time
	throttle  Throttle
	demo      bool
	passwords *hasher
}

// New returns a Service. It fails when a part is missing.
func New(o Options) (*Service, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	return &Service{
		runner: o.Runner, gate: o.Gate, throttle: o.Throttle, demo: o.Demo, passwords: newHasher(),
		now: func() time.Time { return o.Now().UTC().Truncate(time.Microsecond) },
	}, nil
}

// With returns a Service that works inside tx. It shares the limit of parallel hashes.
func (s *Service) With(tx *store.Tx) *Service {
	bound := *s
	bound.runner, bound.gate = tx, s.gate.With(tx)
	return &bound
}

// Meta is what a door knows of a request, whoever sent it. IP is the client's address as far as proxies are
// trusted; Lang is the language asked for, empty for the user's own.
type Meta struct {
	IP        string
	UserAgent string
	RequestID string
	Lang      string
}

// clean makes values that clients choose storable, and bounds them.
func (m Meta) clean() Meta {
	for _, text := range []*string{&m.IP, &m.UserAgent, &m.RequestID, &m.Lang} {
		line := []rune(models.CleanLine(*text))
		*text = string(line[:min(len(line), 200)])
	}
	return m
}

// stranger is the actor of a request before anybody has signed in.
func (m Meta) stranger() models.Actor {
	return models.Actor{Name: "anonymous", Via: models.ViaWeb, IP: m.IP, UserAgent: m.UserAgent, RequestID: m.RequestID, Lang: m.Lang}
}

// person is the actor of a signed-in user.
func (m Meta) person(u *models.User) models.Actor {
	actor := m.stranger()
	actor.UserID, actor.Name = u.ID, u.Name
	if actor.Lang == "" {
		actor.Lang = u.Lang
	}
	return actor
}

func refTo(u *models.User) models.Ref {
	return models.Ref{Type: models.TypePerson, ID: u.ID, Name: u.Name}
}
