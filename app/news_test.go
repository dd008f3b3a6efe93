package app_test

import (
	"bufio"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/models"
)

// as gives a browser of another person at the same server.
func (r *running) as(t *testing.T, who string) *running {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	other := &running{base: r.base, client: &http.Client{Jar: jar, Timeout: r.client.Timeout}}
	other.signIn(t, who)
	return other
}

// TestAnApproverHearsAtOnce of what somebody asks for at another server, and who asked of what the approver decides. A
// stream that is open does not hold up the end of a server.
func TestAnApproverHearsAtOnce(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		first, last := s.servers[0], s.servers[len(s.servers)-1]
		status, answer := first.as(t, "admin").do(t, http.MethodPost, "/api/approval-rules", `{"role":"sales","effect":"approve","approverRole":"manager"}`)
		require.Equal(t, http.StatusCreated, status, answer)
		manager := last.as(t, "manager")
		asked, approver := news(t, first), news(t, manager)

		status, answer = first.do(t, http.MethodPost, "/api/chat", `{"message":"/update_deal_stage deal=\"Acme renewal\" stage=Won"}`)
		require.Equal(t, http.StatusOK, status, answer)
		require.Equal(t, []string{"event: proposals", "event: proposals"}, []string{asked(), approver()})
		var card models.Proposal
		require.NoError(t, s.raw.QueryRow("SELECT id, digest FROM proposals").Scan(&card.ID, &card.Digest))
		status, answer = manager.do(t, http.MethodPost, "/api/proposals/"+card.ID+"/confirm", `{"digest":"`+card.Digest+`"}`)
		require.Equal(t, http.StatusOK, status, answer)
		require.Equal(t, []string{"event: proposals", "event: proposals"}, []string{asked(), approver()})
	})
}

// news opens a stream of news and gives what reads its next event.
func news(t *testing.T, r *running) (next func() string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.base+"/api/events", nil)
	require.NoError(t, err)
	response, err := r.client.Do(request)
	require.NoError(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	require.Equal(t, http.StatusOK, response.StatusCode)
	lines := bufio.NewScanner(response.Body)
	next = func() string {
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "event: ") {
				return lines.Text()
			}
		}
		return ""
	}
	require.Equal(t, "event: ready", next())
	return next
}
