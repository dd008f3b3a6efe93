package tools_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/models"
	"countersign/tools"
)

func TestUpdateQuotationStatusProposes(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		before := d.writes(t)
		o := d.call(t, d.Sales1, "update_quotation_status", `{"quotation":"Q-2026-0001","status":"SENT","reason":"Handed over."}`)
		p := proposed(t, o)
		require.Equal(t, before, d.writes(t), "nothing changes before a person confirms")
		require.Equal(t, "Proposed: Q-2026-0001 · Status: Draft → Sent. Nothing changes until you confirm.", o.Summary)
		require.Equal(t, tools.Finish, o.After)
		require.Equal(t, []any{"Change status of quotation", int64(1), "Handed over."}, []any{p.Title, p.TargetVersion, p.Reason})
		require.JSONEq(t, `{"quotation":"`+d.QuoteAcme.ID+`","status":"SENT"}`, string(p.Args))
		require.Equal(t, []models.Change{{Field: "status", Label: "Status", Before: "DRAFT", After: "SENT", BeforeDisplay: "Draft", AfterDisplay: "Sent"}}, changes(t, p))
		require.Len(t, warnings(t, p), 1)
		v, err := d.decide(t, d.Sales1, p)
		require.NoError(t, err)
		require.Equal(t, models.ProposalExecuted, v.Proposal.Status)
		p = proposed(t, d.say(t, chinese(d.Sales1), `/update_quotation_status Q-2026-0001 status=accepted`))
		require.Equal(t, []string{"狀態: 已發出 → 已接納"}, shown(t, p))
		require.Empty(t, warnings(t, p))
	})
}

func TestUpdateQuotationStatusRefuses(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		e := fails(t, d.say(t, d.Sales1, `/update_quotation_status Q-2026-0001 status=ACCEPTED`), "conflict")
		require.Contains(t, e.Message, "Possible next: SENT")
		d.move(t, d.Sales1, d.QuoteAcme.ID, models.QuotationSent)
		require.Equal(t, "Q-2026-0001 is Sent already.", fails(t, d.say(t, d.Sales1, `/update_quotation_status Q-2026-0001 status=SENT`), "invalid").Message)
		fails(t, d.say(t, d.Sales1, `/update_quotation_status Q-2026-0001 status=DRAFT`), "invalid")
		fails(t, d.say(t, d.Sales1, `/update_quotation_status Q-2026-0001`), "invalid")
		fails(t, d.say(t, d.Manager, `/update_quotation_status Q-2026 status=SENT`), "ambiguous")
		d.unseen(t, d.Sales1, `/update_quotation_status %s status=SENT`, d.QuoteHarbour.ID)
		e = fails(t, d.say(t, d.Viewer, `/update_quotation_status Q-2026-0001 status=REJECTED`), "forbidden")
		require.Contains(t, e.Message, `"quotation:update"`)
		d.exec(t, "DELETE FROM role_permissions WHERE role_slug = 'sales' AND permission = 'quotation:send'")
		d.exec(t, "UPDATE policy_state SET version = version + 1")
		e = fails(t, d.say(t, d.Sales2, `/update_quotation_status Q-2026-0002 status=SENT`), "forbidden")
		require.Contains(t, e.Message, `"quotation:send"`)
		require.Zero(t, d.count(t, "SELECT COUNT(*) FROM proposals"))
	})
}
