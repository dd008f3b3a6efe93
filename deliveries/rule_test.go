package deliveries_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/models"
	"countersign/settings"
)

// An e-mail with a quotation is weighed by what the quotation has.
func TestRulesWeighTheQuotationOfAnEmail(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		rules := settings.NewApprovalRules(o.DB, o.Gate, o.Clock.Now, o.registry.Ruled())
		rule := func(in settings.RuleInput) {
			in.Effect, in.ApproverRole, in.Tool = models.RuleApprove, "manager", tool
			_, err := rules.Create(t.Context(), o.Admin, in)
			require.NoError(t, err)
		}
		rule(settings.RuleInput{Metric: models.RuleDiscount, Threshold: "20"})
		rule(settings.RuleInput{Metric: models.RuleAmount, Threshold: "500000", Currency: "HKD"})
		require.False(t, o.card(t).Approval.Needed(), "HK$500,000.00 without a discount")
		o.exec(t, "UPDATE quotations SET discount_rate_e4 = 200001 WHERE id = $1", o.QuoteAcme.ID)
		require.Contains(t, o.card(t).ApprovalReason, "20.0001%, is above 20%")
		o.exec(t, "UPDATE quotations SET discount_rate_e4 = 0, total_minor = 50000001 WHERE id = $1", o.QuoteAcme.ID)
		require.Contains(t, o.card(t).ApprovalReason, "HK$500,000.01, is above HK$500,000.00")
	})
}
