package app_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/config"
	"countersign/crm"
	"countersign/internal/smtptest"
	"countersign/models"
)

// The senders by which the mail server tells two servers apart.
const (
	living = "living@crm.test"
	mortal = "mortal@crm.test"
)

// Of two servers that both send, each of the e-mails is sent once. When one of them is killed while it sends, what it had
// under way is unknown, and never sent again; what it had only taken on is sent by the other.
func TestAPR08EmailsOfTwoServers(t *testing.T) {
	t.Parallel()
	for name, dies := range map[string]bool{"both live": false, "one is killed": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const cards = 30
			smtp := smtptest.Start(t)
			cfg := places(t)[1].cfg
			cfg.SMTP = config.NewSecret(smtp.URL() + "?from=" + living)
			s := newSite(t, cfg, 1)
			l := life{
				DataDir: cfg.DataDir, Database: cfg.Database.Reveal(), Redis: cfg.Redis.Reveal(), SMTP: smtp.URL() + "?from=" + mortal, DieAt: byKill,
			}
			other, base := l.run(t)
			s.servers = append(s.servers, &running{base: base, client: s.servers[0].client})

			// Nothing is answered before all are confirmed, so that both servers are amid sending when one is killed.
			confirmed := make(chan struct{})
			var kill sync.Once
			smtp.OnData(func() {
				<-confirmed
				if dies && sentBy(smtp, mortal) > 5 {
					kill.Do(func() { _ = other.Process.Kill() })
				}
			})
			for i, card := range s.emailCards(t, cards) {
				c := s.click(t, i, card, "confirm")
				require.Equal(t, []any{http.StatusOK, models.ProposalExecuted}, []any{c.http, c.status}, c.rest)
			}
			close(confirmed)
			if dies {
				require.Error(t, other.Wait())
				s.takeOver(t)
			}
			s.until(t, "SELECT COUNT(*) FROM deliveries WHERE status IN ('queued', 'sending')", 0)
			s.sentOnce(t, smtp, cards, dies)
		})
	}
}

// emailCards are n cards that wait to send a quotation each to its customer.
func (s *site) emailCards(t *testing.T, n int) []*models.Proposal {
	t.Helper()
	company, err := s.Companies.Create(t.Context(), s.sales, crm.CompanyInput{Name: "Customer"})
	require.NoError(t, err)
	contact, err := s.Contacts.Create(t.Context(), s.sales, crm.ContactInput{Name: "Ada Au", CompanyID: &company.ID, Email: "ada@customer.test"})
	require.NoError(t, err)
	cards := make([]*models.Proposal, n)
	for i := range cards {
		price := int64(10_000)
		quotation, err := s.Quotations.Create(t.Context(), s.sales, crm.QuotationInput{
			CompanyID: &company.ID, ContactID: &contact.ID, Items: []crm.QuotationLine{{Name: fmt.Sprintf("Crane %d", i), QuantityE4: 10_000, PriceE4: &price}},
		})
		require.NoError(t, err)
		cards[i] = s.propose(t, "send_quotation_email", map[string]string{"quotation": quotation.ID})
	}
	return cards
}

// takeOver waits until the server that lives has done all that it could, and has it do what the dead one has left, as it
// does when that is old enough.
func (s *site) takeOver(t *testing.T) {
	t.Helper()
	const left = "SELECT COUNT(*) FROM deliveries WHERE status IN ('queued', 'sending')"
	s.until(t, "SELECT COUNT(*) FROM river_job WHERE kind = 'deliver' AND state = 'available'", 0)
	was := -1
	require.Eventually(t, func() bool {
		before := was
		was = s.count(t, left)
		return was == before
	}, time.Minute, 2*time.Second)
	t.Logf("left behind: %d being sent, %d taken on", s.count(t, left+" AND status = 'sending'"), s.count(t, left+" AND status = 'queued'"))
	s.exec(t, "UPDATE deliveries SET created_at = created_at - INTERVAL '16 minutes', updated_at = updated_at - INTERVAL '16 minutes' WHERE status IN ('queued', 'sending')")
	require.NoError(t, s.Deliveries.Recover(t.Context()))
}

// until waits for the number that a query gives.
func (s *site) until(t *testing.T, query string, n int) {
	t.Helper()
	require.Eventually(t, func() bool { return s.count(t, query) == n }, time.Minute, 200*time.Millisecond, query)
}

// sentOnce holds what the mail server has received against what is stored of each e-mail.
func (s *site) sentOnce(t *testing.T, smtp *smtptest.Server, cards int, died bool) {
	t.Helper()
	received := map[string]int{}
	for _, m := range smtp.Received() {
		received[strings.Trim(m.Header.Get("Message-Id"), "<>")]++
	}
	rows, err := s.raw.Query("SELECT message_id, status FROM deliveries")
	require.NoError(t, err)
	defer rows.Close()
	ended := map[models.DeliveryStatus]int{}
	for rows.Next() {
		var id string
		var status models.DeliveryStatus
		require.NoError(t, rows.Scan(&id, &status))
		ended[status]++
		require.LessOrEqual(t, received[id], 1, "sent twice")
		if status == models.DeliverySent {
			require.Equal(t, 1, received[id])
		}
	}
	require.NoError(t, rows.Err())
	t.Logf("%d cards: %v; %d mails, %d of them by the server beside", cards, ended, len(smtp.Received()), sentBy(smtp, mortal))
	require.Equal(t, cards, ended[models.DeliverySent]+ended[models.DeliveryUnknown])
	require.Positive(t, sentBy(smtp, living))
	require.Positive(t, sentBy(smtp, mortal))
	if died {
		require.Positive(t, ended[models.DeliveryUnknown], "the one amid which it was killed")
	} else {
		require.Len(t, smtp.Received(), cards)
		require.Equal(t, cards, ended[models.DeliverySent])
	}
}

func sentBy(smtp *smtptest.Server, sender string) (n int) {
	for _, m := range smtp.Received() {
		if m.From == sender {
			n++
		}
	}
	return n
}
