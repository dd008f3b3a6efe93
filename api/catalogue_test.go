package api_test

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/apitest"
)

func TestPipelinesAndProducts(t *testing.T) {
	t.Parallel()
	s := serve(t)
	c := s.As(t, s.Viewer)
	list := c.Get("/api/pipelines?limit=200").Want(200).JSON()
	require.Equal(t, []any{"Selling", "Renewals"}, []any{list.At("items", 0, "name"), list.At("items", 1, "name")})
	require.Equal(t, map[string]any{"id": s.Proposal.ID, "name": "Proposal", "kind": "OPEN", "probability": float64(50), "position": float64(2)},
		list.At("items", 0, "stages", 1))
	require.Equal(t, list.At("items", 1), any(map[string]any(c.Get("/api/pipelines/"+s.Renewals.ID).Want(200).JSON())))
	c.Get("/api/pipelines/nonsense").Refused(404, "NOT_FOUND")

	pallet := c.Get("/api/products/" + s.Pallet.ID).Want(200)
	require.JSONEq(t, `{"id":"`+s.Pallet.ID+`","sku":"PL-1","name":"Pallet","unit":"piece","price":{"amount":"1.2345","currency":"HKD"},
		"taxRate":"5","active":true,"version":1}`, pallet.Text)
	require.Equal(t, "250000.00", c.Get("/api/products/"+s.Crane.ID).JSON().Text("price", "amount"))
	require.NotContains(t, c.Get("/api/products/"+s.Retired.ID).JSON(), "price")
	require.Equal(t, "CR-100", c.Get("/api/products?q="+url.QueryEscape("碼頭")).Want(200).JSON().Text("items", 0, "sku"))
}

func TestSearch(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		c := s.As(t, s.Sales1)
		found := c.Get("/api/search?q=acme").Want(200).JSON()
		require.Equal(t, 3, total(found))
		require.Equal(t, map[string]any{"type": "company", "id": s.Acme.ID, "name": "Acme Trading Limited", "detail": "Sam Sales"}, found.At("items", 0))
		only := c.Get("/api/search?q=acme&kind=deal&limit=1").Want(200).JSON()
		require.Len(t, only.Items(), 1)
		require.Equal(t, 2, total(only))
		require.Empty(t, c.Get("/api/search?q=harbour+foods").Want(200).JSON().Items(), "somebody else's")
		c.Get("/api/search").Refused(422, "INVALID")
		c.Get("/api/search?q=+").Refused(422, "INVALID")
		c.Get("/api/search?q=a&kind=secret").Refused(422, "INVALID")
	})
}

func TestResolve(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		c := s.As(t, s.Sales1)
		resolve := func(kind, q, more string) apitest.Object {
			return c.Get("/api/resolve/" + kind + "?q=" + url.QueryEscape(q) + more).Want(200).JSON()
		}
		exact := resolve("company", "艾克美貿易有限公司", "")
		require.Equal(t, []any{"exact", s.Acme.ID}, []any{exact["how"], exact.At("match", "id")})
		require.Equal(t, []any{}, exact["candidates"])
		require.Equal(t, "id", resolve("deal", s.AcmeRenewal.ID, "")["how"])
		several := resolve("deal", "acme", "")
		require.Equal(t, "contains", several["how"])
		require.Len(t, several["candidates"], 2)
		require.Equal(t, "email", resolve("person", "SALES2@example.test", "")["how"])
		require.Equal(t, s.User(s.Sales1).ID, resolve("person", "me", "").At("match", "id"))
		require.Equal(t, s.Proposal.ID, resolve("stage", "proposal", "&deal=Acme+renewal").At("match", "id"))
		require.Equal(t, s.Proposal2.ID, resolve("stage", "proposal", "&pipeline="+s.Renewals.ID).At("match", "id"))
		nothing := resolve("company", "Zzz", "")
		require.Equal(t, "none", nothing["how"])
		require.NotEmpty(t, nothing["message"])
		require.NotContains(t, nothing, "match")
		require.Empty(t, resolve("company", "Harbour Foods", "").At("match"), "somebody else's")
		c.Get("/api/resolve/company?q=+").Refused(422, "INVALID")
		c.Get("/api/resolve/secret?q=a").Refused(422, "INVALID")
		c.Get("/api/resolve/stage?q=Won&deal=Harbour+rollout").Refused(404, "NOT_FOUND")
	})
}

func TestTools(t *testing.T) {
	t.Parallel()
	s := serve(t)
	names := func(c *apitest.Client) (names []string) {
		for _, item := range c.Get("/api/tools").Want(200).JSON().Items() {
			names = append(names, item.Text("name"))
			for _, member := range []string{"label", "description", "effect", "example", "shortForms", "parameters"} {
				require.NotNil(t, item[member], member)
			}
		}
		return names
	}
	sales := names(s.As(t, s.Sales1))
	require.Contains(t, sales, "update_deal_stage")
	require.NotContains(t, names(s.As(t, s.Viewer)), "update_deal_stage", "only what this person may use")
	tool := s.As(t, s.Sales1).With("Accept-Language", "zh-HK").Get("/api/tools").JSON().Items()[0]
	require.NotEqual(t, s.As(t, s.Sales1).Get("/api/tools").JSON().Items()[0]["label"], tool["label"], "labels are in the person's language")
	require.Equal(t, "object", tool.At("parameters", "type"))
}
