package crm

import (
	"context"
	"strconv"
	"strings"

	"countersign/apperr"
	"countersign/i18n"
	"countersign/mail"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// QuotationLetter is an e-mail with a quotation to its customer, signed by its owner. Shown is the address To as the actor
// may see it. Note are the words of the text before the quotation's lines. Own says that To was given, and is not simply
// that of the quotation's contact.
type QuotationLetter struct {
	To, Shown, ReplyTo string
	Subject, Note      string
	Body               string
	Lang               models.ContactLanguage
	Own                bool
}

// LetterInput is what a letter may say in words of its own. Each field may be empty: the letter then goes to the address of
// the quotation's contact, in the language of the contact or else in English, with a subject and a first paragraph of the
// product's.
type LetterInput struct {
	To, Subject, Note string
	Lang              models.ContactLanguage
}

// maxNote bounds the words of one's own in a letter, in characters.
const maxNote = 4000

// Letter writes the e-mail with a quotation that the actor sees, and nothing to the database. Invalid without an address
// to send it to.
func (s *Quotations) Letter(ctx context.Context, actor models.Actor, q *store.QuotationView, in LetterInput) (QuotationLetter, error) {
	g, err := s.grants(ctx, actor)
	if err != nil {
		return QuotationLetter{}, err
	}
	mask, err := newMasker(ctx, s.gate, actor)
	if err != nil {
		return QuotationLetter{}, err
	}
	var letter QuotationLetter
	err = s.runner.View(ctx, func(r *store.Reader) error {
		contact, err := customerOf(ctx, r, g.Contact, q)
		if err != nil {
			return err
		}
		owner, err := r.UserByID(ctx, q.OwnerID)
		if err != nil {
			return err
		}
		if letter, err = addressed(actor.Lang, in, contact, mask); err != nil {
			return err
		}
		letter.ReplyTo = owner.Email
		return letter.write(q, in, contact.Name, owner.Name)
	})
	return letter, err
}

// customerOf is the contact of a quotation; an empty one without, or where the actor may not see who it is.
func customerOf(ctx context.Context, r *store.Reader, g rbac.Grant, q *store.QuotationView) (*store.ContactView, error) {
	if q.ContactID == nil || g.Scope() == rbac.ScopeNone {
		return &store.ContactView{}, nil
	}
	contact, err := r.Contact(ctx, store.ContactGrants{Contact: g}, *q.ContactID)
	if apperr.Is(err, apperr.NotFound) {
		return &store.ContactView{}, nil
	}
	return contact, err
}

// addressed is a letter with nothing but an address and a language.
func addressed(lang string, in LetterInput, contact *store.ContactView, mask masker) (QuotationLetter, error) {
	var wrong problems
	letter := QuotationLetter{To: wrong.email("email", in.To), Lang: in.Lang}
	if letter.Lang == "" {
		letter.Lang = contact.Language
	}
	if letter.Lang == "" {
		letter.Lang = models.ContactEnglish
	}
	letter.Shown, letter.Own = letter.To, letter.To != "" && letter.To != contact.Email
	if letter.To == "" || letter.To == contact.Email {
		letter.To, letter.Shown = contact.Email, mask.contact(*contact).Email
	}
	if letter.To != "" && !mail.IsAddress(letter.To) {
		wrong.add("email", "%s", i18n.T(lang, "letter.bad_address"))
	}
	if letter.To == "" {
		wrong.add("email", "%s", i18n.T(lang, "letter.no_address"))
	}
	return letter, wrong.err()
}

// write gives a letter its subject and its text.
func (l *QuotationLetter) write(q *store.QuotationView, in LetterInput, to, from string) error {
	say := func(key string, args ...any) string { return i18n.T(l.Lang, key, args...) }
	var wrong problems
	l.Subject = wrong.line("subject", models.Readable(in.Subject), false)
	if l.Subject == "" {
		l.Subject = say("letter.subject", "number", q.Label())
	}
	l.Note = wrong.text("note", models.Readable(in.Note))
	if len([]rune(l.Note)) > maxNote {
		wrong.add("note", "The note may have at most %d characters.", maxNote)
	}
	if l.Note == "" {
		l.Note = say("letter.note", "number", q.Label())
	}
	greeting := say("letter.greeting", "name", to)
	if to == "" {
		greeting = say("letter.greeting_nobody")
	}
	l.Body = strings.Join([]string{greeting, l.Note, quotationText(l.Lang, q), say("letter.closing", "name", from)}, "\n\n")
	return wrong.err()
}

// quotationText is a quotation in words: its lines, its amounts and how long it is valid.
func quotationText(lang models.ContactLanguage, q *store.QuotationView) string {
	say := func(key string, args ...any) string { return i18n.T(lang, key, args...) }
	amount := func(minor int64) string { return q.Money(minor).String() }
	text := []string{say("letter.title", "number", q.Label())}
	if q.CompanyName != "" {
		text = append(text, say("letter.company", "name", q.CompanyName))
	}
	for i, item := range q.Items {
		text = append(text, say("letter.item", "n", strconv.Itoa(i+1), "item", item.Text(q.Currency), "amount", amount(item.NetMinor)))
	}
	if q.DiscountMinor != 0 || q.TaxMinor != 0 {
		text = append(text, say("letter.subtotal", "amount", amount(q.SubtotalMinor)))
	}
	if q.DiscountMinor != 0 {
		text = append(text, say("letter.discount", "amount", amount(q.DiscountMinor)))
	}
	if q.TaxMinor != 0 {
		text = append(text, say("letter.tax", "amount", amount(q.TaxMinor)))
	}
	text = append(text, say("letter.total", "amount", amount(q.TotalMinor)))
	if q.ValidUntil != nil {
		text = append(text, say("letter.valid_until", "day", q.ValidUntil.Start().In(models.Zone()).Format(say("value.day"))))
	}
	return strings.Join(text, "\n")
}

// PreviewSend returns what a quotation becomes when it is sent, and writes nothing. It checks what Send checks.
func (s *Quotations) PreviewSend(ctx context.Context, actor models.Actor, before *store.QuotationView) (after *store.QuotationView, err error) {
	rights, err := s.rights(ctx, actor, rbac.QuotationUpdate)
	if err != nil {
		return nil, err
	}
	err = s.runner.View(ctx, func(r *store.Reader) error {
		after, err = s.sent(ctx, r, rights, before)
		return err
	})
	return after, s.refused(ctx, actor, quotationRef(&before.Quotation), err)
}

// Send marks a quotation, at the version that the actor has seen, as sent with a letter, and puts that on its timeline. A
// draft becomes SENT; one that is SENT stays as it is. It needs quotation:update and quotation:send over it. Conflict for
// one that was answered, has expired or was superseded.
func (s *Quotations) Send(ctx context.Context, actor models.Actor, id string, version int64, letter QuotationLetter) (view *store.QuotationView, err error) {
	rights, err := s.rights(ctx, actor, rbac.QuotationUpdate)
	if err != nil {
		return nil, err
	}
	err = s.transact(ctx, actor, models.Ref{Type: models.TypeQuotation, ID: id}, func(tx *store.Tx) error {
		before, err := s.changeable(ctx, tx.Reader, rights, id)
		if err != nil {
			return err
		}
		if err := checkVersion(version, before.Record, before); err != nil {
			return err
		}
		after, err := s.sent(ctx, tx.Reader, rights, before)
		if err != nil {
			return err
		}
		if view, err = s.save(ctx, tx, actor, rights, before, after); err != nil {
			return err
		}
		now := s.now()
		return tx.InsertRecordActivity(ctx, rights.write, &models.Activity{
			Record: models.NewRecord(now), Kind: models.ActivityEmail, At: now, OwnerID: actor.UserID,
			Subject: letter.Subject, Body: letter.Body, QuotationID: &id,
		})
	})
	return view, err
}

// sent is what a quotation becomes when it is sent, for the first time or again.
func (s *Quotations) sent(ctx context.Context, r *store.Reader, rights quotationRights, before *store.QuotationView) (*store.QuotationView, error) {
	if before.SupersededAt != nil {
		return nil, errSuperseded()
	}
	after, err := s.patched(ctx, r, rights, before, QuotationPatch{Status: models.Some(models.QuotationSent)})
	if err == nil && before.Status == models.QuotationSent {
		err = rights.sendable(ctx, r, &after.Quotation, s.now())
	}
	return after, err
}
