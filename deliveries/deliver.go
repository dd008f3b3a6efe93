package deliveries

import (
	"context"
	"errors"
	"time"

	"countersign/i18n"
	"countersign/jobs"
	"countersign/mail"
	"countersign/models"
	"countersign/store"
)

const (
	// maxAttempts is how often a mail server is asked to take an e-mail.
	maxAttempts = 5
	// settleTimeout bounds writing what has become of an e-mail, which goes on when the job is called off.
	settleTimeout = 10 * time.Second
	// interruptedAfter is when whoever sends an e-mail counts as gone. No job takes as long.
	interruptedAfter = 5 * time.Minute
	// leftAfter is when nobody seems to be going to send a queued e-mail; longer than what lies between two attempts.
	leftAfter = 15 * time.Minute
	// tooLateAfter is when a queued e-mail is given up.
	tooLateAfter = 24 * time.Hour
)

// Deliver carries out a job: it sends a queued e-mail. For one that is being sent, or was, it does nothing. The error asks
// to be tried again.
func (s *Service) Deliver(ctx context.Context, job jobs.Deliver) error {
	if err := s.Ready(string(i18n.EN)); err != nil {
		return err
	}
	d, err := s.claim(ctx, job.DeliveryID)
	if err != nil || d == nil {
		return err
	}
	failure := s.Mailer.Send(ctx, mail.Message{
		ID: d.MessageID, To: d.Recipient, ReplyTo: d.ReplyTo, Subject: d.Subject, Text: d.Body, Lang: d.BodyLang, At: d.CreatedAt,
	})
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	now := s.Now()
	d.UpdatedAt = now
	if d.Status, d.Problem = fate(d, failure); d.Status == models.DeliverySent {
		d.SentAt = &now
	}
	if err := s.moved(ctx, d, models.DeliverySending); err != nil {
		return err
	}
	if d.Status == models.DeliveryQueued {
		return failure
	}
	return nil
}

// claim takes a queued delivery for this process, and nil when there is nothing to take. It has committed before the mail
// server hears of it.
func (s *Service) claim(ctx context.Context, id string) (d *models.Delivery, err error) {
	err = s.Runner.InTx(ctx, func(tx *store.Tx) error {
		if d, err = tx.ClaimDelivery(ctx, id, s.Now()); err != nil || d == nil {
			return err
		}
		return s.tell(ctx, tx, d)
	})
	return d, err
}

// fate is what has become of a delivery that was handed to the mail server.
func fate(d *models.Delivery, failure error) (models.DeliveryStatus, models.DeliveryProblem) {
	if failure == nil {
		return models.DeliverySent, ""
	}
	var f *mail.Failure
	switch {
	case !errors.As(failure, &f), f.Fate == mail.Refused:
		return models.DeliveryFailed, models.ProblemRefused
	case f.Fate == mail.Unknown:
		return models.DeliveryUnknown, models.ProblemCut
	case d.Attempts >= maxAttempts:
		return models.DeliveryFailed, models.ProblemBusy
	default:
		return models.DeliveryQueued, models.ProblemBusy
	}
}

// Recover takes care of what a process that died, or a job that was given up, has left: what was being sent becomes
// unknown, what is queued is sent by a new job, or given up after a day.
func (s *Service) Recover(ctx context.Context) error {
	now := s.Now()
	var sending, queued []models.Delivery
	err := s.Runner.View(ctx, func(r *store.Reader) (err error) {
		if sending, err = r.DeliveriesLeft(ctx, models.DeliverySending, now.Add(-interruptedAfter)); err != nil {
			return err
		}
		queued, err = r.DeliveriesLeft(ctx, models.DeliveryQueued, now.Add(-leftAfter))
		return err
	})
	for i := range sending {
		err = errors.Join(err, s.end(ctx, &sending[i], models.DeliveryUnknown, models.ProblemInterrupted, now))
	}
	for i := range queued {
		err = errors.Join(err, s.takeUp(ctx, &queued[i], now))
	}
	return err
}

// takeUp has a delivery sent that nobody sends, or gives it up.
func (s *Service) takeUp(ctx context.Context, d *models.Delivery, now time.Time) error {
	age := now.Sub(d.CreatedAt)
	if age >= tooLateAfter {
		return s.end(ctx, d, models.DeliveryFailed, models.ProblemLate, now)
	}
	return s.Runner.InTx(ctx, func(tx *store.Tx) error {
		return tx.Enqueue(ctx, jobs.Deliver{DeliveryID: d.ID, Round: int64(age / leftAfter)})
	})
}

func (s *Service) end(ctx context.Context, d *models.Delivery, to models.DeliveryStatus, why models.DeliveryProblem, now time.Time) error {
	from := d.Status
	d.Status, d.Problem, d.UpdatedAt = to, why, now
	return s.moved(ctx, d, from)
}

// mailer is the actor of what the jobs write.
var mailer = models.System("mailer")

// moved writes where a delivery has come to, in a transaction of its own.
func (s *Service) moved(ctx context.Context, d *models.Delivery, from models.DeliveryStatus) error {
	return s.Runner.InTx(ctx, func(tx *store.Tx) error { return s.move(ctx, tx, mailer, d, from) })
}

func (s *Service) move(ctx context.Context, tx *store.Tx, actor models.Actor, d *models.Delivery, from models.DeliveryStatus) error {
	if err := tx.MoveDelivery(ctx, d, from); err != nil {
		return err
	}
	decision := models.DecisionAllowed
	if d.Status == models.DeliveryFailed || d.Status == models.DeliveryUnknown {
		decision = models.DecisionFailed
	}
	if err := record(ctx, tx, actor, d, decision); err != nil {
		return err
	}
	return s.tell(ctx, tx, d)
}

// tell writes where a delivery has come to into the outcome of its proposal and, when it has gone wrong, into the
// conversation.
func (s *Service) tell(ctx context.Context, tx *store.Tx, d *models.Delivery) error {
	p, err := tx.Proposal(ctx, store.Party{UserID: d.RequestedBy, Now: s.Now()}, d.ProposalID)
	if err != nil {
		return err
	}
	var outcome models.Outcome
	if err := p.Outcome.Into(&outcome); err != nil {
		return err
	}
	outcome.Delivery = d.Status
	outcome.Email.At, outcome.Email.Message = d.UpdatedAt, Message(d.Lang, d)
	if err := tx.SetOutcome(ctx, p.ID, models.ToJSON(outcome)); err != nil {
		return err
	}
	if p.ConversationID == nil || d.Status != models.DeliveryFailed && d.Status != models.DeliveryUnknown {
		return nil
	}
	return s.Tell(ctx, tx, *p.ConversationID, i18n.T(d.Lang, "email.trouble", "name", p.TargetName, "message", outcome.Email.Message))
}

// Message says what a person should know about a delivery, or do; empty for nothing.
func Message(lang string, d *models.Delivery) string {
	if d.Problem == "" {
		return ""
	}
	return i18n.T(lang, "email."+string(d.Status)+"."+string(d.Problem))
}
