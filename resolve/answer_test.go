package resolve_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/rbac"
	"countersign/resolve"
	"countersign/store"
)

// refuse resolves a query that must fail, for a write.
func (p *town) refuse(t *testing.T, actor models.Actor, kind models.RecordType, text string) *apperr.Error {
	t.Helper()
	_, err := p.Resolve(t.Context(), actor, resolve.Query{Kind: kind, Text: text, ForWrite: true})
	require.Error(t, err)
	return apperr.As(err)
}

func inChinese(a models.Actor) models.Actor {
	a.Lang = "zh-HK"
	return a
}

func names(candidates []apperr.Candidate) []string {
	list := []string{}
	for _, c := range candidates {
		list = append(list, c.Name)
	}
	return list
}

func details(candidates []apperr.Candidate) []string {
	list := []string{}
	for _, c := range candidates {
		list = append(list, c.Detail)
	}
	return list
}

func TestLIM05Ambiguous(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		p := newTown(t, db)

		err := p.refuse(t, p.Manager, models.TypeCompany, "twin peaks")
		require.Equal(t, apperr.Ambiguous, err.Kind)
		require.Equal(t, []apperr.Candidate{
			{Type: "company", ID: p.companies["twin of siu ming"].ID, Name: "Twin Peaks", Detail: "Siu Ming 小明"},
			{Type: "company", ID: p.companies["twin of sam"].ID, Name: "Twin Peaks", Detail: "Sam Sales"},
		}, err.Candidates)
		require.Equal(t, `2 companies match "twin peaks": "Twin Peaks" (Siu Ming 小明), "Twin Peaks" (Sam Sales). `+
			`Which one do you mean? Give its full name or its ID.`, err.Message)

		err = p.refuse(t, inChinese(p.Manager), models.TypeCompany, "twin peaks")
		require.Equal(t, "有 2 間公司符合「twin peaks」：「Twin Peaks」（Siu Ming 小明）、「Twin Peaks」（Sam Sales）。請問是哪一個？請提供完整名稱或 ID。", err.Message)

		err = p.refuse(t, p.Sales1, models.TypeCompany, "bulk")
		require.Len(t, err.Candidates, resolve.MaxCandidates)
		require.Contains(t, err.Message, "25 companies match")
		require.Contains(t, err.Message, "and 20 more")

		err = p.refuse(t, p.Sales1, models.TypeDeal, "acme")
		require.Equal(t, []string{"Proposal · Sam Sales", "New · Sam Sales"}, details(err.Candidates))

		err = p.refuse(t, p.Sales1, models.TypeStage, "報價")
		require.Equal(t, []string{"Renewals", "Selling"}, details(err.Candidates))
	})
}

func TestPeopleOfOneName(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		p := newTown(t, db)
		full := []string{"Beta", "Alpha · chan.tm@other.test", "Alpha · taiman@example.test"}
		masked := []string{"Beta", "Alpha · c•••@other.test", "Alpha · t•••@example.test"}
		for _, c := range []struct {
			actor models.Actor
			want  []string
		}{{p.Admin, full}, {p.Manager, full}, {p.Sales1, masked}, {p.Viewer, masked}} {
			err := p.refuse(t, c.actor, models.TypePerson, "Chan Tai Man")
			require.Equal(t, c.want, details(err.Candidates), c.actor.Name)
			require.Contains(t, err.Message, c.want[1], c.actor.Name)
		}
	})
}

// Contacts of one name are told apart by job and owner, then by an address that is masked for those who do not see all.
func TestContactsOfOneName(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		p := newTown(t, db)
		p.InTx(t, func(tx *store.Tx) {
			for _, email := range []string{"amy@acme.test", "a.fong@home.test"} {
				c := models.Contact{Record: models.NewRecord(p.Clock.Now()), Name: p.Amy.Name, JobTitle: "Buyer", Email: email, OwnerID: p.Sales1.UserID}
				require.NoError(t, tx.InsertContact(t.Context(), p.Grant(t, p.Admin, rbac.ContactCreate), &c))
			}
		})
		for _, c := range []struct {
			actor  models.Actor
			detail string
		}{{p.Manager, "Buyer · Sam Sales · a.fong@home.test"}, {p.Sales1, "Buyer · Sam Sales · a•••@home.test"}, {p.Viewer, "Buyer · Sam Sales · a•••@home.test"}} {
			err := p.refuse(t, c.actor, models.TypeContact, "amy fong 方詠詩")
			require.Len(t, err.Candidates, 3)
			require.Contains(t, details(err.Candidates), c.detail, c.actor.Name)
			require.Contains(t, err.Message, "3 contacts match")
		}
		require.Len(t, p.refuse(t, p.Sales1, models.TypeContact, "amy@acme.test").Candidates, 2, "two share the address")
		require.Contains(t, p.refuse(t, inChinese(p.Viewer), models.TypeContact, "amy@acme.test").Message, "聯絡人")
	})
}

func TestNotFound(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		p := newTown(t, db)
		for text, nearest := range map[string]string{
			"Acme Tradign Limited":  "Acme Trading Limited",
			"amce":                  "Acme Trading Limited",
			"Kowlon Fery":           "Kowloon Ferry",
			"Bulk Carier 07":        "Bulk Carrier 07",
			"twin peeks hotel":      "Twin Peaks Hotel",
			"雙風酒店":                  "Twin Peaks Hotel",
			"永樂海昧貿易行":               "永樂海味貿易行",
			"九籠":                    "Kowloon Ferry",
			"Acme Trading Ltd (HK)": "Acme Trading Limited",
		} {
			err := p.refuse(t, p.Sales1, models.TypeCompany, text)
			require.Equal(t, apperr.NotFound, err.Kind)
			require.Equal(t, nearest, err.Candidates[0].Name, "%s: %v", text, names(err.Candidates))
			require.True(t, strings.HasPrefix(err.Message, `No company matches "`+text+`". Nearest: "`+nearest+`"`), err.Message)
		}

		err := p.refuse(t, inChinese(p.Sales1), models.TypeDeal, "acme renewel")
		require.Equal(t, "找不到符合「acme renewel」的商機。最接近的是：「Acme renewal」（New · Sam Sales）、「Acme expansion」（Proposal · Sam Sales）。", err.Message)

		err = p.refuse(t, inChinese(p.Sales1), models.TypeDeal, " ")
		require.Equal(t, "沒有提供商機的名稱或 ID。", err.Message)
		err = p.refuse(t, p.Sales1, models.TypeDeal, " ")
		require.Equal(t, "No name or ID was given for the deal.", err.Message)
	})
}

func TestNearestFirst(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text  string
		names [][]string // of a company each; the first is the nearest
	}{
		"a part with a slip":          {"pery", [][]string{{"Lantau Perry"}, {"Pen"}}},
		"neighbours in wrong order":   {"amce", [][]string{{"Acme"}, {"Amos"}}},
		"same beginning":              {"goldne", [][]string{{"Golden Gates"}, {"My Golden"}}},
		"best of several names":       {"amce", [][]string{{"Aaaa", "Acme"}, {"Amos"}}},
		"whole name before a part":    {"sun hongs", [][]string{{"Sun Hong"}, {"Sun Hong Kong Holdings"}}},
		"Chinese with one rune wrong": {"永樂海昧", [][]string{{"永樂海味貿易行"}, {"永安百貨"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := dbtest.NewWorld(t, dbtest.Open(t, "sqlite"))
			p := &town{World: w, Resolver: resolve.New(w.DB, w.Gate), companies: map[string]models.Company{}}
			p.InTx(t, func(tx *store.Tx) {
				for i, names := range c.names {
					p.add(t, tx, fmt.Sprint(i), p.Sales2, names[0], names[1:]...)
				}
			})
			err := p.refuse(t, p.Sales2, models.TypeCompany, c.text)
			require.Equal(t, c.names[0][0], err.Candidates[0].Name, names(err.Candidates))
		})
	}
}

func TestOutOfScopeIsAsIfItWereNot(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		p := newTown(t, db)
		hidden := []string{"Hidden Dragon", p.Harbour.Name, p.Globex.Name, "Gone Company"}
		texts := []string{unknownID, "Appearing Act", "appear", "apearing"}
		var before []*apperr.Error
		for _, text := range texts {
			before = append(before, p.refuse(t, p.Sales1, models.TypeCompany, text))
		}
		p.InTx(t, func(tx *store.Tx) { p.add(t, tx, "appears", p.Sales3, "Appearing Act") })
		for i, text := range texts {
			require.Equal(t, before[i], p.refuse(t, p.Sales1, models.TypeCompany, text), text)
		}
		for _, text := range []string{"Hidden Dragon", "hiden dragon", "臥虎", "Harbour Foods", "Globex", "Gone Company", p.Harbour.ID} {
			err := p.refuse(t, p.Sales1, models.TypeCompany, text)
			require.Equal(t, apperr.NotFound, err.Kind, text)
			for _, name := range hidden {
				require.NotContains(t, names(err.Candidates), name, text)
			}
		}
		err := p.refuse(t, p.Manager, models.TypeCompany, "Hidden Dragn")
		require.NotContains(t, names(err.Candidates), "Hidden Dragon", "another team's")
		require.Equal(t, "Hidden Dragon", p.refuse(t, p.Viewer, models.TypeCompany, "Hidden Dragn").Candidates[0].Name)
	})
}

func TestMessagesQuoteWithCare(t *testing.T) {
	t.Parallel()
	p := newTown(t, dbtest.Open(t, "sqlite"))
	err := p.refuse(t, p.Sales1, models.TypeCompany, "one\r\ntwo\x1b[31m\x00\u202ethree{{.names}}")
	require.Contains(t, err.Message, `"one two[31mthree{{.names}}"`)
	err = p.refuse(t, p.Sales1, models.TypeCompany, strings.Repeat("長", 200))
	require.Contains(t, err.Message, `"`+strings.Repeat("長", 80)+`…"`)
}

func TestNearestOfNothing(t *testing.T) {
	t.Parallel()
	w := dbtest.NewWorld(t, dbtest.Open(t, "sqlite"))
	r := resolve.New(w.DB, w.Gate)
	_, err := r.Resolve(t.Context(), w.Disabled, resolve.Query{Kind: models.TypeDeal, Text: "x"})
	require.True(t, apperr.Is(err, apperr.Unauthenticated), "%v", err)
	_, err = r.Resolve(t.Context(), w.Sales1, resolve.Query{Kind: models.TypeStage, Text: "Won", Parent: unknownID})
	require.Equal(t, `No stage matches "Won".`, apperr.As(err).Message, "a pipeline without stages")
	require.Empty(t, apperr.As(err).Candidates)
}

func TestLookup(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		p := newTown(t, db)
		look := func(text string, forWrite bool) resolve.Result {
			result, err := p.Lookup(t.Context(), p.Manager, resolve.Query{Kind: models.TypeCompany, Text: text, ForWrite: forWrite})
			require.NoError(t, err)
			return result
		}
		twin := func(handle string) apperr.Candidate {
			c := p.companies[handle]
			return apperr.Candidate{Type: "company", ID: c.ID, Name: c.Name, Detail: p.World.User(models.Actor{UserID: *c.OwnerID}).Name}
		}
		both := []apperr.Candidate{twin("twin of siu ming"), twin("twin of sam")}

		acme := apperr.Candidate{Type: "company", ID: p.Acme.ID, Name: p.Acme.Name, Detail: "Sam Sales"}
		require.Equal(t, resolve.Result{Match: &acme, How: resolve.HowID, Candidates: []apperr.Candidate{}}, look(p.Acme.ID, false))
		require.Equal(t, resolve.Result{Match: &both[0], How: resolve.HowExact, Candidates: both}, look("Twin Peaks", false))

		result := look("Twin Peaks", true)
		require.Nil(t, result.Match)
		require.Equal(t, resolve.HowExact, result.How)
		require.Equal(t, both, result.Candidates)
		require.Contains(t, result.Message, "2 companies match")

		result = look("Twin Peeks", false)
		require.Nil(t, result.Match)
		require.Equal(t, resolve.HowNone, result.How)
		require.Equal(t, "Twin Peaks", result.Candidates[0].Name)
		require.Contains(t, result.Message, "No company matches")

		_, err := p.Lookup(t.Context(), p.Manager, resolve.Query{Kind: models.TypeCompany})
		require.True(t, apperr.Is(err, apperr.Invalid), "%v", err)
	})
}

func TestResultIsTheAnswerOfTheAPI(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(resolve.Result{How: resolve.HowNone, Candidates: []apperr.Candidate{}, Message: "No."})
	require.NoError(t, err)
	require.JSONEq(t, `{"how": "none", "candidates": [], "message": "No."}`, string(text))
}
