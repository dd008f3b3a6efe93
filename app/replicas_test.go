package app_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app"
	"countersign/config"
	"countersign/crm"
	"countersign/models"
	"countersign/proposals"
	"countersign/tools"
)

// site is an installation with one salesperson at all its servers, and a handle of its own on the database.
type site struct {
	*app.App
	servers []*running
	sales   models.Actor
	raw     *sql.DB
}

// sites runs a test on a server alone, and on two servers over one PostgreSQL and one Redis.
func sites(t *testing.T, fn func(t *testing.T, s *site)) {
	t.Helper()
	t.Parallel()
	for i, p := range places(t) {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			fn(t, newSite(t, p.cfg, 1+i))
		})
	}
}

func newSite(t *testing.T, cfg config.Config, servers int) *site {
	t.Helper()
	s := &site{raw: rawOf(t, cfg)}
	for range servers {
		r := serve(t, cfg)
		r.client.Transport = &http.Transport{MaxIdleConnsPerHost: 64}
		r.signIn(t, "sales")
		s.servers = append(s.servers, r)
		t.Cleanup(func() {
			r.client.CloseIdleConnections()
			require.NoError(t, r.stop())
		})
	}
	var err error
	s.App, err = app.Open(t.Context(), cfg, "test")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	user, err := s.Accounts.FindUser(t.Context(), "sales@demo.test")
	require.NoError(t, err)
	s.sales = models.Actor{UserID: user.ID, Name: user.Name, Via: models.ViaWeb, Lang: "en"}
	return s
}

// rawOf goes around everything to what is stored.
func rawOf(t *testing.T, cfg config.Config) *sql.DB {
	t.Helper()
	driver, address := "pgx", cfg.Database.Reveal()
	if !cfg.Database.IsSet() {
		driver, address = "sqlite", "file:"+filepath.Join(cfg.DataDir, "countersign.db")+"?_pragma=busy_timeout(5000)"
	}
	raw, err := sql.Open(driver, address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = raw.Close() })
	return raw
}

// count is the number that a query gives.
func (s *site) count(t *testing.T, query string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, s.raw.QueryRow(query, args...).Scan(&n), query)
	return n
}

func (s *site) exec(t *testing.T, query string, args ...any) {
	t.Helper()
	_, err := s.raw.Exec(query, args...)
	require.NoError(t, err)
}

// cards are n deals of the salesperson's own, each with a card that waits to win it.
func (s *site) cards(t *testing.T, n int) []*models.Proposal {
	t.Helper()
	const makers = 8
	cards := make([]*models.Proposal, n)
	atOnce(makers, func(maker int) {
		for i := maker; i < n; i += makers {
			cards[i] = s.card(t, fmt.Sprintf("Shipment %d", i))
		}
	})
	return cards
}

func (s *site) card(t *testing.T, title string) *models.Proposal {
	t.Helper()
	deal, err := s.Deals.Create(t.Context(), s.sales, crm.DealInput{Title: title})
	require.NoError(t, err)
	return s.propose(t, "update_deal_stage", map[string]string{"deal": deal.ID, "stage": "Won"})
}

// propose makes a card of the salesperson's.
func (s *site) propose(t *testing.T, tool string, args map[string]string) *models.Proposal {
	t.Helper()
	draft, err := tools.NewPerformer(s.Registry, s.Gate).Prepare(t.Context(), s.sales, tool, models.ToJSON(args))
	require.NoError(t, err)
	card, err := s.Proposals.Create(t.Context(), s.sales, draft, proposals.Origin{Tool: tool, Channel: models.ViaWeb})
	require.NoError(t, err)
	return card
}

// done counts what confirming a card has left behind.
type done struct{ version, history, writes, confirms int }

var (
	notDone  = done{version: 1}
	doneOnce = done{version: 2, history: 1, writes: 1, confirms: 1}
)

func (s *site) done(t *testing.T, card *models.Proposal) done {
	t.Helper()
	return done{
		s.count(t, "SELECT version FROM deals WHERE id = $1", card.TargetID),
		s.count(t, "SELECT COUNT(*) FROM field_changes WHERE proposal_id = $1 AND field = 'stageId'", card.ID),
		s.count(t, "SELECT COUNT(*) FROM audit_entries WHERE target_id = $1 AND action = 'deal:update' AND decision = 'allowed' AND detail LIKE $2", card.TargetID, "%"+card.ID+"%"),
		s.count(t, "SELECT COUNT(*) FROM audit_entries WHERE target_id = $1 AND action = 'proposal:confirm' AND decision = 'allowed'", card.TargetID),
	}
}

// click is the answer of a server to a decision. first says that it came about by this click.
type click struct {
	http   int
	code   string
	status models.ProposalStatus
	first  bool
	rest   string
}

// click decides a card at one of the servers, in turn.
func (s *site) click(t *testing.T, i int, card *models.Proposal, decision string) click {
	t.Helper()
	body := "{}"
	if decision == "confirm" {
		body = `{"digest":"` + card.Digest + `"}`
	}
	status, text := s.servers[i%len(s.servers)].do(t, http.MethodPost, "/api/proposals/"+card.ID+"/"+decision, body)
	var answer map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &answer), text)
	c := click{http: status, first: answer["alreadyDecided"] == false}
	c.code, _ = answer["code"].(string)
	stored, _ := answer["status"].(string)
	c.status = models.ProposalStatus(stored)
	delete(answer, "alreadyDecided")
	rest, err := json.Marshal(answer)
	require.NoError(t, err)
	c.rest = string(rest)
	return c
}

// atOnce runs n attempts at the same moment.
func atOnce(n int, attempt func(i int)) {
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			<-start
			attempt(i)
		})
	}
	close(start)
	all.Wait()
}

// APR-06, SEC-20: fifty clicks at once, over all servers, have one effect; forty-nine get its stored outcome.
func TestAPR06FiftyConfirmsAreOne(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		for _, card := range s.cards(t, 3) {
			clicks := make([]click, 50)
			atOnce(len(clicks), func(i int) { clicks[i] = s.click(t, i, card, "confirm") })
			first := 0
			for _, c := range clicks {
				require.Equal(t, http.StatusOK, c.http, c.rest)
				require.Equal(t, models.ProposalExecuted, c.status)
				require.Equal(t, clicks[0].rest, c.rest, "one outcome, byte for byte")
				if c.first {
					first++
				}
			}
			require.Equal(t, 1, first)
			require.Equal(t, doneOnce, s.done(t, card))
		}
	})
}

// mix is what is done to one card at once. A confirm takes longer than the others, so there are more of them.
var mix = []string{"confirm", "confirm", "cancel", "confirm", "confirm", "edit", "confirm", "confirm", "edit", "confirm", "confirm", "cancel"}

// Confirms, cancels and edits of the record at once, over all servers: one of them decides, and each answer agrees with
// what has come of it.
func TestConfirmCancelAndEditAtOnce(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		ended := map[models.ProposalStatus]int{}
		for _, card := range s.cards(t, 10) {
			clicks, edited := make([]click, len(mix)), make([]bool, len(mix))
			atOnce(len(mix), func(i int) {
				if mix[i] == "edit" {
					edited[i] = s.edit(t, i, card)
				} else {
					clicks[i] = s.click(t, i, card, mix[i])
				}
			})
			var is models.ProposalStatus
			require.NoError(t, s.raw.QueryRow("SELECT status FROM proposals WHERE id = $1", card.ID).Scan(&is))
			ended[is]++
			s.agree(t, card, is, clicks, edited)
		}
		t.Log(ended)
	})
}

// edit renames the card's deal, and reports whether it was still as the card says.
func (s *site) edit(t *testing.T, i int, card *models.Proposal) bool {
	t.Helper()
	status, text := s.servers[i%len(s.servers)].do(t, http.MethodPatch, "/api/deals/"+card.TargetID, `{"version":1,"title":"Renamed"}`)
	require.Contains(t, []int{http.StatusOK, http.StatusConflict}, status, text)
	return status == http.StatusOK
}

// agree holds what clicks and edits were told against how the card ended and what is stored.
func (s *site) agree(t *testing.T, card *models.Proposal, is models.ProposalStatus, clicks []click, edited []bool) {
	t.Helper()
	edits, firsts := 0, 0
	for i, c := range clicks {
		if edited[i] {
			edits++
		}
		if c.first {
			firsts++
			require.Equal(t, is, c.status)
		}
		if mix[i] != "edit" {
			require.Equal(t, told(is, mix[i]), c.code, "%s: %s", mix[i], c.rest)
		}
	}
	require.LessOrEqual(t, edits, 1)
	want := notDone
	switch is {
	case models.ProposalExecuted:
		want = doneOnce
		require.Equal(t, []int{1, 0}, []int{firsts, edits}, "both cannot have been done on one version")
	case models.ProposalStale:
		require.Equal(t, []int{0, 1}, []int{firsts, edits})
	default:
		require.Equal(t, models.ProposalCancelled, is)
		require.Equal(t, 1, firsts)
	}
	want.version += edits
	require.Equal(t, want, s.done(t, card))
}

// told is the code that a decision gets about a card that ended as it did; none for the outcome itself.
func told(is models.ProposalStatus, decision string) string {
	switch {
	case is == models.ProposalExecuted && decision == "cancel":
		return proposals.CodeAlreadyExecuted
	case is == models.ProposalCancelled && decision == "confirm":
		return proposals.CodeAlreadyCancelled
	case is == models.ProposalStale:
		return proposals.CodeStale
	default:
		return ""
	}
}

// Sixteen clients go through three hundred cards, two at a time side by side at different servers, and each over the
// share of the next two as well: three hundred effects, and every answer is the outcome.
func TestThreeHundredCardsAndSixteenClients(t *testing.T) {
	const cards, clients = 300, 16
	t.Parallel()
	s := newSite(t, places(t)[1].cfg, 2)
	all := s.cards(t, cards)
	firsts := make([]int, clients)
	atOnce(clients, func(client int) {
		from, share := client/2*cards*2/clients, cards*2/clients
		for n := range 2 * share {
			c := s.click(t, client+n, all[(from+n)%cards], "confirm")
			require.Equal(t, http.StatusOK, c.http, c.rest)
			require.Equal(t, models.ProposalExecuted, c.status)
			if c.first {
				firsts[client]++
			}
		}
	})
	sum := 0
	for _, n := range firsts {
		sum += n
	}
	require.Equal(t, cards, sum)
	require.Equal(t, cards, s.count(t, "SELECT COUNT(*) FROM deals WHERE title LIKE 'Shipment %' AND version = 2"))
	require.Equal(t, cards, s.count(t, "SELECT COUNT(*) FROM field_changes WHERE field = 'stageId' AND proposal_id IS NOT NULL"))
	require.Equal(t, cards, s.count(t, "SELECT COUNT(*) FROM audit_entries WHERE action = 'deal:update' AND decision = 'allowed'"))
	require.Equal(t, cards, s.count(t, "SELECT COUNT(*) FROM audit_entries WHERE action = 'proposal:confirm' AND decision = 'allowed'"))
}

// APR-13: a right that was taken away at one server is gone at all of them with the next click. The person, the role
// and the account can each be what lost it.
func TestAPR13RevokedAtTheOtherServer(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		for i, c := range []struct {
			revoke, restore string
			http            int
		}{
			{
				"UPDATE users SET role = 'viewer' WHERE email = 'sales@demo.test'",
				"UPDATE users SET role = 'sales' WHERE email = 'sales@demo.test'", http.StatusForbidden,
			},
			{
				"DELETE FROM role_permissions WHERE role_slug = 'sales' AND permission = 'deal:update'; UPDATE policy_state SET version = version + 1",
				"INSERT INTO role_permissions (role_slug, permission, scope) VALUES ('sales', 'deal:update', 'own'); UPDATE policy_state SET version = version + 1", http.StatusForbidden,
			},
			{
				"UPDATE users SET disabled_at = created_at WHERE email = 'sales@demo.test'",
				"UPDATE users SET disabled_at = NULL WHERE email = 'sales@demo.test'", http.StatusUnauthorized,
			},
		} {
			cards := s.cards(t, 1+len(s.servers))
			require.Equal(t, http.StatusOK, s.click(t, i, cards[0], "confirm").http)
			s.exec(t, c.revoke)
			for server, card := range cards[1:] {
				require.Equal(t, c.http, s.click(t, server, card, "confirm").http, c.revoke)
				require.Equal(t, notDone, s.done(t, card))
			}
			s.exec(t, c.restore)
		}
	})
}
