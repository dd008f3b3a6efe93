package api_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/apitest"
)

// TestStrictBodies: what is not exactly a request of the documented form is refused in words, with the path of
// what is wrong, and nothing is written.
func TestStrictBodies(t *testing.T) {
	t.Parallel()
	s := serve(t)
	c := s.As(t, s.Sales1)
	before := dump(t, s)
	cases := []struct {
		body   string
		status int
		path   string
		words  string
	}{
		{``, 400, "", "The body is missing"},
		{` `, 400, "body", "not complete JSON"},
		{`{`, 400, "body", "not complete JSON"},
		{`{"title":"a"} {}`, 400, "body", "not valid JSON"},
		{`{"title":"a"}x`, 400, "body", "not valid JSON"},
		{`{"title":"a",}`, 400, "body", "not valid JSON"},
		{`{"title":'a'}`, 400, "body", "not valid JSON"},
		{`{"title":"a","title":"b"}`, 400, "body", `"title" occurs twice`},
		{`{"title":"a","amount":{"amount":"1","amount":"2","currency":"HKD"}}`, 400, "body", `"amount.amount" occurs twice`},
		{"{\"title\":\"a\xff\"}", 400, "body", "not valid JSON"},
		{`{"title":"a\ud800"}`, 400, "body", "not valid JSON"},
		{`{"title":"a\u0000b"}`, 400, "body", `"title" holds a NUL`},
		{`{"title":"a","amount":{"amount":"1","currency":"H\u0000"}}`, 400, "body", `"amount.currency" holds a NUL`},
		{`{"title":"a","a\u0000":1}`, 400, "body", "holds a NUL"},
		{`null`, 422, "body", "must be an object"},
		{`[]`, 422, "body", "must be an object"},
		{`"title"`, 422, "body", "must be an object"},
		{`{}`, 422, "title", `"title" is missing`},
		{`{"title":null}`, 422, "title", `"title" must be a text`},
		{`{"title":7}`, 422, "title", `"title" must be a text`},
		{`{"title":["a"]}`, 422, "title", `"title" must be a text`},
		{`{"title":""}`, 422, "title", "Give a title"},
		{`{"title":"a","colour":"red"}`, 422, "colour", `no field "colour"`},
		{`{"title":"a","id":"1"}`, 422, "id", `no field "id"`},
		{`{"title":"a","Title":"b"}`, 422, "Title", `no field "Title"`},
		{`{"TITLE":"a"}`, 422, "title", `"title" is missing`},
		{`{"title":"a","amount":5}`, 422, "amount", `"amount" must be an object`},
		{`{"title":"a","amount":{"amount":5,"currency":"HKD"}}`, 422, "amount.amount", "must be a text"},
		{`{"title":"a","amount":{"amount":"5"}}`, 422, "amount.currency", "is missing"},
		{`{"title":"a","amount":{"amount":"5","currency":"HKD","extra":1}}`, 422, "amount.extra", "no field"},
		{`{"title":"a","amount":{"amount":"five","currency":"HKD"}}`, 422, "amount", "is not an amount"},
		{`{"title":"a","amount":{"amount":"5","currency":"XXX"}}`, 422, "amount", "not a currency"},
		{`{"title":"a","expectedCloseDate":"2026-02-30"}`, 422, "expectedCloseDate", "a date such as"},
		{`{"title":"a","openedAt":"yesterday"}`, 422, "openedAt", "a time such as"},
		{`{"title":"a","companyId":"` + s.Harbour.ID + `"}`, 422, "companyId", "no such company"},
		{`{"title":"a","stageId":"nonsense"}`, 422, "stageId", "no such stage"},
		{`{"title":"a","ownerId":"` + s.Sales3.UserID + `"}`, 422, "ownerId", "cannot give this record"},
		{`{"title":"` + strings.Repeat("x", 301) + `"}`, 422, "title", "at most 300"},
		{strings.Repeat(`{"title":`, 20_000), 400, "body", "not"},
	}
	for _, k := range cases {
		problem := c.Post("/api/deals", k.body).Refused(k.status, "INVALID")
		require.Contains(t, problem["detail"], k.words, k.body)
		require.NotEmpty(t, problem["requestId"])
		if k.path != "" {
			require.Equal(t, k.path, problem.Text("errors", 0, "path"), k.body)
			require.Contains(t, problem.Text("errors", 0, "message"), k.words, k.body)
		}
	}
	after := dump(t, s)
	delete(before, "audit_entries")
	delete(after, "audit_entries")
	require.Equal(t, before, after)
}

func TestSeveralMistakesAtOnce(t *testing.T) {
	t.Parallel()
	s := serve(t)
	problem := s.As(t, s.Sales1).Post("/api/activities", `{"kind":"DANCE","subject":5,"colour":1}`).Refused(422, "INVALID")
	var paths []string
	for _, e := range problem["errors"].([]any) {
		paths = append(paths, e.(map[string]any)["path"].(string))
	}
	require.ElementsMatch(t, []string{"kind", "subject", "colour"}, paths)
	require.Contains(t, problem["detail"], `"kind" must be one of CALL, MEETING, EMAIL, NOTE, WHATSAPP`)
}

func TestMediaType(t *testing.T) {
	t.Parallel()
	s := serve(t)
	c := s.As(t, s.Sales1)
	for _, other := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"} {
		c.With("Content-Type", other).Post("/api/deals", `{"title":"a"}`).Refused(http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE")
	}
	c.With("Content-Type", "application/json; charset=utf-8").Post("/api/deals", `{"title":"a"}`).Want(http.StatusCreated)
	// Whatever a client says it accepts, this API speaks JSON.
	require.Equal(t, "application/json", c.With("Accept", "text/html").Get("/api/deals").Want(http.StatusOK).Header.Get("Content-Type"))
}

func TestParameters(t *testing.T) {
	t.Parallel()
	s := serve(t)
	c := s.As(t, s.Sales1)
	cases := []struct{ query, path, words string }{
		{"limit=0", "limit", "at least 1"},
		{"limit=-1", "limit", "at least 1"},
		{"limit=201", "limit", "at most 200"},
		{"limit=ten", "limit", "a whole number"},
		{"limit=9999999999999999999", "limit", "a whole number"},
		{"cursor=rubbish", "cursor", "does not belong to this list"},
		{"cursor=" + strings.Repeat("x", 3000), "cursor", "at most 2000"},
		{"sort=secret", "sort", `cannot be sorted by "secret"`},
		{"sort=title%3BDROP", "sort", "cannot be sorted"},
		{"stageKind=open", "stageKind", "one of OPEN, WON, LOST"},
		{"closedFrom=2026", "closedFrom", "a time such as"},
		{"expectedTo=tomorrow", "expectedTo", "a date such as"},
		{"stage=Won", "stage", `no parameter "stage"`},
	}
	for _, k := range cases {
		problem := c.Get("/api/deals?"+k.query).Refused(422, "INVALID")
		require.Equal(t, k.path, problem.Text("errors", 0, "path"), k.query)
		require.Contains(t, problem["detail"], k.words, k.query)
	}
	for _, odd := range []string{"%00", "%ff", "a%00b", "%zz"} {
		c.Get("/api/search?q="+odd).Refused(422, "INVALID")
		c.Get("/api/deals/%00").Refused(422, "INVALID")
	}
	// An operator, a wildcard and a quote are just characters.
	for _, harmless := range []string{"%", "_", `\`, "'", `"`, "' OR 1=1 --"} {
		list := c.Get("/api/deals?q=" + url.QueryEscape(harmless)).Want(http.StatusOK).JSON()
		require.Empty(t, list.Items(), harmless)
	}
}

func TestMalformedIDs(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		c := s.As(t, s.Admin)
		missing := c.Get("/api/deals/01890000-0000-7000-8000-000000000000").Refused(404, "NOT_FOUND")
		for _, id := range []string{"1", "nonsense", "undefined", "null", s.AcmeRenewal.ID + "0", "..%2f..", "%25", "' OR '1'='1", "商機"} {
			answer := c.Get("/api/deals/"+url.PathEscape(id)).Refused(404, "NOT_FOUND")
			require.Equal(t, missing["detail"], answer["detail"], id)
		}
		require.Equal(t, s.AcmeRenewal.ID, c.Get("/api/deals/" + strings.ToUpper(s.AcmeRenewal.ID)).Want(200).JSON()["id"])
	})
}
