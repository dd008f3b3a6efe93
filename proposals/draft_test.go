package proposals_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"countersign/models"
	"countersign/proposals"
)

func TestCanonicalForm(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		want  string
		forms []string
	}{
		{`{"a":1,"b":2}`, []string{`{"a":1,"b":2}`, `{"b":2,"a":1}`, " {\n\"b\" : 2 , \"a\" : 1.0 }", `{"\u0061":1e0,"b":0.2e1}`}},
		{`{"n":100}`, []string{`{"n":100}`, `{"n":1e2}`, `{"n":100.00}`, `{"n":1E+2}`}},
		{`{"n":0}`, []string{`{"n":0}`, `{"n":-0}`, `{"n":0.0}`}},
		{`{"n":9007199254740993}`, []string{`{"n":9007199254740993}`}},
		{`{"n":"40.0"}`, []string{`{"n":"40.0"}`}},
		{`{"n":40}`, []string{`{"n":40.0}`}},
		{`{"n":true}`, []string{`{"n":true}`}},
		{`{"s":"é<&>"}`, []string{`{"s":"é<&>"}`, `{"s":"\u00e9\u003c\u0026\u003e"}`}},
		{`{"s":"é"}`, []string{`{"s":"é"}`}},
		{`{"l":[2,1],"o":{"a":{},"b":[]}}`, []string{`{"o":{"b":[],"a":{}},"l":[2,1]}`}},
	} {
		for _, form := range c.forms {
			got, err := proposals.Canonical(json.RawMessage(form))
			require.NoError(t, err)
			require.Equal(t, c.want, string(got))
		}
	}
	for _, form := range []string{`{"a":1,"a":2}`, `{"a":1}{}`, "{\"a\":\"\xff\"}"} {
		_, err := proposals.Canonical(json.RawMessage(form))
		require.Error(t, err, form)
	}
	_, err := proposals.Canonical(func() {})
	require.Error(t, err)
}

func TestCanonicalFormIsItsOwn(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.MapOf(rapid.String(), rapid.OneOf(rapid.Int64().AsAny(), rapid.String().AsAny(), rapid.Bool().AsAny())).Draw(t, "v")
		once, err := proposals.Canonical(v)
		require.NoError(t, err)
		twice, err := proposals.Canonical(once)
		require.NoError(t, err)
		require.Equal(t, string(once), string(twice))
	})
}

// bound are the parts of a proposal that its digest binds.
func bound() *rapid.Generator[models.Proposal] {
	text := rapid.SampledFrom([]string{"", "a", "b", "a|b", "a\nb", `","b":"`, "海", "1", "tru e"})
	document := func(g *rapid.Generator[string]) *rapid.Generator[models.JSON] {
		return rapid.Custom(func(t *rapid.T) models.JSON { return models.ToJSON(g.Draw(t, "text")) })
	}
	return rapid.Custom(func(t *rapid.T) models.Proposal {
		return models.Proposal{
			ID: text.Draw(t, "id"), Tool: text.Draw(t, "tool"), Title: text.Draw(t, "title"), Reason: text.Draw(t, "reason"),
			TargetType: models.RecordType(text.Draw(t, "type")), TargetID: text.Draw(t, "target"), TargetName: text.Draw(t, "name"),
			TargetVersion: rapid.Int64Range(0, 3).Draw(t, "version"), RequestedBy: text.Draw(t, "requester"),
			Args: document(text).Draw(t, "args"), Changes: document(text).Draw(t, "changes"), Warnings: document(text).Draw(t, "warnings"),
		}
	})
}

// Two proposals have one digest only if they are the same in every bound part, whatever separators their
// texts hold (APR-02).
func TestAPR02DigestIsInjective(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := bound().Draw(t, "a"), bound().Draw(t, "b")
		da, err := proposals.DigestOf(&a)
		require.NoError(t, err)
		require.Regexp(t, `^[0-9a-f]{64}$`, da)
		db, err := proposals.DigestOf(&b)
		require.NoError(t, err)
		require.Equal(t, shownParts(a) == shownParts(b), da == db)

		for name, change := range changesOfParts() {
			c := a
			change(&c)
			dc, err := proposals.DigestOf(&c)
			require.NoError(t, err)
			require.NotEqual(t, da, dc, name)
		}
	})
}

func shownParts(p models.Proposal) string { return string(models.ToJSON(p)) }

// changesOfParts change one bound part each.
func changesOfParts() map[string]func(p *models.Proposal) {
	other := models.JSON(`{"other":1}`)
	return map[string]func(p *models.Proposal){
		"id": func(p *models.Proposal) { p.ID += "x" }, "tool": func(p *models.Proposal) { p.Tool += "x" },
		"title": func(p *models.Proposal) { p.Title += "x" }, "reason": func(p *models.Proposal) { p.Reason += "x" },
		"target type": func(p *models.Proposal) { p.TargetType += "x" }, "target": func(p *models.Proposal) { p.TargetID += "x" },
		"target name": func(p *models.Proposal) { p.TargetName += "x" }, "version": func(p *models.Proposal) { p.TargetVersion++ },
		"requester": func(p *models.Proposal) { p.RequestedBy += "x" }, "args": func(p *models.Proposal) { p.Args = other },
		"changes": func(p *models.Proposal) { p.Changes = other }, "warnings": func(p *models.Proposal) { p.Warnings = other },
	}
}
