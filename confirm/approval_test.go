package confirm_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/audit"
	"countersign/confirm"
	"countersign/crm"
	"countersign/models"
	"countersign/proposals"
	"countersign/settings"
	"countersign/store"
	"countersign/tools"
)

// rules are those of the office.
func (o *office) rules() *settings.ApprovalRules {
	return settings.NewApprovalRules(o.DB, o.Gate, o.Clock.Now, o.registry.Ruled())
}

func (o *office) rule(t *testing.T, in settings.RuleInput) *models.ApprovalRule {
	t.Helper()
	rule, err := o.rules().Create(t.Context(), o.Admin, in)
	require.NoError(t, err)
	return rule
}

// above lets a manager approve what is above an amount.
func above(amount string) settings.RuleInput {
	return settings.RuleInput{Metric: models.RuleAmount, Threshold: amount, Currency: "HKD", Effect: models.RuleApprove, ApproverRole: "manager"}
}

const toMuch = `/update_deal renewal amount=600000`

func (o *office) refuses(t *testing.T, actor models.Actor, p *models.Proposal, code string) *apperr.Error {
	t.Helper()
	v, err := o.Confirm(t.Context(), actor, p.ID, p.Digest)
	require.Nil(t, v)
	require.True(t, apperr.HasCode(err, code), "want %s, got %v", code, err)
	return apperr.As(err)
}

func (o *office) approves(t *testing.T, actor models.Actor, p *models.Proposal) *models.Proposal {
	t.Helper()
	v, err := o.Confirm(t.Context(), actor, p.ID, p.Digest)
	require.NoError(t, err)
	require.False(t, v.Repeated)
	require.Equal(t, models.ProposalExecuted, v.Proposal.Status)
	return v.Proposal
}

// What a rule wants approved is confirmed by nobody but somebody of its role who could do it themself, and never by
// the one who asked.
func TestFourEyes(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.rule(t, above("500000"))
		p := o.ask(t, o.Sales1, toMuch)
		require.Equal(t, "manager", p.ApproverRole)
		require.Equal(t, "This needs the approval of somebody with the role Manager: the amount, HK$600,000.00, is above HK$500,000.00.", p.ApprovalReason)
		require.Equal(t, o.Clock.Now().Add(24*time.Hour), p.ExpiresAt.UTC())

		refusal := o.refuses(t, o.Sales1, p, proposals.CodeNeedsApproval)
		require.Equal(t, apperr.Forbidden, refusal.Kind)
		require.Equal(t, p.ApprovalReason, refusal.Message)
		for _, other := range []models.Actor{o.Sales2, o.Manager2, o.Admin, o.Viewer, o.Disabled} {
			o.refuses(t, other, p, "NOT_FOUND")
			_, err := o.proposals.Get(t.Context(), other, p.ID)
			require.True(t, apperr.Is(err, apperr.NotFound))
		}
		require.Equal(t, "HK$120,000.00", o.amount(t).String())

		done := o.approves(t, o.Manager, p)
		require.Equal(t, []string{o.Manager.UserID, "Mei Manager", o.Sales1.UserID, "Sam Sales"}, []string{*done.DecidedBy, done.DeciderName, done.RequestedBy, done.RequesterName})
		require.Equal(t, "HK$600,000.00", o.amount(t).String())
		require.Equal(t, []string{`Changed "Acme renewal". Approved by Mei Manager.`}, o.told(t, o.Sales1, p))
		v, err := o.Confirm(t.Context(), o.Manager, p.ID, p.Digest)
		require.NoError(t, err)
		require.True(t, v.Repeated)

		history, err := crm.NewHistory(o.DB, o.Gate, o.Clock.Now).Of(t.Context(), o.Admin, models.TypeDeal, o.AcmeRenewal.ID)
		require.NoError(t, err)
		require.Len(t, history, 1)
		require.Equal(t, []string{o.Sales1.UserID, o.Manager.UserID, "Mei Manager"}, []string{*history[0].ActorUserID, *history[0].ApproverID, history[0].ApproverName})
		entry := o.last(t, "deal:update")
		require.Equal(t, o.Sales1.UserID, *entry.ActorID)
		require.Contains(t, string(entry.Detail), `"approvedBy":"`+o.Manager.UserID)
		require.Equal(t, o.Manager.UserID, *o.last(t, "proposal:confirm").ActorID)
	})
}

// last is the latest allowed entry of an action.
func (o *office) last(t *testing.T, action string) models.AuditEntry {
	t.Helper()
	page, err := audit.NewLog(o.DB, o.Gate).List(t.Context(), o.Admin, store.AuditFilter{Action: action, Decision: models.DecisionAllowed}, store.Page{Limit: 1})
	require.NoError(t, err)
	require.NotEmpty(t, page.Items, action)
	return page.Items[0]
}

func TestNobodyApprovesTheirOwn(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.rule(t, above("100"))
		p := o.ask(t, o.Manager, `/update_deal "Ferry fleet" amount=1000000`)
		o.refuses(t, o.Manager, p, proposals.CodeNeedsApproval)
		o.refuses(t, o.Manager2, p, "NOT_FOUND")
		v, err := o.Cancel(t.Context(), o.Manager, p.ID, "")
		require.NoError(t, err, "the requester may cancel")
		require.Equal(t, models.ProposalCancelled, v.Proposal.Status)
	})
}

func TestBelowTheLimitNobodyIsAsked(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.rule(t, above("600000"))
		rule := above("1")
		rule.Role = "viewer"
		o.rule(t, rule)
		rule.Role, rule.Tool = "", "update_deal_stage"
		o.rule(t, rule)
		p := o.ask(t, o.Sales1, toMuch)
		require.False(t, p.Approval.Needed(), "not above, another role, another tool")
		o.approves(t, o.Sales1, p)
		p = o.ask(t, o.Sales1, `/update_deal_stage expansion stage=Won`)
		require.False(t, p.Approval.Needed(), "there is no amount")
	})
}

// Of several rules that apply, the one whose approvers may do most is asked.
func TestTheWidestRightsAreAsked(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.rule(t, above("100"))
		rule := above("500000")
		rule.ApproverRole = "admin"
		o.rule(t, rule)
		p := o.ask(t, o.Sales1, toMuch)
		o.refuses(t, o.Manager, p, "NOT_FOUND")
		o.approves(t, o.Admin, p)
	})
}

// The roles and rights of the click count.
func TestApproversOfNow(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.rule(t, above("500000"))
		p := o.ask(t, o.Sales1, toMuch)
		o.raw("UPDATE users SET role = 'sales' WHERE id = $1", o.Manager.UserID)
		o.refuses(t, o.Manager, p, "NOT_FOUND")
		o.raw("UPDATE users SET role = 'manager', disabled_at = $1 WHERE id = $2", o.Clock.Now(), o.Manager.UserID)
		o.refuses(t, o.Manager, p, "NOT_FOUND")
		o.raw("UPDATE users SET disabled_at = NULL, team_id = $1 WHERE id = $2", o.Beta.ID, o.Manager.UserID)
		o.refuses(t, o.Manager, p, "NOT_FOUND")
		o.raw("UPDATE users SET team_id = $1 WHERE id = $2", o.Alpha.ID, o.Manager.UserID)
		o.raw("UPDATE users SET role = 'manager' WHERE id = $1", o.Sales2.UserID)
		o.approves(t, o.Sales2, p)
	})
}

// An approver who sees the record and lacks a right that the change takes does nothing, and ends nothing.
func TestAnApproverWithoutTheRight(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.rule(t, settings.RuleInput{Tool: "reassign_owner", Effect: models.RuleApprove, ApproverRole: "manager"})
		p := o.ask(t, o.Admin, `/reassign_owner type=deal record="Acme renewal" owner=sales2@example.test`)
		o.raw("DELETE FROM role_permissions WHERE role_slug = 'manager' AND permission = 'deal:assign'")
		o.raw("UPDATE policy_state SET version = version + 1")
		o.refuses(t, o.Manager, p, "FORBIDDEN")
		got, err := o.proposals.Get(t.Context(), o.Admin, p.ID)
		require.NoError(t, err)
		require.Equal(t, models.ProposalPending, got.Status)
		o.raw("INSERT INTO role_permissions (role_slug, permission, scope) VALUES ('manager', 'deal:assign', 'team')")
		o.raw("UPDATE policy_state SET version = version + 1")
		o.approves(t, o.Manager, p)
	})
}

// The change is the requester's: without their right it is not done, whoever approves.
func TestTheRequesterHasLostTheRight(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.rule(t, above("500000"))
		p := o.ask(t, o.Sales1, toMuch)
		o.raw("UPDATE users SET role = 'viewer' WHERE id = $1", o.Sales1.UserID)
		refusal := o.refuses(t, o.Manager, p, "FORBIDDEN")
		require.Equal(t, apperr.Forbidden, refusal.Kind)
		require.Equal(t, []string{"Not done: You no longer have the right to make this change."}, o.told(t, o.Sales1, p))

		p = o.ask(t, o.Sales2, `/update_deal pilot amount=600000`)
		o.raw("UPDATE users SET disabled_at = $1 WHERE id = $2", o.Clock.Now(), o.Sales2.UserID)
		refusal = o.refuses(t, o.Manager, p, "FORBIDDEN")
		require.Equal(t, apperr.Forbidden, refusal.Kind, "the approver is not signed out")
		require.Equal(t, "HK$120,000.00", o.amount(t).String())
	})
}

// A rule that came after the card counts at the click; one that went does not let the card go.
func TestRulesOfTheClick(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		p := o.ask(t, o.Sales1, toMuch)
		require.False(t, p.Approval.Needed())
		rule := o.rule(t, above("500000"))
		refusal := o.refuses(t, o.Sales1, p, proposals.CodeNeedsApproval)
		card := refusal.Extra["proposal"].(*models.Proposal)
		require.Equal(t, []string{p.ID, p.Digest, "manager"}, []string{card.ID, card.Digest, card.ApproverRole})
		require.Equal(t, o.Clock.Now().Add(24*time.Hour), card.ExpiresAt.UTC())

		require.NoError(t, o.rules().Delete(t.Context(), o.Admin, rule.ID, rule.Version))
		o.refuses(t, o.Sales1, p, proposals.CodeNeedsApproval)
		again := o.ask(t, o.Sales1, toMuch)
		require.NotEqual(t, p.ID, again.ID, "a card of its own")
		require.False(t, again.Approval.Needed())
		o.refuses(t, o.Manager, p, proposals.CodeSuperseded)
		o.approves(t, o.Sales1, again)

		o.rule(t, above("500000"))
		p = o.ask(t, o.Sales1, `/update_deal renewal amount=700000`)
		in := above("500000")
		in.ApproverRole = "admin"
		o.rule(t, in)
		o.refuses(t, o.Manager, p, proposals.CodeNeedsApproval)
		o.refuses(t, o.Manager, p, "NOT_FOUND")
		o.approves(t, o.Admin, p)
	})
}

// Other values count as those that were proposed; an approver gives none.
func TestEditedValuesNeedTheirApproval(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.rule(t, above("500000"))
		p := o.ask(t, o.Sales1, `/update_deal renewal amount=400000`)
		_, err := o.ConfirmChoice(t.Context(), o.Sales1, p.ID, p.Digest, confirm.Choice{Edits: map[string]any{"amount": "600000"}})
		require.True(t, apperr.HasCode(err, proposals.CodeNeedsApproval), "%v", err)
		require.Contains(t, err.Error(), "HK$600,000.00, is above HK$500,000.00")
		got, err := o.proposals.Get(t.Context(), o.Sales1, p.ID)
		require.NoError(t, err)
		require.False(t, got.Approval.Needed(), "the card is as it was")
		_, err = o.ConfirmChoice(t.Context(), o.Sales1, p.ID, p.Digest, confirm.Choice{Edits: map[string]any{"amount": "450000"}})
		require.NoError(t, err)
		require.Equal(t, "HK$450,000.00", o.amount(t).String())

		p = o.ask(t, o.Sales1, toMuch)
		view, err := proposals.ViewOf(p)
		require.NoError(t, err)
		require.Empty(t, view.Editable)
		_, err = o.ConfirmChoice(t.Context(), o.Sales1, p.ID, p.Digest, confirm.Choice{Edits: map[string]any{"amount": "1"}})
		require.True(t, apperr.HasCode(err, proposals.CodeNeedsApproval), "%v", err)
		_, err = o.ConfirmChoice(t.Context(), o.Manager, p.ID, p.Digest, confirm.Choice{Edits: map[string]any{"amount": "1"}})
		require.True(t, apperr.HasCode(err, "NOT_EDITABLE"), "%v", err)
		o.approves(t, o.Manager, p)
		_, err = o.Undo(t.Context(), o.Manager, p.ID)
		require.True(t, apperr.Is(err, apperr.NotFound), "undoing is the requester's")
	})
}

func TestAnApprovalExpiresAndEscalates(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		in := above("500000")
		in.ExpiresAfterHours, in.EscalationRole, in.EscalatesAfterHours = 48, "admin", 4
		o.rule(t, in)
		p := o.ask(t, o.Sales1, toMuch)
		o.Clock.Advance(4*time.Hour - time.Microsecond)
		o.refuses(t, o.Admin, p, "NOT_FOUND")
		o.Clock.Advance(time.Microsecond)
		page, err := o.proposals.List(t.Context(), o.Admin, models.ProposalPending, store.Page{})
		require.NoError(t, err)
		require.Len(t, page.Items, 1)
		o.approves(t, o.Admin, p)

		p = o.ask(t, o.Sales1, `/update_deal renewal amount=700000`)
		o.Clock.Advance(48 * time.Hour)
		for _, actor := range []models.Actor{o.Manager, o.Admin, o.Sales1} {
			o.refuses(t, actor, p, proposals.CodeExpired)
		}
		require.Equal(t, "HK$600,000.00", o.amount(t).String())
	})
}

func TestApproversAtOnceAreOneEffect(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.rule(t, above("500000"))
		o.raw("UPDATE users SET role = 'manager' WHERE id = $1", o.Sales2.UserID)
		p := o.ask(t, o.Sales1, toMuch)
		fresh := make([]bool, 8)
		var all sync.WaitGroup
		for i := range fresh {
			all.Go(func() {
				v, err := o.Confirm(t.Context(), []models.Actor{o.Manager, o.Sales2}[i%2], p.ID, p.Digest)
				fresh[i] = err == nil && !v.Repeated
			})
		}
		all.Wait()
		first := 0
		for _, f := range fresh {
			if f {
				first++
			}
		}
		require.Equal(t, 1, first)
		deal, err := o.deals.Get(t.Context(), o.Admin, o.AcmeRenewal.ID)
		require.NoError(t, err)
		require.Equal(t, int64(2), deal.Version)
		require.Len(t, o.told(t, o.Sales1, p), 1)
	})
}

// Small changes of one person to one record count together for a day, those that were approved apart.
func TestSmallChangesCountTogether(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.rule(t, above("125000"))
		for _, amount := range []string{"80000", "40000"} {
			o.approves(t, o.Sales1, o.ask(t, o.Sales1, "/update_deal renewal amount="+amount))
		}
		p := o.ask(t, o.Sales1, "/update_deal renewal amount=90000")
		require.Equal(t, "This needs the approval of somebody with the role Manager: changes of HK$130,000.00 to this record within 24 hours are above HK$125,000.00.", p.ApprovalReason)
		o.refuses(t, o.Sales1, p, proposals.CodeNeedsApproval)
		o.approves(t, o.Manager, p)
		p = o.ask(t, o.Sales1, "/update_deal renewal amount=100000")
		require.False(t, p.Approval.Needed(), "80,000 and 10,000")
		o.approves(t, o.Sales1, p)
		require.True(t, o.ask(t, o.Sales1, "/update_deal renewal amount=60000").Approval.Needed())
		require.False(t, o.ask(t, o.Manager, "/update_deal renewal amount=60000").Approval.Needed(), "another person")
		o.Clock.Advance(24 * time.Hour)
		o.approves(t, o.Sales1, o.ask(t, o.Sales1, "/update_deal renewal amount=60000"))
	})
}

// What cannot be compared is above every limit.
func TestAnotherCurrencyIsAboveTheLimit(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.rule(t, above("100000000"))
		p := o.ask(t, chinese(o.Sales1), "/update_deal renewal amount=1 currency=USD")
		require.Equal(t, "這項變更須由「經理」角色的同事批准：金額 US$1.00 與限額 HK$100,000,000.00 的貨幣不同，無法比較。", p.ApprovalReason)
		o.approves(t, o.Manager, p)
		require.True(t, o.ask(t, o.Sales1, toProposal).Approval.Needed(), "its amount stands in another currency")
	})
}

// Of a quotation the total counts: that of the row where there is one, and that of the card for a new one.
func TestTheTotalOfAQuotation(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		rule := o.rule(t, above("500000"))
		p := o.ask(t, o.Sales1, sendAcme)
		require.False(t, p.Approval.Needed(), "HK$500,000.00 is not above HK$500,000.00")
		_, err := o.rules().Update(t.Context(), o.Admin, rule.ID, rule.Version, func(in settings.RuleInput) settings.RuleInput {
			in.Threshold = "499999.99"
			return in
		})
		require.NoError(t, err)
		o.refuses(t, o.Sales1, p, proposals.CodeNeedsApproval)
		o.approves(t, o.Manager, p)
		require.Equal(t, "This needs the approval of somebody with the role Manager: the amount, HK$500,000.00, is above HK$499,999.99.",
			o.ask(t, o.Sales1, `/revise_quotation Q-2026-0001 notes="Net 60"`).ApprovalReason)
		require.False(t, o.ask(t, o.Sales1, `/revise_quotation Q-2026-0001 discount_percent=1`).Approval.Needed())

		p = o.ask(t, o.Sales1, `/draft_quotation acme items="3 x CR-100"`)
		require.Equal(t, "This needs the approval of somebody with the role Manager: the amount, HK$750,000.00, is above HK$499,999.99.", p.ApprovalReason)
		o.refuses(t, o.Sales1, p, proposals.CodeNeedsApproval)
		o.approves(t, o.Manager, p)
		o.approves(t, o.Sales1, o.ask(t, o.Sales1, `/draft_quotation acme items="1 x CR-100"`))
		o.raw("UPDATE quotations SET currency = 'USD', total_minor = 1 WHERE id = $1", o.QuoteGlobex.ID)
		require.Contains(t, o.ask(t, o.Sales2, `/update_quotation_status Q-2026-0002 status=SENT`).ApprovalReason, "US$0.01, is in another currency")
	})
}

// All discounts of a quotation count together, in percent of the price of its items.
func TestTheDiscountOfAQuotation(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.rule(t, settings.RuleInput{Metric: models.RuleDiscount, Threshold: "19", Effect: models.RuleApprove, ApproverRole: "manager"})
		require.False(t, o.ask(t, o.Sales1, toMuch).Approval.Needed(), "a deal has no discount")
		o.raw("UPDATE quotations SET discount_rate_e4 = 100000 WHERE id = $1", o.QuoteAcme.ID)
		o.raw("UPDATE quotation_items SET discount_rate_e4 = 100000 WHERE quotation_id = $1", o.QuoteAcme.ID)
		p := o.ask(t, o.Sales1, sendAcme)
		require.False(t, p.Approval.Needed(), "10% of 90% on top of 10% are not above 19%")
		o.raw("UPDATE quotations SET discount_rate_e4 = 100001 WHERE id = $1", o.QuoteAcme.ID)
		require.Equal(t, "This needs the approval of somebody with the role Manager: the discount in all, 19.0001%, is above 19%.",
			o.refuses(t, o.Sales1, p, proposals.CodeNeedsApproval).Message)
		o.approves(t, o.Manager, p)

		p = o.ask(t, chinese(o.Sales1), `/revise_quotation Q-2026-0001 discount_percent=20`)
		require.Equal(t, "這項變更須由「經理」角色的同事批准：總折扣 28% 高於 19%。", p.ApprovalReason)
		require.Contains(t, string(p.Changes), `"afterDisplay":"28%"`)
		o.refuses(t, o.Sales1, p, proposals.CodeNeedsApproval)
		o.approves(t, o.Manager, p)
		require.True(t, o.ask(t, o.Sales1, `/draft_quotation acme items="10 x PL-1" discount_percent=19.0001`).Approval.Needed())
		for _, most := range []string{"", " discount_percent=19"} {
			o.approves(t, o.Sales1, o.ask(t, o.Sales1, `/draft_quotation acme items="10 x PL-1"`+most))
		}
	})
}

func TestManyRecords(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.rule(t, settings.RuleInput{Tool: "update_deal_stage", Metric: models.RuleCount, Threshold: "2", Effect: models.RuleApprove, ApproverRole: "manager"})
		for _, command := range []string{toProposal, `/update_deal_stage expansion stage=Won`} {
			o.approves(t, o.Sales1, o.ask(t, o.Sales1, command))
		}
		third := o.ask(t, o.Sales1, `/update_deal_stage renewal stage=Won`)
		require.Equal(t, "This needs the approval of somebody with the role Manager: with this, 3 records would be changed within 24 hours, more than 2.", third.ApprovalReason)
		require.False(t, o.ask(t, o.Sales1, `/update_deal renewal title="Acme 2"`).Approval.Needed(), "another tool")
	})
}

// A tool that runs at once proposes where a rule says so.
func TestARuleLetsAToolAskFirst(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.rule(t, settings.RuleInput{Tool: "create_company", Role: "sales", Effect: models.RuleConfirm})
		p := o.ask(t, o.Sales1, `/create_company name="Harbour Lights"`)
		require.False(t, p.Approval.Needed())
		o.approves(t, o.Sales1, p)
		outcome := o.run(t, o.Manager, `/create_company name="Pier Nine"`)
		require.Equal(t, models.CallOK, outcome.Status, "another role")

		o.rule(t, settings.RuleInput{Effect: models.RuleApprove, ApproverRole: "manager"})
		p = o.ask(t, o.Sales1, `/create_company name="Lamma Foods"`)
		require.True(t, p.Approval.Needed())
		o.refuses(t, o.Manager2, p, "NOT_FOUND")
		o.approves(t, o.Manager, p)
		require.Equal(t, models.CallOK, o.run(t, o.Sales1, `/get_company "Lamma Foods"`).Status, "it is the requester's")
	})
}

// run types a command outside a conversation.
func (o *office) run(t *testing.T, actor models.Actor, command string) tools.Outcome {
	t.Helper()
	parsed, err := o.registry.ParseCommand(actor.Lang, command)
	require.NoError(t, err)
	return o.executor.Call(t.Context(), actor.As(models.ViaCommand), tools.Call{ID: models.NewID(), Name: parsed.Tool, Args: parsed.Args, Channel: models.ViaWeb})
}

func TestAnApproverDeclines(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.rule(t, above("500000"))
		for reason, want := range map[string]string{
			"":              "Mei Manager declined: Change deal · Acme renewal.",
			"Not this year": "Mei Manager declined: Change deal · Acme renewal. Reason: Not this year",
		} {
			p := o.ask(t, o.Sales1, toMuch)
			v, err := o.Cancel(t.Context(), o.Manager, p.ID, reason)
			require.NoError(t, err)
			require.Equal(t, models.ProposalCancelled, v.Proposal.Status)
			require.Equal(t, o.Manager.UserID, *v.Proposal.DecidedBy)
			require.Equal(t, []string{want}, o.told(t, o.Sales1, p))
			o.refuses(t, o.Sales1, p, proposals.CodeAlreadyCancelled)
		}
	})
}

// The requester reads what becomes of a change in the language in which they asked for it, whatever the approver reads.
func TestTheRequesterIsToldInTheirLanguage(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.rule(t, above("500000"))
		requester := o.Sales1
		requester.Lang = "zh-HK"
		ask := func() *models.Proposal { return o.ask(t, requester, toMuch) }

		declined := ask()
		require.Equal(t, "這項變更須由「經理」角色的同事批准：金額 HK$600,000.00 高於 HK$500,000.00。", declined.ApprovalReason)
		_, err := o.Cancel(t.Context(), o.Manager, declined.ID, "")
		require.NoError(t, err)
		require.Equal(t, []string{"Mei Manager 不批准：更改商機資料 · Acme renewal。"}, o.told(t, requester, declined))

		done := o.approves(t, o.Manager, ask())
		var outcome models.Outcome
		require.NoError(t, done.Outcome.Into(&outcome))
		require.Equal(t, "已更改「Acme renewal」。", outcome.Summary)
		require.Equal(t, []string{"已更改「Acme renewal」。由 Mei Manager 批准。"}, o.told(t, requester, done))
	})
}

// The fresh proposal of a stale one is the requester's, and needs its approval as well.
func TestAnApproverFindsItStale(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.rule(t, above("500000"))
		p := o.ask(t, o.Sales1, toMuch)
		_, err := o.deals.Update(t.Context(), o.Admin, o.AcmeRenewal.ID, 1, crm.DealPatch{Title: models.Some("Acme renewal 2")})
		require.NoError(t, err)
		fresh := o.refuses(t, o.Manager, p, proposals.CodeStale).Extra["fresh"].(*models.Proposal)
		require.Equal(t, []string{o.Sales1.UserID, "manager"}, []string{fresh.RequestedBy, fresh.ApproverRole})
		o.refuses(t, o.Sales1, fresh, proposals.CodeNeedsApproval)
		o.approves(t, o.Manager, fresh)
	})
}

// An approver sees of personal data what they may see.
func TestAnApproverSeesByTheirOwnRights(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.raw("INSERT INTO roles (slug, name, is_system) VALUES ('desk', 'Desk', FALSE)")
		o.raw("INSERT INTO role_permissions (role_slug, permission, scope) VALUES ('desk', 'contact:read', 'all'), ('desk', 'contact:update', 'all')")
		o.raw("UPDATE policy_state SET version = version + 1")
		o.raw("UPDATE users SET role = 'desk' WHERE id = $1", o.Viewer.UserID)
		o.rule(t, settings.RuleInput{Tool: "update_contact", Effect: models.RuleApprove, ApproverRole: "desk"})
		p := o.ask(t, o.Sales1, `/update_contact contact="Amy Fong" phone="+852 9888 7777" job_title="Ring 9777 6666"`)
		for _, look := range []func() (*models.Proposal, error){
			func() (*models.Proposal, error) { return o.proposals.Get(t.Context(), o.Viewer, p.ID) },
			func() (*models.Proposal, error) {
				page, err := o.proposals.List(t.Context(), o.Viewer, models.ProposalPending, store.Page{})
				require.Len(t, page.Items, 1)
				return &page.Items[0], err
			},
			func() (*models.Proposal, error) {
				v, err := o.Confirm(t.Context(), o.Viewer, p.ID, p.Digest)
				return v.Proposal, err
			},
		} {
			seen, err := look()
			require.NoError(t, err)
			require.NotContains(t, string(seen.Changes), "9888")
			require.NotContains(t, string(seen.Changes), "9123")
			require.NotContains(t, string(seen.Changes), "9777")
			require.Contains(t, string(seen.Changes), audit.Hidden)
		}
		contact, err := o.contacts.Get(t.Context(), o.Admin, o.Amy.ID)
		require.NoError(t, err)
		require.Contains(t, contact.Phone, "7777", "what is done is what was asked for")
	})
}
