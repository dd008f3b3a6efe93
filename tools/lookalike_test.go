package tools_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/crm"
	"countersign/models"
	"countersign/proposals"
	"countersign/tools"
)

func cardOf(t *testing.T, o tools.Outcome) proposals.View {
	t.Helper()
	require.NotNil(t, o.Proposal, o.Summary)
	view, err := proposals.ViewOf(o.Proposal)
	require.NoError(t, err)
	return view
}

// SEC-10: a card warns of a name that could be mistaken for another record's.
func TestSEC10LookalikeNamesAreFlagged(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		const false1 = "Аcme Trading Limited" // its first letter is Cyrillic
		warning := `The name "` + false1 + `" looks like "` + d.Acme.Name
		fake, err := d.companies.Create(t.Context(), d.Sales1, crm.CompanyInput{Name: false1})
		require.NoError(t, err)

		o := d.call(t, d.Sales1, "update_company", `{"company":"`+fake.ID+`","industry":"retail"}`)
		warnings := cardOf(t, o).Warnings
		require.Len(t, warnings, 1)
		require.Contains(t, warnings[0], warning)

		o = d.call(t, d.Sales1, "update_company", `{"company":"`+d.Acme.ID+`","industry":"retail"}`)
		require.Empty(t, cardOf(t, o).Warnings, "the true one")
		o = d.call(t, d.Sales2, "update_company", `{"company":"`+d.Globex.ID+`","name":"Glоbex Corporation"}`)
		require.Empty(t, cardOf(t, o).Warnings, "it looks like itself")
		o = d.callOutside(t, d.Sales1, "create_company", `{"name":"Kowlооn Ferry"}`)
		require.Len(t, cardOf(t, o).Warnings, 2)
		require.Contains(t, cardOf(t, o).Warnings[0], d.Ferry.Name)
		o = d.callOutside(t, d.Sales1, "log_activity", `{"subject":"Аcme","company":"Kowloon Ferry"}`)
		require.Len(t, cardOf(t, o).Warnings, 1, "what has no name cannot be mistaken")
	})
}

// SEC-9: what nobody sees is spelled out on a card.
func TestSEC9ACardSpellsOutWhatNobodySees(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		o := d.call(t, d.Sales1, "update_company", `{"company":"`+d.Acme.ID+`","notes":"Pay to \u202e4321\u202c \ud83d\udc69\u200d\ud83d\udcbb","reason":"As \u200basked"}`)
		view := cardOf(t, o)
		require.Equal(t, "Pay to ⟨U+202E⟩4321⟨U+202C⟩ 👩‍💻", view.Changes[0].AfterDisplay)
		require.Equal(t, "As ⟨U+200B⟩asked", view.Reason)
		require.Equal(t, models.CallProposed, o.Status)
	})
}
