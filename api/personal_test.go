package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/api"
	"countersign/internal/apitest"
	"countersign/rbac"
)

// canaries are the personal data in canary, which is planted wherever a record holds text.
var canaries = []string{"9555-3333", "canary@secret.test", "Z987654(3)"}

const canary = "ring 9555-3333 or canary@secret.test, ID Z987654(3)"

// plant writes canary into every kind of record as an administrator, has a person say it, and gives the id for each
// pattern of a route that reads one thing.
func plant(t *testing.T, s *apitest.Server, person *apitest.Client) map[string]string {
	t.Helper()
	admin := s.As(t, s.Admin)
	for path, body := range map[string]string{
		"/api/companies/" + s.Acme.ID:       `{"version":1,"notes":%[1]q,"address":%[1]q,"industry":%[1]q}`,
		"/api/contacts/" + s.Amy.ID:         `{"version":1,"jobTitle":%[1]q}`,
		"/api/deals/" + s.AcmeRenewal.ID:    `{"version":1,"title":%[1]q}`,
		"/api/tasks/" + s.RingAmy.ID:        `{"version":1,"title":%[1]q}`,
		"/api/quotations/" + s.QuoteAcme.ID: `{"version":1,"notes":%[1]q}`,
	} {
		admin.Patch(path, fmt.Sprintf(body, canary)).Want(http.StatusOK)
	}
	activity := admin.Post("/api/activities", fmt.Sprintf(`{"kind":"NOTE","subject":"x","body":%q,"dealId":%q}`, canary, s.AcmeRenewal.ID)).Want(http.StatusCreated).JSON()
	admin.Patch("/api/activities/"+activity.Text("id"), fmt.Sprintf(`{"version":1,"subject":%q}`, canary)).Want(http.StatusOK)
	exec(t, s, "UPDATE products SET name = name || ' "+canary+"'")
	exec(t, s, "UPDATE pipelines SET name = name || ' "+canary+"'")

	said := person.Say(`/create_task title="` + canary + `"`)
	card := person.Say(`/update_company company=` + s.Acme.ID + ` notes="now ring 9555 4444"`).Event("proposal")
	id := apitest.Object(card["proposal"].(map[string]any)).Text("id")
	exec(t, s, `INSERT INTO deliveries (id, proposal_id, quotation_id, requested_by, lang, recipient, reply_to, subject, body, body_lang, message_id, status, problem, attempts, created_at, updated_at)
		SELECT id, id, $1, requested_by, 'en', 'canary@secret.test', 'canary@secret.test', $2, $2, 'en', id, 'unknown', 'cut', 1, created_at, created_at FROM proposals WHERE id = $3`, s.QuoteAcme.ID, canary, id)
	return map[string]string{
		"/api/companies/{id}": s.Acme.ID, "/api/contacts/{id}": s.Amy.ID, "/api/deals/{id}": s.AcmeRenewal.ID, "/api/tasks/{id}": s.RingAmy.ID,
		"/api/quotations/{id}": s.QuoteAcme.ID,
		"/api/activities/{id}": activity.Text("id"), "/api/products/{id}": s.Crane.ID, "/api/pipelines/{id}": s.Selling.ID,
		"/api/conversations/{id}": said.Event("start").Text("conversationId"), "/api/turns/{id}": said.Event("start").Text("turnId"),
		"/api/proposals/{id}": id,
	}
}

// planted is the address of a route's planted record. A new route with an {id} needs one.
func planted(t *testing.T, ids map[string]string, path string) string {
	t.Helper()
	head, tail, one := strings.Cut(path, "{id}")
	if one {
		id := ids[head+"{id}"]
		require.NotEmpty(t, id, "plant a record for %s", path)
		path = head + id + tail
	}
	path = strings.Replace(path, "{kind}", "deal", 1)
	if path == "/api/search" || strings.HasPrefix(path, "/api/resolve/") {
		path += "?q=9555-3333"
	}
	return path
}

// TestNoAnswerHoldsPersonalDataForThoseWithoutTheRight walks over everything that can be read, as somebody with every right
// but contact:pii.
func TestNoAnswerHoldsPersonalDataForThoseWithoutTheRight(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		exec(t, s, "DELETE FROM role_permissions WHERE role_slug = 'viewer'")
		for _, p := range rbac.Registry() {
			if p != rbac.ContactPII {
				exec(t, s, fmt.Sprintf("INSERT INTO role_permissions (role_slug, permission, scope) VALUES ('viewer', '%s', 'all')", p))
			}
		}
		exec(t, s, "UPDATE policy_state SET version = version + 1")
		person := s.As(t, s.Viewer)
		ids := plant(t, s, person)
		var hidden []string
		walk := func(visit func(route api.Route, text string)) {
			for _, r := range api.Routes() {
				// The events of a turn tell what the person has just typed; the rest of them is masked by the agent.
				if r.Method == http.MethodGet && !r.Public && r.Path != "/api/turns/{id}/events" {
					visit(r, person.Get(planted(t, ids, r.Path)).Text)
				}
			}
		}
		walk(func(r api.Route, text string) {
			for _, c := range canaries {
				require.NotContains(t, text, c, r.Path)
			}
			if strings.Contains(text, "••••••") {
				hidden = append(hidden, r.Path)
			}
		})
		require.Contains(t, person.Get(planted(t, ids, "/api/quotations/{id}")).Text, s.QuoteAcme.Number, "a number of a quotation is no telephone's")
		require.Contains(t, person.Get(planted(t, ids, "/api/proposals/{id}")).Text, "now ring 9555 4444", "what will be written is seen whole")

		exec(t, s, "INSERT INTO role_permissions (role_slug, permission, scope) VALUES ('viewer', 'contact:pii', 'all')")
		exec(t, s, "UPDATE policy_state SET version = version + 1")
		var shown []string
		walk(func(r api.Route, text string) {
			if strings.Contains(text, canaries[0]) {
				shown = append(shown, r.Path)
			}
		})
		require.Subset(t, hidden, shown, "with the right, the same is there")
		require.Subset(t, shown, []string{
			"/api/companies", "/api/companies/{id}", "/api/companies/{id}/history", "/api/companies/{id}/timeline", "/api/contacts/{id}", "/api/deals",
			"/api/tasks/{id}", "/api/activities/{id}/history", "/api/products", "/api/pipelines/{id}", "/api/quotations/{id}", "/api/deliveries", "/api/search", "/api/audit", "/api/conversations/{id}", "/api/turns/{id}",
		})
	})
}

// TestAMaskIsNeverSaved: a text that came masked is refused when it comes back, whatever field it is for.
func TestAMaskIsNeverSaved(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		c := s.As(t, s.Admin)
		const mask = "ring +852 •••• ••12 back"
		for path, field := range map[string]string{
			"/api/companies/" + s.Acme.ID: "notes", "/api/contacts/" + s.Amy.ID: "jobTitle",
			"/api/deals/" + s.AcmeRenewal.ID: "title", "/api/tasks/" + s.RingAmy.ID: "title",
		} {
			refusal := c.Patch(path, map[string]any{"version": 1, field: mask}).Refused(http.StatusUnprocessableEntity, "INVALID")
			require.Contains(t, refusal["detail"], "hidden from you", path)
			require.Equal(t, int64(1), version(c.Get(path).JSON()))
		}
		c.Post("/api/activities", map[string]any{"kind": "NOTE", "subject": mask, "dealId": s.AcmeRenewal.ID}).Refused(http.StatusUnprocessableEntity, "INVALID")
		c.Post("/api/companies", map[string]any{"name": "Other", "tags": []string{mask}}).Refused(http.StatusUnprocessableEntity, "INVALID")
		c.Patch("/api/companies/"+s.Acme.ID, map[string]any{"version": 1, "notes": "• one\n• two"}).Want(http.StatusOK)
	})
}
