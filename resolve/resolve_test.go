package resolve_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/resolve"
	"countersign/store"
)

// outcome is what a query must give: a record and how it was found, or a code.
type outcome struct {
	id   string
	how  resolve.How
	code string
}

func found(how resolve.How, id string) outcome { return outcome{id: id, how: how} }

func refused(code string) outcome { return outcome{code: code} }

func TestResolve(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		p := newTown(t, db)
		for _, c := range p.cases() {
			t.Run(c.name, func(t *testing.T) {
				match, err := p.Resolve(t.Context(), c.actor, c.query)
				if c.want.code != "" {
					require.True(t, apperr.HasCode(err, c.want.code), "%v %v", match, err)
					require.LessOrEqual(t, len(apperr.As(err).Candidates), resolve.MaxCandidates)
					return
				}
				require.NoError(t, err)
				require.Equal(t, c.query.Kind, match.Ref.Type)
				require.NotEmpty(t, match.Ref.Name)
				require.Equal(t, c.want, found(match.How, match.Ref.ID), match.Ref.Name)
			})
		}
	})
}

type testCase struct {
	name  string
	actor models.Actor
	query resolve.Query
	want  outcome
}

func (p *town) cases() []testCase {
	var list []testCase
	read := func(name string, actor models.Actor, kind models.RecordType, text string, want outcome) {
		list = append(list, testCase{name, actor, resolve.Query{Kind: kind, Text: text}, want})
	}
	write := func(name string, actor models.Actor, kind models.RecordType, text string, want outcome) {
		list = append(list, testCase{name + " on write", actor, resolve.Query{Kind: kind, Text: text, ForWrite: true}, want})
	}
	const company, deal, product = models.TypeCompany, models.TypeDeal, models.TypeProduct
	acme := p.Acme.ID
	of := func(handle string) string { return p.companies[handle].ID }

	write("id", p.Sales1, company, acme, found(resolve.HowID, acme))
	write("id in upper case", p.Sales1, company, strings.ToUpper(acme), found(resolve.HowID, acme))
	write("id with white space", p.Sales1, company, "\t"+acme+" \n", found(resolve.HowID, acme))
	write("id of version four", p.Sales1, company, strings.ToUpper(versionFourID), found(resolve.HowID, versionFourID))
	read("id of another's record", p.Sales1, company, p.Harbour.ID, refused("NOT_FOUND"))
	read("id of another kind", p.Sales1, deal, acme, refused("NOT_FOUND"))
	read("id of nothing", p.Sales1, company, unknownID, refused("NOT_FOUND"))
	write("name shaped like an id", p.Sales1, company, strings.ToLower(nameLikeAnID), found(resolve.HowExact, of("like an id")))

	write("exact", p.Sales1, company, "Acme Trading Limited", found(resolve.HowExact, acme))
	write("exact in another case", p.Sales1, company, "aCME TRADING LIMITED", found(resolve.HowExact, acme))
	write("exact in full width", p.Sales1, company, "Ａｃｍｅ　Ｔｒａｄｉｎｇ　Ｌｉｍｉｔｅｄ", found(resolve.HowExact, acme))
	write("exact with extra white space", p.Sales1, company, " Acme \t Trading\n\u00a0 Limited ", found(resolve.HowExact, acme))
	write("exact with invisible characters", p.Sales1, company, "Acme\u200b Trading\x00 Limited\u2060", found(resolve.HowExact, acme))
	write("exact Chinese other name", p.Sales1, company, "艾克美貿易有限公司", found(resolve.HowExact, acme))
	write("shared company", p.Sales1, company, "kowloon ferry", found(resolve.HowExact, p.Ferry.ID))
	write("contains, Latin", p.Manager, company, "BEX COR", found(resolve.HowContains, p.Globex.ID))
	write("contains, Chinese of two characters", p.Manager, company, "環球", found(resolve.HowContains, p.Globex.ID))
	read("prefix before contains", p.Sales1, company, "lantau", found(resolve.HowContains, of("lantau prefix")))
	read("most recent first", p.Sales1, company, "peak tram", found(resolve.HowContains, of("tram two")))
	read("exact before contains", p.Manager, company, "twin peaks", found(resolve.HowExact, of("twin of siu ming")))

	write("several exact", p.Manager, company, "twin peaks", refused(resolve.CodeAmbiguous))
	write("one exact, several contain", p.Sales1, company, "twin peaks", found(resolve.HowExact, of("twin of sam")))
	write("several contain", p.Sales1, company, "lantau", refused(resolve.CodeAmbiguous))
	write("several contain, one in sight", p.Sales2, company, "twin", found(resolve.HowContains, of("twin of siu ming")))
	write("more than can be named", p.Sales1, company, "bulk", refused(resolve.CodeAmbiguous))

	read("percent sign", p.Sales1, company, "0% p", found(resolve.HowContains, of("percent")))
	write("percent sign alone", p.Sales1, company, "%", found(resolve.HowContains, of("percent")))
	write("underscore", p.Sales1, company, "a_b", found(resolve.HowContains, of("underscore")))
	write("backslash", p.Sales1, company, `k\s`, found(resolve.HowContains, of("backslash")))
	write("backslash at the end", p.Sales1, company, `back\`, found(resolve.HowContains, of("backslash")))
	write("quotes", p.Sales1, company, `o'neil "b`, found(resolve.HowContains, of("quotes")))
	write("looks like SQL", p.Sales1, company, `' OR 1=1; DROP TABLE companies --`, refused("NOT_FOUND"))
	write("broken UTF-8", p.Sales1, company, "Acme\xff\xfe", refused("NOT_FOUND"))
	write("template", p.Sales1, company, "{{.}} @name ? $1", refused("NOT_FOUND"))

	read("empty", p.Sales1, company, "", refused("INVALID"))
	read("white space", p.Sales1, company, " \t\n\u3000", refused("INVALID"))
	read("invisible characters", p.Sales1, company, "\u200b\u200d\ufeff", refused("INVALID"))
	read("longest", p.Sales1, company, strings.Repeat("海", resolve.MaxRunes), refused("NOT_FOUND"))
	read("too long", p.Sales1, company, strings.Repeat("a", resolve.MaxRunes+1), refused("INVALID"))
	read("kind without names", p.Admin, models.TypeActivity, "call", refused("INVALID"))

	read("deleted by id", p.Admin, company, of("deleted"), refused("NOT_FOUND"))
	read("deleted by name", p.Admin, company, "Gone Company", refused("NOT_FOUND"))
	read("out of scope by exact name", p.Sales1, company, "Hidden Dragon", refused("NOT_FOUND"))
	read("out of scope by part of the name", p.Sales1, company, "虎藏", refused("NOT_FOUND"))

	write("deal by title", p.Sales1, deal, "acme RENEWAL", found(resolve.HowExact, p.AcmeRenewal.ID))
	write("deal by external id", p.Sales1, deal, "d-1001", found(resolve.HowExact, p.AcmeRenewal.ID))
	write("deal by Chinese part", p.Sales2, deal, "試用", found(resolve.HowContains, p.GlobexPilot.ID))
	write("deal of a colleague", p.Sales2, deal, "Acme renewal", refused("NOT_FOUND"))
	write("product by SKU", p.Sales1, product, "cr-100", found(resolve.HowExact, p.Crane.ID))
	write("product by name", p.Viewer, product, "harbour crane", found(resolve.HowExact, p.Crane.ID))
	write("product by Chinese part", p.Viewer, product, "起重", found(resolve.HowContains, p.Crane.ID))
	write("team", p.Sales1, models.TypeTeam, "alpha", found(resolve.HowExact, p.Alpha.ID))
	write("pipeline", p.Sales1, models.TypePipeline, "sell", found(resolve.HowContains, p.Selling.ID))
	write("nobody", models.Actor{}, company, acme, refused("UNAUTHENTICATED"))
	write("disabled", p.Disabled, company, acme, refused("ACCOUNT_DISABLED"))
	write("system without the right", models.System("nobody"), company, acme, refused("FORBIDDEN"))
	return append(append(list, p.personCases()...), append(p.contactCases(), p.stageCases()...)...)
}

func (p *town) personCases() []testCase {
	write := func(name string, actor models.Actor, text string, want outcome) testCase {
		return testCase{"person, " + name, actor, resolve.Query{Kind: models.TypePerson, Text: text, ForWrite: true}, want}
	}
	me := found(resolve.HowExact, p.Sales1.UserID)
	return []testCase{
		write("me", p.Sales1, " ME ", me),
		write("myself", p.Sales1, "Myself", me),
		write("me in Chinese", p.Sales1, "我", me),
		write("me of a system actor is a name", models.System("importer"), "me", found(resolve.HowExact, p.people["me"].ID)),
		write("id", p.Viewer, p.Sales2.UserID, found(resolve.HowID, p.Sales2.UserID)),
		write("e-mail", p.Viewer, "sales2@example.test", found(resolve.HowEmail, p.Sales2.UserID)),
		write("e-mail in another case", p.Viewer, " Sales2@EXAMPLE.test", found(resolve.HowEmail, p.Sales2.UserID)),
		write("part of an e-mail", p.Viewer, "sales2@", refused("NOT_FOUND")),
		write("e-mail of a disabled person", p.Viewer, "disabled@example.test", refused("NOT_FOUND")),
		write("name", p.Viewer, "sam sales", found(resolve.HowExact, p.Sales1.UserID)),
		write("Chinese part of the name", p.Viewer, "小明", found(resolve.HowContains, p.Sales2.UserID)),
		write("disabled", p.Viewer, "Dan Disabled", refused("NOT_FOUND")),
		write("several of one name", p.Viewer, "chan tai man", refused(resolve.CodeAmbiguous)),
		{"person, several of one name on read", p.Viewer, resolve.Query{Kind: models.TypePerson, Text: "chan tai man"}, found(resolve.HowExact, p.people["tai man of beta"].ID)},
	}
}

func (p *town) contactCases() []testCase {
	write := func(name string, actor models.Actor, text string, want outcome) testCase {
		return testCase{"contact, " + name, actor, resolve.Query{Kind: models.TypeContact, Text: text, ForWrite: true}, want}
	}
	return []testCase{
		write("id", p.Sales1, p.Amy.ID, found(resolve.HowID, p.Amy.ID)),
		write("e-mail", p.Sales1, "amy@acme.test", found(resolve.HowEmail, p.Amy.ID)),
		write("e-mail in another case", p.Sales1, " ＡＭＹ@Acme.TEST ", found(resolve.HowEmail, p.Amy.ID)),
		write("part of an e-mail", p.Admin, "amy@acme", refused("NOT_FOUND")),
		write("e-mail that is hidden", p.Viewer, "amy@acme.test", refused("NOT_FOUND")),
		write("e-mail of a colleague's contact at one's company", p.Sales1, "ivy@acme.test", refused("NOT_FOUND")),
		write("name of a colleague's contact at one's company", p.Sales1, "ivy yuen", found(resolve.HowExact, p.Ivy.ID)),
		write("Chinese part of the name", p.Viewer, "詠詩", found(resolve.HowContains, p.Amy.ID)),
		write("me is a name", p.Sales1, "me", refused("NOT_FOUND")),
		write("out of scope by id", p.Sales1, p.Hana.ID, refused("NOT_FOUND")),
		write("out of scope by name", p.Sales1, "Hana Mori", refused("NOT_FOUND")),
		write("out of scope by e-mail", p.Manager, "hana@harbour.test", refused("NOT_FOUND")),
		{"task, by a part of its title", p.Sales1, resolve.Query{Kind: models.TypeTask, Text: "回電", ForWrite: true}, found(resolve.HowContains, p.RingAmy.ID)},
		{"task, of a colleague", p.Sales1, resolve.Query{Kind: models.TypeTask, Text: "Demo for Gus", ForWrite: true}, refused("NOT_FOUND")},
		{"task, done by title", p.Manager2, resolve.Query{Kind: models.TypeTask, Text: "File the papers"}, refused("NOT_FOUND")},
		{"task, done by id", p.Manager2, resolve.Query{Kind: models.TypeTask, Text: p.FiledAudit.ID}, found(resolve.HowID, p.FiledAudit.ID)},
	}
}

func (p *town) stageCases() []testCase {
	write := func(name, text, pipeline string, want outcome) testCase {
		return testCase{"stage, " + name, p.Sales1, resolve.Query{Kind: models.TypeStage, Text: text, Parent: pipeline, ForWrite: true}, want}
	}
	return []testCase{
		write("within its pipeline", "proposal", p.Selling.ID, found(resolve.HowExact, p.Proposal.ID)),
		write("within the other pipeline", "proposal", p.Renewals.ID, found(resolve.HowExact, p.Proposal2.ID)),
		write("Chinese other name", "贏單", p.Renewals.ID, found(resolve.HowExact, p.Won2.ID)),
		write("part of a Chinese other name", "續約", p.Renewals.ID, found(resolve.HowContains, p.Due.ID)),
		write("id", p.Won.ID, p.Selling.ID, found(resolve.HowID, p.Won.ID)),
		write("id of another pipeline", p.Won.ID, p.Renewals.ID, refused("NOT_FOUND")),
		write("of another pipeline", "Due", p.Selling.ID, refused("NOT_FOUND")),
		write("of one pipeline only", "due", "", found(resolve.HowExact, p.Due.ID)),
		write("of several pipelines", "Won", "", refused(resolve.CodeAmbiguous)),
		{"stage, of several pipelines on read", p.Sales1, resolve.Query{Kind: models.TypeStage, Text: "Won"}, found(resolve.HowExact, p.Won2.ID)},
	}
}
