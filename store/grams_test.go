package store_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// register knows what companies there are without any index.
type register struct {
	*dbtest.World
	random    *rand.Rand
	companies map[string]models.Company
}

var nameParts = []string{"ab", "a", "hk", "q", "7", "xyz", "trading", " ", " ", "港", "食", "海港", "é", "ß", "%", "_", `\`, "'", `"`, "-", "(hk)", "🎉", "ー", "한"}

func (g *register) text(parts int) string {
	text := ""
	for range 1 + g.random.IntN(parts) {
		text += pick(g.random, nameParts)
	}
	return text
}

func (g *register) names() (string, models.Strings) {
	name := g.text(6)
	for models.FoldName(name) == "" {
		name = g.text(6)
	}
	if g.random.IntN(2) == 0 {
		return name, models.Strings{}
	}
	return name, models.Strings{g.text(6)}
}

func (g *register) owner() *string {
	return pick(g.random, []*string{nil, &g.Sales1.UserID, &g.Sales2.UserID, &g.Sales3.UserID})
}

// change does something to companies: adds, renames, hands over, touches, puts into the bin and back.
func (g *register) change(t *testing.T, tx *store.Tx, ids []string) {
	ctx, now := t.Context(), g.Clock.Now()
	switch what := g.random.IntN(6); {
	case what < 2 || len(ids) == 0:
		c := models.Company{Record: models.NewRecord(now), Status: models.CompanyLead, OwnerID: g.owner()}
		c.Name, c.OtherNames = g.names()
		require.NoError(t, tx.InsertCompany(ctx, g.Grant(t, g.Admin, rbac.CompanyCreate), &c))
		g.companies[c.ID] = c
	case what == 5:
		c := g.companies[pick(g.random, ids)]
		require.NoError(t, tx.SoftDelete(ctx, g.Grant(t, g.Admin, rbac.CompanyDelete), models.TypeCompany, &c.Record, now))
		if g.random.IntN(2) == 0 {
			delete(g.companies, c.ID)
			return
		}
		require.NoError(t, tx.Undelete(ctx, g.Grant(t, g.Admin, rbac.CompanyRestore), models.TypeCompany, &c.Record, now, c.Names()))
		g.companies[c.ID] = c
	default:
		c := g.companies[pick(g.random, ids)]
		switch what {
		case 2:
			c.Name, c.OtherNames = g.names()
		case 3:
			c.OwnerID = g.owner()
		}
		require.NoError(t, tx.UpdateCompany(ctx, g.Grant(t, g.Admin, rbac.CompanyUpdate), &c, now))
		g.companies[c.ID] = c
	}
}

// grow makes changes, some of them in savepoints that are undone.
func (g *register) grow(t *testing.T, changes int) {
	t.Helper()
	undo := errors.New("undo")
	g.InTx(t, func(tx *store.Tx) {
		for range changes {
			if g.random.IntN(3) > 0 {
				g.Clock.Advance(time.Second)
			}
			ids := slices.Sorted(maps.Keys(g.companies))
			if g.random.IntN(5) > 0 {
				g.change(t, tx, ids)
				continue
			}
			before := maps.Clone(g.companies)
			err := tx.InTx(t.Context(), func(tx *store.Tx) error {
				g.change(t, tx, ids)
				return undo
			})
			require.ErrorIs(t, err, undo)
			g.companies = before
		}
	})
}

// search finds companies by reading them all.
func (g *register) search(actor models.Actor, key string) (ids []string) {
	rank := map[string]int{}
	for id, c := range g.companies {
		if !g.sees(actor, c.OwnerID) {
			continue
		}
		for _, name := range c.Names() {
			folded := models.FoldName(name)
			if folded == "" || !strings.Contains(folded, key) {
				continue
			}
			r := 3
			if folded == key {
				r = 1
			} else if strings.HasPrefix(folded, key) {
				r = 2
			}
			if rank[id] == 0 || r < rank[id] {
				rank[id] = r
			}
		}
	}
	return slices.SortedFunc(maps.Keys(rank), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank[a], rank[b]), g.companies[b].UpdatedAt.Compare(g.companies[a].UpdatedAt), cmp.Compare(a, b))
	})
}

func (g *register) sees(actor models.Actor, owner *string) bool {
	switch actor.UserID {
	case g.Admin.UserID:
		return true
	case g.Manager.UserID:
		return owner == nil || *owner != g.Sales3.UserID
	default:
		return owner == nil || *owner == actor.UserID
	}
}

// key is a text to look for, most often a part of a name.
func (g *register) key() string {
	c := g.companies[pick(g.random, slices.Sorted(maps.Keys(g.companies)))]
	runes := []rune(models.FoldName(pick(g.random, c.Names())))
	if len(runes) == 0 || g.random.IntN(4) == 0 {
		return models.FoldName(g.text(3))
	}
	start := g.random.IntN(len(runes))
	return models.FoldName(string(runes[start : start+1+g.random.IntN(len(runes)-start)]))
}

// Whatever way a search takes, it finds what reading all names finds, in the same order.
func TestSearchFindsWhatReadingFinds(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		for seed := range uint64(3) {
			g := &register{World: dbtest.NewWorld(t, dbtest.Open(t, db.Dialect())), random: rand.New(rand.NewPCG(seed, 1)), companies: map[string]models.Company{}}
			for _, c := range []models.Company{g.Acme, g.Globex, g.Harbour, g.Ferry} {
				g.companies[c.ID] = c
			}
			g.grow(t, 40)
			g.check(t, 30) // with a census of few names
			g.grow(t, 80)
			g.World.DB = dbtest.Again(t, g.DB) // with one of all
			g.check(t, 120)
		}
	})
}

func (g *register) check(t *testing.T, searches int) {
	t.Helper()
	for range searches {
		key, limit := g.key(), pick(g.random, []int{1, 5, 500})
		for _, actor := range []models.Actor{g.Admin, g.Manager, g.Sales1} {
			want := g.search(actor, key)
			g.View(t, func(r *store.Reader) {
				grant := g.Grant(t, actor, rbac.CompanyRead)
				n := store.NameQuery{Kind: models.TypeCompany, Key: key, Match: store.MatchContains, Limit: limit}
				hits, err := r.ByName(t.Context(), grant, n)
				require.NoError(t, err)
				found := append([]string{}, ids(hits, func(h store.NameHit) string { return h.RecordID })...)
				require.Equal(t, append([]string{}, want[:min(limit, len(want))]...), found, "%q for %s", key, actor.Name)
				total, err := r.CountByName(t.Context(), grant, n)
				require.NoError(t, err)
				require.Equal(t, int64(len(want)), total, "%q for %s", key, actor.Name)
			})
		}
	}
}

// A great many names that begin alike are not all read: the latest come first all the same.
func TestManyNamesAlike(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		var companies []crowdCompany
		for i := range 6000 {
			c := crowdCompany{id: models.NewID(), latin: fmt.Sprintf("Alike %d", i), chinese: fmt.Sprintf("同名%d", i), updated: dbtest.Start.Add(time.Duration(i*7919%6000) * time.Second)}
			switch i % 3 {
			case 0:
				c.owner = &w.Sales1.UserID
			case 1:
				c.owner = &w.Sales3.UserID
			}
			companies = append(companies, c)
		}
		load(t, dbtest.Raw(t, db), db.Dialect(), companies)
		slices.SortFunc(companies, func(a, b crowdCompany) int { return b.updated.Compare(a.updated) })
		for _, actor := range []models.Actor{w.Admin, w.Sales1} {
			for _, key := range []string{"alike", "同名", "like", "名", "like 1", "e", "li"} {
				var want []string
				for _, c := range companies {
					seen := actor.UserID == w.Admin.UserID || c.owner == nil || *c.owner == actor.UserID
					if seen && strings.Contains(models.FoldName(c.latin)+"|"+c.chinese, key) {
						want = append(want, c.id)
					}
				}
				w.View(t, func(r *store.Reader) {
					g := w.Grant(t, actor, rbac.CompanyRead)
					n := store.NameQuery{Kind: models.TypeCompany, Key: key, Match: store.MatchContains, Limit: 30}
					hits, err := r.ByName(t.Context(), g, n)
					require.NoError(t, err)
					if key != "e" && key != "li" { // other names of the World have them, too
						require.Equal(t, want[:30], ids(hits, func(h store.NameHit) string { return h.RecordID }), key)
					}
					total, err := r.CountByName(t.Context(), g, n)
					require.NoError(t, err)
					require.Equal(t, int64(min(len(want), store.MaxCounted)), total, key)
				})
			}
		}
	})
}
