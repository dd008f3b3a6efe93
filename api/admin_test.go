package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/api"
	"countersign/internal/apitest"
)

func TestAudit(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		sales := s.As(t, s.Sales1).With("User-Agent", "suite/1")
		write := sales.Patch("/api/deals/"+s.AcmeRenewal.ID, `{"version":1,"title":"Renamed"}`)
		write.Want(200)
		for _, other := range []*apitest.Client{sales, s.As(t, s.Manager), s.As(t, s.Viewer)} {
			require.Equal(t, "audit:read", other.Get("/api/audit").Refused(403, "FORBIDDEN")["permission"])
		}
		admin := s.As(t, s.Admin)
		list := admin.Get("/api/audit?action=deal:update").Want(200).JSON()
		require.Equal(t, 1, total(list))
		item := list.Items()[0]
		require.Equal(t, map[string]any{"type": "deal", "id": s.AcmeRenewal.ID}, item["target"])
		require.Equal(t, map[string]any{"userId": s.Sales1.UserID, "name": "Sam Sales", "via": "web", "ip": "127.0.0.1", "userAgent": "suite/1"}, item["actor"])
		require.Equal(t, []any{"allowed", write.Header.Get("X-Request-Id")}, []any{item["decision"], item["requestId"]})
		require.Equal(t, map[string]any{"fields": []any{"title"}, "version": float64(2)}, item["detail"])

		for query, want := range map[string]int{
			"decision=denied": 3, "actorId=" + s.Viewer.UserID: 1, "targetType=deal": 1, "targetId=" + s.AcmeRenewal.ID: 1,
			"action=none": 0, "to=2026-03-02T09:00:00Z": 0, "from=2026-03-02T09:00:00Z": 4,
		} {
			require.Equal(t, want, total(admin.Get("/api/audit?"+query).Want(200).JSON()), query)
		}
		next := admin.Get("/api/audit?limit=3").JSON().Text("nextCursor")
		require.Len(t, admin.Get("/api/audit?limit=3&cursor="+next).Want(200).JSON().Items(), 1)
	})
}

const canaryKey = "sk-canary-4f7Kq9"

// TestAIConfig: the key goes in and never comes out, not in an answer, an error, the record or the log.
func TestAIConfig(t *testing.T) {
	t.Parallel()
	log := &buffer{}
	s := serve(t, func(o *api.Options) { o.Logger = jsonLogger(log) })
	admin := s.As(t, s.Admin)
	const path = "/api/ai/config"
	put := func(body string) *apitest.Answer { return admin.Do(http.MethodPut, path, body) }
	var answers []string
	keep := func(a *apitest.Answer) *apitest.Answer { answers = append(answers, a.Text); return a }

	require.JSONEq(t, `{"configured":false,"apiKeySet":false,"secrets":"ok"}`, keep(admin.Get(path)).Want(200).Text)
	whole := `{"provider":"openai","endpointUrl":"https://api.example.com/v1","model":"gpt-x","apiKey":"` + canaryKey + `"}`
	config := keep(put(whole)).Want(200).JSON()
	require.Equal(t, []any{true, true, "gpt-x", float64(8), "Ada Admin"}, []any{config["configured"], config["apiKeySet"], config["model"], config["maxRounds"], config["updatedBy"]})
	require.NotContains(t, config, "apiKey")
	kept := `{"provider":"openai","endpointUrl":"https://api.example.com/v1","model":"gpt-y","apiKey":"","maxRounds":3}`
	require.Equal(t, true, keep(put(kept)).Want(200).JSON()["apiKeySet"], "an empty key is not a new key")

	elsewhere := strings.Replace(kept, "api.example.com", "evil.example", 1)
	require.Equal(t, "apiKey", keep(put(elsewhere)).Refused(422, "INVALID").Text("errors", 0, "path"))
	for _, bad := range []string{
		`{"apiKey":"` + canaryKey + `"}`, `{"apiKey":{"x":"` + canaryKey + `"}}`, `{"apiKey":"` + canaryKey, `{"apiKey":"` + canaryKey + `","apiKey":"x"}`,
		strings.Replace(whole, "openai", canaryKey, 1), strings.Replace(whole, `"model"`, `"`+"colour"+`"`, 1),
		strings.Replace(whole, "https://", "http://169.254.169.254/", 1), strings.Replace(whole, canaryKey, canaryKey+" with space", 1),
	} {
		keep(put(bad))
		require.Contains(t, []int{400, 422}, keep(put(bad)).StatusCode, bad)
	}
	for _, other := range []*apitest.Client{s.As(t, s.Manager), s.As(t, s.Sales1), s.As(t, s.Viewer)} {
		other.Get(path).Refused(403, "FORBIDDEN")
		other.Do(http.MethodPut, path, whole).Refused(403, "FORBIDDEN")
		other.Delete(path).Refused(403, "FORBIDDEN")
	}
	keep(admin.Get("/api/audit?targetType=ai-config")).Want(200)
	keep(admin.Get(path)).Want(200)
	keep(admin.Delete(path)).Want(204)
	require.Equal(t, false, keep(admin.Get(path)).JSON()["configured"])

	_, text := log.lines(t)
	stored := ""
	for _, table := range dump(t, s) {
		stored += table
	}
	for _, place := range append(answers, text, stored) {
		require.NotContains(t, place, "canary-4f7K")
	}
}
