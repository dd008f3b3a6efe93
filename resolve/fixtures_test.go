package resolve_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/rbac"
	"countersign/resolve"
	"countersign/store"
)

// town is the World with records whose names are hard to tell apart.
type town struct {
	*dbtest.World
	*resolve.Resolver
	companies map[string]models.Company
	people    map[string]models.User
}

const (
	versionFourID = "9b2f0c1e-5d6a-4f3b-8c7d-0123456789ab"
	nameLikeAnID  = "0190AAAA-BBBB-7CCC-8DDD-EEEEEEEEEEEE"
	unknownID     = "0190ffff-ffff-7fff-8fff-ffffffffffff"
)

// fixedIDs are those of companies that are looked for by ID before they are there, or whose ID is special.
var fixedIDs = map[string]string{"percent": versionFourID, "appears": unknownID}

func newTown(t testing.TB, db *store.DB) *town {
	t.Helper()
	w := dbtest.NewWorld(t, db)
	p := &town{World: w, Resolver: resolve.New(db, w.Gate), companies: map[string]models.Company{}, people: map[string]models.User{}}
	w.InTx(t, func(tx *store.Tx) {
		p.addCompanies(t, tx)
		p.addPeople(t, tx)
	})
	return p
}

// addCompanies makes companies a second apart, so that later ones are the more recently updated.
func (p *town) addCompanies(t testing.TB, tx *store.Tx) {
	t.Helper()
	p.add(t, tx, "twin of sam", p.Sales1, "Twin Peaks")
	p.add(t, tx, "twin of siu ming", p.Sales2, "Twin Peaks")
	p.add(t, tx, "twin hotel", p.Sales1, "Twin Peaks Hotel", "雙峰酒店")
	p.add(t, tx, "lantau prefix", p.Sales1, "Lantau Line")
	p.add(t, tx, "lantau inside", p.Sales1, "South Lantau")
	p.add(t, tx, "tram one", p.Sales1, "Peak Tram One")
	p.add(t, tx, "tram two", p.Sales1, "Peak Tram Two")
	p.add(t, tx, "percent", p.Sales1, "100% Pure")
	p.add(t, tx, "no percent", p.Sales1, "1000 Pure")
	p.add(t, tx, "underscore", p.Sales1, "a_b Freight")
	p.add(t, tx, "no underscore", p.Sales1, "axb Freight")
	p.add(t, tx, "backslash", p.Sales1, `Back\slash`)
	p.add(t, tx, "quotes", p.Sales1, `O'Neil "Best" Foods`)
	p.add(t, tx, "like an id", p.Sales1, nameLikeAnID)
	p.add(t, tx, "hidden", p.Sales3, "Hidden Dragon", "臥虎藏龍")
	p.add(t, tx, "chinese", p.Sales1, "永樂海味貿易行")
	for i := range 25 {
		p.add(t, tx, fmt.Sprint("bulk ", i), p.Sales1, fmt.Sprintf("Bulk Carrier %02d", i))
	}
	p.add(t, tx, "deleted", p.Sales1, "Gone Company")
	gone := p.companies["deleted"]
	require.NoError(t, tx.SoftDelete(t.Context(), p.Grant(t, p.Admin, rbac.CompanyDelete), models.TypeCompany, &gone.Record, p.Clock.Now()))
}

func (p *town) add(t testing.TB, tx *store.Tx, handle string, owner models.Actor, name string, others ...string) {
	t.Helper()
	p.Clock.Advance(time.Second)
	c := models.Company{Record: models.NewRecord(p.Clock.Now()), Name: name, OtherNames: others, Status: models.CompanyLead, OwnerID: &owner.UserID}
	if id, ok := fixedIDs[handle]; ok {
		c.ID = id
	}
	require.NoError(t, tx.InsertCompany(t.Context(), p.Grant(t, models.System("importer"), rbac.CompanyCreate), &c))
	p.companies[handle] = c
}

func (p *town) addPeople(t testing.TB, tx *store.Tx) {
	t.Helper()
	for _, u := range []struct {
		handle, email, name string
		team                *string
	}{
		{"tai man", "taiman@example.test", "Chan Tai Man", &p.Alpha.ID},
		{"tai man 2", "chan.tm@other.test", "Chan Tai Man", &p.Alpha.ID},
		{"tai man of beta", "tm@example.test", "Chan Tai Man", &p.Beta.ID},
		{"me", "me@example.test", "Me", nil},
	} {
		p.Clock.Advance(time.Second)
		user := models.User{
			ID: models.NewID(), Email: u.email, Name: u.name, NameKey: models.FoldName(u.name), PasswordHash: "!", Role: "sales",
			TeamID: u.team, Lang: "en", Version: 1, CreatedAt: p.Clock.Now(), UpdatedAt: p.Clock.Now(),
		}
		require.NoError(t, tx.InsertUser(t.Context(), &user))
		p.people[u.handle] = user
	}
}
