package deliveries

import (
	"context"
	"time"

	"countersign/apperr"
	"countersign/audit"
	"countersign/i18n"
	"countersign/jobs"
	"countersign/mail"
	"countersign/models"
	"countersign/rbac"
	"countersign/resolve"
	"countersign/store"
)

// Mailer hands messages over to a mail server. [mail.Server] is one.
type Mailer interface {
	// Send returns nil when the message was taken, a [mail.Failure] that says what has become of it, or another error for
	// one that cannot be sent at all.
	Send(ctx context.Context, m mail.Message) error
	// MessageID is the Message-ID of the message that goes by a key.
	MessageID(key string) string
}

// Tell appends a message of the server to a conversation.
type Tell func(ctx context.Context, tx *store.Tx, conversationID, text string) error

// Options are what a Service works with. Without a Mailer nothing is queued.
type Options struct {
	Runner store.Runner
	Gate   *audit.Gate
	Now    func() time.Time
	Mailer Mailer
	Tell   Tell
}

// Service is the service of deliveries.
type Service struct{ Options }

// NewService returns the service.
func NewService(o Options) *Service { return &Service{o} }

// With returns the service bound to a transaction.
func (s *Service) With(tx *store.Tx) *Service {
	bound := s.Options
	bound.Runner, bound.Gate = tx, s.Gate.With(tx)
	return &Service{bound}
}

// CodeNoMail is the code of what needs a mail server where none is set up.
const CodeNoMail = "MAIL_NOT_CONFIGURED"

// Ready answers Unavailable with CodeNoMail where no mail server is set up.
func (s *Service) Ready(lang string) error {
	if s.Mailer == nil {
		return apperr.New(apperr.Unavailable, CodeNoMail, i18n.T(lang, "email.not_configured"))
	}
	return nil
}

// Letter is an e-mail with a quotation, as a card has shown it.
type Letter struct {
	To, ReplyTo, Subject, Body, Lang string
}

// Queue queues the e-mail of a proposal about a quotation, to be sent when the transaction has committed. It needs
// quotation:send over the quotation and a mail server; Conflict when the proposal has one already.
func (s *Service) Queue(ctx context.Context, actor models.Actor, p *models.Proposal, l Letter) (*models.Delivery, error) {
	if err := s.Ready(actor.Lang); err != nil {
		return nil, err
	}
	send, err := s.Gate.Authorize(ctx, actor, rbac.QuotationSend)
	if err != nil {
		return nil, err
	}
	d := s.delivery(actor, p, l)
	err = s.Runner.InTx(ctx, func(tx *store.Tx) error {
		covered, err := tx.Covers(ctx, send, models.TypeQuotation, d.QuotationID)
		if err != nil {
			return err
		}
		if !covered {
			return s.Gate.With(tx).Refuse(ctx, actor, p.Target(), apperr.Missing(string(rbac.QuotationSend)))
		}
		if err := tx.InsertDelivery(ctx, send, d); err != nil {
			return err
		}
		if err := record(ctx, tx, actor, d, models.DecisionAllowed); err != nil {
			return err
		}
		return tx.Enqueue(ctx, jobs.Deliver{DeliveryID: d.ID})
	})
	return d, err
}

func (s *Service) delivery(actor models.Actor, p *models.Proposal, l Letter) *models.Delivery {
	id, now := models.NewID(), s.Now()
	return &models.Delivery{
		ID: id, ProposalID: p.ID, QuotationID: p.TargetID, RequestedBy: p.RequestedBy, Lang: string(i18n.Match(actor.Lang)),
		Recipient: l.To, ReplyTo: l.ReplyTo, Subject: l.Subject, Body: l.Body, BodyLang: l.Lang, MessageID: s.Mailer.MessageID(id),
		Status: models.DeliveryQueued, CreatedAt: now, UpdatedAt: now,
	}
}

// List returns a page of the deliveries of quotations that the actor sees. Addresses are masked.
func (s *Service) List(ctx context.Context, actor models.Actor, f store.DeliveryFilter, p store.Page) (list store.List[store.DeliveryView], err error) {
	read, err := s.Gate.Authorize(ctx, actor, rbac.QuotationRead)
	if err != nil {
		return list, err
	}
	err = s.Runner.View(ctx, func(r *store.Reader) error {
		list, err = r.Deliveries(ctx, read, f, p)
		return err
	})
	for i := range list.Items {
		list.Items[i].Recipient = resolve.MaskEmail(list.Items[i].Recipient)
	}
	return list, err
}

// CodeNotUnknown is the code of saying of an e-mail that it has arrived whose fate is known.
const CodeNotUnknown = "DELIVERY_NOT_UNKNOWN"

// MarkSent writes of an unknown delivery that it has arrived, as the actor has found out. It needs quotation:send over the
// quotation; Conflict with CodeNotUnknown for any other delivery.
func (s *Service) MarkSent(ctx context.Context, actor models.Actor, id string) (d *store.DeliveryView, err error) {
	send, err := s.Gate.Authorize(ctx, actor, rbac.QuotationSend)
	if err != nil {
		return nil, err
	}
	err = s.Runner.InTx(ctx, func(tx *store.Tx) error {
		if d, err = tx.DeliveryToMark(ctx, send, id); err != nil {
			return err
		}
		if d.Status != models.DeliveryUnknown {
			return apperr.New(apperr.Conflict, CodeNotUnknown, i18n.T(actor.Lang, "email.not_unknown"))
		}
		now := s.Now()
		d.Status, d.Problem, d.SentAt, d.UpdatedAt, d.MarkedBy = models.DeliverySent, "", &now, now, &actor.UserID
		return s.move(ctx, tx, actor, &d.Delivery, models.DeliveryUnknown)
	})
	if err != nil {
		return nil, err
	}
	d.Recipient = resolve.MaskEmail(d.Recipient)
	return d, nil
}

// record audits where a delivery has come to.
func record(ctx context.Context, tx *store.Tx, actor models.Actor, d *models.Delivery, decision models.Decision) error {
	return audit.Write(ctx, tx, actor, d.UpdatedAt, audit.Entry{
		Action: "email:" + string(d.Status), Target: models.Ref{Type: models.TypeQuotation, ID: d.QuotationID}, Decision: decision, Reason: string(d.Problem),
		Detail: map[string]any{"deliveryId": d.ID, "proposalId": d.ProposalID, "attempts": d.Attempts},
	})
}
