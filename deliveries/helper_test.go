package deliveries_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/confirm"
	"countersign/conversations"
	"countersign/crm"
	"countersign/deliveries"
	"countersign/internal/dbtest"
	"countersign/internal/smtptest"
	"countersign/jobs"
	"countersign/mail"
	"countersign/models"
	"countersign/proposals"
	"countersign/resolve"
	"countersign/store"
	"countersign/tools"
	"countersign/workers"
)

// office is the World with everything from a command to the mail server.
type office struct {
	*dbtest.World
	*deliveries.Service
	smtp          *smtptest.Server
	proposals     *proposals.Service
	conversations *conversations.Service
	quotations    *crm.Quotations
	registry      *tools.Registry
	performer     *tools.Performer
	confirm       *confirm.Service
}

func each(t *testing.T, fn func(t *testing.T, o *office)) {
	t.Helper()
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		require.NoError(t, workers.Migrate(t.Context(), db))
		fn(t, newOffice(t, dbtest.NewWorld(t, db), smtptest.Start(t)))
	})
}

func newOffice(t *testing.T, w *dbtest.World, smtp *smtptest.Server) *office {
	t.Helper()
	inserter, err := workers.NewInserter(w.DB)
	require.NoError(t, err)
	w.DB.EnqueueThrough(inserter)
	now := w.Clock.Now
	o := &office{
		World: w, smtp: smtp, proposals: proposals.NewService(w.DB, w.Gate, now), conversations: conversations.NewService(w.DB, now),
		quotations: crm.NewQuotations(w.DB, w.Gate, now),
	}
	o.Service = deliveries.NewService(deliveries.Options{Runner: w.DB, Gate: w.Gate, Now: now, Mailer: mailer(t, smtp.URL()), Tell: o.conversations.Tell})
	o.registry = tools.Standard(tools.Services{
		Resolver: resolve.New(w.DB, w.Gate), Quotations: o.quotations, Deliveries: o.Service, Conversations: o.conversations,
	})
	o.performer = tools.NewPerformer(o.registry, w.Gate)
	o.confirm = confirm.NewService(o.proposals, o.performer, o.conversations)
	return o
}

func mailer(t *testing.T, url string) deliveries.Mailer {
	t.Helper()
	server, err := mail.NewServer(mail.Options{URL: url, Host: "crm.test", Timeout: time.Second})
	require.NoError(t, err)
	return server
}

const tool = "send_quotation_email"

// card is a waiting e-mail with Sales1's quotation, in a conversation.
func (o *office) card(t *testing.T) *models.Proposal {
	t.Helper()
	s, err := o.conversations.Start(t.Context(), o.Sales1, conversations.Opening{NewID: models.NewID(), Message: "Send it", Channel: models.ViaWeb})
	require.NoError(t, err)
	draft, err := o.performer.Prepare(t.Context(), o.Sales1, tool, models.ToJSON(map[string]string{"quotation": o.QuoteAcme.ID}))
	require.NoError(t, err)
	card, err := o.proposals.Create(t.Context(), o.Sales1, draft, proposals.Origin{Tool: tool, ConversationID: s.Turn.ConversationID, Channel: models.ViaWeb})
	require.NoError(t, err)
	return card
}

// confirmed is a card that was confirmed.
func (o *office) confirmed(t *testing.T) *models.Proposal {
	t.Helper()
	card := o.card(t)
	v, err := o.confirm.Confirm(t.Context(), o.Sales1, card.ID, card.Digest)
	require.NoError(t, err)
	require.Equal(t, models.ProposalExecuted, v.Proposal.Status, "%s", v.Proposal.Outcome)
	return v.Proposal
}

// outcome is that of a card as anybody reads it now.
func (o *office) outcome(t *testing.T, card *models.Proposal) (outcome models.Outcome) {
	t.Helper()
	p, err := o.proposals.Get(t.Context(), o.Sales1, card.ID)
	require.NoError(t, err)
	require.NoError(t, p.Outcome.Into(&outcome))
	return outcome
}

// deliver carries out the job of a card.
func (o *office) deliver(t *testing.T, card *models.Proposal) error {
	t.Helper()
	return o.Deliver(context.WithoutCancel(t.Context()), jobs.Deliver{DeliveryID: o.outcome(t, card).Email.ID})
}

// last is what the card's conversation was told last.
func (o *office) last(t *testing.T, card *models.Proposal) string {
	t.Helper()
	thread, err := o.conversations.Get(t.Context(), o.Sales1, *card.ConversationID)
	require.NoError(t, err)
	return thread.Messages[len(thread.Messages)-1].Content
}

func (o *office) count(t *testing.T, query string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, dbtest.Raw(t, o.DB).QueryRowContext(t.Context(), query, args...).Scan(&n))
	return n
}

// exec changes the database behind the back of everything.
func (o *office) exec(t *testing.T, query string, args ...any) {
	t.Helper()
	_, err := dbtest.Raw(t, o.DB).ExecContext(t.Context(), query, args...)
	require.NoError(t, err)
}
