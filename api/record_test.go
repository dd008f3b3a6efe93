package api_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/apitest"
	"countersign/models"
)

// resource is a kind of record as the tests of what all kinds have in common use it.
type resource struct {
	path, create, patch, field, value string
}

func resources(s *apitest.Server) []resource {
	return []resource{
		{"/api/companies", `{"name":"New company","otherNames":["新公司"],"tags":["vip"]}`, `"industry":"Shipping"`, "industry", "Shipping"},
		{"/api/contacts", `{"name":"New contact","companyId":"` + s.Acme.ID + `","email":"new@acme.test","language":"zh-HK"}`, `"jobTitle":"Clerk"`, "jobTitle", "Clerk"},
		{"/api/tasks", `{"title":"New task","dueAt":"2026-04-01T10:00:00Z"}`, `"title":"Better task"`, "title", "Better task"},
		{"/api/deals", `{"title":"New deal","companyId":"` + s.Acme.ID + `","amount":{"amount":"1234.5","currency":"HKD"}}`, `"title":"Better deal"`, "title", "Better deal"},
		{"/api/quotations", `{"companyId":"` + s.Acme.ID + `","items":[{"name":"Survey","quantity":"2","unitPrice":"1000"}]}`, `"notes":"Net 30"`, "notes", "Net 30"},
		{"/api/activities", `{"kind":"CALL","subject":"Rang","dealId":"` + s.AcmeRenewal.ID + `"}`, `"subject":"Rang twice"`, "subject", "Rang twice"},
	}
}

// TestLifeOfARecord: created, read, changed, deleted, restored, each write one version up, all of it in the history.
func TestLifeOfARecord(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		c := s.As(t, s.Admin)
		for _, r := range resources(s) {
			answer := c.Post(r.path, r.create).Want(http.StatusCreated)
			created := answer.JSON()
			path := r.path + "/" + created.Text("id")
			require.Equal(t, path, answer.Header.Get("Location"))
			require.Equal(t, `"1"`, answer.Header.Get("ETag"))
			require.Equal(t, int64(1), version(created))
			require.JSONEq(t, answer.Text, c.Get(path).Want(http.StatusOK).Text)

			changed := c.Patch(path, `{"version":1,`+r.patch+`}`).Want(http.StatusOK)
			require.Equal(t, r.value, changed.JSON()[r.field])
			require.Equal(t, `"2"`, changed.Header.Get("ETag"))
			same := c.With("If-Match", `"2"`).Patch(path, `{`+r.patch+`}`).Want(http.StatusOK).JSON()
			require.Equal(t, int64(2), version(same), "nothing changed, so nothing was written")

			c.Delete(path + "?version=2").Want(http.StatusNoContent)
			c.Get(path).Refused(http.StatusNotFound, "NOT_FOUND")
			c.With("If-Match", `"3"`).Post(path+"/restore", `{"version":3}`).Want(http.StatusOK)
			c.Post(path+"/restore", nil).Refused(http.StatusNotFound, "NOT_FOUND")
			require.Equal(t, int64(4), version(c.Get(path).Want(http.StatusOK).JSON()))

			history := c.Get(path + "/history").Want(http.StatusOK).JSON()
			latest, change := history.Items()[0], history.Items()[2]
			require.Equal(t, []any{"deleted", true, false}, []any{latest["field"], latest["before"], latest["after"]})
			require.Equal(t, []any{r.field, r.value}, []any{change["field"], change["after"]})
			require.Equal(t, map[string]any{"userId": s.Admin.UserID, "name": "Ada Admin", "via": "web"}, change["actor"])
		}
	})
}

func TestVersions(t *testing.T) {
	t.Parallel()
	s := serve(t)
	c := s.As(t, s.Admin)
	for _, r := range resources(s) {
		path := r.path + "/" + c.Post(r.path, r.create).Want(http.StatusCreated).JSON().Text("id")
		patch := `{` + r.patch + `}`
		for header, words := range map[string]string{"": "Say which version", "*": "must be a version", `W/"1"`: "must be a version", "-1": "must be a version"} {
			client := c
			if header != "" {
				client = c.With("If-Match", header)
			}
			require.Contains(t, client.Patch(path, patch).Refused(422, "INVALID")["detail"], words)
			require.Contains(t, client.Delete(path).Refused(422, "INVALID")["detail"], words)
		}
		both := c.With("If-Match", `"1"`)
		require.Contains(t, both.Patch(path, `{"version":2,`+r.patch+`}`).Refused(422, "INVALID")["detail"], "differ")
		require.Contains(t, both.Delete(path+"?version=2").Refused(422, "INVALID")["detail"], "differ")
		require.Equal(t, int64(2), version(both.Patch(path, `{"version":1,`+r.patch+`}`).Want(http.StatusOK).JSON()))

		current := c.Get(path).JSON()
		for _, stale := range []*apitest.Answer{both.Patch(path, patch), c.Delete(path + "?version=1")} {
			problem := stale.Refused(http.StatusConflict, "STALE")
			require.Equal(t, map[string]any(current), problem["current"], "as the route itself shows it")
		}
		c.Delete(path + "?version=2").Want(http.StatusNoContent)
	}
}

// TestScope: what lies outside somebody's scope does not exist, in the same words; what may be read only is forbidden.
func TestScope(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		theirs := s.As(t, s.Sales3).Post("/api/activities", `{"kind":"NOTE","subject":"Secret","dealId":"`+s.HarbourRollout.ID+`"}`).JSON().Text("id")
		out := map[string]string{"/api/contacts": s.Hana.ID, "/api/tasks": s.SendHana.ID, "/api/companies": s.Harbour.ID, "/api/deals": s.HarbourRollout.ID, "/api/activities": theirs, "/api/quotations": s.QuoteHarbour.ID}
		none := models.NewID()
		sales, viewer, manager := s.As(t, s.Sales1), s.As(t, s.Viewer), s.As(t, s.Manager)
		for _, r := range resources(s) {
			unseen, missing := r.path+"/"+out[r.path], r.path+"/"+none
			patch := `{"version":1,` + r.patch + `}`
			tries := map[string]func(c *apitest.Client, path string) *apitest.Answer{
				"get":     func(c *apitest.Client, path string) *apitest.Answer { return c.Get(path) },
				"history": func(c *apitest.Client, path string) *apitest.Answer { return c.Get(path + "/history") },
				"patch":   func(c *apitest.Client, path string) *apitest.Answer { return c.Patch(path, patch) },
				"delete":  func(c *apitest.Client, path string) *apitest.Answer { return c.Delete(path + "?version=1") },
			}
			for name, try := range tries {
				client := sales
				if name == "delete" {
					client = manager // sales may not delete at all
				}
				want := try(client, missing).Refused(http.StatusNotFound, "NOT_FOUND")
				require.Equal(t, want["detail"], try(client, unseen).Refused(http.StatusNotFound, "NOT_FOUND")["detail"], name)
			}
			viewer.Get(unseen).Want(http.StatusOK)
			problem := viewer.Patch(unseen, patch).Refused(http.StatusForbidden, "FORBIDDEN")
			require.Contains(t, problem["permission"], ":update")
			if r.path == "/api/quotations" {
				sales.Delete(unseen+"?version=1").Refused(http.StatusNotFound, "NOT_FOUND") // sales may delete drafts of their own
			} else {
				problem = sales.Delete(unseen+"?version=1").Refused(http.StatusForbidden, "FORBIDDEN")
				require.Contains(t, problem["permission"], ":delete")
			}
			for _, item := range sales.Get(r.path).JSON().Items() {
				require.NotEqual(t, out[r.path], item["id"])
			}
		}
		require.Equal(t, 2, total(sales.Get("/api/deals").JSON()), "not even counted")
	})
}

func TestPatchLeavesClearsAndSets(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		c := s.As(t, s.Sales1)
		path := "/api/deals/" + s.AcmeRenewal.ID
		before := c.Get(path).JSON()
		after := c.Patch(path, `{"version":1,"amount":{"amount":"99.9","currency":"USD"},"expectedCloseDate":"2026-12-01"}`).Want(200).JSON()
		require.Equal(t, map[string]any{"amount": "99.90", "currency": "USD"}, after["amount"])
		require.Equal(t, "2026-12-01", after["expectedCloseDate"])
		for _, left := range []string{"title", "companyId", "productId", "ownerId", "externalId"} {
			require.Equal(t, before[left], after[left], left)
		}
		after = c.Patch(path, `{"version":2,"amount":null,"companyId":null,"productId":null,"expectedCloseDate":null,"lostReason":null}`).Want(200).JSON()
		for _, cleared := range []string{"amount", "companyId", "companyName", "productId", "expectedCloseDate"} {
			require.NotContains(t, after, cleared)
		}
		for _, field := range []string{"title", "stageId", "ownerId"} {
			problem := c.Patch(path, `{"version":3,"`+field+`":null}`).Refused(422, "INVALID")
			require.Equal(t, field, problem.Text("errors", 0, "path"))
			require.Contains(t, problem["detail"], "cannot be empty")
		}
		won := c.Patch(path, `{"version":3,"stageId":"`+s.Won.ID+`"}`).Want(200).JSON()
		require.Equal(t, []any{"Won", "WON"}, []any{won["stageName"], won["stageKind"]})
		require.NotEmpty(t, won["closedAt"])
		history := c.Get(path + "/history").JSON().Items()
		named := map[string]apitest.Object{}
		for _, item := range history {
			if _, ok := named[item.Text("field")]; !ok {
				named[item.Text("field")] = item
			}
		}
		require.Equal(t, []any{"New", "Won"}, []any{named["stageId"]["beforeName"], named["stageId"]["afterName"]})
		require.Equal(t, "Acme Trading Limited", named["companyId"]["beforeName"])
		require.Nil(t, named["companyId"]["after"])
		timeline := c.Get(path + "/timeline").Want(200).JSON()
		require.Equal(t, "New → Won", timeline.Text("items", 0, "subject"))
	})
}

func TestSharedAndMaskedCompanies(t *testing.T) {
	t.Parallel()
	s := serve(t)
	sales, admin, viewer := s.As(t, s.Sales1), s.As(t, s.Admin), s.As(t, s.Viewer)
	ferry := "/api/companies/" + s.Ferry.ID
	require.NotContains(t, sales.Get(ferry).Want(200).JSON(), "ownerId", "shared with everybody")
	sales.Patch(ferry, `{"version":1,"industry":"Ferries"}`).Refused(403, "FORBIDDEN")
	admin.Patch(ferry, `{"version":1,"industry":"Ferries"}`).Want(200)
	sales.Post("/api/companies", `{"name":"X","ownerId":null}`).Refused(422, "INVALID")
	require.NotContains(t, admin.Post("/api/companies", `{"name":"X","ownerId":null}`).Want(201).JSON(), "ownerId")
	require.Equal(t, s.Admin.UserID, admin.Post("/api/companies", `{"name":"Y"}`).Want(201).JSON()["ownerId"])

	seen := viewer.Get("/api/companies/" + s.Acme.ID).Want(200)
	require.Equal(t, []any{"phone"}, seen.JSON()["maskedFields"])
	require.NotContains(t, seen.Text, s.Acme.Phone)
	require.Equal(t, s.Acme.Phone, sales.Get("/api/companies/" + s.Acme.ID).JSON()["phone"])
	masked := seen.JSON().Text("phone")
	require.Contains(t, admin.Patch("/api/companies/"+s.Acme.ID, map[string]any{"version": 1, "phone": masked}).Refused(422, "INVALID")["detail"], "hidden")
}

// TestMaskedContacts: what is hidden is hidden in every answer, the one about a stale version included.
func TestMaskedContacts(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		path := "/api/contacts/" + s.Amy.ID
		sales, viewer := s.As(t, s.Sales1), s.As(t, s.Viewer)
		own := sales.Get(path).Want(200).JSON()
		require.Equal(t, []any{s.Amy.Email, s.Amy.Phone, s.Amy.WhatsApp}, []any{own["email"], own["phone"], own["whatsapp"]})
		require.Equal(t, []any{"Acme Trading Limited", "Sam Sales", "zh-HK"}, []any{own["companyName"], own["ownerName"], own["language"]})
		require.NotContains(t, own, "maskedFields")
		sales.Patch(path, `{"version":1,"phone":"+852 9765 4321"}`).Want(200)
		exec(t, s, "INSERT INTO role_permissions (role_slug, permission, scope) VALUES ('viewer', 'contact:update', 'all')")
		exec(t, s, "UPDATE policy_state SET version = version + 1")
		for name, answer := range map[string]*apitest.Answer{
			"get": viewer.Get(path).Want(200), "list": viewer.Get("/api/contacts?q=amy").Want(200), "history": viewer.Get(path + "/history").Want(200),
			"stale": viewer.Patch(path, `{"version":1,"name":"x"}`).Want(409), "patch": viewer.Patch(path, `{"version":2,"jobTitle":"Head buyer"}`).Want(200),
			"search": viewer.Get("/api/search?q=amy").Want(200), "resolve": viewer.Get("/api/resolve/contact?q=amy").Want(200),
		} {
			for _, secret := range []string{"amy@", "9123", "9765"} {
				require.NotContains(t, answer.Text, secret, name)
			}
		}
		masked := viewer.Get(path).JSON()
		require.Equal(t, []any{"email", "phone", "whatsapp"}, masked["maskedFields"])
		for _, field := range []string{"email", "phone", "whatsapp"} {
			refusal := viewer.Patch(path, map[string]any{"version": 3, field: masked[field]}).Refused(422, "INVALID")
			require.Contains(t, refusal["detail"], "hidden")
		}
		require.Equal(t, "none", viewer.Get("/api/resolve/contact?q=amy@acme.test").Want(200).JSON()["how"], "trying addresses tells nothing")
		require.Equal(t, "email", sales.Get("/api/resolve/contact?q=AMY@acme.test").Want(200).JSON()["how"])
	})
}

// TestTasksOverREST: done and opened again, filtered by what they are about.
func TestTasksOverREST(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		c, path := s.As(t, s.Sales1), "/api/tasks/"+s.RingAmy.ID
		got := c.Get(path).Want(200).JSON()
		require.Equal(t, []any{"2026-03-03T09:00:00Z", "Sam Sales", s.Amy.Name, s.AcmeRenewal.Title, s.Acme.Name},
			[]any{got["dueAt"], got["assigneeName"], got["contactName"], got["dealTitle"], got["companyName"]})
		require.NotContains(t, got, "doneAt")
		require.Empty(t, c.Get("/api/tasks?dueBefore=2026-03-03T09:00:00Z").JSON().Items())
		require.Equal(t, 1, total(c.Get("/api/tasks?dueBefore=2026-03-03T17:00:01%2B08:00").JSON()))
		done := c.Patch(path, `{"version":1,"doneAt":"2026-03-03T10:00:00+08:00"}`).Want(200).JSON()
		require.Equal(t, "2026-03-03T02:00:00Z", done["doneAt"])
		require.Empty(t, c.Get("/api/tasks?status=open").JSON().Items())
		require.Equal(t, 1, total(c.Get("/api/tasks?status=done&contactId="+s.Amy.ID+"&companyId="+s.Acme.ID+"&dealId="+s.AcmeRenewal.ID+"&assigneeId="+s.Sales1.UserID+"&sort=dueAt").JSON()))
		open := c.Patch(path, `{"version":2,"doneAt":null,"dueAt":null,"companyId":null}`).Want(200).JSON()
		for _, cleared := range []string{"doneAt", "dueAt", "companyId", "companyName"} {
			require.NotContains(t, open, cleared)
		}
		c.Post("/api/tasks", map[string]any{"title": "x", "assigneeId": s.Sales2.UserID}).Refused(422, "INVALID")
		c.Get("/api/tasks?status=late").Refused(422, "INVALID")
	})
}

// TestQuotationsOverREST: drafted with amounts as texts, sent, revised and answered.
func TestQuotationsOverREST(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		c := s.As(t, s.Sales1)
		hkd := func(amount string) map[string]any { return map[string]any{"amount": amount, "currency": "HKD"} }
		made := c.Post("/api/quotations", `{"dealId":"`+s.AcmeRenewal.ID+`","validUntil":"2026-04-30","discountPercent":"10","items":[
			{"productId":"`+s.Pallet.ID+`","quantity":"1,000"},
			{"name":"Delivery","unit":"trip","quantity":"2","unitPrice":"250.5","discountAmount":"1","taxPercent":"0"}]}`).Want(http.StatusCreated).JSON()
		path := "/api/quotations/" + made.Text("id")
		require.Equal(t, []any{"Q-2026-0006", "DRAFT", s.Acme.Name, "10", hkd("1734.50"), hkd("173.45"), hkd("1561.05"), hkd("55.55"), hkd("1616.60")},
			[]any{made["name"], made["status"], made["companyName"], made["discountPercent"], made["subtotal"], made["discount"], made["net"], made["tax"], made["total"]})
		require.Equal(t, []any{
			map[string]any{"productId": s.Pallet.ID, "sku": "PL-1", "name": "Pallet", "unit": "piece", "quantity": "1000", "unitPrice": "1.2345", "taxPercent": "5", "lineTotal": hkd("1234.50"), "tax": hkd("55.55")},
			map[string]any{"name": "Delivery", "unit": "trip", "quantity": "2", "unitPrice": "250.50", "discountAmount": "1.00", "taxPercent": "0", "lineTotal": hkd("500.00"), "tax": hkd("0.00")},
		}, made["items"])
		require.NotContains(t, c.Get("/api/quotations?q=0006").JSON().Items()[0], "items", "lists come without them")
		for body, field := range map[string]string{
			`{"version":1,"items":[{"name":"x","quantity":"1.23456","unitPrice":"1"}]}`: "items[0].quantity",
			`{"version":1,"items":[{"name":"x","quantity":"1","unitPrice":"1 HKD"}]}`:   "items[0].unitPrice",
			`{"version":1,"discountAmount":"-1"}`:                                       "discountAmount",
			`{"version":1,"total":"1"}`:                                                 "total",
			`{"version":1,"validUntil":"soon"}`:                                         "validUntil",
		} {
			require.Equal(t, field, c.Patch(path, body).Refused(422, "INVALID").Text("errors", 0, "path"), body)
		}
		plain := c.Patch(path, `{"version":1,"discountPercent":null,"validUntil":null}`).Want(200).JSON()
		require.Equal(t, hkd("1796.23"), plain["total"])
		c.Post(path+"/revise", nil).Refused(409, "STILL_A_DRAFT")
		c.Patch(path, `{"version":2,"status":"ACCEPTED"}`).Refused(409, "STATUS_NOT_ALLOWED")
		c.Patch(path, `{"version":2,"status":"SENT"}`).Want(200)
		c.Patch(path, `{"version":3,"notes":"late"}`).Refused(409, "NOT_A_DRAFT")
		answer := c.Post(path+"/revise", nil).Want(http.StatusCreated)
		second := answer.JSON()
		require.Equal(t, []any{"Q-2026-0006", "Q-2026-0006-R2", 2.0, "/api/quotations/" + second.Text("id")}, []any{second["number"], second["name"], second["revision"], answer.Header.Get("Location")})
		c.Post(path+"/revise", nil).Refused(409, "OTHER_REVISION")
		c.Patch("/api/quotations/"+second.Text("id"), `{"version":1,"status":"SENT"}`).Want(200)
		require.Contains(t, c.Get(path).JSON(), "supersededAt")
		require.Equal(t, second["id"], c.Get("/api/resolve/quotation?q=q-2026-0006").Want(200).JSON().Text("match", "id"))
		require.Equal(t, "Draft → Sent", c.Get(path + "/timeline").Want(200).JSON().Items()[0]["subject"])
		require.Equal(t, 2, total(c.Get("/api/search?q=2026-0006&kind=quotation").Want(200).JSON()))
		require.Equal(t, 0, total(s.As(t, s.Sales3).Get("/api/search?q=2026-0006").Want(200).JSON()))
		c.Delete(path+"?version=4").Refused(403, "FORBIDDEN")
	})
}

// TestPages walks lists in every order, each record exactly once.
func TestPages(t *testing.T) {
	each(t, func(t *testing.T, s *apitest.Server) {
		c := s.As(t, s.Admin)
		for i := range 7 {
			c.Post("/api/deals", fmt.Sprintf(`{"title":"Deal %d","amount":{"amount":"%d","currency":"HKD"}}`, i, i%3)).Want(201)
		}
		for list, sorts := range map[string][]string{
			"/api/deals":      {"", "title", "-title", "amount", "-amount", "createdAt", "-updatedAt", "expectedCloseDate"},
			"/api/companies":  {"", "name", "-name", "createdAt"},
			"/api/contacts":   {"", "name", "-name", "createdAt"},
			"/api/tasks":      {"", "dueAt", "-dueAt", "createdAt"},
			"/api/products":   {"", "name", "-sku"},
			"/api/quotations": {"", "createdAt", "-total", "validUntil"},
		} {
			all := total(c.Get(list).JSON())
			for _, sort := range sorts {
				seen, cursor := map[string]bool{}, ""
				for pages := 0; pages == 0 || cursor != ""; pages++ {
					require.Less(t, pages, all)
					page := c.Get(list + "?limit=2&sort=" + sort + "&cursor=" + cursor).Want(200).JSON()
					require.Equal(t, all, total(page))
					for _, item := range page.Items() {
						require.False(t, seen[item.Text("id")], sort)
						seen[item.Text("id")] = true
					}
					cursor = page.Text("nextCursor")
				}
				require.Len(t, seen, all, list+" "+sort)
			}
		}
		problem := c.Get("/api/deals?sort=amount&cursor="+c.Get("/api/deals?limit=1&sort=title").JSON().Text("nextCursor")).Refused(422, "INVALID")
		require.Contains(t, problem["detail"], "does not belong to this list")
	})
}

func TestDealFilters(t *testing.T) {
	t.Parallel()
	s := serve(t)
	c := s.As(t, s.Admin)
	for query, want := range map[string][]string{
		"q=acme":                                 {"Acme expansion", "Acme renewal"},
		"q=試用":                                   {"Globex pilot 試用"},
		"q=d-1001":                               {"Acme renewal"},
		"stageKind=WON":                          {"Harbour rollout"},
		"stageId=" + s.New.ID + "," + s.Lost2.ID: {"Harbour audit", "Acme renewal"},
		"pipelineId=" + s.Renewals.ID:            {"Harbour audit", "Ferry fleet"},
		"ownerId=" + s.Sales2.UserID:             {"Globex pilot 試用"},
		"teamId=" + s.Beta.ID:                    {"Harbour audit", "Harbour rollout"},
		"companyId=" + s.Ferry.ID:                {"Ferry fleet"},
		"productId=" + s.Crane.ID:                {"Acme renewal"},
		"closedFrom=2026-03-01T00:00:00Z&closedBefore=2026-03-02T00:00:00%2B08:00": {"Harbour audit", "Harbour rollout"},
		"closedBefore=2026-01-01T00:00:00Z":                                        {},
		"expectedFrom=2026-06-30&expectedTo=2026-06-30":                            {"Acme renewal"},
		"companyId=" + models.NewID():                                              {},
		"q=acme&stageKind=OPEN&ownerId=" + s.Sales1.UserID:                         {"Acme expansion", "Acme renewal"},
	} {
		titles := []string{}
		for _, item := range c.Get("/api/deals?" + query).Want(200).JSON().Items() {
			titles = append(titles, item.Text("title"))
		}
		require.Equal(t, want, titles, query)
	}
}

func TestActivities(t *testing.T) {
	t.Parallel()
	s := serve(t)
	c := s.As(t, s.Sales1)
	post := func(body string) string { return c.Post("/api/activities", body).Want(201).JSON().Text("id") }
	call := post(`{"kind":"CALL","subject":"Call","dealId":"` + s.AcmeRenewal.ID + `","at":"2026-02-01T10:00:00+08:00"}`)
	note := post(`{"kind":"NOTE","subject":"Note","companyId":"` + s.Acme.ID + `"}`)
	require.Equal(t, int64(1), version(c.Get("/api/deals/"+s.AcmeRenewal.ID).JSON()), "activities leave versions alone")
	require.Equal(t, "2026-02-01T02:00:00Z", c.Get("/api/activities/" + call).JSON()["at"])
	for query, want := range map[string][]string{
		"companyId=" + s.Acme.ID: {note, call}, "dealId=" + s.AcmeRenewal.ID: {call}, "kind=NOTE": {note}, "sort=at": {call, note},
		"ownerId=" + s.Sales2.UserID: {},
	} {
		ids := []string{}
		for _, item := range c.Get("/api/activities?" + query).Want(200).JSON().Items() {
			ids = append(ids, item.Text("id"))
		}
		require.Equal(t, want, ids, query)
	}
	require.Equal(t, note, c.Get("/api/companies/"+s.Acme.ID+"/timeline?limit=1").JSON().Text("items", 0, "id"))
	c.Get("/api/companies/"+s.Harbour.ID+"/timeline").Refused(404, "NOT_FOUND")
	c.Post("/api/activities", `{"kind":"NOTE","subject":"Loose"}`).Refused(422, "INVALID")
	c.Post("/api/activities", `{"kind":"SYSTEM","subject":"Forged","dealId":"`+s.AcmeRenewal.ID+`"}`).Refused(422, "INVALID")
	c.Patch("/api/activities/"+note, `{"version":1,"kind":"SYSTEM"}`).Refused(422, "INVALID")
}
