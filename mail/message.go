package mail

import (
	"errors"
	"fmt"
	"html"
	"net/mail"
	"strings"
	"time"
	"unicode"

	gomail "github.com/wneessen/go-mail"
)

// Message is an e-mail to one person. ID is the Message-ID without brackets, To and ReplyTo are bare addresses; ReplyTo may
// be empty. Lang is the language of Text, in which an empty line parts paragraphs.
type Message struct {
	ID      string
	To      string
	ReplyTo string
	Subject string
	Text    string
	Lang    string
	At      time.Time
}

// IsAddress reports whether text is a bare e-mail address that a message can go to.
func IsAddress(text string) bool {
	address, err := mail.ParseAddress(text)
	return err == nil && address.Name == "" && address.Address == text && isLine(text)
}

// isLine reports whether a text can stand in a header.
func isLine(text string) bool { return !strings.ContainsFunc(text, unicode.IsControl) }

var errHeader = errors.New("mail: a header holds what it must not")

// build writes the message, as text and with the same words as HTML.
func (m Message) build(from mail.Address) (*gomail.Msg, error) {
	if !isLine(m.Subject) || !isLine(m.ID) || !IsAddress(m.To) || m.ReplyTo != "" && !IsAddress(m.ReplyTo) {
		return nil, errHeader
	}
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	err := errors.Join(msg.From(from.String()), msg.To(m.To))
	if m.ReplyTo != "" {
		err = errors.Join(err, msg.ReplyTo(m.ReplyTo))
	}
	if err != nil {
		return nil, fmt.Errorf("mail: addresses: %w", errHeader)
	}
	msg.SetMessageIDWithValue(m.ID)
	msg.SetDateWithValue(m.At)
	msg.Subject(m.Subject)
	msg.SetGenHeader(gomail.HeaderContentLang, m.Lang)
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	msg.AddAlternativeString(gomail.TypeTextHTML, htmlOf(m.Lang, m.Text))
	return msg, nil
}

// htmlOf is a text as a page of paragraphs.
func htmlOf(lang, text string) string {
	var page strings.Builder
	fmt.Fprintf(&page, `<!doctype html><html lang="%s"><body>`, html.EscapeString(lang))
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		page.WriteString("<p>" + strings.ReplaceAll(html.EscapeString(paragraph), "\n", "<br>\n") + "</p>\n")
	}
	page.WriteString("</body></html>\n")
	return page.String()
}
