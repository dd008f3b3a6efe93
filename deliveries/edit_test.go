package deliveries_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/confirm"
	"countersign/models"
	"countersign/proposals"
)

// The subject and the opening words can be changed on the card, and what was changed is sent.
func TestAnEditedEmailIsSent(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		card := o.card(t)
		var editable []proposals.Editable
		require.NoError(t, card.Editable.Into(&editable))
		require.Equal(t, []proposals.Editable{
			{Arg: "subject", Field: "subject", Label: "Subject", Type: "text", Value: "報價單 Q-2026-0001"},
			{Arg: "note", Field: "message", Label: "Opening words", Type: "multiline", Value: "感謝查詢，以下是我們的報價單 Q-2026-0001。"},
		}, editable)
		choice := confirm.Choice{Edits: map[string]any{"subject": "Our offer", "note": "As agreed.\nCall me."}}
		v, err := o.confirm.ConfirmChoice(t.Context(), o.Sales1, card.ID, card.Digest, choice)
		require.NoError(t, err)
		require.Equal(t, models.ProposalExecuted, v.Proposal.Status, "%s", v.Proposal.Outcome)
		require.NoError(t, o.deliver(t, card))
		require.NoError(t, o.deliver(t, card))
		require.Len(t, o.smtp.Received(), 1)
		got := o.smtp.Received()[0]
		require.Equal(t, []any{"amy@acme.test", "Our offer"}, []any{got.To, got.Header.Get("Subject")})
		var done []models.Change
		require.NoError(t, v.Proposal.EditedChanges.Into(&done))
		require.Equal(t, done[2].After, got.Text)
		require.Contains(t, got.Text, "您好！\n\nAs agreed.\nCall me.\n\n報價單 Q-2026-0001")
		require.Contains(t, o.last(t, card), "It was changed before it was confirmed: ")
	})
}

// To whom it goes, with what and in which language is not changed on the card, nor is anything emptied.
func TestEditsOfAnEmailThatAreRefused(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		card := o.card(t)
		confirmed := func(name, value string) error {
			_, err := o.confirm.ConfirmChoice(t.Context(), o.Sales1, card.ID, card.Digest, confirm.Choice{Edits: map[string]any{name: value}})
			return err
		}
		for name, value := range map[string]string{"email": "eve@evil.test", "quotation": o.QuoteGlobex.ID, "language": "en"} {
			require.True(t, apperr.HasCode(confirmed(name, value), proposals.CodeNotEditable), name)
		}
		require.True(t, apperr.Is(confirmed("subject", ""), apperr.Invalid))
		require.Zero(t, o.count(t, "SELECT COUNT(*) FROM deliveries"))
		_, err := o.confirm.Confirm(t.Context(), o.Sales1, card.ID, card.Digest)
		require.NoError(t, err)
	})
}
