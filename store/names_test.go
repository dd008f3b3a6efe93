package store_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// addCompanies adds shared companies by name.
func addCompanies(t *testing.T, w *dbtest.World, names ...models.Strings) {
	t.Helper()
	w.InTx(t, func(tx *store.Tx) {
		for _, n := range names {
			c := models.Company{Record: models.NewRecord(w.Clock.Now()), Name: n[0], OtherNames: n[1:], Status: models.CompanyLead}
			require.NoError(t, tx.InsertCompany(t.Context(), w.Grant(t, w.Admin, rbac.CompanyCreate), &c))
		}
	})
}

// SEC-42: the characters of LIKE and of SQL are just characters, for lists and for the resolver.
func TestNamesAreFoundAsTheyAre(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		addCompanies(t, w,
			models.Strings{"100% Pure"}, models.Strings{"1000 Pure"}, models.Strings{"a_b"}, models.Strings{"axb"}, models.Strings{`back\slash`}, models.Strings{`ends with \`},
			models.Strings{`O'Neil "Q"`}, models.Strings{"ＦＵＬＬ　Ｗｉｄｔｈ"}, models.Strings{"Straße"}, models.Strings{"香港海港食品有限公司", "HK Harbour"}, models.Strings{"中環匯豐"})
		for _, c := range []struct {
			text string
			want []string
		}{
			{"100%", []string{"100% Pure"}},
			{"%", []string{"100% Pure"}},
			{"_", []string{"a_b"}},
			{"a_b", []string{"a_b"}},
			{`\`, []string{`back\slash`, `ends with \`}},
			{`with \`, []string{`ends with \`}},
			{`\%`, nil},
			{`'`, []string{`O'Neil "Q"`}},
			{`' OR 1=1 --`, nil},
			{"full width", []string{"ＦＵＬＬ　Ｗｉｄｔｈ"}},
			{"ＰＵＲＥ", []string{"100% Pure", "1000 Pure"}},
			{"  PURE  ", []string{"100% Pure", "1000 Pure"}},
			{"STRASSE", []string{"Straße"}},
			{"港食", []string{"Harbour Foods 海港食品", "香港海港食品有限公司"}},
			{"hk harb", []string{"香港海港食品有限公司"}},
			{"环", nil},
			{"環", []string{"Globex Corporation", "中環匯豐"}},
		} {
			w.View(t, func(r *store.Reader) {
				g := w.Grant(t, w.Admin, rbac.CompanyRead)
				page, err := r.Companies(t.Context(), g, store.CompanyFilter{Text: c.text}, store.Page{})
				require.NoError(t, err)
				require.ElementsMatch(t, c.want, ids(page.Items, func(v store.CompanyView) string { return v.Name }), "list %q", c.text)
				require.Equal(t, int64(len(c.want)), page.Total)

				query := store.NameQuery{Kind: models.TypeCompany, Key: models.FoldName(c.text), Match: store.MatchContains, Limit: 20}
				hits, err := r.ByName(t.Context(), g, query)
				require.NoError(t, err)
				require.ElementsMatch(t, c.want, ids(hits, func(h store.NameHit) string { return h.Name }), "contains %q", c.text)
				n, err := r.CountByName(t.Context(), g, query)
				require.NoError(t, err)
				require.Equal(t, int64(len(c.want)), n)
			})
		}
	})
}

func TestByNameOrder(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		addCompanies(t, w, models.Strings{"My Delta"}, models.Strings{"Other", "Delta"}, models.Strings{"Deltaplan", "The Delta"})
		w.Clock.Advance(time.Second)
		addCompanies(t, w, models.Strings{"Deltas"}, models.Strings{"delta"})
		names := func(n store.NameQuery) (list []string) {
			w.View(t, func(r *store.Reader) {
				hits, err := r.ByName(t.Context(), w.Grant(t, w.Admin, rbac.CompanyRead), n)
				require.NoError(t, err)
				list = ids(hits, func(h store.NameHit) string { return h.Name })
			})
			return list
		}
		n := store.NameQuery{Kind: models.TypeCompany, Key: "delta", Match: store.MatchContains, Limit: 10}
		got := names(n)
		require.ElementsMatch(t, []string{"delta", "Other"}, got[:2], "exact before prefix, other names as good as the main one")
		require.Equal(t, []string{"Deltas", "Deltaplan"}, got[2:4], "then by prefix, the latest first")
		require.Equal(t, "My Delta", got[4])
		require.Len(t, got, 5, "each record once")
		n.Limit = 2
		require.Equal(t, got[:2], names(n))
		n.Match, n.Limit = store.MatchExact, 10
		require.ElementsMatch(t, []string{"delta", "Other"}, names(n))
	})
}

func TestNamesOfEveryKind(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		for _, c := range []struct {
			kind        models.RecordType
			text        string
			parent      string
			id, detail  string
			hits, match int
		}{
			{models.TypeCompany, "艾克美貿易有限公司", "", w.Acme.ID, "Sam Sales", 1, 0},
			{models.TypeDeal, "d-1001", "", w.AcmeRenewal.ID, "New · Sam Sales", 1, 0},
			{models.TypeProduct, "cr-100", "", w.Crane.ID, "CR-100", 1, 0},
			{models.TypePerson, "siu ming 小明", "", w.Sales2.UserID, "Alpha", 1, 0},
			{models.TypeTeam, "alpha", "", w.Alpha.ID, "", 1, 0},
			{models.TypePipeline, "selling", "", w.Selling.ID, "", 1, 0},
			{models.TypeStage, "報價", "", "", "", 2, 0},
			{models.TypeStage, "報價", w.Renewals.ID, w.Proposal2.ID, "Renewals", 1, 0},
			{models.TypePerson, "dan disabled", "", "", "", 0, 0},
		} {
			w.View(t, func(r *store.Reader) {
				p, ok := store.NamePermission(c.kind)
				require.True(t, ok)
				g := w.Grant(t, w.Admin, p)
				hits, err := r.ByName(t.Context(), g, store.NameQuery{Kind: c.kind, Key: models.FoldName(c.text), Parent: c.parent, Limit: 5})
				require.NoError(t, err)
				require.Len(t, hits, c.hits, "%s %s", c.kind, c.text)
				if c.hits != 1 {
					return
				}
				require.Equal(t, c.id, hits[0].RecordID)
				require.Equal(t, c.kind, hits[0].Kind)
				require.Equal(t, c.detail, hits[0].Detail)
				require.Equal(t, models.FoldName(c.text), hits[0].MatchedKey)
				byID, err := r.NameByID(t.Context(), g, c.kind, c.id, c.parent)
				require.NoError(t, err)
				require.Equal(t, hits[0].Name, byID.Name)
				require.Equal(t, hits[0].Detail, byID.Detail)
			})
		}
	})
}

func TestStageOfAnotherPipelineIsNotFound(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		w.View(t, func(r *store.Reader) {
			hit, err := r.NameByID(t.Context(), w.Grant(t, w.Sales1, rbac.PipelineRead), models.TypeStage, w.Proposal.ID, w.Renewals.ID)
			require.NoError(t, err)
			require.Nil(t, hit)
		})
	})
}

func TestPersonByEmail(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		w.View(t, func(r *store.Reader) {
			g := w.Grant(t, w.Viewer, rbac.UserRead)
			hit, err := r.PersonByEmail(t.Context(), g, "sales3@example.test")
			require.NoError(t, err)
			require.Equal(t, w.Sales3.UserID, hit.RecordID)
			for _, nobody := range []string{"disabled@example.test", "sales3@example.tes_", "%", ""} {
				hit, err = r.PersonByEmail(t.Context(), g, nobody)
				require.NoError(t, err)
				require.Nil(t, hit, nobody)
			}
		})
	})
}

func TestSimilarNames(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		similar := func(texts ...string) (list []string) {
			var sets [][]string
			for _, text := range texts {
				sets = append(sets, strings.Split(text, "+"))
			}
			w.View(t, func(r *store.Reader) {
				hits, err := r.SimilarNames(t.Context(), w.Grant(t, w.Sales1, rbac.CompanyRead), models.TypeCompany, "", sets)
				require.NoError(t, err)
				list = ids(hits, func(h store.NameHit) string { return h.MatchedKey })
			})
			return list
		}
		require.Equal(t, []string{"acme trading limited"}, similar("acm", "rad", "zzz"))
		require.Equal(t, []string{"acme trading limited"}, similar("acm+ing", "acm+zzz"), "all texts of a set")
		require.Equal(t, []string{"九龍渡輪"}, similar("渡輪"))
		require.Empty(t, similar("glo", "環球"), "what one may not see is no suggestion")
		require.Empty(t, similar("%", "_"))
		require.Len(t, similar(), 4, "both names of both companies")
	})
}

func TestFilters(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		june, july := models.Date("2026-06-30"), models.Date("2026-07-01")
		for name, c := range map[string]struct {
			filter store.DealFilter
			want   []string
		}{
			"none":     {store.DealFilter{}, []string{"Acme renewal", "Acme expansion", "Globex pilot 試用", "Ferry fleet", "Harbour rollout", "Harbour audit"}},
			"pipeline": {store.DealFilter{PipelineID: w.Renewals.ID}, []string{"Ferry fleet", "Harbour audit"}},
			"stages":   {store.DealFilter{StageIDs: []string{w.New.ID, w.Won.ID}}, []string{"Acme renewal", "Harbour rollout"}},
			"kind":     {store.DealFilter{StageKind: models.StageLost}, []string{"Harbour audit"}},
			"owner":    {store.DealFilter{OwnerID: w.Sales1.UserID}, []string{"Acme renewal", "Acme expansion"}},
			"team":     {store.DealFilter{TeamID: w.Beta.ID}, []string{"Harbour rollout", "Harbour audit"}},
			"company":  {store.DealFilter{CompanyID: w.Ferry.ID}, []string{"Ferry fleet"}},
			"product":  {store.DealFilter{ProductID: w.Crane.ID}, []string{"Acme renewal"}},
			"text":     {store.DealFilter{Text: "試用"}, []string{"Globex pilot 試用"}},
			"id text":  {store.DealFilter{Text: "D-100"}, []string{"Acme renewal"}},
			"on day":   {store.DealFilter{ExpectedFrom: &june, ExpectedTo: &june}, []string{"Acme renewal"}},
			"from day": {store.DealFilter{ExpectedFrom: &july}, nil},
			"all":      {store.DealFilter{OwnerID: w.Sales1.UserID, Text: "renewal", StageKind: models.StageOpen, TeamID: w.Alpha.ID}, []string{"Acme renewal"}},
		} {
			w.View(t, func(r *store.Reader) {
				page, err := r.Deals(t.Context(), w.DealGrants(t, w.Admin), c.filter, store.Page{})
				require.NoError(t, err, name)
				require.ElementsMatch(t, c.want, ids(page.Items, func(v store.DealView) string { return v.Title }), name)
			})
		}
	})
}

func TestSummary(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		big := w.GlobexPilot
		big.SetAmount(&models.Money{Minor: 9_007_199_254_740_993, Currency: "HKD"}) // not a float
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.UpdateDeal(t.Context(), w.Grant(t, w.Admin, rbac.DealUpdate), &w.GlobexPilot, &big, moment))
		})
		w.View(t, func(r *store.Reader) {
			rows, err := r.SummarizeDeals(t.Context(), w.DealGrants(t, w.Admin), store.DealFilter{}, "team")
			require.NoError(t, err)
			require.Equal(t, []store.DealSummaryRow{
				{Key: w.Alpha.ID, Label: "Alpha", Deals: 1},
				{Key: w.Alpha.ID, Label: "Alpha", Currency: "HKD", Deals: 3, SumMinor: 9_007_199_254_740_993 + 420_000_00},
				{Key: w.Beta.ID, Label: "Beta", Currency: "HKD", Deals: 2, Won: 1, Lost: 1, SumMinor: 46_000_00, WonMinor: 45_000_00},
			}, rows)
			_, err = r.SummarizeDeals(t.Context(), w.DealGrants(t, w.Admin), store.DealFilter{}, "owner; DROP TABLE deals")
			requireCode(t, err, "INVALID")
		})
	})
}

func TestOtherFilters(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		ctx := t.Context()
		call := models.Activity{Record: models.NewRecord(moment), Kind: models.ActivityCall, At: moment, DealID: &w.AcmeRenewal.ID, OwnerID: w.Sales1.UserID}
		note := models.Activity{Record: models.NewRecord(moment), Kind: models.ActivityNote, At: moment, CompanyID: &w.Acme.ID, OwnerID: w.Manager.UserID}
		child := w.Globex
		child.ParentID = &w.Acme.ID
		w.InTx(t, func(tx *store.Tx) {
			for _, a := range []*models.Activity{&call, &note} {
				require.NoError(t, tx.InsertActivity(ctx, w.Grant(t, w.Admin, rbac.ActivityCreate), a))
			}
			require.NoError(t, tx.UpdateCompany(ctx, w.Grant(t, w.Admin, rbac.CompanyUpdate), &child, moment))
		})
		w.View(t, func(r *store.Reader) {
			for _, c := range []struct {
				filter store.ActivityFilter
				want   []string
			}{
				{store.ActivityFilter{}, []string{call.ID, note.ID}},
				{store.ActivityFilter{DealID: w.AcmeRenewal.ID}, []string{call.ID}},
				{store.ActivityFilter{OwnerID: w.Manager.UserID}, []string{note.ID}},
				{store.ActivityFilter{Kind: models.ActivityCall}, []string{call.ID}},
				{store.ActivityFilter{Kind: models.ActivityCall, OwnerID: w.Manager.UserID}, nil},
				{store.ActivityFilter{CompanyID: w.Acme.ID}, []string{call.ID, note.ID}},
				{store.ActivityFilter{CompanyID: w.Globex.ID}, nil},
			} {
				page, err := r.Activities(ctx, w.ActivityGrants(t, w.Admin), c.filter, store.Page{})
				require.NoError(t, err)
				require.ElementsMatch(t, c.want, ids(page.Items, func(v store.ActivityView) string { return v.ID }))
				require.Equal(t, int64(len(c.want)), page.Total)
			}
			for _, c := range []struct {
				filter store.CompanyFilter
				want   []string
			}{
				{store.CompanyFilter{OwnerID: w.Sales1.UserID}, []string{w.Acme.ID}},
				{store.CompanyFilter{Status: models.CompanyLead}, []string{w.Globex.ID}},
				{store.CompanyFilter{ParentID: w.Acme.ID}, []string{w.Globex.ID}},
			} {
				page, err := r.Companies(ctx, w.Grant(t, w.Admin, rbac.CompanyRead), c.filter, store.Page{})
				require.NoError(t, err)
				require.ElementsMatch(t, c.want, ids(page.Items, func(v store.CompanyView) string { return v.ID }))
			}
			for text, want := range map[string][]string{
				"": {"CR-100", "PL-1", "OLD-1"}, "卡板": {"PL-1"}, "-1": {"CR-100", "PL-1", "OLD-1"}, "crane": {"CR-100"}, "zzz": nil,
				"HARBOURcrane": {"CR-100"}, "bour cra": {"CR-100"}, "retired  winch": {"OLD-1"}, "o_d": nil, "p l-1": {"PL-1"},
			} {
				page, err := r.Products(ctx, w.Grant(t, w.Viewer, rbac.ProductRead), text, store.Page{})
				require.NoError(t, err)
				require.ElementsMatch(t, want, ids(page.Items, func(p models.Product) string { return p.SKU }), text)
				require.Equal(t, int64(len(want)), page.Total)
			}
		})
	})
}
