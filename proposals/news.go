package proposals

import (
	"context"
	"log/slog"
	"time"

	"countersign/models"
	"countersign/store"
)

// tellTimeout bounds how long a change waits for the news of it to be sent.
const tellTimeout = 250 * time.Millisecond

// Publish sends a payload to whoever listens to a topic at that moment, in any process.
type Publish func(ctx context.Context, topic string, payload []byte) error

// TellThrough has everybody told whom the change of a proposal's state concerns: who asked for it, and the roles that
// may approve it. It is told after the commit and holds nothing of the proposal: whoever listens reads again with their
// own rights. Call it before the service is used; without it nobody is told.
func (s *Service) TellThrough(publish Publish) { s.publish = publish }

// PersonTopic is where a person is told that a proposal of theirs has changed.
func PersonTopic(userID string) string { return "proposals/person/" + userID }

// RoleTopic is where those of a role are told that a proposal which they may approve has changed.
func RoleTopic(role string) string { return "proposals/role/" + role }

// TellEscalated tells of the pending proposals that more people may approve since a moment. Call it at an interval; one
// that is told twice is read twice.
func (s *Service) TellEscalated(ctx context.Context, since time.Time) error {
	var rows []models.Proposal
	err := s.runner.View(ctx, func(r *store.Reader) (err error) {
		rows, err = r.EscalatedProposals(ctx, since, s.now())
		return err
	})
	for i := range rows {
		s.tell(ctx, audience(&rows[i]))
	}
	return err
}

// tellOnCommit tells of a proposal whose state this transaction changes.
func (s *Service) tellOnCommit(ctx context.Context, tx *store.Tx, p *models.Proposal) {
	topics := audience(p)
	tx.AfterCommit(func() { s.tell(ctx, topics) })
}

// audience are the topics of those to whom a proposal matters.
func audience(p *models.Proposal) []string {
	topics := []string{PersonTopic(p.RequestedBy)}
	for _, role := range []string{p.ApproverRole, p.EscalationRole} {
		if role != "" {
			topics = append(topics, RoleTopic(role))
		}
	}
	return topics
}

// tell sends the news as far as that is possible. Whoever misses it sees the change when they next look.
func (s *Service) tell(ctx context.Context, topics []string) {
	if s.publish == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tellTimeout)
	defer cancel()
	for _, topic := range topics {
		if err := s.publish(ctx, topic, nil); err != nil {
			slog.WarnContext(ctx, "news of a proposal not sent", "error", err)
			return
		}
	}
}
