package tools

import (
	"context"
	"slices"

	"countersign/apperr"
	"countersign/conversations"
	"countersign/crm"
	"countersign/deliveries"
	"countersign/i18n"
	"countersign/models"
	"countersign/proposals"
	"countersign/rbac"
	"countersign/resolve"
	"countersign/store"
)

type sendQuotationEmailArgs struct {
	Quotation string `json:"quotation" kind:"quotation" jsonschema:"The quotation: its ID or number."`
	Email     string `json:"email,omitempty" max:"254" jsonschema:"The address in full, only where the user has written one in this conversation; the contact's own when left out."`
	Subject   string `json:"subject,omitempty" field:"subject" max:"200" jsonschema:"The subject; one with the quotation's number when left out."`
	Note      string `json:"note,omitempty" field:"message" input:"multiline" max:"4000" jsonschema:"What to say before the quotation's lines, in the customer's language; a polite sentence when left out."`
	Language  string `json:"language,omitempty" enum:"en,zh-HK" jsonschema:"The language of the e-mail; the contact's own when left out."`
	Reason    string `json:"reason,omitempty" jsonschema:"Why you propose this, in one sentence for the user."`
}

// quotationMailer is the tool send_quotation_email.
type quotationMailer struct {
	quotations    *crm.Quotations
	deliveries    *deliveries.Service
	conversations *conversations.Service
	resolver      *resolve.Resolver
}

func newSendQuotationEmail(s Services) *Tool {
	m := quotationMailer{s.Quotations, s.Deliveries, s.Conversations, s.Resolver}
	tool := newProposingTool(Definition{
		Name: "send_quotation_email", After: Finish, Permission: rbac.QuotationSend,
		Main: "quotation", Example: `/send_quotation_email Q-2026-0007 note="As discussed this morning."`,
	}, rbac.QuotationUpdate, m.prepare, m.execute)
	tool.propose.noUndo = "undo.email"
	return tool
}

func (m quotationMailer) prepare(ctx context.Context, actor models.Actor, in sendQuotationEmailArgs) (proposals.Draft, error) {
	if err := m.deliveries.Ready(actor.Lang); err != nil {
		return proposals.Draft{}, err
	}
	ref, err := namedForWrite(ctx, m.resolver, actor, models.TypeQuotation, in.Quotation)
	if err != nil {
		return proposals.Draft{}, err
	}
	quotation, err := m.quotations.ForUpdate(ctx, actor, ref.ID)
	if err != nil {
		return proposals.Draft{}, err
	}
	after, err := m.quotations.PreviewSend(ctx, actor, quotation)
	if err != nil {
		return proposals.Draft{}, err
	}
	in.Quotation = quotation.ID
	letter, err := m.quotations.Letter(ctx, actor, quotation, in.letter())
	if err != nil {
		return proposals.Draft{}, err
	}
	if err := m.mayAddress(ctx, actor, letter); err != nil {
		return proposals.Draft{}, err
	}
	d := proposals.Draft{
		Title: i18n.T(actor.Lang, "proposal.send_quotation_email"), Target: quotationRefOf(*quotation), TargetVersion: quotation.Version, Reason: in.Reason,
		Changes:  mailed(actor.Lang, quotation, after, letter),
		Warnings: []string{i18n.T(actor.Lang, "email.will_send", "to", models.Marked(letter.Shown))},
	}
	if letter.Own {
		d.Warnings = append(d.Warnings, i18n.T(actor.Lang, "email.other_address"))
	}
	if quotation.Status != after.Status {
		d.Warnings = append(d.Warnings, i18n.T(actor.Lang, "email.will_become_sent"))
	}
	in.Subject, in.Note, in.Language, in.Reason = letter.Subject, letter.Note, string(letter.Lang), ""
	d.Args = in
	return d, nil
}

// letter is what the arguments say of the e-mail.
func (in sendQuotationEmailArgs) letter() crm.LetterInput {
	return crm.LetterInput{To: in.Email, Subject: in.Subject, Note: in.Note, Lang: models.ContactLanguage(in.Language)}
}

// mayAddress refuses an address that a model has from elsewhere than the contact or the person's own words.
func (m quotationMailer) mayAddress(ctx context.Context, actor models.Actor, letter crm.QuotationLetter) error {
	if !letter.Own || actor.Via != models.ViaAssistant && actor.Via != models.ViaMCP {
		return nil
	}
	typed, err := m.conversations.HasTyped(ctx, actor, letter.To)
	if err != nil || typed {
		return err
	}
	return apperr.InvalidField("email", i18n.T(actor.Lang, "email.not_typed"))
}

// mailed are the rows of the card: the e-mail as it will be sent, and the new status.
func mailed(lang string, before, after *store.QuotationView, letter crm.QuotationLetter) []models.Change {
	row := func(field, label string, value any, display string) models.Change {
		return models.Change{
			Field: field, Label: i18n.T(lang, "field."+label), After: value, BeforeDisplay: i18n.T(lang, "value.empty"), AfterDisplay: models.Marked(display),
		}
	}
	rows := []models.Change{
		row("email", "to", letter.Shown, letter.Shown),
		row("subject", "subject", letter.Subject, letter.Subject),
		row("message", "message", letter.Body, letter.Body),
	}
	if before.Status != after.Status {
		status := row("status", "status", after.Status, statusText(lang, after.Status))
		status.Before, status.BeforeDisplay = before.Status, statusText(lang, before.Status)
		rows = append(rows, status)
	}
	return rows
}

// execute queues the e-mail that the card has shown, and no other: where what it is made of has changed since, the card is
// stale, whatever the quotation's version.
func (m quotationMailer) execute(ctx context.Context, tx *store.Tx, actor models.Actor, in sendQuotationEmailArgs, p *models.Proposal) (models.Outcome, error) {
	quotations := m.quotations.With(tx)
	before, err := quotations.ForUpdate(ctx, actor, in.Quotation)
	if err != nil {
		return models.Outcome{}, err
	}
	letter, err := quotations.Letter(ctx, actor, before, in.letter())
	if err != nil {
		return models.Outcome{}, err
	}
	after, err := quotations.Send(ctx, actor, before.ID, p.TargetVersion, letter)
	if err != nil {
		return models.Outcome{}, err
	}
	if err := asShown(p, mailed(actor.Lang, before, after, letter)); err != nil {
		return models.Outcome{}, err
	}
	delivery, err := m.deliveries.With(tx).Queue(ctx, actor, p, deliveries.Letter{
		To: letter.To, ReplyTo: letter.ReplyTo, Subject: letter.Subject, Body: letter.Body, Lang: string(letter.Lang),
	})
	if err != nil {
		return models.Outcome{}, err
	}
	return models.Outcome{
		Summary:  i18n.T(actor.Lang, "email.queued", "name", p.TargetName, "to", letter.Shown),
		Records:  []models.Ref{p.Target()},
		Delivery: delivery.Status, Email: &models.OutcomeEmail{ID: delivery.ID, To: letter.Shown, At: delivery.UpdatedAt},
	}, nil
}

// asShown answers Stale unless rows have the values that a card has shown.
func asShown(p *models.Proposal, rows []models.Change) error {
	var shown []models.Change
	if err := p.Changes.Into(&shown); err != nil {
		return err
	}
	same := slices.EqualFunc(shown, rows, func(a, b models.Change) bool {
		return a.Field == b.Field && string(models.ToJSON(a.After)) == string(models.ToJSON(b.After))
	})
	if same {
		return nil
	}
	return apperr.New(apperr.Stale, proposals.CodeStale, "What this e-mail is made of has changed since it was shown.")
}
