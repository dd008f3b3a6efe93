package confirm_test

import (
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/confirm"
	"countersign/models"
	"countersign/proposals"
	"countersign/store"
)

const renewalForFive = `/update_deal renewal title="Renewal 2027" amount=5 company=ferry clear=expected_close_date`

// stored is a proposal as its requester sees it now.
func (o *office) stored(t *testing.T, p *models.Proposal) proposals.View {
	t.Helper()
	got, err := o.proposals.Get(t.Context(), models.Actor{UserID: p.RequestedBy}, p.ID)
	require.NoError(t, err)
	view, err := proposals.ViewOf(got)
	require.NoError(t, err)
	return view
}

// after are the values that a diff leads to, by field, as a person reads them.
func after(changes []models.Change) map[string]string {
	values := map[string]string{}
	for _, c := range changes {
		values[c.Field] = c.AfterDisplay
	}
	return values
}

func TestACardSaysWhatIsEditable(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		p := o.ask(t, o.Sales1, renewalForFive)
		require.Equal(t, []proposals.Editable{
			{Arg: "title", Field: "title", Label: "Title", Type: "text", Value: "Renewal 2027"},
			{Arg: "amount", Field: "amount", Label: "Amount", Type: "money", Value: "5"},
			{Arg: "currency", Field: "amount", Label: "Currency", Type: "text", Value: "HKD"},
		}, o.stored(t, p).Editable)
		_, err := o.Cancel(t.Context(), o.Sales1, p.ID, "")
		require.NoError(t, err)
		require.Empty(t, o.stored(t, p).Editable, "only while it waits")

		p = o.ask(t, chinese(o.Sales1), `/update_deal renewal expected_close_date=2026-12-31`)
		require.Equal(t, []proposals.Editable{{Arg: "expected_close_date", Field: "expectedCloseDate", Label: "預計成交日", Type: "date", Value: "2026-12-31"}}, o.stored(t, p).Editable)

		p = o.ask(t, o.Sales1, `/update_company acme status=CHURNED tags=vip`)
		editable := o.stored(t, p).Editable
		require.Equal(t, []string{"choice", "list"}, []string{editable[0].Type, editable[1].Type})
		require.Equal(t, proposals.Choice{Value: "LEAD", Label: "Lead"}, editable[0].Choices[0])

		require.Empty(t, o.stored(t, o.ask(t, o.Sales1, toProposal)).Editable, "a stage is a record")
	})
}

func TestConfirmEdited(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		p := o.ask(t, o.Sales1, renewalForFive)
		v, err := o.ConfirmChoice(t.Context(), o.Sales1, p.ID, p.Digest, confirm.Choice{Edits: map[string]any{"amount": "7.50"}})
		require.NoError(t, err)
		require.Equal(t, models.ProposalExecuted, v.Proposal.Status)
		deal, err := o.deals.Get(t.Context(), o.Sales1, o.AcmeRenewal.ID)
		require.NoError(t, err)
		require.Equal(t, "HK$7.50", deal.Amount().String())
		require.Equal(t, "Renewal 2027", deal.Title)

		view := o.stored(t, p)
		require.True(t, view.Edited)
		require.Equal(t, p.Digest, view.Digest, "that of the card which was seen")
		require.Equal(t, "HK$7.50", after(view.Changes)["amount"])
		require.Equal(t, "HK$5.00", after(view.ProposedChanges)["amount"])
		require.Equal(t, after(view.ProposedChanges)["title"], after(view.Changes)["title"])
		require.Contains(t, o.told(t, o.Sales1, p)[0], "It was changed before it was confirmed: ")
		require.Contains(t, o.told(t, o.Sales1, p)[0], "HK$7.50")
		require.NotContains(t, o.told(t, o.Sales1, p)[0], "Title:", "what stays is not told again")

		detail := o.confirmDetail(t, p)
		require.Contains(t, detail, `"amount":"5"`)
		require.Contains(t, detail, `"amount":"7.50"`)
		require.Contains(t, detail, p.Digest)

		again, err := o.ConfirmChoice(t.Context(), o.Sales1, p.ID, p.Digest, confirm.Choice{Edits: map[string]any{"amount": "9", "title": ""}})
		require.NoError(t, err)
		require.True(t, again.Repeated)
		require.Equal(t, view, o.stored(t, p), "the stored outcome, whatever the edits of a repeat")

		undo, err := o.Undo(t.Context(), o.Sales1, p.ID)
		require.NoError(t, err)
		require.Empty(t, o.stored(t, undo).Editable, "an undo is exact")
		_, err = o.Confirm(t.Context(), o.Sales1, undo.ID, undo.Digest)
		require.NoError(t, err)
		deal, err = o.deals.Get(t.Context(), o.Sales1, o.AcmeRenewal.ID)
		require.NoError(t, err)
		require.Equal(t, o.AcmeRenewal.Amount(), deal.Amount(), "what was there before the edited change")
	})
}

// confirmDetail is the detail of the audit entry of a confirm.
func (o *office) confirmDetail(t *testing.T, p *models.Proposal) (detail string) {
	t.Helper()
	o.InTx(t, func(tx *store.Tx) {
		entries, err := tx.UnsealedAudit(t.Context(), 10_000)
		require.NoError(t, err)
		for _, e := range entries {
			if e.Action == "proposal:confirm" && e.TargetID == p.TargetID {
				detail = string(e.Detail)
			}
		}
	})
	return detail
}

func TestEditsThatChangeNothingAreNone(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		for _, edits := range []map[string]any{nil, {}, {"amount": "5"}} {
			p := o.ask(t, o.Sales1, `/update_deal renewal amount=5`)
			_, err := o.ConfirmChoice(t.Context(), o.Sales1, p.ID, p.Digest, confirm.Choice{Edits: edits})
			require.NoError(t, err)
			require.False(t, o.stored(t, p).Edited)
			_, err = o.ConfirmChoice(t.Context(), o.Sales1, o.ask(t, o.Sales1, `/update_deal renewal amount=6`).ID, "x", confirm.Choice{Edits: nil})
			require.True(t, apperr.HasCode(err, proposals.CodeDigestMismatch))
			o.raw("UPDATE deals SET amount_minor = 1 WHERE id = $1", o.AcmeRenewal.ID)
		}
	})
}

func TestEditsThatAreRefused(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		contact := `/update_contact amy job_title=Director phone=+85221112222 company=ferry`
		for _, c := range []struct {
			command string
			edits   map[string]any
			code    string
			path    string
		}{
			{renewalForFive, map[string]any{"deal": o.GlobexPilot.ID}, "NOT_EDITABLE", "deal"},
			{renewalForFive, map[string]any{"amount": "6", "company": o.Globex.ID}, "NOT_EDITABLE", "company"},
			{renewalForFive, map[string]any{"product": "Crane"}, "NOT_EDITABLE", "product"},
			{renewalForFive, map[string]any{"clear": []any{"company"}}, "NOT_EDITABLE", "clear"},
			{renewalForFive, map[string]any{"reason": "Because"}, "NOT_EDITABLE", "reason"},
			{renewalForFive, map[string]any{"expected_close_date": "2026-12-31"}, "NOT_EDITABLE", "expected_close_date"},
			{toProposal, map[string]any{"stage": "Won"}, "NOT_EDITABLE", "stage"},
			{toProposal, map[string]any{"tool": "update_deal"}, "INVALID", "tool"},
			{`/reassign_owner type=deal record=renewal owner=manager@example.test`, map[string]any{"record": o.GlobexPilot.ID}, "NOT_EDITABLE", "record"},
			{`/reassign_owner type=deal record=renewal owner=manager@example.test`, map[string]any{"type": "company"}, "NOT_EDITABLE", "type"},
			{renewalForFive, map[string]any{"dealId": o.GlobexPilot.ID}, "INVALID", "dealId"},
			{renewalForFive, map[string]any{"amount": "a lot"}, "INVALID", "amount"},
			{renewalForFive, map[string]any{"amount": 6.0}, "INVALID", "amount"},
			{renewalForFive, map[string]any{"amount": map[string]any{"id": o.GlobexPilot.ID}}, "INVALID", "amount"},
			{renewalForFive, map[string]any{"title": strings.Repeat("x", 301)}, "INVALID", "title"},
			{renewalForFive, map[string]any{"title": ""}, "INVALID", "title"},
			{renewalForFive, map[string]any{"title": nil}, "INVALID", "title"},
			{`/update_company acme status=CHURNED`, map[string]any{"status": "GONE"}, "INVALID", "status"},
			{`/update_company acme status=CHURNED`, map[string]any{"status": string(o.Acme.Status)}, "NOTHING_TO_CHANGE", ""},
			{contact, map[string]any{"phone": "••••••22"}, "HIDDEN_VALUE", ""},
			{contact, map[string]any{"phone": "nobody"}, "INVALID", "phone"},
		} {
			if strings.Contains(c.command, "reassign") {
				c.command = strings.Replace(c.command, "manager@example.test", o.User(o.Manager).Email, 1)
			}
			p := o.ask(t, o.Manager, c.command)
			_, err := o.ConfirmChoice(t.Context(), o.Manager, p.ID, p.Digest, confirm.Choice{Edits: c.edits})
			e := apperr.As(err)
			require.Equal(t, []any{apperr.Invalid, c.code}, []any{e.Kind, e.Code}, "%v: %v", c.edits, err)
			if c.path != "" {
				require.Equal(t, c.path, e.Fields[0].Path)
			}
			require.Equal(t, models.ProposalPending, o.stored(t, p).Status, "%v", c.edits)
		}
	})
}

// Edits come last: whatever stops a confirm stops one with edits in the same way.
func TestEditsDoNotChangeTheOrderOfChecks(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		wrong := map[string]any{"amount": "a lot"}
		ask := func() *models.Proposal { return o.ask(t, o.Sales1, `/update_deal renewal amount=5`) }
		refused := func(p *models.Proposal, actor models.Actor, digest, code string) {
			t.Helper()
			for _, edits := range []map[string]any{wrong, {"amount": "6"}} {
				_, err := o.ConfirmChoice(t.Context(), actor, p.ID, digest, confirm.Choice{Edits: edits})
				require.True(t, apperr.HasCode(err, code), "want %s, got %v", code, err)
			}
			require.Equal(t, o.AcmeRenewal.Amount(), o.amount(t))
		}
		p := ask()
		refused(p, o.Manager, p.Digest, "NOT_FOUND")
		refused(p, o.Sales1, "x", proposals.CodeDigestMismatch)
		o.raw("UPDATE users SET role = 'viewer' WHERE id = $1", o.Sales1.UserID)
		_, err := o.ConfirmChoice(t.Context(), o.Sales1, p.ID, p.Digest, confirm.Choice{Edits: wrong})
		require.True(t, apperr.Is(err, apperr.Forbidden), "%v", err)
		o.raw("UPDATE users SET role = 'sales' WHERE id = $1", o.Sales1.UserID)

		p = ask()
		o.touch(t, models.Ref{Type: models.TypeDeal, ID: o.AcmeRenewal.ID})
		refused(p, o.Sales1, p.Digest, proposals.CodeStale)
		p = ask()
		_, err = o.Cancel(t.Context(), o.Sales1, p.ID, "")
		require.NoError(t, err)
		refused(p, o.Sales1, p.Digest, proposals.CodeAlreadyCancelled)
		p = ask()
		o.Clock.Advance(proposals.TTL)
		refused(p, o.Sales1, p.Digest, proposals.CodeExpired)
	})
}

func (o *office) amount(t *testing.T) *models.Money {
	t.Helper()
	deal, err := o.deals.Get(t.Context(), o.Admin, o.AcmeRenewal.ID)
	require.NoError(t, err)
	return deal.Amount()
}

// However many other values are confirmed at once, one of them is carried out, and all hear of that one.
func TestEditsAtOnceAreOne(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		p := o.ask(t, o.Sales1, `/update_deal renewal amount=5`)
		verdicts, errs := make([]*proposals.Verdict, 8), make([]error, 8)
		var clicks sync.WaitGroup
		for i := range verdicts {
			clicks.Go(func() {
				verdicts[i], errs[i] = o.ConfirmChoice(t.Context(), o.Sales1, p.ID, p.Digest, confirm.Choice{Edits: map[string]any{"amount": strconv.Itoa(10 + i)}})
			})
		}
		clicks.Wait()
		first := 0
		for i, v := range verdicts {
			require.NoError(t, errs[i])
			if !v.Repeated {
				first++
			}
			require.Equal(t, verdicts[0].Proposal.EditedArgs, v.Proposal.EditedArgs)
		}
		require.Equal(t, 1, first)
		require.Equal(t, int64(2), o.version(t, models.Ref{Type: models.TypeDeal, ID: o.AcmeRenewal.ID}))
		require.Equal(t, o.amount(t).String(), after(o.stored(t, p).Changes)["amount"])
	})
}
