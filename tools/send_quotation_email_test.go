package tools_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/conversations"
	"countersign/models"
	"countersign/tools"
)

const letterInChinese = `Amy Fong 方詠詩：您好！

如上午所談。

報價單 Q-2026-0001
客戶：Acme Trading Limited
1. 2 unit × CR-100 Harbour crane @ HK$250,000.00 = HK$500,000.00
總計：HK$500,000.00

此致
Sam Sales`

// The card shows the recipient, the subject and the whole text, and says before the buttons what confirming does.
func TestSendQuotationEmailProposes(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		before := d.writes(t)
		p := proposed(t, d.call(t, d.Sales1, "send_quotation_email", `{"quotation":"q-2026-0001","note":"如上午所談。\u202e","reason":"They asked."}`))
		require.Equal(t, before, d.writes(t))
		require.Equal(t, []any{"Send quotation by e-mail", "Q-2026-0001", int64(1), "They asked."}, []any{p.Title, p.TargetName, p.TargetVersion, p.Reason})
		rows := changes(t, p)
		require.Equal(t, models.Change{Field: "email", Label: "To", After: "amy@acme.test", BeforeDisplay: "(empty)", AfterDisplay: "amy@acme.test"}, rows[0])
		require.Equal(t, []any{"subject", "報價單 Q-2026-0001"}, []any{rows[1].Field, rows[1].After})
		require.Equal(t, []any{"message", letterInChinese, letterInChinese}, []any{rows[2].Field, rows[2].After, rows[2].AfterDisplay})
		require.Equal(t, []any{"status", "Draft", "Sent"}, []any{rows[3].Field, rows[3].BeforeDisplay, rows[3].AfterDisplay})
		require.Equal(t, []string{"Confirming sends this e-mail to amy@acme.test. It cannot be called back.", "The quotation becomes Sent and can no longer be edited."}, warnings(t, p))
	})
}

func TestSendQuotationEmailInWords(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		p := proposed(t, d.say(t, chinese(d.Sales1), `/send_quotation_email Q-2026-0001 email="Boss@Acme.test" subject="Offer  for you" language=en`))
		rows := changes(t, p)
		require.Equal(t, []any{"收件人", "boss@acme.test", "Offer for you"}, []any{rows[0].Label, rows[0].After, rows[1].After})
		require.Contains(t, rows[2].After, "Dear Amy Fong 方詠詩,\n\nThank you for your interest.")
		require.Contains(t, rows[2].After, "Kind regards,\nSam Sales")
		require.Equal(t, []any{"草稿", "已發出"}, []any{rows[3].BeforeDisplay, rows[3].AfterDisplay})
		require.Contains(t, warnings(t, p), "這並非報價單聯絡人的地址。")
	})
}

// A model writes to nobody but the contact, or an address that the person has written, whole, in this conversation.
func TestSendQuotationEmailGoesNowhereElse(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		talk := conversations.NewService(d.DB, d.Clock.Now)
		s, err := talk.Start(t.Context(), d.Sales1, conversations.Opening{NewID: models.NewID(), Message: "Mail it to <Boss@Acme.test>.", Channel: models.ViaWeb})
		require.NoError(t, err)
		send := func(conversation, address string) tools.Outcome {
			actor := d.Sales1.As(models.ViaAssistant)
			actor.ConversationID = conversation
			args, err := json.Marshal(map[string]string{"quotation": "Q-2026-0001", "email": address})
			require.NoError(t, err)
			return d.executor.Call(t.Context(), actor, tools.Call{ID: "c", Name: "send_quotation_email", Args: args, ConversationID: conversation})
		}
		for _, address := range []string{"eve@evil.test", "oss@acme.test", "boss@acme.tes", "boss@acme.test.evil.test"} {
			require.Contains(t, fails(t, send(s.Turn.ConversationID, address), "invalid").Message, "in this conversation", address)
		}
		require.Contains(t, fails(t, send("", "boss@acme.test"), "invalid").Message, "in this conversation")
		for _, address := range []string{
			"boss@acme.test\r\nBcc: eve@evil.test", "boss@acme.test, eve@evil.test", "Boss <boss@acme.test>", "boss", "boss@", "boss@acme.test>", "a b@acme.test",
		} {
			fails(t, send(s.Turn.ConversationID, address), "invalid")
		}
		require.Equal(t, "boss@acme.test", changes(t, proposed(t, send(s.Turn.ConversationID, "boss@acme.test")))[0].After)
		require.Equal(t, "amy@acme.test", changes(t, proposed(t, send(s.Turn.ConversationID, "AMY@acme.test")))[0].After)
	})
}

func TestSendQuotationEmailRefuses(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		fails(t, d.say(t, d.Viewer, `/send_quotation_email Q-2026-0001`), "forbidden")
		d.unseen(t, d.Sales3, `/send_quotation_email %s`, d.QuoteAcme.ID)
		e := fails(t, d.say(t, d.Sales2, `/send_quotation_email `+d.QuoteGlobex.ID), "invalid")
		require.Contains(t, e.Message, "no contact with an e-mail address")
		d.exec(t, "UPDATE quotations SET status = 'REJECTED' WHERE id = $1", d.QuoteAcme.ID)
		require.Contains(t, fails(t, d.say(t, d.Sales1, `/send_quotation_email Q-2026-0001`), "conflict").Message, "Revise it to go on")
		d.exec(t, "UPDATE quotations SET status = 'SENT', superseded_at = created_at WHERE id = $1", d.QuoteAcme.ID)
		require.Contains(t, fails(t, d.say(t, d.Sales1, `/send_quotation_email `+d.QuoteAcme.ID), "conflict").Message, "newer revision")
	})
}

// What was sent can be sent again, and stays as it is.
func TestSendQuotationEmailAgain(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.exec(t, "UPDATE quotations SET status = 'SENT', sent_at = created_at WHERE id = $1", d.QuoteAcme.ID)
		p := proposed(t, d.say(t, d.Sales1, `/send_quotation_email Q-2026-0001`))
		require.Len(t, changes(t, p), 3)
		require.Len(t, warnings(t, p), 1)
	})
}

// Whoever may not see the contact's address sends to it all the same, and sees it masked.
func TestSendQuotationEmailMasksTheRecipient(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.exec(t, "DELETE FROM role_permissions WHERE role_slug = 'sales' AND permission = 'contact:pii'")
		d.exec(t, "UPDATE policy_state SET version = version + 1")
		o := d.call(t, d.Sales1, "send_quotation_email", `{"quotation":"Q-2026-0001"}`)
		p := proposed(t, o)
		for _, text := range []string{string(p.Changes), string(p.Args), string(p.Warnings), o.Text, string(o.Result)} {
			require.NotContains(t, text, "amy@")
		}
		require.Equal(t, "a•••@acme.test", changes(t, p)[0].After)
	})
}
