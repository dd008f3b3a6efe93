package deliveries_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/audit"
	"countersign/confirm"
	"countersign/deliveries"
	"countersign/internal/clock"
	"countersign/internal/dbtest"
	"countersign/internal/smtptest"
	"countersign/mail"
	"countersign/models"
	"countersign/proposals"
	"countersign/rbac"
	"countersign/store"
)

// The points at which a process can be told to die, on the way from the click to the mail server's answer.
const (
	jobEnqueued = "job enqueued, before the commit"
	committed   = "after the commit"
	claimed     = "claimed, before the mail server hears of it"
	taken       = "taken by the mail server, before its answer"
	answered    = "after the mail server's answer"
	never       = ""
)

// asMortal makes a process of this test binary run [TestMortal], and nothing else.
const asMortal = "COUNTERSIGN_TEST_MORTAL"

// errand is what a process of its own is told to do over a database: to confirm a card, or to send its e-mail, and to die.
type errand struct {
	Database store.Options
	Now      time.Time
	SMTP     string
	World    people
	Card     models.Proposal
	Deliver  bool
	DieAt    string
}

// people are those of a World whom an errand needs.
type people struct{ Sales1 models.Actor }

// TestMortal is no test: it is what the tests of crashes run as a process of its own.
func TestMortal(t *testing.T) {
	if os.Getenv(asMortal) == "" {
		return
	}
	var e errand
	require.NoError(t, json.NewDecoder(os.Stdin).Decode(&e))
	db, err := store.Open(t.Context(), e.Database)
	require.NoError(t, err)
	o := officeOver(t, db, &dbtest.World{Clock: clock.At(e.Now), Sales1: e.World.Sales1}, smtptest.At(e.SMTP))
	if e.Deliver {
		o.Mailer = mortalMailer{o.Mailer, e}
		require.NoError(t, o.deliver(t, &e.Card))
		return
	}
	door := confirm.NewService(proposals.NewService(mortalRunner{db, e}, o.Gate, o.Clock.Now), o.performer, o.conversations)
	_, err = door.Confirm(t.Context(), e.World.Sales1, e.Card.ID, e.Card.Digest)
	require.NoError(t, err)
}

// officeOver opens an office over a database that has its records.
func officeOver(t *testing.T, db *store.DB, w *dbtest.World, smtp *smtptest.Server) *office {
	t.Helper()
	w.DB = db
	var err error
	w.Authorizer, err = rbac.NewAuthorizer(t.Context(), db)
	require.NoError(t, err)
	w.Gate = audit.NewGate(w.Authorizer, db, w.Clock.Now)
	return newOffice(t, w, smtp)
}

// dieAt ends the process as kill -9 does, if this is its point.
func (e errand) dieAt(point string) {
	if e.DieAt != point {
		return
	}
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		_ = self.Kill()
	}
	select {}
}

// mortalRunner dies on either side of the commit.
type mortalRunner struct {
	store.Runner
	errand errand
}

func (m mortalRunner) InTx(ctx context.Context, fn func(*store.Tx) error) error {
	err := m.Runner.InTx(ctx, func(tx *store.Tx) error {
		err := fn(tx)
		m.errand.dieAt(jobEnqueued)
		return err
	})
	m.errand.dieAt(committed)
	return err
}

// mortalMailer dies on either side of the mail server.
type mortalMailer struct {
	deliveries.Mailer
	errand errand
}

func (m mortalMailer) Send(ctx context.Context, message mail.Message) error {
	m.errand.dieAt(claimed)
	err := m.Mailer.Send(ctx, message)
	m.errand.dieAt(answered)
	return err
}

// sent sends a process of its own on an errand, with the database to itself, and gives the office as it is afterwards.
// The process is killed, by itself or when the mail server has all of the mail, unless it never is to die.
func (o *office) sent(t *testing.T, card *models.Proposal, deliver bool, dieAt string) *office {
	t.Helper()
	e := errand{
		Database: dbtest.Options(t, o.DB), Now: o.Clock.Now(), SMTP: o.smtp.URL(), World: people{o.Sales1}, Card: *card, Deliver: deliver, DieAt: dieAt,
	}
	e.Database.Unsafe = false
	require.NoError(t, o.DB.Close())
	told, err := json.Marshal(e)
	require.NoError(t, err)
	self, err := os.Executable()
	require.NoError(t, err)
	process := exec.CommandContext(t.Context(), self, "-test.run=^TestMortal$")
	var out bytes.Buffer
	process.Env, process.Stdin, process.Stdout, process.Stderr = append(os.Environ(), asMortal+"=1"), bytes.NewReader(told), &out, &out
	if dieAt == taken {
		o.smtp.OnData(func() { _ = process.Process.Kill() })
		defer o.smtp.OnData(nil)
	}
	err = process.Run()
	status, ok := process.ProcessState.Sys().(syscall.WaitStatus)
	require.True(t, ok)
	if dieAt == never {
		require.NoError(t, err, out.String())
	} else {
		require.True(t, status.Signaled() && status.Signal() == syscall.SIGKILL, "%v\n%s", process.ProcessState, out.String())
	}
	w := *o.World
	return officeOver(t, dbtest.Again(t, o.DB), &w, o.smtp)
}

// APR-08: a process that is killed while it confirms leaves neither an e-mail nor a job, or both.
func TestAPR08KilledAroundTheQueue(t *testing.T) {
	for point, queued := range map[string]int{jobEnqueued: 0, committed: 1} {
		t.Run(point, func(t *testing.T) {
			each(t, func(t *testing.T, o *office) {
				card := o.card(t)
				o = o.sent(t, card, false, point)
				require.Equal(t, queued, o.count(t, "SELECT COUNT(*) FROM deliveries WHERE status = 'queued'"))
				require.Equal(t, queued, o.count(t, "SELECT COUNT(*) FROM river_job"))
				require.Equal(t, queued, o.count(t, "SELECT COUNT(*) FROM quotations WHERE id = $1 AND status = 'SENT'", o.QuoteAcme.ID))
				v, err := o.confirm.Confirm(t.Context(), o.Sales1, card.ID, card.Digest)
				require.NoError(t, err)
				require.Equal(t, []any{models.ProposalExecuted, queued == 1}, []any{v.Proposal.Status, v.Repeated})
				require.NoError(t, o.deliver(t, card))
				require.NoError(t, o.deliver(t, card))
				require.Equal(t, models.DeliverySent, o.outcome(t, card).Delivery)
				require.Len(t, o.smtp.Received(), 1)
			})
		})
	}
}

// APR-08: a process that is killed while it sends leaves an e-mail that becomes unknown, never one that is sent again;
// whoever comes before that is clear leaves it alone.
func TestAPR08KilledWhileSending(t *testing.T) {
	for point, received := range map[string]int{claimed: 0, taken: 1, answered: 1} {
		t.Run(point, func(t *testing.T) {
			each(t, func(t *testing.T, o *office) {
				card := o.confirmed(t)
				o = o.sent(t, card, true, point)
				require.Equal(t, models.DeliverySending, o.outcome(t, card).Delivery)
				require.NoError(t, o.deliver(t, card))
				require.NoError(t, o.Recover(t.Context()))
				require.Equal(t, models.DeliverySending, o.outcome(t, card).Delivery)
				o.Clock.Advance(5*time.Minute + time.Second)
				require.NoError(t, o.Recover(t.Context()))
				require.NoError(t, o.Recover(t.Context()))
				require.NoError(t, o.deliver(t, card))
				outcome := o.outcome(t, card)
				require.Equal(t, models.DeliveryUnknown, outcome.Delivery)
				require.Contains(t, outcome.Email.Message, "Check with the recipient")
				require.Contains(t, o.last(t, card), "It may have arrived")
				require.Len(t, o.smtp.Received(), received)
			})
		})
	}
}

// A process that lives sends what another one has queued.
func TestAProcessOfItsOwnSends(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		card := o.card(t)
		o = o.sent(t, card, false, never)
		o = o.sent(t, card, true, never)
		require.Equal(t, models.DeliverySent, o.outcome(t, card).Delivery)
		require.Len(t, o.smtp.Received(), 1)
	})
}
