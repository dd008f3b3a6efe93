package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/apitest"
)

const rulesPath = "/api/approval-rules"

func TestApprovalRules(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		admin := s.As(t, s.Admin)
		rule := admin.Post(rulesPath, `{"tool":"update_deal","metric":"amount","threshold":"500000","currency":"HKD","effect":"approve","approverRole":"manager"}`).Want(201).JSON()
		require.Equal(t, []any{"500000.00", float64(24), float64(1)}, []any{rule["threshold"], rule["expiresAfterHours"], rule["version"]})
		path := rulesPath + "/" + rule.Text("id")
		admin.Patch(path, `{"effect":"approve"}`).Refused(422, "INVALID")
		changed := admin.With("If-Match", `"1"`).Patch(path, `{"threshold":"100000"}`).Want(200).JSON()
		require.Equal(t, []any{"100000.00", "HKD", float64(2)}, []any{changed["threshold"], changed["currency"], changed["version"]})
		stale := admin.Patch(path, `{"version":1,"threshold":"5"}`).Refused(http.StatusConflict, "STALE")
		require.Equal(t, map[string]any(changed), stale["current"])
		wrong := admin.Patch(path, `{"version":2,"approverRole":"nobody","escalationRole":"admin"}`).Refused(422, "INVALID")
		require.Len(t, wrong["errors"], 2)
		require.Equal(t, []any{map[string]any(changed)}, admin.Get(rulesPath).Want(200).JSON()["items"])

		options := admin.Get(rulesPath + "/options").Want(200).JSON()
		require.Equal(t, []any{"admin", "Administrator"}, []any{options.At("roles", 0, "slug"), options.At("roles", 0, "name")})
		require.Contains(t, options.At("roles", 0, "approves"), "update_deal")
		require.Empty(t, options.At("roles", 3, "approves"), "a viewer changes nothing")
		require.Contains(t, options["tools"], map[string]any{"name": "update_deal", "label": "Preparing a change of a deal", "runsAtOnce": false})
		for _, other := range []*apitest.Client{s.As(t, s.Manager), s.As(t, s.Sales1)} {
			other.Get(rulesPath).Refused(403, "FORBIDDEN")
			other.Post(rulesPath, `{"effect":"approve","approverRole":"manager"}`).Refused(403, "FORBIDDEN")
			other.Delete(path+"?version=2").Refused(403, "FORBIDDEN")
		}
		admin.Delete(path+"?version=1").Refused(http.StatusConflict, "STALE")
		admin.Delete(path + "?version=2").Want(204)
		require.Equal(t, 3, total(admin.Get("/api/audit?targetType=approval-rule&decision=allowed").JSON()))
	})
}

// TestApproval: the card waits for the manager, who finds it, approves it, and is on the record beside who asked.
func TestApproval(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		s.As(t, s.Admin).Post(rulesPath, `{"effect":"approve","approverRole":"manager","escalationRole":"admin","escalatesAfterHours":4}`).Want(201)
		sales, manager := s.As(t, s.Sales1), s.As(t, s.Manager)
		p := sales.Propose(winRenewal)
		require.Equal(t, []any{"manager", "admin"}, []any{p.At("approval", "role"), p.At("approval", "escalationRole")})
		require.Contains(t, p.Text("approval", "reason"), "Manager")
		refusal := sales.Post(confirmPath(p), confirmation(p)).Refused(http.StatusForbidden, "NEEDS_APPROVAL")
		require.Equal(t, p["approval"], refusal.At("proposal", "approval"))

		waiting := manager.Get("/api/proposals?status=pending").Want(200).JSON()
		require.Equal(t, []any{map[string]any(p)}, waiting["items"])
		require.Equal(t, []any{s.Sales1.UserID, "Sam Sales"}, []any{waiting.At("items", 0, "requestedBy"), waiting.At("items", 0, "requesterName")})
		for _, other := range []*apitest.Client{s.As(t, s.Sales2), s.As(t, s.Manager2), s.As(t, s.Admin)} {
			require.Empty(t, other.Get("/api/proposals").JSON().Items())
			other.Post(confirmPath(p), confirmation(p)).Refused(404, "NOT_FOUND")
		}
		done := manager.Post(confirmPath(p), confirmation(p)).Want(200).JSON()
		require.Equal(t, []any{"executed", s.Manager.UserID, "Mei Manager"}, []any{done["status"], done["decidedBy"], done["deciderName"]})
		history := sales.Get("/api/deals/" + s.AcmeRenewal.ID + "/history").JSON()
		require.Equal(t, s.Sales1.UserID, history.At("items", 0, "actor", "userId"))
		require.Equal(t, map[string]any{"userId": s.Manager.UserID, "name": "Mei Manager"}, history.At("items", 0, "approvedBy"))
		require.Equal(t, "executed", sales.Get("/api/proposals/" + p.Text("id")).Want(200).JSON()["status"])

		p = sales.Propose(`/update_deal_stage deal="Acme expansion" stage=Won`)
		require.Equal(t, "cancelled", manager.Post(cancelPath(p), `{"reason":"Not yet"}`).Want(200).JSON()["status"])
		require.Equal(t, []any{"Not yet", "Mei Manager"}, []any{
			sales.Get("/api/proposals/" + p.Text("id")).JSON()["decisionReason"], sales.Get("/api/proposals/" + p.Text("id")).JSON()["deciderName"],
		})
	})
}
