package api_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/apitest"
)

func TestReplay(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		c := s.As(t, s.Sales1).With("Idempotency-Key", "order-66")
		body := `{"title":"Once"}`
		first := c.Post("/api/deals", body).Want(http.StatusCreated)
		require.Empty(t, first.Header.Get("Idempotency-Replayed"))
		again := c.Post("/api/deals", body).Want(http.StatusCreated)
		require.Equal(t, "true", again.Header.Get("Idempotency-Replayed"))
		require.Equal(t, first.Text, again.Text)
		require.Equal(t, first.Header.Get("Content-Type"), again.Header.Get("Content-Type"))
		require.Equal(t, 1, count(t, s, "SELECT COUNT(*) FROM deals WHERE title = 'Once'"))

		for path, other := range map[string]string{"/api/deals": `{"title":"Twice"}`, "/api/companies": body, "/api/deals?limit=1": body} {
			c.Post(path, other).Refused(422, "IDEMPOTENCY_KEY_REUSED")
		}
		s.As(t, s.Sales2).With("Idempotency-Key", "order-66").Post("/api/deals", body).Want(http.StatusCreated)
		require.Equal(t, 2, count(t, s, "SELECT COUNT(*) FROM deals WHERE title = 'Once'"), "keys are a person's own")
	})
}

func TestRefusalsAreReplayed(t *testing.T) {
	t.Parallel()
	s := serve(t)
	c := s.As(t, s.Sales1).With("Idempotency-Key", "k")
	first := c.Post("/api/deals", `{"title":""}`)
	first.Refused(422, "INVALID")
	again := c.Post("/api/deals", `{"title":""}`)
	again.Refused(422, "INVALID")
	require.Equal(t, "true", again.Header.Get("Idempotency-Replayed"))
	require.Equal(t, first.Text, again.Text)
}

// TestReplayRace: of eight requests at once one is carried out; the others get its answer, or are told to wait.
func TestReplayRace(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		c := s.As(t, s.Sales1).With("Idempotency-Key", "race")
		answers := make([]*apitest.Answer, 8)
		var wait sync.WaitGroup
		for i := range answers {
			wait.Go(func() { answers[i] = c.Post("/api/deals", `{"title":"Race"}`) })
		}
		wait.Wait()
		for _, a := range answers {
			if a.StatusCode == http.StatusConflict {
				a.Refused(http.StatusConflict, "IDEMPOTENCY_IN_PROGRESS")
				continue
			}
			a.Want(http.StatusCreated)
		}
		require.Equal(t, 1, count(t, s, "SELECT COUNT(*) FROM deals WHERE title = 'Race'"))
		c.Post("/api/deals", `{"title":"Race"}`).Want(http.StatusCreated)
	})
}

func TestOurFailuresAreNotKept(t *testing.T) {
	t.Parallel()
	s := serve(t)
	c := s.As(t, s.Sales1).With("Idempotency-Key", "k")
	exec(t, s, "ALTER TABLE deals RENAME TO hidden")
	problem := c.Post("/api/deals", `{"title":"Later"}`).Refused(500, "INTERNAL")
	require.NotContains(t, strings.ToLower(problem.Text("detail")), "table", "a cause is not for people")
	exec(t, s, "ALTER TABLE hidden RENAME TO deals")
	require.Empty(t, c.Post("/api/deals", `{"title":"Later"}`).Want(http.StatusCreated).Header.Get("Idempotency-Replayed"))
}

// TestAbandonedKey: a request whose server died without an answer gives its key back after a while.
func TestAbandonedKey(t *testing.T) {
	t.Parallel()
	s := serve(t)
	c := s.As(t, s.Sales1).With("Idempotency-Key", "k")
	c.Post("/api/deals", `{"title":"Dead"}`).Want(http.StatusCreated)
	exec(t, s, "UPDATE idempotency_keys SET status = 0, body = ''")
	c.Post("/api/deals", `{"title":"Dead"}`).Refused(http.StatusConflict, "IDEMPOTENCY_IN_PROGRESS")
	s.Clock.Advance(3 * time.Minute)
	c.Post("/api/deals", `{"title":"Dead"}`).Want(http.StatusCreated)
}

func TestKeyForms(t *testing.T) {
	t.Parallel()
	s := serve(t)
	c := s.As(t, s.Sales1)
	for _, bad := range []string{"with space", strings.Repeat("x", 201), "ключ"} {
		c.With("Idempotency-Key", bad).Post("/api/deals", `{"title":"x"}`).Refused(422, "INVALID")
	}
	// Where it is not honoured it is not kept either: a session is nobody's to replay.
	withPassword(t, s)
	for range 2 {
		answer := s.Stranger(t).With("Idempotency-Key", "k").Post("/api/auth/login", credentials{"sales1@example.test", password}).Want(200)
		require.Empty(t, answer.Header.Get("Idempotency-Replayed"))
	}
	require.Zero(t, count(t, s, "SELECT COUNT(*) FROM idempotency_keys"))
}
