package store

import (
	"context"
	"slices"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"countersign/models"
	"countersign/rbac"
)

// A search is decided in record_names alone; what a hit looks like is read at the end, for the hits that count.
// There are three ways through the table, each fast where another is slow:
//
//   - the range of names that begin with a text, where these are not too many;
//   - the names that hold the grams of a text, where these are not too many;
//   - the names in the order of their last update, until enough of them match, where many do.
//
// The census says which way is short. The answer is the same on each.

const (
	// MaxCounted is the highest number that CountByName gives: it means that many or more.
	MaxCounted = 500

	// walkedPerFetched is how many names are read in the order of an index while one is fetched by its grams.
	walkedPerFetched = 5
	// markedPerWalked is the share of a name's reading that it takes to find in an index that it holds a gram.
	markedPerWalked = 0.2
	// longWalk is how many names are read in the order of their last update before a search gives that way up.
	longWalk = 20_000
	// maxRange is how many names that begin alike are read, rather than a walk tried.
	maxRange = 5000
	// maxSet is how many grams of a set are asked for: more of them cost more than they leave out.
	maxSet = 3
	// maxOwners is how many people a scope may hold for their grams to narrow a search.
	maxOwners = 100
)

// ByName finds records by name; each record comes once, by the name that matches best.
func (r *Reader) ByName(ctx context.Context, g rbac.Grant, n NameQuery) ([]NameHit, error) {
	f, err := r.finder(ctx, g, n)
	if err != nil {
		return nil, err
	}
	if n.Match == MatchExact {
		return f.details(f.exact())
	}
	hits, err := f.beginning()
	if err == nil && len(hits) < n.Limit {
		var more []NameHit
		more, err = f.containing()
		hits = merge(hits, more)
	}
	return f.details(hits[:min(len(hits), n.Limit)], err)
}

// merge appends the hits on records that are not among them.
func merge(hits, more []NameHit) []NameHit {
	for _, hit := range more {
		if !slices.ContainsFunc(hits, func(h NameHit) bool { return h.RecordID == hit.RecordID }) {
			hits = append(hits, hit)
		}
	}
	return hits
}

// CountByName counts the records that ByName would find without its limit, up to MaxCounted.
func (r *Reader) CountByName(ctx context.Context, g rbac.Grant, n NameQuery) (int64, error) {
	f, err := r.finder(ctx, g, n)
	if err != nil {
		return 0, err
	}
	// Most records have one or two names: so many names are enough records, or else all are counted.
	const enough = 2 * MaxCounted
	f.query.Limit = enough
	var q *gorm.DB
	switch {
	case n.Match == MatchExact:
		q = f.names().Where("n.name_key = ?", n.Key)
	case f.sets == nil || f.steps() < f.marked()*markedPerWalked:
		q = f.names().Where(nameContains, likePattern(n.Key)).Order(latestFirst)
	default:
		q = f.holding(f.sets, likePattern(n.Key))
	}
	names, records, err := f.count(q.Limit(enough))
	if err == nil && names == enough && records < MaxCounted {
		_, records, err = f.count(q.Limit(-1))
	}
	return min(records, MaxCounted), err
}

// finder is one search for names. Its grams are nil where a text is too short to have any.
type finder struct {
	*Reader
	ctx    context.Context
	grant  rbac.Grant
	query  NameQuery
	census *census
	sets   [][]string
	// expected is how many names in scope are likely to contain the text.
	expected float64
	// owners are the grams of the owners within the scope, nil for no bounds; share is theirs of all names.
	owners []string
	share  float64
}

func (r *Reader) finder(ctx context.Context, g rbac.Grant, n NameQuery) (*finder, error) {
	if err := g.For(nameSources[n.Kind].permission); err != nil {
		return nil, err
	}
	f := &finder{Reader: r.replanned(ctx), ctx: ctx, grant: g, query: n, share: 1}
	if n.Match == MatchExact {
		return f, nil
	}
	var err error
	if f.census, err = r.census(ctx); err != nil {
		return nil, err
	}
	for _, set := range queryGrams(n.Kind, n.Key) {
		f.sets = append(f.sets, f.rarest(set))
	}
	if err := f.findOwners(); err != nil {
		return nil, err
	}
	f.expected = f.census.containing(n.Kind, n.Key) * f.share
	return f, nil
}

// marked estimates how many names hold a set's rarest gram.
func (f *finder) marked() (names float64) {
	for _, set := range f.sets {
		names += f.census.holding(set[0])
	}
	return names
}

// ownedKinds are the kinds whose owners alone decide who sees a name, shared companies aside.
var ownedKinds = []models.RecordType{models.TypeCompany, models.TypeDeal, models.TypeTask, models.TypeQuotation}

// findOwners narrows the search to the owners within the scope of the grant.
func (f *finder) findOwners() error {
	if f.grant.Scope() == rbac.ScopeAll || !slices.Contains(ownedKinds, f.query.Kind) {
		return nil
	}
	owned := ownedBy(f.grant, "users.id")
	var ids []string
	err := f.q.WithContext(f.ctx).Table("users").Where(owned.sql, owned.args...).Limit(maxOwners+1).Pluck("id", &ids).Error
	if err != nil || len(ids) > maxOwners {
		return translate(err)
	}
	if f.query.Kind == models.TypeCompany {
		f.owners = []string{ownerGram(f.query.Kind, nil)}
	}
	held := 0.0
	for _, id := range ids {
		f.owners = append(f.owners, ownerGram(f.query.Kind, &id))
	}
	for _, gram := range f.owners {
		held += f.census.holding(gram)
	}
	f.share = min(1, held/f.census.named(f.query.Kind))
	return nil
}

// rarest keeps the grams of a set that the fewest names hold, from different parts of the text: neighbours say the same.
func (f *finder) rarest(set []string) (rare []string) {
	order := make([]int, len(set))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return f.census.grams[set[a]] - f.census.grams[set[b]] })
	var kept []int
	for _, i := range order {
		apart := !slices.ContainsFunc(kept, func(k int) bool { return max(i-k, k-i) < 2 })
		if apart && len(rare) < maxSet {
			kept, rare = append(kept, i), append(rare, set[i])
		}
	}
	return rare
}

// names selects from the names within the grant's scope.
func (f *finder) names() *gorm.DB {
	return where(f.q.WithContext(f.ctx).Table("record_names n"), f.within())
}

// within is a condition on a FROM item n: that it is a live name within the grant's scope.
func (f *finder) within() condition {
	kind, owned := condition{"n.kind = ?", []any{f.query.Kind}}, ownedBy(f.grant, "n.owner_id")
	switch f.query.Kind {
	case models.TypeCompany:
		return and(kind, or(owned, condition{"n.owner_id IS NULL", nil}))
	case models.TypeContact:
		seen := visibleContacts(f.grant, "k")
		return and(kind, or(owned, condition{"EXISTS (SELECT 1 FROM contacts k WHERE k.id = n.record_id AND " + seen.sql + ")", seen.args}))
	case models.TypeDeal, models.TypeTask, models.TypeQuotation:
		return and(kind, owned)
	case models.TypePerson:
		return and(kind, owned, condition{"n.record_id IN (SELECT id FROM users WHERE disabled_at IS NULL)", nil})
	case models.TypeProduct:
		return and(kind, condition{"n.record_id IN (SELECT id FROM products WHERE deleted_at IS NULL)", nil})
	case models.TypeStage:
		if f.query.Parent != "" {
			return and(kind, condition{"n.record_id IN (SELECT id FROM stages WHERE pipeline_id = ?)", []any{f.query.Parent}})
		}
	}
	return kind
}

// holding selects from the names that hold the grams of one of sets, and are like a pattern that is not empty.
func (f *finder) holding(sets [][]string, pattern string) *gorm.DB {
	rows := gramSearch{f.query.Kind, sets, f.owners, pattern}.rows(f.dialect)
	return where(f.q.WithContext(f.ctx).Table(rows.sql, rows.args...), f.within())
}

// walk selects from the names of the kind that were updated last.
func (f *finder) walk(steps int) *gorm.DB {
	return where(f.q.WithContext(f.ctx).Table(
		"(SELECT * FROM record_names WHERE kind = ? ORDER BY updated_at DESC, record_id LIMIT ?) n", f.query.Kind, steps), f.within())
}

// steps is how long a walk is likely to be until it has met enough names that contain the text.
func (f *finder) steps() float64 {
	return float64(f.query.Limit) * f.census.named(f.query.Kind) / max(f.expected, 1)
}

// latestFirst is the order of records that match equally well.
const latestFirst = "n.updated_at DESC, n.record_id"

// latest gives the records of selected names, those first that were updated last.
func (f *finder) latest(q *gorm.DB) ([]NameHit, error) {
	return f.best(q, clause.Expr{SQL: latestFirst})
}

// bestName is the name of a record, of its names grouped by ofRecord, that stands for it.
const (
	bestName = "n.record_id, MIN(n.name_key) AS matched_key"
	ofRecord = "n.updated_at, n.record_id"
)

func (f *finder) best(q *gorm.DB, order clause.Expr) (hits []NameHit, err error) {
	err = q.Select(bestName).Group(ofRecord).
		Clauses(clause.OrderBy{Expression: order}).Limit(f.query.Limit).Scan(&hits).Error
	return hits, translate(err)
}

// walked is latest of the names on a walk, and false when there were not enough of them.
func (f *finder) walked(steps int, pattern string) (hits []NameHit, enough bool, err error) {
	hits, err = f.latest(f.walk(steps).Where(nameContains, pattern))
	return hits, len(hits) >= f.query.Limit, err
}

func (f *finder) exact() ([]NameHit, error) {
	same := and(f.within(), condition{"n.name_key = ?", []any{f.query.Key}})
	return find[NameHit](f.ctx, f.Reader, "SELECT "+bestName+" FROM record_names n WHERE "+same.sql+
		" GROUP BY "+ofRecord+" ORDER BY "+latestFirst+" LIMIT ?", append(same.args, f.query.Limit)...)
}

// beginning finds the names that begin with the text, the same name first.
func (f *finder) beginning() ([]NameHit, error) {
	between := beginningWith(f.names(), f.query.Key)
	if f.expected/f.share > maxRange/2 {
		if many, err := f.reaches(f.query.Key, maxRange); err != nil || many {
			return f.beginningOften(between, err)
		}
	}
	return f.sameFirst(between)
}

// beginningOften is beginning for a text that a great many names begin with, which between selects.
func (f *finder) beginningOften(between *gorm.DB, err error) ([]NameHit, error) {
	var same []NameHit
	if err == nil {
		same, err = f.exact()
	}
	if err != nil || len(same) >= f.query.Limit {
		return same, err
	}
	hits, enough, err := f.walked(longWalk, strings.TrimPrefix(likePattern(f.query.Key), "%"))
	if err != nil || enough {
		return merge(same, hits), err
	}
	return f.sameFirst(between)
}

// sameFirst is latest of names that begin with the text, of which the same name is the least.
func (f *finder) sameFirst(between *gorm.DB) ([]NameHit, error) {
	return f.best(between, clause.Expr{SQL: "CASE WHEN MIN(n.name_key) = ? THEN 0 ELSE 1 END, " + latestFirst, Vars: []any{f.query.Key}})
}

// reaches reports whether so many names of the kind, in scope or not, begin with a text.
func (f *finder) reaches(prefix string, many int) (bool, error) {
	var names int
	q := beginningWith(f.q.WithContext(f.ctx).Table("record_names n").Where("n.kind = ?", f.query.Kind), prefix)
	err := f.q.WithContext(f.ctx).Table("(?) c", q.Select("1").Limit(many)).Select("COUNT(*)").Scan(&names).Error
	return names == many, translate(err)
}

func beginningWith(q *gorm.DB, prefix string) *gorm.DB {
	q = q.Where("n.name_key >= ?", prefix)
	if end := afterPrefix(prefix); end != "" {
		q = q.Where("n.name_key < ?", end)
	}
	return q
}

// containing finds the names that contain the text.
func (f *finder) containing() ([]NameHit, error) {
	pattern, steps := likePattern(f.query.Key), f.steps()
	if f.sets == nil || steps < f.expected*walkedPerFetched {
		hits, enough, err := f.walked(int(min(4*steps+100, longWalk)), pattern)
		if err != nil || enough {
			return hits, err
		}
	}
	if f.sets == nil {
		return f.latest(f.names().Where(nameContains, pattern))
	}
	return f.latest(f.holding(f.sets, pattern))
}

// count counts selected names and their records.
func (f *finder) count(q *gorm.DB) (names, records int64, err error) {
	var n struct{ Names, Records int64 }
	q = q.Session(&gorm.Session{}).Select("n.record_id")
	err = f.q.WithContext(f.ctx).Table("(?) c", q).Select("COUNT(*) AS names, COUNT(DISTINCT record_id) AS records").Scan(&n).Error
	return n.Names, n.Records, translate(err)
}

// details reads what the records of hits look like, in their order. A record that is not live or out of scope
// after all is left out.
func (f *finder) details(hits []NameHit, err error) ([]NameHit, error) {
	if err != nil || len(hits) == 0 {
		return []NameHit{}, err
	}
	ids := make([]string, len(hits))
	for i, hit := range hits {
		ids[i] = hit.RecordID
	}
	q := named(f.grant, f.query.Kind, f.query.Parent, oneOf(nameSources[f.query.Kind].table+".id", ids))
	found, err := find[NameHit](f.ctx, f.Reader, q.sql, q.args...)
	if err != nil {
		return nil, err
	}
	records := make(map[string]NameHit, len(found))
	for _, hit := range found {
		records[hit.RecordID] = hit
	}
	list := make([]NameHit, 0, len(hits))
	for _, hit := range hits {
		if record, ok := records[hit.RecordID]; ok {
			record.MatchedKey = hit.MatchedKey
			list = append(list, record)
		}
	}
	return list, nil
}

const (
	// nearestPool bounds how many names are given to rank for a text that hit nothing.
	nearestPool = 1000
	// maxShared is how many names may hold a gram by which similar ones are found.
	maxShared = 20_000
)

// SimilarNames are names that hold all the texts of at least one set, more or less: the grams of the texts, and of names
// that are too many only some. The most recently updated come first, for the caller to rank. Without sets they are
// simply the most recent names. Hits have a RecordID and a MatchedKey; DescribeNames reads the rest.
func (r *Reader) SimilarNames(ctx context.Context, g rbac.Grant, kind models.RecordType, parent string, sets [][]string) ([]NameHit, error) {
	f, err := r.finder(ctx, g, NameQuery{Kind: kind, Parent: parent, Match: MatchContains, Limit: nearestPool})
	if err != nil {
		return nil, err
	}
	q := f.names()
	if len(sets) > 0 {
		grams := f.selective(sets)
		if len(grams) == 0 {
			return []NameHit{}, nil
		}
		q = f.q.WithContext(ctx).Table("(?) n", f.holding(grams, "").Select("n.*").Limit(nearestPool))
	}
	var hits []NameHit
	err = q.Select("n.record_id, n.name_key AS matched_key").Order(latestFirst).Limit(nearestPool).Scan(&hits).Error
	return hits, translate(err)
}

// DescribeNames completes hits on records that a grant sees, in their order; others are left out.
func (r *Reader) DescribeNames(ctx context.Context, g rbac.Grant, kind models.RecordType, hits []NameHit) ([]NameHit, error) {
	f, err := r.finder(ctx, g, NameQuery{Kind: kind})
	if err != nil {
		return nil, err
	}
	return f.details(hits, nil)
}

// selective gives the grams of the sets that the fewest names hold: as many sets as there is time for.
func (f *finder) selective(sets [][]string) (grams [][]string) {
	for _, texts := range sets {
		var set []string
		for _, text := range texts {
			set = append(set, gramsOf(f.query.Kind, text, false)...)
		}
		if len(set) > 0 {
			grams = append(grams, f.rarest(set))
		}
	}
	slices.SortStableFunc(grams, func(a, b []string) int { return f.census.grams[a[0]] - f.census.grams[b[0]] })
	budget := float64(maxShared)
	for i, set := range grams {
		if budget -= f.census.holding(set[0]); budget < 0 {
			return grams[:i]
		}
	}
	return grams
}

// nameContains is a condition on a name, with a likePattern as its value.
const nameContains = `n.name_key LIKE ? ESCAPE '\'`

// afterPrefix is the least text that comes after all that begin with a prefix, and empty where there is none.
func afterPrefix(prefix string) string {
	runes := []rune(prefix)
	for len(runes) > 0 {
		last := &runes[len(runes)-1]
		switch *last {
		case 0x10FFFF:
			runes = runes[:len(runes)-1]
			continue
		case 0xD7FF: // what follows is no text
			*last = 0xE000
		default:
			*last++
		}
		return string(runes)
	}
	return ""
}
