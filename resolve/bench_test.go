package resolve_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/rbac"
	"countersign/resolve"
	"countersign/store"
)

// benchCompanies is how many companies the steps are measured over.
const benchCompanies = 20_000

// BenchmarkResolve measures each step, the steps before it included.
func BenchmarkResolve(b *testing.B) {
	for _, dialect := range dbtest.Dialects {
		b.Run(dialect, func(b *testing.B) {
			w := dbtest.NewWorld(b, dbtest.Open(b, dialect))
			id := fill(b, w)
			r := resolve.New(w.DB, w.Gate)
			for _, step := range []struct{ name, text, code string }{
				{"id", id, ""},
				{"exact", "Golden Harbour Trading 7777", ""},
				{"contains Latin", "trading 7777", ""},
				{"contains Chinese", "港77", ""},
				{"contains common", "trading", ""},
				{"nearest Latin", "Goldne Harbor Trading 777x", "NOT_FOUND"},
				{"nearest Chinese", "金巷7777", "NOT_FOUND"},
			} {
				b.Run(step.name, func(b *testing.B) {
					for b.Loop() {
						_, err := r.Resolve(b.Context(), w.Manager, resolve.Query{Kind: models.TypeCompany, Text: step.text})
						if (step.code == "") != (err == nil) || (err != nil && !apperr.HasCode(err, step.code)) {
							b.Fatal(err)
						}
					}
				})
			}
		})
	}
}

// fill adds companies, and gives the ID of one in the middle.
func fill(b *testing.B, w *dbtest.World) (id string) {
	b.Helper()
	grant := w.Grant(b, models.System("importer"), rbac.CompanyCreate)
	adjectives := []string{"Golden", "Lucky", "Grand", "Eastern", "Pacific", "United", "Royal", "Jade"}
	places := []string{"Harbour", "Peak", "Lantau", "Kowloon", "Central"}
	chinese := []string{"金港", "福山", "大嶼", "九龍", "中環", "東方", "太平"}
	w.InTx(b, func(tx *store.Tx) {
		for i := range benchCompanies {
			w.Clock.Advance(time.Second)
			c := models.Company{
				Record: models.NewRecord(w.Clock.Now()), Name: fmt.Sprintf("%s %s Trading %d", adjectives[i%8], places[i/8%5], i),
				OtherNames: models.Strings{fmt.Sprintf("%s%d", chinese[i%7], i)}, Status: models.CompanyLead, OwnerID: &w.Sales1.UserID,
			}
			if i == 7777 {
				c.Name, id = "Golden Harbour Trading 7777", c.ID
			}
			require.NoError(b, tx.InsertCompany(b.Context(), grant, &c))
		}
	})
	return id
}
