package api_test

import (
	"bufio"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/api"
	"countersign/internal/apitest"
	"countersign/internal/dbtest"
	"countersign/store"
)

// news is what an open page is told, as "id type"; it is closed with the stream.
func news(t *testing.T, c *apitest.Client) <-chan string {
	t.Helper()
	res := c.Open(http.MethodGet, "/api/events", nil)
	require.Equal(t, http.StatusOK, res.StatusCode)
	t.Cleanup(func() { _ = res.Body.Close() })
	told := make(chan string, 64)
	go func() {
		defer close(told)
		var id string
		for lines := bufio.NewScanner(res.Body); lines.Scan(); {
			if n, found := strings.CutPrefix(lines.Text(), "id: "); found {
				id = n
			}
			if kind, found := strings.CutPrefix(lines.Text(), "event: "); found {
				told <- id + " " + kind
			}
		}
	}()
	require.Equal(t, "1 ready", <-told)
	return told
}

// TestNewsOfProposals: who asked and who may approve hear of every change of a proposal, and nobody else does.
func TestNewsOfProposals(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		s.As(t, s.Admin).Post(rulesPath, `{"tool":"update_deal_stage","role":"sales","effect":"approve","approverRole":"manager"}`).Want(201)
		sales, manager, other := s.As(t, s.Sales1), s.As(t, s.Manager), s.As(t, s.Sales2)
		asked, approver, stranger := news(t, sales), news(t, manager), news(t, other)
		both := func(want string) {
			t.Helper()
			require.Equal(t, []string{want, want}, []string{<-asked, <-approver})
		}
		p := sales.Propose(winRenewal)
		both("2 proposals")
		manager.Post(cancelPath(p), `{"reason":"Not yet"}`).Want(200)
		both("3 proposals")
		sales.Propose(`/update_deal_stage deal="Acme renewal" stage=Lost`)
		both("4 proposals")
		sales.Propose(winRenewal) // takes the place of the other
		both("5 proposals")
		both("6 proposals")
		require.NotEmpty(t, other.Propose(`/update_deal_stage deal="Globex pilot" stage=Won`))
		require.Equal(t, "2 proposals", <-stranger, "of their own; nothing had been told before")
		<-approver

		s.Clock.Advance(24 * time.Hour) // no session lasts that long
		asked, approver = news(t, s.As(t, s.Sales1)), news(t, s.As(t, s.Manager))
		expired, err := s.Services.Proposals.Reap(t.Context())
		require.NoError(t, err)
		require.Equal(t, 2, expired)
		both("2 proposals")
	})
}

// TestNewsOfEscalation: from its time on, the second role hears of a proposal without anybody's doing.
func TestNewsOfEscalation(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		s.As(t, s.Admin).Post(rulesPath, `{"effect":"approve","approverRole":"manager","escalationRole":"admin","escalatesAfterHours":4}`).Want(201)
		s.As(t, s.Sales1).Propose(winRenewal)
		s.Clock.Advance(4*time.Hour - time.Second)
		admin := s.As(t, s.Admin)
		told := news(t, admin)
		require.NoError(t, s.Services.Proposals.TellEscalated(t.Context(), s.Clock.Now().Add(-time.Minute)))
		s.Clock.Advance(time.Second)
		require.NoError(t, s.Services.Proposals.TellEscalated(t.Context(), s.Clock.Now().Add(-time.Minute)))
		require.Equal(t, "2 proposals", <-told)
		require.Equal(t, 1, total(admin.Get("/api/proposals?status=pending").JSON()))
		s.Clock.Advance(time.Minute)
		require.NoError(t, s.Services.Proposals.TellEscalated(t.Context(), s.Clock.Now().Add(-time.Minute)), "once is enough")
		admin.Propose(`/update_deal_stage deal="Acme expansion" stage=Won`)
		require.Equal(t, "3 proposals", <-told, "of this one")
	})
}

// TestNewsEnds with the session, with the role, and when the server stops, and begins for nobody without a session.
func TestNewsEnds(t *testing.T) {
	t.Parallel()
	stopping := make(chan struct{})
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		s := apitest.New(t, db, func(o *api.Options) { o.Heartbeat = 20 * time.Millisecond })
		s.Stranger(t).Get("/api/events").Refused(http.StatusUnauthorized, "UNAUTHENTICATED")
		for name, end := range map[string]func(c *apitest.Client){
			"signed out": func(c *apitest.Client) { c.Post("/api/auth/logout", nil).Want(http.StatusNoContent) },
			"disabled": func(*apitest.Client) {
				exec(t, s, "UPDATE users SET disabled_at = created_at WHERE id = $1", s.Sales1.UserID)
			},
			"another role": func(*apitest.Client) {
				exec(t, s, "UPDATE users SET disabled_at = NULL, role = 'viewer' WHERE id = $1", s.Sales1.UserID)
			},
		} {
			exec(t, s, "UPDATE users SET disabled_at = NULL, role = 'sales' WHERE id = $1", s.Sales1.UserID)
			c := s.As(t, s.Sales1)
			told := news(t, c)
			end(c)
			_, open := <-told
			require.False(t, open, name)
		}
	})
	s := serve(t, func(o *api.Options) { o.Stopping = stopping })
	told := news(t, s.As(t, s.Manager))
	close(stopping)
	_, open := <-told
	require.False(t, open)
}

// TestNewsOutlivesTheServersTimeouts, which are for ordinary answers.
func TestNewsOutlivesTheServersTimeouts(t *testing.T) {
	t.Parallel()
	s := serve(t, func(o *api.Options) { o.Heartbeat = 50 * time.Millisecond })
	hurried(t, s)
	c := s.As(t, s.Sales1)
	res := c.Open(http.MethodGet, "/api/events", nil)
	defer res.Body.Close()
	lines, started, proposed := bufio.NewScanner(res.Body), time.Now(), false
	for lines.Scan() && lines.Text() != "event: proposals" {
		if !proposed && time.Since(started) > 1200*time.Millisecond { // more than twice the deadlines
			proposed = true
			c.Propose(winRenewal)
		}
	}
	require.True(t, proposed)
	require.Equal(t, "event: proposals", lines.Text())
}
