package deliveries_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/deliveries"
	"countersign/internal/smtptest"
	"countersign/jobs"
	"countersign/models"
	"countersign/proposals"
	"countersign/rbac"
	"countersign/store"
	"countersign/workers"
)

// What the card shows is queued with the confirmation, sent once, and told.
func TestWhatTheCardShowsIsSent(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		card := o.card(t)
		require.Zero(t, o.count(t, "SELECT COUNT(*) FROM deliveries")+o.count(t, "SELECT COUNT(*) FROM river_job"))
		_, err := o.confirm.Confirm(t.Context(), o.Sales1, card.ID, card.Digest)
		require.NoError(t, err)
		queued := o.outcome(t, card)
		require.Equal(t, []any{models.DeliveryQueued, "amy@acme.test", ""}, []any{queued.Delivery, queued.Email.To, queued.Email.Message})
		require.Equal(t, "An e-mail cannot be called back once it is on its way.", queued.NoUndo)
		require.Empty(t, o.smtp.Received())
		require.Equal(t, 1, o.count(t, "SELECT COUNT(*) FROM river_job"))
		quotation, err := o.quotations.Get(t.Context(), o.Sales1, o.QuoteAcme.ID)
		require.NoError(t, err)
		require.Equal(t, []any{models.QuotationSent, int64(2)}, []any{quotation.Status, quotation.Version})

		o.Clock.Advance(time.Second)
		require.NoError(t, o.deliver(t, card))
		var shown []models.Change
		require.NoError(t, card.Changes.Into(&shown))
		require.Len(t, o.smtp.Received(), 1)
		got := o.smtp.Received()[0]
		require.Equal(t, []any{shown[0].After, shown[2].After}, []any{got.To, got.Text})
		require.Equal(t, []string{"countersign@crm.test", "<" + queued.Email.ID + "@crm.test>", "<sales1@example.test>"},
			[]string{got.From, got.Header.Get("Message-Id"), got.Header.Get("Reply-To")})
		require.Contains(t, got.Text, "HK$500,000.00")
		sent := o.outcome(t, card)
		require.Equal(t, []any{models.DeliverySent, o.Clock.Now()}, []any{sent.Delivery, sent.Email.At})

		require.NoError(t, o.deliver(t, card), "the job may come again")
		require.NoError(t, o.Recover(t.Context()))
		require.Len(t, o.smtp.Received(), 1)
		require.Equal(t, 1, o.count(t, "SELECT COUNT(*) FROM audit_entries WHERE action = 'email:sent' AND decision = 'allowed'"))
		require.Equal(t, 1, o.count(t, "SELECT COUNT(*) FROM activities WHERE kind = 'EMAIL' AND quotation_id = $1", o.QuoteAcme.ID))
	})
}

// River does the job of a confirmed card by itself.
func TestTheJobIsDone(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		card := o.confirmed(t)
		staff, err := workers.New(workers.Options{DB: o.DB, Jobs: []workers.Job{workers.On(time.Minute, o.Deliver)}})
		require.NoError(t, err)
		require.NoError(t, staff.Start(t.Context()))
		require.Eventually(t, func() bool { return o.outcome(t, card).Delivery == models.DeliverySent }, 30*time.Second, 20*time.Millisecond)
		require.NoError(t, staff.Stop(t.Context()))
		require.Len(t, o.smtp.Received(), 1)
	})
}

// What cannot have been sent is tried again, a bounded number of times; what may have been is not.
func TestFatesOfDeliveries(t *testing.T) {
	cases := map[string]struct {
		behaviour smtptest.Behaviour
		attempts  int
		ends      models.DeliveryStatus
		told      string
	}{
		"put off":            {smtptest.Busy, 5, models.DeliveryFailed, "several times"},
		"put off late":       {smtptest.BusyAfterData, 5, models.DeliveryFailed, "several times"},
		"nobody there":       {smtptest.HangUp, 5, models.DeliveryFailed, "several times"},
		"no such person":     {smtptest.NoSuchPerson, 1, models.DeliveryFailed, "Check the address"},
		"not wanted":         {smtptest.RefuseContent, 1, models.DeliveryFailed, "Check the address"},
		"cut after the mail": {smtptest.CutAfterData, 1, models.DeliveryUnknown, "It may have arrived"},
		"answered too late":  {smtptest.TakeLate, 1, models.DeliveryUnknown, "It may have arrived"},
	}
	t.Parallel()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, o *office) {
				o.smtp.Behave(c.behaviour)
				card := o.confirmed(t)
				for attempt := 1; attempt <= c.attempts; attempt++ {
					err := o.deliver(t, card)
					require.Equal(t, attempt < c.attempts, err != nil, "%d: %v", attempt, err)
					if err != nil {
						outcome := o.outcome(t, card)
						require.Equal(t, models.DeliveryQueued, outcome.Delivery)
						require.Contains(t, outcome.Email.Message, "tried again by itself")
						require.NotContains(t, err.Error(), "amy")
					}
				}
				ended, received := o.outcome(t, card), len(o.smtp.Received())
				require.Equal(t, c.ends, ended.Delivery)
				require.Contains(t, ended.Email.Message, c.told)
				require.Contains(t, o.last(t, card), c.told)
				p, err := o.proposals.Get(t.Context(), o.Sales1, card.ID)
				require.NoError(t, err)
				require.Equal(t, models.ProposalExecuted, p.Status)

				o.smtp.Behave(smtptest.Accept)
				o.Clock.Advance(48 * time.Hour)
				require.NoError(t, o.Recover(t.Context()))
				require.NoError(t, o.deliver(t, card))
				require.Len(t, o.smtp.Received(), received, "nothing is sent after the end")
				require.Equal(t, ended, o.outcome(t, card))
			})
		})
	}
}

// A mail server that was away for a while gets the e-mail once.
func TestSentWhenTheServerIsBack(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.smtp.Behave(smtptest.Busy)
		card := o.confirmed(t)
		require.Error(t, o.deliver(t, card))
		o.smtp.Behave(smtptest.Accept)
		require.NoError(t, o.deliver(t, card))
		outcome := o.outcome(t, card)
		require.Equal(t, []any{models.DeliverySent, ""}, []any{outcome.Delivery, outcome.Email.Message})
		require.Len(t, o.smtp.Received(), 1)
	})
}

// Of many workers one sends, and whoever comes while it does leaves it alone.
func TestManyWorkersSendOnce(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		card := o.confirmed(t)
		other := newOffice(t, o.World, o.smtp)
		var all sync.WaitGroup
		errs := make([]error, 8)
		for i := range errs {
			all.Go(func() { errs[i] = []*office{o, other}[i%2].deliver(t, card) })
		}
		all.Wait()
		for _, err := range errs {
			require.NoError(t, err)
		}
		require.Len(t, o.smtp.Received(), 1)
		require.Equal(t, models.DeliverySent, o.outcome(t, card).Delivery)
	})
}

// What a job that was given up has left is taken up again, and given up after a day.
func TestLeftBehind(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		card := o.confirmed(t)
		for range 2 {
			o.Clock.Advance(16 * time.Minute)
			require.NoError(t, o.Recover(t.Context()))
			require.NoError(t, o.Recover(t.Context()))
		}
		require.Equal(t, 3, o.count(t, "SELECT COUNT(*) FROM river_job"), "one job in a quarter of an hour")
		o.Clock.Advance(24 * time.Hour)
		require.NoError(t, o.Recover(t.Context()))
		outcome := o.outcome(t, card)
		require.Equal(t, models.DeliveryFailed, outcome.Delivery)
		require.Contains(t, outcome.Email.Message, "for a day")
		require.NoError(t, o.deliver(t, card))
		require.Empty(t, o.smtp.Received())
	})
}

// A person says of an unknown e-mail that it has arrived, once; of no other.
func TestMarkSent(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		card := o.confirmed(t)
		id := o.outcome(t, card).Email.ID
		mark := func(actor models.Actor) error { _, err := o.MarkSent(t.Context(), actor, id); return err }
		require.True(t, apperr.HasCode(mark(o.Sales1), deliveries.CodeNotUnknown))
		o.smtp.Behave(smtptest.CutAfterData)
		require.NoError(t, o.deliver(t, card))
		require.True(t, apperr.Is(mark(o.Sales3), apperr.NotFound))
		require.True(t, apperr.Is(mark(o.Viewer), apperr.Forbidden))
		require.Equal(t, models.DeliveryUnknown, o.outcome(t, card).Delivery)
		require.NoError(t, mark(o.Admin))
		require.Equal(t, models.DeliverySent, o.outcome(t, card).Delivery)
		require.True(t, apperr.HasCode(mark(o.Sales1), deliveries.CodeNotUnknown))

		list, err := o.List(t.Context(), o.Manager, store.DeliveryFilter{QuotationID: o.QuoteAcme.ID, Status: models.DeliverySent}, store.Page{})
		require.NoError(t, err)
		require.Len(t, list.Items, 1)
		require.Equal(t, []any{"a•••@acme.test", "Q-2026-0001", o.Admin.UserID}, []any{list.Items[0].Recipient, list.Items[0].QuotationName, *list.Items[0].MarkedBy})
		list, err = o.List(t.Context(), o.Sales3, store.DeliveryFilter{}, store.Page{})
		require.NoError(t, err)
		require.Empty(t, list.Items)
	})
}

// Without a mail server nothing is proposed or queued, and it says whom to ask.
func TestWithoutAMailServer(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		card := o.card(t)
		o.Mailer = nil
		_, err := o.performer.Prepare(t.Context(), o.Sales1, tool, models.ToJSON(map[string]string{"quotation": o.QuoteAcme.ID}))
		require.True(t, apperr.HasCode(err, deliveries.CodeNoMail), "%v", err)
		require.Contains(t, apperr.As(err).Message, "Ask an administrator to set SMTP_URL")
		v, err := o.confirm.Confirm(t.Context(), o.Sales1, card.ID, card.Digest)
		require.NoError(t, err)
		require.Equal(t, models.ProposalFailed, v.Proposal.Status)
		require.Zero(t, o.count(t, "SELECT COUNT(*) FROM deliveries")+o.count(t, "SELECT COUNT(*) FROM river_job"))
		require.Equal(t, 1, o.count(t, "SELECT COUNT(*) FROM quotations WHERE id = $1 AND status = 'DRAFT' AND version = 1", o.QuoteAcme.ID))
		require.Error(t, o.Deliver(t.Context(), jobs.Deliver{DeliveryID: models.NewID()}))
	})
}

// Queueing asks for the right over the quotation itself.
func TestQueueNeedsTheRight(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		card := o.card(t)
		for _, actor := range []models.Actor{o.Viewer, o.Sales3} {
			_, err := o.Queue(t.Context(), actor, card, deliveries.Letter{})
			require.True(t, apperr.Is(err, apperr.Forbidden), "%v", err)
			require.Equal(t, string(rbac.QuotationSend), apperr.As(err).Extra["permission"])
		}
		require.Zero(t, o.count(t, "SELECT COUNT(*) FROM deliveries"))
	})
}

// Whatever the card has shown must still be so: the quotation, whom it goes to, and the words.
func TestStaleCards(t *testing.T) {
	for name, change := range map[string]string{
		"the quotation": "UPDATE quotations SET version = version + 1 WHERE id = $1",
		"the address":   "UPDATE contacts SET email = 'amy@elsewhere.test' WHERE id = (SELECT contact_id FROM quotations WHERE id = $1)",
		"the words":     "UPDATE companies SET name = 'Acme Holdings' WHERE id = (SELECT company_id FROM quotations WHERE id = $1)",
		"the sender":    "UPDATE users SET name = 'Samuel Sales' WHERE id = (SELECT owner_id FROM quotations WHERE id = $1)",
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, o *office) {
				card := o.card(t)
				o.exec(t, change, o.QuoteAcme.ID)
				_, err := o.confirm.Confirm(t.Context(), o.Sales1, card.ID, card.Digest)
				require.True(t, apperr.HasCode(err, proposals.CodeStale), "%v", err)
				require.Zero(t, o.count(t, "SELECT COUNT(*) FROM deliveries")+o.count(t, "SELECT COUNT(*) FROM river_job"))
				require.Equal(t, 1, o.count(t, "SELECT COUNT(*) FROM quotations WHERE id = $1 AND status = 'DRAFT'", o.QuoteAcme.ID))
				fresh := apperr.As(err).Extra["fresh"].(*models.Proposal)
				v, err := o.confirm.Confirm(t.Context(), o.Sales1, fresh.ID, fresh.Digest)
				require.NoError(t, err)
				require.Equal(t, models.ProposalExecuted, v.Proposal.Status)
			})
		})
	}
}

// A right that was lost since ends the card: nothing is queued.
func TestTheRightIsNeededWhenConfirmed(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		card := o.card(t)
		o.exec(t, "DELETE FROM role_permissions WHERE role_slug = 'sales' AND permission = 'quotation:send'")
		o.exec(t, "UPDATE policy_state SET version = version + 1")
		_, err := o.confirm.Confirm(t.Context(), o.Sales1, card.ID, card.Digest)
		require.True(t, apperr.Is(err, apperr.Forbidden), "%v", err)
		require.Zero(t, o.count(t, "SELECT COUNT(*) FROM deliveries"))
	})
}

// Clicked many times at once, a card sends one e-mail.
func TestManyClicksQueueOnce(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		card := o.card(t)
		var clicks sync.WaitGroup
		for range 8 {
			clicks.Go(func() {
				v, err := o.confirm.Confirm(t.Context(), o.Sales1, card.ID, card.Digest)
				if err != nil || v.Proposal.Status != models.ProposalExecuted {
					t.Errorf("a click gave %v", err)
				}
			})
		}
		clicks.Wait()
		require.Equal(t, 1, o.count(t, "SELECT COUNT(*) FROM deliveries"))
		require.Equal(t, 1, o.count(t, "SELECT COUNT(*) FROM river_job"))
		require.NoError(t, o.deliver(t, card))
		require.Len(t, o.smtp.Received(), 1)
	})
}
