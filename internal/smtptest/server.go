package smtptest

import (
	"bufio"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/textproto"
	"strings"
	"sync"
	"testing"
)

// Behaviour is what the server does with the next mails.
type Behaviour int

// The behaviours. All but the first two take the mail without saying so, or not at all.
const (
	// Accept takes every mail, and says so.
	Accept Behaviour = iota
	// TakeLate takes the whole mail, and says so when [Server.Release] is called.
	TakeLate
	// CutAfterData takes the whole mail, and hangs up without a word.
	CutAfterData
	// Busy puts the sender off until later, before it has seen anything of the mail.
	Busy
	// BusyAfterData puts the sender off when it has seen the mail.
	BusyAfterData
	// NoSuchPerson refuses the recipient.
	NoSuchPerson
	// RefuseContent refuses the mail when it has seen it.
	RefuseContent
	// Hang says nothing, from the greeting on.
	Hang
	// HangUp hangs up at once.
	HangUp
)

// Mail is one that the server has received to its end, whether or not it has said so.
type Mail struct {
	From, To string
	Header   mail.Header
	// Text and HTML are the two parts of its body.
	Text, HTML string
}

// Server is a mail server on a port of this machine. It offers neither TLS nor to sign in.
type Server struct {
	url      string
	listener net.Listener
	release  chan struct{}

	mu        sync.Mutex
	behaviour Behaviour
	received  []Mail
	commands  []string
	onData    func()
}

// Start starts a server that ends with the test.
func Start(t testing.TB) *Server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := At("smtp://" + listener.Addr().String())
	s.listener, s.release = listener, make(chan struct{})
	t.Cleanup(func() {
		_ = listener.Close()
		close(s.release)
	})
	go s.serve()
	return s
}

// At is a server that another process has started, of which only the URL is of use.
func At(url string) *Server { return &Server{url: url} }

// URL is where mails are taken, without a sender.
func (s *Server) URL() string { return s.url }

// Behave changes what is done with the mails from now on.
func (s *Server) Behave(b Behaviour) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.behaviour = b
}

// OnData has fn called when all of a mail is there, before it is answered.
func (s *Server) OnData(fn func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onData = fn
}

// Release lets one mail of [TakeLate] be answered.
func (s *Server) Release() { s.release <- struct{}{} }

// Received are the mails so far.
func (s *Server) Received() []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Mail{}, s.received...)
}

// Commands are the lines that were said to the server, but for the mails themselves.
func (s *Server) Commands() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string{}, s.commands...)
}

func (s *Server) serve() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		go s.converse(conn)
	}
}

// now is what the server does at the moment.
func (s *Server) now() Behaviour {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.behaviour
}

func (s *Server) converse(conn net.Conn) {
	defer conn.Close()
	switch s.now() {
	case HangUp:
		return
	case Hang:
		_, _ = io.Copy(io.Discard, conn)
		return
	}
	say := func(line string) { _, _ = fmt.Fprintf(conn, "%s\r\n", line) }
	in := textproto.NewReader(bufio.NewReader(conn))
	say("220 smtptest")
	var from, to string
	for {
		line, err := in.ReadLine()
		if err != nil {
			return
		}
		s.heard(line)
		switch verb, rest, _ := strings.Cut(line, " "); strings.ToUpper(verb) {
		case "EHLO", "HELO":
			say("250-smtptest")
			say("250 8BITMIME")
		case "MAIL":
			if from = rest; s.now() == Busy {
				say("451 later")
				continue
			}
			say("250 ok")
		case "RCPT":
			if to = rest; s.now() == NoSuchPerson {
				say("550 5.1.1 " + rest + " unknown")
				continue
			}
			say("250 ok")
		case "DATA":
			say("354 go on")
			if !s.take(in, from, to, say) {
				return
			}
		case "QUIT":
			say("221 bye")
			return
		default:
			say("250 ok")
		}
	}
}

func (s *Server) heard(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.commands = append(s.commands, line)
}

// take receives a mail, and reports whether the conversation goes on.
func (s *Server) take(in *textproto.Reader, from, to string, say func(string)) bool {
	raw, err := io.ReadAll(in.DotReader())
	if err != nil {
		return false
	}
	m := parse(string(raw))
	m.From, m.To = inBrackets(from), inBrackets(to)
	s.mu.Lock()
	s.received = append(s.received, m)
	behaviour, onData := s.behaviour, s.onData
	s.mu.Unlock()
	if onData != nil {
		onData()
	}
	switch behaviour {
	case CutAfterData:
		return false
	case TakeLate:
		<-s.release
	case BusyAfterData:
		say("452 later")
		return true
	case RefuseContent:
		say("554 no")
		return true
	}
	say("250 taken")
	return true
}

func inBrackets(text string) string {
	_, rest, _ := strings.Cut(text, "<")
	inside, _, _ := strings.Cut(rest, ">")
	return inside
}

// parse takes a mail apart; what cannot be read stays empty.
func parse(raw string) (m Mail) {
	message, err := mail.ReadMessage(strings.NewReader(raw))
	if err != nil {
		return m
	}
	m.Header = message.Header
	_, params, _ := mime.ParseMediaType(message.Header.Get("Content-Type"))
	parts := multipart.NewReader(message.Body, params["boundary"])
	for {
		part, err := parts.NextRawPart()
		if err != nil {
			return m
		}
		text, _ := io.ReadAll(quotedprintable.NewReader(part))
		content := strings.ReplaceAll(string(text), "\r\n", "\n")
		if strings.HasPrefix(part.Header.Get("Content-Type"), "text/html") {
			m.HTML = content
		} else {
			m.Text = content
		}
	}
}
