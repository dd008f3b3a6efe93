package mail

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// DefaultTimeout bounds each of the two parts of sending: to get connected and signed in, and to hand the message over.
const DefaultTimeout = 30 * time.Second

// Server is an outgoing mail server. It is safe for concurrent use.
type Server struct {
	host    string
	options []gomail.Option
	from    mail.Address
}

// Options are what a Server works with.
type Options struct {
	// URL is smtp:// or smtps://, with user and password where the server wants them, and as ?from= the sender. Ports are
	// 587 and 465 unless it names another. A password is sent over TLS only.
	URL string
	// Host is the name in the sender's address when the URL tells of no sender.
	Host string
	// Timeout is in place of [DefaultTimeout] when it is not 0.
	Timeout time.Duration
}

// NewServer returns the Server of a URL, without connecting.
func NewServer(o Options) (*Server, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Hostname() == "" {
		return nil, errors.New("mail: the URL of the mail server is not one")
	}
	from, err := sender(u, o.Host)
	if err != nil {
		return nil, err
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	s := &Server{host: u.Hostname(), from: *from, options: []gomail.Option{
		gomail.WithTimeout(o.Timeout), gomail.WithoutNoop(), gomail.WithoutRset(), gomail.WithHELO(domainOf(from.Address)),
	}}
	port := "587"
	if u.Scheme == "smtps" {
		port = "465"
		s.options = append(s.options, gomail.WithSSL())
	}
	if u.Port() != "" {
		port = u.Port()
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return nil, fmt.Errorf("mail: port: %w", err)
	}
	s.options = append(s.options, gomail.WithPort(number), gomail.WithTLSPolicy(gomail.TLSOpportunistic))
	if password, signsIn := u.User.Password(); signsIn {
		s.options = append(s.options, gomail.WithTLSPolicy(gomail.TLSMandatory),
			gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(u.User.Username()), gomail.WithPassword(password))
	}
	_, err = gomail.NewClient(s.host, s.options...)
	return s, err
}

// sender is whom the messages are from: as the URL says, or its user where that is an address, or nobody at host.
func sender(u *url.URL, host string) (*mail.Address, error) {
	if text := u.Query().Get("from"); text != "" {
		from, err := mail.ParseAddress(text)
		if err != nil {
			return nil, errors.New("mail: the sender in the URL of the mail server is not an address")
		}
		return from, nil
	}
	if from, err := mail.ParseAddress(u.User.Username()); err == nil {
		return from, nil
	}
	if host == "" {
		host = "localhost"
	}
	return &mail.Address{Name: "Countersign", Address: "countersign@" + host}, nil
}

func domainOf(address string) string { return address[strings.LastIndex(address, "@")+1:] }

// MessageID is the Message-ID, without brackets, of the message that goes by a key: the same each time.
func (s *Server) MessageID(key string) string { return key + "@" + domainOf(s.from.Address) }

// Send hands a message over, and returns nil when the server has taken it. Any other error than a [Failure] means that
// the message cannot be written. When ctx ends while it connects, nothing was sent; later it does not break off.
func (s *Server) Send(ctx context.Context, m Message) error {
	msg, err := m.build(s.from)
	if err != nil {
		return err
	}
	client, err := gomail.NewClient(s.host, s.options...)
	if err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	conn, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return &Failure{Step: "connect", Fate: Delayed}
	}
	err = client.SendWithSMTPClient(conn, msg)
	// What was taken stays taken, however the connection ends.
	_ = client.CloseWithSMTPClient(conn)
	if err == nil || msg.IsDelivered() {
		return nil
	}
	return failureOf(err)
}
