package store_test

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/rbac"
	"countersign/resolve"
	"countersign/store"
)

// BenchmarkNames measures the steps from a text to a record, over COUNTERSIGN_BENCH_NAMES companies of two names each.
// Every measurement asks for other names; p99-ms is what one in a hundred exceeds.
func BenchmarkNames(b *testing.B) {
	size := 20_000
	if s := os.Getenv("COUNTERSIGN_BENCH_NAMES"); s != "" {
		var err error
		size, err = strconv.Atoi(s)
		require.NoError(b, err)
	}
	for _, dialect := range dbtest.Dialects {
		b.Run(dialect, func(b *testing.B) {
			db := dbtest.Open(b, dialect)
			c := newCrowd(b, dbtest.NewWorld(b, db), dbtest.Raw(b, db), size)
			for _, scope := range []struct {
				name  string
				actor models.Actor
			}{{"all", c.Admin}, {"team", c.Manager}, {"own", c.Sales1}} {
				b.Run(scope.name, func(b *testing.B) { c.measure(b, scope.actor) })
			}
			b.Run("recall_Latin", func(b *testing.B) { c.recall(b, func(of crowdCompany) string { return of.latin }) })
			b.Run("recall_Chinese", func(b *testing.B) { c.recall(b, func(of crowdCompany) string { return of.chinese }) })
		})
	}
}

// crowd is the World with a great many companies.
type crowd struct {
	*dbtest.World
	*resolve.Resolver
	companies []crowdCompany
	random    *rand.Rand
}

type crowdCompany struct {
	id, latin, chinese string
	owner              *string
	updated            time.Time
}

func (c *crowd) measure(b *testing.B, actor models.Actor) {
	g := c.Grant(b, actor, rbac.CompanyRead)
	byName := func(match store.NameMatch) func(*store.Reader, string) error {
		return func(r *store.Reader, text string) error {
			n := store.NameQuery{Kind: models.TypeCompany, Key: models.FoldName(text), Match: match, Limit: resolve.MaxCandidates + 1}
			_, err := r.ByName(b.Context(), g, n)
			return err
		}
	}
	contains := byName(store.MatchContains)
	nearest := func(_ *store.Reader, text string) error {
		_, err := c.Lookup(b.Context(), actor, resolve.Query{Kind: models.TypeCompany, Text: text})
		return err
	}
	for _, step := range []struct {
		name string
		text func(crowdCompany) string
		ask  func(*store.Reader, string) error
	}{
		{"id", func(of crowdCompany) string { return of.id }, func(r *store.Reader, id string) error {
			_, err := r.NameByID(b.Context(), g, models.TypeCompany, id, "")
			return err
		}},
		{"exact", func(of crowdCompany) string { return of.latin }, byName(store.MatchExact)},
		{"contains_Latin_6", func(of crowdCompany) string { return c.part(of.latin, 6) }, contains},
		{"contains_Chinese_2", func(of crowdCompany) string { return c.part(of.chinese, 2) }, contains},
		{"contains_2_letters", func(of crowdCompany) string { return c.part(of.latin, 2) }, contains},
		{"contains_common", func(crowdCompany) string { return pick(c.random, commonTexts) }, contains},
		{"contains_nothing", func(of crowdCompany) string { return c.part(of.latin, 5) + " " + c.part(of.latin, 5) }, contains},
		{"count_common", func(crowdCompany) string { return pick(c.random, commonTexts) }, func(r *store.Reader, text string) error {
			_, err := r.CountByName(b.Context(), g, store.NameQuery{Kind: models.TypeCompany, Key: models.FoldName(text), Match: store.MatchContains})
			return err
		}},
		{"nearest_Latin", func(of crowdCompany) string { return c.slip(of.latin) }, nearest},
		{"nearest_Chinese", func(of crowdCompany) string { return c.slip(of.chinese) }, nearest},
	} {
		b.Run(step.name, func(b *testing.B) { c.time(b, step.text, step.ask) })
	}
}

// time asks for the names of companies at random and reports the spread of the times. Each text is asked for three
// times and the shortest counts, so that what else the machine does stays out.
func (c *crowd) time(b *testing.B, text func(crowdCompany) string, ask func(*store.Reader, string) error) {
	c.View(b, func(r *store.Reader) {
		require.NoError(b, ask(r, "warm up"))
		type answer struct {
			took time.Duration
			text string
		}
		var answers []answer
		for b.Loop() {
			a := answer{time.Hour, text(pick(c.random, c.companies))}
			for range 3 {
				start := time.Now()
				require.NoError(b, ask(r, a.text))
				a.took = min(a.took, time.Since(start))
			}
			answers = append(answers, a)
		}
		slices.SortFunc(answers, func(a, b answer) int { return cmp.Compare(a.took, b.took) })
		at := func(share float64) float64 {
			return answers[int(share*float64(len(answers)-1))].took.Seconds() * 1000
		}
		b.ReportMetric(at(0.5), "p50-ms")
		b.ReportMetric(at(0.99), "p99-ms")
		for _, slow := range answers[max(0, len(answers)-3):] {
			b.Logf("among the slowest: %.1f ms %q", slow.took.Seconds()*1000, slow.text)
		}
	})
}

// part is a random stretch of a name.
func (c *crowd) part(name string, length int) string {
	runes := []rune(name)
	length = min(length, len(runes))
	start := c.random.IntN(len(runes) - length + 1)
	return string(runes[start : start+length])
}

// slip types a name with one mistake.
func (c *crowd) slip(name string) string {
	runes := []rune(name)
	i := 1 + c.random.IntN(len(runes)-2)
	switch c.random.IntN(3) {
	case 0:
		runes[i], runes[i-1] = runes[i-1], runes[i]
	case 1:
		runes[i] = '鑫'
		if runes[i-1] < 0x80 {
			runes[i] = 'q'
		}
	default:
		runes = slices.Delete(runes, i, i+1)
	}
	return string(runes)
}

// recall reports how often the meant company is among the first five of a name with one mistake.
func (c *crowd) recall(b *testing.B, name func(crowdCompany) string) {
	found, asked := 0, 0
	for b.Loop() {
		of := pick(c.random, c.companies)
		result, err := c.Lookup(b.Context(), c.Admin, resolve.Query{Kind: models.TypeCompany, Text: c.slip(name(of))})
		require.NoError(b, err)
		asked++
		if slices.ContainsFunc(result.Candidates[:min(5, len(result.Candidates))], func(a apperr.Candidate) bool { return a.ID == of.id }) || result.Match != nil && result.Match.ID == of.id {
			found++
		}
	}
	b.ReportMetric(float64(found)/float64(asked), "recall@5")
}

var (
	commonTexts = []string{"trading", "limited", "hong kong", "international", "有限公司", "貿易", "香港"}
	trades      = strings.Fields("Trading International Logistics Engineering Foods Holdings Enterprises Development Garments Electronics Marine Optical Printing Jewellery Seafood Medical Construction Travel")
	zhTrades    = strings.Fields("貿易 國際 物流 工程 食品 控股 企業 發展 製衣 電子 海事 眼鏡 印刷 珠寶 海味 醫療 建築 旅遊")
	places      = strings.Fields("Asia Pacific Kowloon Golden Sun Wah United Eastern Lucky Royal Victoria Harbour")
	suffixes    = []string{"Limited", "Company Limited", "(Hong Kong) Limited", "Group Limited", "Co.", "& Sons Ltd"}
	zhRunes     = []rune("永樂安昌盛興隆福祥和順利泰豐裕達華新光明金銀寶玉龍鳳天地人山海江河東南西北中大小長平正義信誠德仁美麗春夏秋冬高遠廣博文武英雄才智星月雲風雷電石木林森火土水松柏梅蘭竹菊鶴鷹虎獅象鹿馬羊千萬百億全通匯聯合同心力健康富貴榮耀輝煌成功")
	syllables   = strings.Fields("ka lo mi ta ren sol vex dor pin qua zel bra fen gis hux jor kel lam mon nov ost pra ril sen tuv ul vor wex yan zor chi leung wai fai kin shing tak yuen")
)

func pick[T any](random *rand.Rand, list []T) T { return list[random.IntN(len(list))] }

// skewed picks the first ones of a list most often.
func skewed[T any](random *rand.Rand, list []T) T {
	x := random.Float64()
	return list[int(x*x*x*float64(len(list)))]
}

// newCrowd adds companies past the services: a few people own most of them, two in a hundred are shared.
func newCrowd(b testing.TB, w *dbtest.World, raw *sql.DB, size int) *crowd {
	b.Helper()
	c := &crowd{World: w, Resolver: resolve.New(w.DB, w.Gate), random: rand.New(rand.NewPCG(1, 2))}
	owners := c.addOwners(b)
	brands := make([]string, 20_000)
	for i := range brands {
		brand := ""
		for range 2 + c.random.IntN(2) {
			brand += pick(c.random, syllables)
		}
		brands[i] = strings.ToUpper(brand[:1]) + brand[1:]
	}
	for range size {
		c.companies = append(c.companies, c.invent(brands, owners))
	}
	load(b, raw, w.DB.Dialect(), c.companies)
	return c
}

func (c *crowd) invent(brands []string, owners []string) crowdCompany {
	words := []string{skewed(c.random, brands), skewed(c.random, trades), skewed(c.random, suffixes)}
	if c.random.IntN(3) == 0 {
		words = slices.Insert(words, c.random.IntN(2), pick(c.random, places))
	}
	chinese := string([]rune{skewed(c.random, zhRunes), pick(c.random, zhRunes)}) + skewed(c.random, zhTrades) + "有限公司"
	switch c.random.IntN(5) {
	case 0:
		chinese = "香港" + chinese
	case 1:
		chinese = string(pick(c.random, zhRunes)) + chinese
	}
	of := crowdCompany{
		id: models.NewID(), latin: strings.Join(words, " "), chinese: chinese,
		updated: dbtest.Start.Add(-time.Duration(c.random.Int64N(int64(3 * 365 * 24 * time.Hour)))).Truncate(time.Microsecond),
	}
	if c.random.IntN(50) > 0 {
		of.owner = &owners[c.random.IntN(len(owners))]
	}
	return of
}

// addOwners adds people until there are 200 in all, seven of them in the Alpha team.
func (c *crowd) addOwners(b testing.TB) []string {
	owners := []string{c.Manager.UserID, c.Sales1.UserID, c.Sales2.UserID, c.Sales3.UserID, c.Manager2.UserID}
	c.InTx(b, func(tx *store.Tx) {
		for i := len(owners); i < 200; i++ {
			u := models.User{
				ID: models.NewID(), Email: fmt.Sprintf("owner%d@example.test", i), Name: fmt.Sprint("Owner ", i), NameKey: fmt.Sprint("owner ", i), PasswordHash: "!",
				Role: "sales", Lang: "en", Version: 1, CreatedAt: dbtest.Start, UpdatedAt: dbtest.Start, TeamID: &c.Beta.ID,
			}
			if i%50 == 0 || i == 5 {
				u.TeamID = &c.Alpha.ID
			}
			require.NoError(b, tx.InsertUser(b.Context(), &u))
			owners = append(owners, u.ID)
		}
	})
	return owners
}

var (
	companyColumns = []string{"id", "name", "other_names", "industry", "status", "website", "phone", "address", "owner_id", "tags", "notes", "version", "created_at", "updated_at"}
	nameColumns    = []string{"kind", "record_id", "position", "name", "name_key", "owner_id", "updated_at", "grams"}
)

func load(b testing.TB, raw *sql.DB, dialect string, companies []crowdCompany) {
	b.Helper()
	names := func(i int) []any {
		of, position := companies[i/2], i%2
		name := []string{of.latin, of.chinese}[position]
		key := models.FoldName(name)
		return []any{"company", of.id, position, name, key, of.owner, of.updated, store.NameGrams(models.TypeCompany, key, of.owner)}
	}
	records := func(i int) []any {
		of := companies[i]
		return []any{of.id, of.latin, `["` + of.chinese + `"]`, "", "LEAD", "", "", "", of.owner, "[]", "", 1, of.updated, of.updated}
	}
	if dialect == "postgres" {
		copyInto(b, raw, "companies", companyColumns, len(companies), records)
		indexAgain := dropIndexes(b, raw)
		copyInto(b, raw, "record_names", nameColumns, 2*len(companies), names)
		for _, statement := range append(indexAgain, "VACUUM ANALYZE") {
			_, err := raw.ExecContext(b.Context(), statement)
			require.NoError(b, err)
		}
		return
	}
	insertInto(b, raw, "companies", companyColumns, len(companies), records)
	insertInto(b, raw, "record_names", nameColumns, 2*len(companies), names)
}

// dropIndexes drops the indexes of names, which are faster made at once, and gives the statements that make them again.
func dropIndexes(b testing.TB, raw *sql.DB) (again []string) {
	b.Helper()
	rows, err := raw.QueryContext(b.Context(), "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'record_names' AND indexname NOT LIKE '%_pkey'")
	require.NoError(b, err)
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name, definition string
		require.NoError(b, rows.Scan(&name, &definition))
		names, again = append(names, name), append(again, definition)
	}
	require.NoError(b, rows.Err())
	_, err = raw.ExecContext(b.Context(), "DROP INDEX "+strings.Join(names, ", "))
	require.NoError(b, err)
	return again
}

func copyInto(b testing.TB, raw *sql.DB, table string, columns []string, n int, row func(int) []any) {
	b.Helper()
	conn, err := raw.Conn(b.Context())
	require.NoError(b, err)
	defer conn.Close()
	require.NoError(b, conn.Raw(func(driver any) error {
		_, err := driver.(*stdlib.Conn).Conn().CopyFrom(context.Background(), pgx.Identifier{table}, columns,
			pgx.CopyFromSlice(n, func(i int) ([]any, error) { return row(i), nil }))
		return err
	}))
}

func insertInto(b testing.TB, raw *sql.DB, table string, columns []string, n int, row func(int) []any) {
	b.Helper()
	tx, err := raw.BeginTx(b.Context(), nil)
	require.NoError(b, err)
	insert, err := tx.PrepareContext(b.Context(), "INSERT INTO "+table+" ("+strings.Join(columns, ", ")+") VALUES (?"+strings.Repeat(", ?", len(columns)-1)+")")
	require.NoError(b, err)
	defer insert.Close()
	for i := range n {
		values := row(i)
		for j, v := range values {
			if at, ok := v.(time.Time); ok {
				values[j] = at.UTC().Format("2006-01-02 15:04:05.999999-07:00")
			}
		}
		_, err := insert.ExecContext(b.Context(), values...)
		require.NoError(b, err)
	}
	require.NoError(b, tx.Commit())
}
