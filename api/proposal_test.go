package api_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/apitest"
	"countersign/proposals"
)

const winRenewal = `/update_deal_stage deal="Acme renewal" stage=Won`

func confirmation(p apitest.Object) map[string]any { return map[string]any{"digest": p["digest"]} }

func confirmPath(p apitest.Object) string { return "/api/proposals/" + p.Text("id") + "/confirm" }

func undoPath(p apitest.Object) string { return "/api/proposals/" + p.Text("id") + "/undo" }

func cancelPath(p apitest.Object) string { return "/api/proposals/" + p.Text("id") + "/cancel" }

// TestConfirm: what the card shows happens once, with who, what and why on the record.
func TestConfirm(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		c := s.As(t, s.Sales1)
		p := c.Propose(winRenewal)
		require.Equal(t, map[string]any(p), map[string]any(c.Get("/api/proposals/"+p.Text("id")).Want(200).JSON()), "the stream shows it as the route does")
		require.Regexp(t, "^[0-9a-f]{64}$", p["digest"])
		require.Equal(t, "New", c.Get("/api/deals/" + s.AcmeRenewal.ID).JSON()["stageName"], "proposing changes nothing")

		done := c.Post(confirmPath(p), confirmation(p)).Want(200).JSON()
		require.Equal(t, []any{"executed", false, s.Sales1.UserID}, []any{done["status"], done["alreadyDecided"], done["decidedBy"]})
		require.NotEmpty(t, done.At("outcome", "summary"))
		require.Equal(t, s.AcmeRenewal.ID, done.At("outcome", "records", 0, "id"))
		again := c.Post(confirmPath(p), confirmation(p)).Want(200).JSON()
		require.Equal(t, true, again["alreadyDecided"])
		again["alreadyDecided"] = false
		require.Equal(t, done, again, "the stored outcome")

		deal := c.Get("/api/deals/" + s.AcmeRenewal.ID).JSON()
		require.Equal(t, []any{"Won", float64(2)}, []any{deal["stageName"], deal["version"]})
		history := c.Get("/api/deals/" + s.AcmeRenewal.ID + "/history").JSON()
		require.Equal(t, p["id"], history.At("items", 0, "proposalId"))
		require.Equal(t, "command", history.At("items", 0, "actor", "via"))
		c.Post(cancelPath(p), `{}`).Refused(http.StatusConflict, "ALREADY_EXECUTED")
		require.Equal(t, 1, total(s.As(t, s.Admin).Get("/api/audit?action=proposal:confirm").JSON()))
	})
}

func TestEightConfirmsAtOnce(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		c := s.As(t, s.Sales1)
		p := c.Propose(winRenewal)
		fresh := make([]bool, 8)
		var wait sync.WaitGroup
		for i := range fresh {
			wait.Go(func() { fresh[i] = c.Post(confirmPath(p), confirmation(p)).Want(200).JSON()["alreadyDecided"] == false })
		}
		wait.Wait()
		first := 0
		for _, f := range fresh {
			if f {
				first++
			}
		}
		require.Equal(t, 1, first)
		require.Equal(t, int64(2), version(c.Get("/api/deals/"+s.AcmeRenewal.ID).JSON()))
	})
}

func TestConfirmOfOthers(t *testing.T) {
	t.Parallel()
	s := serve(t)
	p := s.As(t, s.Sales1).Propose(winRenewal)
	missing := s.As(t, s.Admin).Post("/api/proposals/"+s.Acme.ID+"/confirm", confirmation(p)).Refused(404, "NOT_FOUND")
	for _, other := range []*apitest.Client{s.As(t, s.Admin), s.As(t, s.Manager), s.As(t, s.Sales2), s.As(t, s.Viewer)} {
		for _, answer := range []*apitest.Answer{
			other.Post(confirmPath(p), confirmation(p)), other.Post(cancelPath(p), `{}`), other.Get("/api/proposals/" + p.Text("id")),
		} {
			require.Equal(t, missing["detail"], answer.Refused(404, "NOT_FOUND")["detail"])
		}
		require.Empty(t, other.Get("/api/proposals").JSON().Items())
	}
	require.Equal(t, int64(1), version(s.As(t, s.Sales1).Get("/api/deals/"+s.AcmeRenewal.ID).JSON()))
}

// TestConfirmStale: the record has changed, so nothing happens; a fresh proposal is offered, the same one each time.
func TestConfirmStale(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		c := s.As(t, s.Sales1)
		p := c.Propose(winRenewal)
		c.Patch("/api/deals/"+s.AcmeRenewal.ID, `{"version":1,"stageId":"`+s.Proposal.ID+`","title":"Acme renewal 2026"}`).Want(200)
		problem := c.Post(confirmPath(p), confirmation(p)).Refused(http.StatusConflict, "STALE")
		require.Equal(t, "pending", problem.Text("fresh", "status"))
		require.Equal(t, "Proposal", problem.At("fresh", "changes", 0, "beforeDisplay"))
		require.Equal(t, []any{s.New.ID, "New"}, []any{problem.At("fresh", "changes", 0, "was"), problem.At("fresh", "changes", 0, "wasDisplay")})
		require.Equal(t, problem["fresh"], map[string]any(c.Get("/api/proposals/"+problem.Text("fresh", "id")).Want(200).JSON()))
		require.Equal(t, "stale", problem.Text("proposal", "status"))
		since := map[any]any{}
		for i := range 2 {
			since[problem.At("changedSince", i, "field")] = problem.At("changedSince", i, "after")
			require.Equal(t, "Sam Sales", problem.At("changedSince", i, "by"))
		}
		require.Equal(t, map[any]any{"stageId": s.Proposal.ID, "title": nil}, since, "of what the card did not show only that it changed")
		require.Equal(t, "Proposal", c.Get("/api/deals/" + s.AcmeRenewal.ID).JSON()["stageName"])

		again := c.Post(confirmPath(p), confirmation(p)).Refused(http.StatusConflict, "STALE")
		require.Equal(t, problem["fresh"], again["fresh"])
		fresh := apitest.Object(problem["fresh"].(map[string]any))
		require.Equal(t, "executed", c.Post(confirmPath(fresh), confirmation(fresh)).Want(200).JSON()["status"])
		require.Equal(t, "Won", c.Get("/api/deals/" + s.AcmeRenewal.ID).JSON()["stageName"])
	})
}

func TestConfirmExpired(t *testing.T) {
	t.Parallel()
	s := serve(t)
	c := s.As(t, s.Sales1)
	p := c.Propose(winRenewal)
	require.Len(t, c.Get("/api/proposals?status=pending").JSON().Items(), 1)
	s.Clock.Advance(proposals.TTL)
	require.Empty(t, c.Get("/api/proposals?status=pending").JSON().Items())
	require.Equal(t, "expired", c.Get("/api/proposals/" + p.Text("id")).JSON()["status"])
	c.Post(confirmPath(p), confirmation(p)).Refused(http.StatusGone, "EXPIRED")
	c.Post(confirmPath(p), confirmation(p)).Refused(http.StatusGone, "EXPIRED")
	require.Equal(t, int64(1), version(c.Get("/api/deals/"+s.AcmeRenewal.ID).JSON()))
}

func TestConfirmAfterOtherDecisions(t *testing.T) {
	t.Parallel()
	s := serve(t)
	c := s.As(t, s.Sales1)
	older := c.Propose(winRenewal)
	newer := c.Propose(`/update_deal_stage deal="Acme renewal" stage=Lost`)
	c.Post(confirmPath(older), confirmation(older)).Refused(http.StatusConflict, "ALREADY_SUPERSEDED")
	cancelled := c.Post(cancelPath(newer), `{"reason":"Too early"}`).Want(200).JSON()
	require.Equal(t, []any{"cancelled", "Too early", false}, []any{cancelled["status"], cancelled["decisionReason"], cancelled["alreadyDecided"]})
	require.Equal(t, true, c.Post(cancelPath(newer), nil).Want(200).JSON()["alreadyDecided"])
	c.Post(confirmPath(newer), confirmation(newer)).Refused(http.StatusConflict, "ALREADY_CANCELLED")
	require.Equal(t, int64(1), version(c.Get("/api/deals/"+s.AcmeRenewal.ID).JSON()))
}

func TestConfirmDigest(t *testing.T) {
	t.Parallel()
	s := serve(t)
	c := s.As(t, s.Sales1)
	p := c.Propose(winRenewal)
	digest := p.Text("digest")
	for _, other := range []string{"", "x", strings.Repeat("0", 64), strings.ToUpper(digest), digest + " ", digest[:63]} {
		c.Post(confirmPath(p), map[string]any{"digest": other}).Refused(http.StatusConflict, "DIGEST_MISMATCH")
	}
	for _, body := range []string{`{}`, `{"digest":null}`, `{"digest":1}`, `{"digest":["` + digest + `"]}`, `{"Digest":"` + digest + `"}`, `{"digest":"` + digest + `","args":{}}`} {
		c.Post(confirmPath(p), body).Refused(422, "INVALID")
	}
	problem := c.Post(confirmPath(p), `{"digest":"`+digest+`","items":[]}`).Refused(422, "INVALID")
	require.Contains(t, problem.Text("errors", 0, "message"), "leave items out")
	c.Post(confirmPath(p), `{"digest":"`+digest+`","edits":[]}`).Refused(422, "INVALID")
	c.Post(confirmPath(p), `{"digest":"`+digest+`","edits":{"stage":"Lost","stage":"Won"}}`).Refused(400, "INVALID")
	require.Equal(t, "stage", c.Post(confirmPath(p), `{"digest":"`+digest+`","edits":{"stage":"Lost"}}`).Refused(422, "NOT_EDITABLE").At("errors", 0, "path"))
	require.Equal(t, "pending", c.Get("/api/proposals/" + p.Text("id")).JSON()["status"])
	// A digest binds to what is stored: a row that was tampered with is refused.
	exec(t, s, "UPDATE proposals SET args = $1", `{"deal":"`+s.AcmeRenewal.ID+`","stage":"`+s.Lost.ID+`"}`)
	c.Post(confirmPath(p), confirmation(p)).Refused(http.StatusConflict, "DIGEST_MISMATCH")
}

// TestRightLostSince: the right is asked for again when it counts.
func TestRightLostSince(t *testing.T) {
	t.Parallel()
	s := serve(t)
	c := s.As(t, s.Sales1)
	p := c.Propose(winRenewal)
	exec(t, s, "UPDATE users SET role = 'viewer' WHERE id = $1", s.Sales1.UserID)
	problem := c.Post(confirmPath(p), confirmation(p)).Refused(http.StatusForbidden, "FORBIDDEN")
	require.Equal(t, "deal:update", problem["permission"])
	require.Equal(t, "failed", c.Get("/api/proposals/" + p.Text("id")).JSON()["status"])
	require.Equal(t, int64(1), version(s.As(t, s.Admin).Get("/api/deals/"+s.AcmeRenewal.ID).JSON()))
}

func TestViewerCannotPropose(t *testing.T) {
	t.Parallel()
	s := serve(t)
	stream := s.As(t, s.Viewer).Say(winRenewal)
	require.Equal(t, "denied", stream.Event("tool_end")["status"])
	require.NotEmpty(t, stream.Event("done"))
	require.Zero(t, count(t, s, "SELECT COUNT(*) FROM proposals"))
	denied := s.As(t, s.Admin).Get("/api/audit?decision=denied").JSON()
	require.Equal(t, "tool:update_deal_stage", denied.Text("items", 0, "action"))
}

func TestConfirmWithAnIdempotencyKey(t *testing.T) {
	t.Parallel()
	s := serve(t)
	c := s.As(t, s.Sales1)
	p := c.Propose(winRenewal)
	keyed := c.With("Idempotency-Key", "click-1")
	first := keyed.Post(confirmPath(p), confirmation(p)).Want(200)
	again := keyed.Post(confirmPath(p), confirmation(p)).Want(200)
	require.Equal(t, first.Text, again.Text, "byte for byte, so not even alreadyDecided differs")
}

func TestListProposals(t *testing.T) {
	t.Parallel()
	s := serve(t)
	c := s.As(t, s.Sales1)
	first := c.Propose(winRenewal)
	s.Clock.Advance(time.Second)
	second := c.Propose(`/update_deal_stage deal="Acme expansion" stage=Won`)
	c.Post(cancelPath(first), `{}`).Want(200)
	for status, want := range map[string][]any{
		"": {second["id"], first["id"]}, "pending": {second["id"]}, "cancelled": {first["id"]}, "executed": {},
	} {
		ids := []any{}
		for _, item := range c.Get("/api/proposals?status=" + status).Want(200).JSON().Items() {
			ids = append(ids, item["id"])
		}
		require.Equal(t, want, ids, status)
	}
	c.Get("/api/proposals?status=done").Refused(422, "INVALID")
	next := c.Get("/api/proposals?limit=1").JSON().Text("nextCursor")
	require.Equal(t, first["id"], c.Get("/api/proposals?limit=1&cursor="+next).JSON().At("items", 0, "id"))
}

// TestUndo: what was carried out is put back by a card of its own.
func TestUndo(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		c := s.As(t, s.Sales1)
		p := c.Propose(winRenewal)
		c.Post(undoPath(p), nil).Refused(http.StatusConflict, "CANNOT_UNDO")
		done := c.Post(confirmPath(p), confirmation(p)).Want(200).JSON()
		require.Equal(t, s.Clock.Now().Add(proposals.UndoTime).Format(time.RFC3339), done.Text("undo", "until"))
		s.As(t, s.Manager).Post(undoPath(p), nil).Refused(404, "NOT_FOUND")

		undo := c.Post(undoPath(p), nil).Want(200).JSON()
		require.Equal(t, undo, c.Post(undoPath(p), `{}`).Want(200).JSON(), "the same open undo")
		require.Equal(t, undo, c.Get("/api/proposals/"+undo.Text("id")).Want(200).JSON())
		require.Equal(t, []any{"pending", p["id"], "Won", "New"}, []any{undo["status"], undo["undoesId"], undo.At("changes", 0, "beforeDisplay"), undo.At("changes", 0, "afterDisplay")})
		thread := c.Get("/api/conversations/" + p.Text("conversationId")).Want(200).JSON()
		require.Equal(t, undo["id"], thread.At("messages", 1, "proposals", 1, "id"), "it stands beside what it takes back")
		require.Equal(t, done["undo"], thread.At("messages", 1, "proposals", 0, "undo"))

		redone := c.Post(confirmPath(undo), confirmation(undo)).Want(200).JSON()
		require.NotEmpty(t, redone.Text("undo", "until"))
		require.Equal(t, "New", c.Get("/api/deals/" + s.AcmeRenewal.ID).JSON()["stageName"])
		original := c.Get("/api/proposals/" + p.Text("id")).JSON()
		require.Equal(t, []any{nil, undo["id"]}, []any{original["undo"], original["undoneById"]})
		c.Post(undoPath(p), nil).Refused(http.StatusConflict, "CANNOT_UNDO")
	})
}

func TestUndoComesTooLate(t *testing.T) {
	t.Parallel()
	s := serve(t)
	c := s.As(t, s.Sales1)
	changed, late := c.Propose(winRenewal), c.Propose(`/update_deal_stage deal="Acme expansion" stage=Won`)
	for _, p := range []apitest.Object{changed, late} {
		c.Post(confirmPath(p), confirmation(p)).Want(200)
	}
	c.Patch("/api/deals/"+s.AcmeRenewal.ID, `{"version":2,"title":"Acme renewal 2026"}`).Want(200)
	problem := c.Post(undoPath(changed), nil).Refused(http.StatusConflict, "STALE")
	require.Equal(t, "title", problem.At("changedSince", 0, "field"))
	require.Contains(t, c.With("Accept-Language", "zh-HK").Post(undoPath(changed), nil).Refused(http.StatusConflict, "STALE")["detail"], "之後已被修改")

	s.Clock.Advance(proposals.UndoTime)
	c.Post(undoPath(late), nil).Refused(http.StatusGone, "EXPIRED")
	require.Nil(t, c.Get("/api/proposals/" + late.Text("id")).JSON()["undo"])
	require.Equal(t, "Won", c.Get("/api/deals/" + s.AcmeExpansion.ID).JSON()["stageName"])
}

// TestConfirmWithEdits: a person gives an amount of their own, and the card tells what was proposed and what was done.
func TestConfirmWithEdits(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		c := s.As(t, s.Sales1)
		p := c.Propose(`/update_deal deal="Acme renewal" amount=5`)
		require.Equal(t, map[string]any{"arg": "amount", "field": "amount", "label": "Amount", "type": "money", "value": "5"}, p.At("editable", 0))
		with := func(p apitest.Object, edits map[string]any) map[string]any {
			return map[string]any{"digest": p["digest"], "edits": edits}
		}
		problem := c.Post(confirmPath(p), with(p, map[string]any{"amount": "a lot"})).Refused(422, "INVALID")
		require.Equal(t, "amount", problem.At("errors", 0, "path"))
		require.Equal(t, "deal", c.Post(confirmPath(p), with(p, map[string]any{"deal": s.GlobexPilot.ID})).Refused(422, "NOT_EDITABLE").At("errors", 0, "path"))
		s.As(t, s.Manager).Post(confirmPath(p), with(p, map[string]any{"amount": "6"})).Refused(404, "NOT_FOUND")
		require.Equal(t, "pending", c.Get("/api/proposals/" + p.Text("id")).JSON()["status"])

		done := c.Post(confirmPath(p), with(p, map[string]any{"amount": "7.50"})).Want(200).JSON()
		require.Equal(t, []any{"executed", true, p["digest"], nil}, []any{done["status"], done["edited"], done["digest"], done["editable"]})
		require.Equal(t, []any{"HK$7.50", "HK$5.00"}, []any{done.At("changes", 0, "afterDisplay"), done.At("proposedChanges", 0, "afterDisplay")})
		require.Equal(t, "7.50", c.Get("/api/deals/"+s.AcmeRenewal.ID).JSON().At("amount", "amount"))
		again := c.Post(confirmPath(p), with(p, map[string]any{"amount": "9"})).Want(200).JSON()
		require.Equal(t, []any{true, done["changes"]}, []any{again["alreadyDecided"], again["changes"]})
	})
}

// TestConfirmItems: of several deals some are kept, and each tells what came of it.
func TestConfirmItems(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		c := s.As(t, s.Sales1)
		p := c.Propose(`/bulk_update_deals text=acme new_expected_close_date=2027-01-31`)
		require.Equal(t, []any{map[string]any{"type": "deal", "id": "", "name": "2 deals"}, []any{}}, []any{p["target"], p["changes"]})
		require.Equal(t, []any{s.AcmeExpansion.ID, float64(1), "2027-01-31", nil}, []any{
			p.At("items", 0, "target", "id"), p.At("items", 0, "version"), p.At("items", 0, "changes", 0, "after"), p.At("items", 0, "status"),
		})
		with := func(items ...string) map[string]any {
			return map[string]any{"digest": p["digest"], "items": append([]string{}, items...)}
		}
		require.Equal(t, "items", c.Post(confirmPath(p), with()).Refused(422, "INVALID").At("errors", 0, "path"))
		c.Post(confirmPath(p), with(s.GlobexPilot.ID)).Refused(422, "INVALID")
		c.Post(confirmPath(p), `{"digest":"`+p.Text("digest")+`","items":[1]}`).Refused(422, "INVALID")
		s.As(t, s.Manager).Post(confirmPath(p), with(s.AcmeRenewal.ID)).Refused(404, "NOT_FOUND")
		require.Equal(t, "pending", c.Get("/api/proposals/" + p.Text("id")).JSON()["status"])

		done := c.Post(confirmPath(p), with(s.AcmeRenewal.ID)).Want(200).JSON()
		require.Equal(t, []any{"executed", "skipped", "done"}, []any{done["status"], done.At("items", 0, "status"), done.At("items", 1, "status")})
		require.Equal(t, "2027-01-31", c.Get("/api/deals/" + s.AcmeRenewal.ID).JSON()["expectedCloseDate"])
		require.Equal(t, int64(1), version(c.Get("/api/deals/"+s.AcmeExpansion.ID).JSON()))
		require.Equal(t, p["id"], c.Get("/api/deals/"+s.AcmeRenewal.ID+"/history").JSON().At("items", 0, "proposalId"))
		again := c.Post(confirmPath(p), with(s.AcmeExpansion.ID)).Want(200).JSON()
		require.Equal(t, []any{true, done["items"]}, []any{again["alreadyDecided"], again["items"]})
		c.Post(undoPath(p), nil).Refused(http.StatusConflict, "CANNOT_UNDO")
	})
}
