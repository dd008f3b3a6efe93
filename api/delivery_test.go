package api_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/apitest"
	"countersign/internal/smtptest"
	"countersign/jobs"
	"countersign/mail"
	"countersign/workers"
)

// mailing lets a server queue e-mails and send them to a mail server.
func mailing(t *testing.T, s *apitest.Server) *smtptest.Server {
	t.Helper()
	require.NoError(t, workers.Migrate(t.Context(), s.DB))
	inserter, err := workers.NewInserter(s.DB)
	require.NoError(t, err)
	s.DB.EnqueueThrough(inserter)
	smtp := smtptest.Start(t)
	s.Services.Deliveries.Mailer, err = mail.NewServer(mail.Options{URL: smtp.URL(), Host: "crm.test", Timeout: time.Second})
	require.NoError(t, err)
	return smtp
}

// queued is the id of an e-mail with Sales1's quotation that waits to be sent.
func queued(t *testing.T, s *apitest.Server, c *apitest.Client) string {
	t.Helper()
	card := c.Propose("/send_quotation_email " + s.QuoteAcme.ID)
	return c.Post(confirmPath(card), confirmation(card)).Want(http.StatusOK).JSON().Text("outcome", "email", "id")
}

func sentPath(id string) string { return "/api/deliveries/" + id + "/sent" }

// A person follows an e-mail, and says of an unknown one that it has arrived.
func TestDeliveries(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		smtp, c := mailing(t, s), s.As(t, s.Sales1)
		id := queued(t, s, c)
		require.Equal(t, "queued", c.Get("/api/deliveries").Want(http.StatusOK).JSON().Text("items", 0, "status"))
		require.Contains(t, c.Post(sentPath(id), nil).Refused(http.StatusConflict, "DELIVERY_NOT_UNKNOWN")["detail"], "Look at its status")

		smtp.Behave(smtptest.CutAfterData)
		require.NoError(t, s.Services.Deliveries.Deliver(t.Context(), jobs.Deliver{DeliveryID: id}))
		list := c.With("Accept-Language", "en").Get("/api/deliveries?status=unknown&quotationId=" + s.QuoteAcme.ID).Want(http.StatusOK).JSON()
		require.Equal(t, 1, total(list))
		item := list.Items()[0]
		require.Equal(t, []any{id, "Q-2026-0001", "a•••@acme.test", "unknown", float64(1)}, []any{item["id"], item["quotationName"], item["to"], item["status"], item["attempts"]})
		require.Contains(t, item["message"], "Check with the recipient before you send it again")
		require.Zero(t, total(c.Get("/api/deliveries?status=sent").JSON()))

		marked := c.Post(sentPath(id), nil).Want(http.StatusOK).JSON()
		require.Equal(t, []any{"sent", s.Sales1.UserID, "Q-2026-0001", nil}, []any{marked["status"], marked["markedBy"], marked["quotationName"], marked["message"]})
		require.NotEmpty(t, marked["sentAt"])
		require.Equal(t, "sent", c.Get("/api/proposals/"+item.Text("proposalId")).JSON().Text("outcome", "delivery"))
		c.Post(sentPath(id), nil).Refused(http.StatusConflict, "DELIVERY_NOT_UNKNOWN")
		entry := s.As(t, s.Admin).Get("/api/audit?action=email:sent").JSON()
		require.Equal(t, []any{1, s.Sales1.UserID}, []any{total(entry), entry.At("items", 0, "actor", "userId")})
	})
}

// An e-mail is as far away as its quotation: who does not see that finds nothing, and who may only read it marks nothing.
func TestDeliveriesOfOthers(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		smtp := mailing(t, s)
		smtp.Behave(smtptest.CutAfterData)
		id := queued(t, s, s.As(t, s.Sales1))
		require.NoError(t, s.Services.Deliveries.Deliver(t.Context(), jobs.Deliver{DeliveryID: id}))
		other := s.As(t, s.Sales3)
		require.Zero(t, total(other.Get("/api/deliveries").Want(http.StatusOK).JSON()))
		foreign := other.Post(sentPath(id), nil).Refused(http.StatusNotFound, "NOT_FOUND")
		require.Equal(t, foreign["detail"], other.Post(sentPath(s.Acme.ID), nil).Refused(http.StatusNotFound, "NOT_FOUND")["detail"])
		require.Equal(t, foreign["detail"], other.Post(sentPath("no-id"), nil).Refused(http.StatusNotFound, "NOT_FOUND")["detail"])
		viewer := s.As(t, s.Viewer)
		require.Equal(t, 1, total(viewer.Get("/api/deliveries").Want(http.StatusOK).JSON()))
		viewer.Post(sentPath(id), nil).Refused(http.StatusForbidden, "FORBIDDEN")
		require.Equal(t, 1, count(t, s, "SELECT COUNT(*) FROM deliveries WHERE status = 'unknown'"))
		s.As(t, s.Manager).Post(sentPath(id), nil).Want(http.StatusOK)
	})
}

// Of many who say it at once, one does; the others are told so.
func TestMarkedAtOnce(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		smtp, c := mailing(t, s), s.As(t, s.Sales1)
		smtp.Behave(smtptest.CutAfterData)
		id := queued(t, s, c)
		require.NoError(t, s.Services.Deliveries.Deliver(t.Context(), jobs.Deliver{DeliveryID: id}))
		statuses := make([]int, 8)
		var all sync.WaitGroup
		for i := range statuses {
			all.Go(func() { statuses[i] = c.Post(sentPath(id), nil).StatusCode })
		}
		all.Wait()
		first := 0
		for _, status := range statuses {
			if status == http.StatusOK {
				first++
			} else {
				require.Equal(t, http.StatusConflict, status)
			}
		}
		require.Equal(t, 1, first)
		require.Equal(t, 1, count(t, s, "SELECT COUNT(*) FROM audit_entries WHERE action = 'email:sent'"))
	})
}
