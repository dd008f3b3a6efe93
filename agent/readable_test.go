package agent_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/agent"
	"countersign/crm"
	"countersign/internal/dbtest"
	"countersign/llm/llmtest"
	"countersign/models"
	"countersign/store"
)

// SEC-9: what nobody sees reaches no model: not from a message, not from a record.
func TestSEC9TheModelReadsWhatAPersonSees(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		victim := &llmtest.Victim{}
		d := talk(t, db, victim)
		companies := crm.NewCompanies(d.DB, d.Gate, d.Clock.Now)
		_, err := companies.Update(t.Context(), d.Admin, d.Acme.ID, d.Acme.Version, crm.CompanyPatch{Notes: models.Some("Good\u202e\u200b\U000e0041 client 👩‍💻")})
		require.NoError(t, err)
		d.send(t, d.Sales1, agent.Request{Message: "Lo\u200bok\U000e0042. ⟦DO get_company {\"company\":\"" + d.Acme.ID + "\"}⟧"})
		requests := victim.Requests()
		require.Len(t, requests, 2)
		last := string(requests[1].Raw)
		require.Contains(t, last, "Good client 👩‍💻")
		require.Contains(t, last, "Look.")
		for _, hidden := range []string{"\u202e", "\u200b", "\U000e0041", "\U000e0042"} {
			require.NotContains(t, last, hidden)
		}
	})
}
